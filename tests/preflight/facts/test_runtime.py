"""The container runtimes of a node."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import Facts, runtime
from hashcompat.analysis.preflight.facts.runtime import container_ids
from hashcompat.core.model.pods import Node
from hashcompat.core.records.probes import AbsentError, Dump, UnreadError
from tests.helpers.dumps import (
    APP,
    GONE,
    POD_ROWS,
    Key,
    containerd,
    docker,
    docker_row,
    dump,
    failed,
    inspected,
)

# What runtimes showed: which probes make which containers.


def only(changes: Any = None, **more: Any) -> Dump:
    return dump({("docker", "list"): json.dumps(POD_ROWS), **(changes or {})}, **more)


def test_the_containers_of_docker() -> None:
    [engine] = runtime.runtimes_of(dump())[0]
    assert (engine.kind, engine.name, engine.version) == ("docker", "docker", "20.10.24")
    sandbox, app = engine.containers
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
    runtimes, problems = runtime.runtimes_of(dump({("docker", "list"): text}))
    assert runtimes == ()
    assert problems[0].startswith(reason)
    with pytest.raises(UnreadError, match=reason.strip(": ")):
        list(Facts(dump({("docker", "list"): text})).runtimes)


@pytest.mark.parametrize("text", ["null", "[]", "[{}]"])
def test_no_containers(text: str) -> None:
    assert runtime.runtimes_of(dump({("docker", "list"): text}))[0][0].containers == ()


def test_no_runtime_was_asked_or_found() -> None:
    with pytest.raises(UnreadError, match="not in the dump; collect again with --preflight"):
        runtime.kinds(Dump("n", "test", {}))
    with pytest.raises(UnreadError, match="no container runtime was found"):
        runtime.kinds(dump({("docker", "list"): GONE}))


def test_a_runtime_below_the_kubelet_s_need_not_be_read() -> None:
    runtimes, problems = runtime.runtimes_of(
        dump({("cri", "containers"): failed("crictl is not on the PATH")})
    )
    assert ([engine.kind for engine in runtimes], problems) == (["docker"], ())
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
    [engine] = runtime.runtimes_of(dump(given))[0]
    assert (engine.name, engine.version) == shown


# The container runtime: by its Node object, and by what it answers.


@pytest.mark.parametrize(
    ("changes", "node", "expected"),
    [
        ({}, None, "containerd://2.1.4"),
        ({}, Node("n1", "", "cri-o://1.31.0"), "cri-o://1.31.0"),
        ({}, Node("n1", ""), "containerd://2.1.4"),
        (docker("20.10.24"), None, "docker://20.10.24"),
        ({**docker("20.10.24"), **containerd("1.6.20")}, None, "containerd://1.6.20"),
    ],
)
def test_the_version_is_written_as_in_a_node_object(changes: Any, node: Node | None, expected: str) -> None:
    assert runtime.runtime_version(dump(changes), node) == expected


DOCKER = ("docker", "version")


def test_a_runtime_that_answers_nothing_useful_is_unread() -> None:
    with pytest.raises(UnreadError, match="does not report its runtimeName"):
        runtime.runtime_version(dump({("cri", "version"): "{}", DOCKER: GONE}), None)
    with pytest.raises(UnreadError, match="permission denied"):
        runtime.runtime_version(dump({("cri", "version"): failed(), DOCKER: GONE}), None)
    with pytest.raises(AbsentError):
        runtime.runtime_version(dump({("cri", "version"): GONE, DOCKER: "{}"}), None)


def test_an_old_crictl_prints_lines() -> None:
    text = (
        "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v1.6.20\nRuntimeApiVersion:  v1alpha2\n"
    )
    given = dump({("cri", "version"): text})
    assert runtime.runtime_version(given, None) == "containerd://1.6.20"
    assert runtime.api_version(given) == "v1alpha2"


def test_what_was_not_asked_has_no_version_of_the_interface() -> None:
    assert runtime.api_version(dump()) == "v1"
    assert runtime.api_version(dump({("cri", "version"): failed(), DOCKER: GONE})) == ""


@pytest.mark.parametrize("text", ["{", "[]", '"x"'])
def test_an_answer_that_is_not_an_object_is_unread(text: str) -> None:
    with pytest.raises(UnreadError):
        runtime.document(dump({("cri", "info"): text}), "cri", "info")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"defaultRuntimeName": "r", "runtimes": {"r": {"options": {"SystemdCgroup": True}}}}, "systemd"),
        ({"defaultRuntimeName": "r", "runtimes": {"r": {"options": {"SystemdCgroup": False}}}}, "cgroupfs"),
        ({"runtimes": {"runc": {}}}, "cgroupfs"),
    ],
)
def test_containerds_driver_is_that_of_its_default_runtime(config: Any, expected: str) -> None:
    assert runtime.cgroup_driver({"config": {"containerd": config}}) == expected


def test_conditions_and_images_skip_what_is_none() -> None:
    assert runtime.conditions({"status": {"conditions": [1, {"type": "A", "status": True}]}}) == {
        "A": {"type": "A", "status": True}
    }
    assert runtime.conditions({"status": {"conditions": 1}}) == {}
    images = {"images": [{"repoTags": ["a"], "repoDigests": ["b"]}]}
    assert list(runtime.image_names(images)) == ["a", "b"]


def test_where_images_are() -> None:
    assert runtime.image_directory("containerd://2.1.4", {"config": {"containerdRootDir": "/c"}}) == "/c"
    assert runtime.image_directory("cri-o://1.31.0", {}) == "/var/lib/containers/storage"
    with pytest.raises(UnreadError, match="where other://1 keeps images is not known"):
        runtime.image_directory("other://1", {})


# The containers that the runtimes know.

DOCKER_LIST: Key = ("docker", "list")
CRI: Key = ("cri", "containers")


@pytest.mark.parametrize(
    ("docker", "cri", "expected"),
    [
        ('[{"Id": "a"}, 1]', GONE, {"a"}),
        (failed(), '{"containers": [{"id": "b"}]}', {"b"}),
        ('[{"Id": "a"}]', '{"containers": [{"id": "b"}]}', {"a", "b"}),
        ("[]", "{", set()),
        ("[]", '{"containers": 1}', set()),
    ],
)
def test_ids_of_every_runtime(docker: object, cri: object, expected: set[str]) -> None:
    assert container_ids(dump({DOCKER_LIST: docker, CRI: cri})) == expected  # type: ignore[dict-item]


def test_no_list_is_no_empty_list() -> None:
    with pytest.raises(UnreadError, match="docker list: permission denied; cri containers: not found"):
        container_ids(dump({DOCKER_LIST: failed(), CRI: GONE}))
