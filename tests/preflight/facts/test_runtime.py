"""What runtimes showed: which probes make which containers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.preflight.facts import Facts, runtime
from hashcompat.records.probes import Dump, UnreadError
from tests.helpers.dumps import APP, GONE, POD_ROWS, docker_row, dump, failed, inspected


def only(changes: Any = None, **more: Any) -> Dump:
    return dump({("docker", "list"): json.dumps(POD_ROWS), **(changes or {})}, **more)


def test_the_containers_of_docker() -> None:
    [found] = runtime.runtimes_of(dump())[0]
    assert (found.kind, found.name, found.version) == ("docker", "docker", "20.10.24")
    sandbox, app = found.containers
    assert (sandbox.path, sandbox.listed, sandbox.sandbox) == ("ns/p/POD", False, "")
    assert (app.path, app.listed, app.running, app.pid) == ("ns/p/app", True, True, 4321)


@pytest.mark.parametrize("state", [{"State": "", "Status": "Up 3 hours"}, {"State": "paused", "Status": ""}])
def test_what_older_dockers_call_running(state: Any) -> None:
    row = {**docker_row(APP, "k8s_app_p_ns_uid-p_0", "container"), **state}
    given = dump({("docker", "list"): json.dumps([row]), ("docker", f"inspect {APP}"): inspected(APP, 1)})
    assert runtime.runtimes_of(given)[0][0].containers[0].running


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "docker list: "),
        ('{"message":"no"}', "docker list: want a list"),
        ("[1]", "docker list: want a list"),
        ('[{"Id":"1","Names":["/k8s_a_b_c_d_0"],"Labels":"a=b"}]', "docker list: labels in one text"),
    ],
)
def test_a_list_that_is_not_docker_s(text: str, reason: str) -> None:
    found, problems = runtime.runtimes_of(dump({("docker", "list"): text}))
    assert found == ()
    assert problems[0].startswith(reason)
    with pytest.raises(UnreadError, match=reason.strip(": ")):
        list(Facts(dump({("docker", "list"): text})).runtimes)


@pytest.mark.parametrize("text", ["null", "[]", "[{}]"])
def test_no_containers(text: str) -> None:
    assert runtime.runtimes_of(dump({("docker", "list"): text}))[0][0].containers == ()


def test_no_runtime_was_asked_or_found() -> None:
    with pytest.raises(UnreadError, match="nothing looked for it"):
        runtime.kinds(Dump("n", "test", {}))
    with pytest.raises(UnreadError, match="no container runtime was found"):
        runtime.kinds(dump({("docker", "list"): GONE}))


def test_a_runtime_below_the_kubelet_s_need_not_be_read() -> None:
    found, problems = runtime.runtimes_of(dump({("cri", "containers"): failed("crictl is not on the PATH")}))
    assert ([one.kind for one in found], problems) == (["docker"], ())
    empty: dict[Any, Any] = {
        ("docker", "list"): "[]",
        ("cri", "containers"): failed("crictl is not on the PATH"),
    }
    assert runtime.runtimes_of(dump(empty))[1] == ("containers: crictl is not on the PATH",)


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        ('{"runtimeName":"containerd","runtimeVersion":"v1.7"}', ("containerd", "v1.7")),
        ("Version: 0.1.0\nRuntimeName:  cri-o\nRuntimeVersion:  1.30.0\n", ("cri-o", "1.30.0")),
        ("[]", ("cri", "")),
        (failed(), ("cri", "")),
    ],
)
def test_the_version_of_a_cri_runtime(version: Any, shown: tuple[str, str]) -> None:
    given: dict[Any, Any] = {
        ("docker", "list"): GONE,
        ("cri", "version"): version,
        ("cri", "containers"): '{"containers":null}',
    }
    [found] = runtime.runtimes_of(dump(given))[0]
    assert (found.name, found.version) == shown
