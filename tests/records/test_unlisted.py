"""Static pods that run by a node's records though no pod shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Result, Run
from tests.helpers.upgrades import record, recorded

UID = "0123456789abcdef0123456789abcdef"
SAID = "on node n1 but not among the pods: static pod ns/etcd-n1, c: it has no mirror pod"


def planned(run: Run, tmp_path: Path, *objects: Json, told: Json, more: tuple[object, ...] = ()) -> Result:
    argv = ("plan", "--from", "1.8.15", "--to", "1.9.11", "-f", "-", *recorded(tmp_path, told), *more)
    result = run(*argv, stdin=as_json(*objects))
    assert result.code == 0, result.err
    return result


SHOWN = record(7, "etcd-n1", uid=UID)


def test_a_static_pod_without_a_mirror_pod_is_named(run: Run, tmp_path: Path) -> None:
    assert f"Warning: {SAID}" in planned(run, tmp_path, pod(), told=SHOWN).err
    assert "not among" not in planned(run, tmp_path, pod(), told=SHOWN, more=("-q",)).err


@pytest.mark.parametrize(
    "command", [("verify",), ("matrix", "--from", "1.8.15", "--to", "1.9.11"), ("snapshot",)]
)
def test_whatever_is_asked(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    argv = (*command, "-f", "-", *recorded(tmp_path, SHOWN))
    assert f"Warning: {SAID}" in run(*argv, stdin=as_json(pod(), node("v1.8.15"))).err


SANDBOX: Json = {
    "metadata": {"uid": UID, "namespace": "ns", "name": "etcd-n1", "attempt": 0},
    "state": "SANDBOX_READY",
}


def test_a_sandbox_alone_shows_it_too(run: Run, tmp_path: Path) -> None:
    assert "static pod ns/etcd-n1: it has no mirror pod" in planned(run, tmp_path, pod(), told=SANDBOX).err


def test_of_an_unknown_node_it_is_the_node(run: Run, tmp_path: Path) -> None:
    told = record(7, "etcd-n9", uid=UID)
    assert "on the node but not among" in planned(run, tmp_path, pod(), told=told).err


@pytest.mark.parametrize(
    ("objects", "told", "more"),
    [
        pytest.param((mirror_pod(name="etcd"),), SHOWN, (), id="its mirror pod is there"),
        pytest.param((pod(),), record(7, "gone"), (), id="a pod of an API server that is gone"),
        pytest.param((pod(),), record(7, "etcd-n1", uid=UID, state="CONTAINER_EXITED"), (), id="it exited"),
        pytest.param(
            (pod(),), {**SANDBOX, "state": "SANDBOX_NOTREADY"}, (), id="a sandbox that is not ready"
        ),
        pytest.param(
            (pod(metadata={"namespace": "other"}),), SHOWN, (), id="no pod of its namespace is in the file"
        ),
        pytest.param(
            (pod(), pod(name="q", node="n2")), SHOWN, ("--node", "n2"), id="of a node not asked for"
        ),
        pytest.param(
            (pod(), pod(metadata={"uid": "q", "namespace": "other"})),
            SHOWN,
            ("--exclude-namespace", "ns"),
            id="of a namespace not asked for",
        ),
    ],
)
def test_what_is_no_missing_static_pod(
    run: Run, tmp_path: Path, objects: tuple[Json, ...], told: Json, more: tuple[str, ...]
) -> None:
    assert "not among the pods" not in planned(run, tmp_path, *objects, told=told, more=more).err
