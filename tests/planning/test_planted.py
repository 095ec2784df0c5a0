"""What tenants write into pods decides only what it decides for a kubelet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import randomness
from tests.helpers.pods import PLAIN, Json, as_json, mirror_pod, node, pod
from tests.helpers.program import ROOT, Run
from tests.helpers.slices import every
from tests.helpers.upgrades import hash_of, planned, record, recorded

C: Json = {"name": "c", "image": "i", "args": ["\f"], "resources": {"limits": {"cpu": 1}}}
RUNNING: Json = {
    "phase": "Running",
    "containerStatuses": [{"name": "c", "restartCount": 0, "state": {"running": {}}}],
}
OWNER: Json = {"ownerReferences": [{"kind": "ReplicaSet", "name": "web", "controller": True}]}
VICTIM = "0123456789abcdef0123456789abcdef"
VALUES: tuple[Any, ...] = (
    "",
    "true",
    "file",
    "http",
    "mirror",
    "7",
    VICTIM,
    "1.9.11",
    "runtime/default",
    "localhost/x",
    7,
    {},
)
UPGRADES = (
    ("1.4.12", "1.5.8"),
    ("1.7.16", "1.9.11"),
    ("1.15.12", "1.16.15"),
    ("1.30.14", "1.31.14"),
    ("1.32.13", "1.33.13"),
    ("1.35.2", "1.36.3"),
    ("1.36.3", "1.37.1"),
)
MIRROR = "kubernetes.io/config.mirror"
_KEY = re.compile(r"(?:annotation\.)?[a-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?:/[A-Za-z0-9._-]*)?")
_QUOTED = re.compile(rf"""(?<=["'])({_KEY.pattern})(?=["'{{])""")
"""A key in Python's text; an f-string may go on with a container's name. ``ast`` takes 20 times as long."""
_DOMAINS = ("kubernetes.io", "io.kubernetes", "alibabacloud.com", "hashcompat.io")


@cache
def keys() -> tuple[str, ...]:
    """Return every key of an annotation or a label that the code or its tables name."""
    texts = {
        text for path in (ROOT / "hashcompat").rglob("*.py") for text in _QUOTED.findall(path.read_text())
    }
    texts |= {text for path in (ROOT / "schemas" / "tables").glob("*.json") for text in _texts(path)}
    named = {text for text in texts if _KEY.fullmatch(text) and any(part in text for part in _DOMAINS)}
    return tuple(sorted(f"{key}c" if key.endswith("/") else key for key in named))


def _texts(path: Path) -> Iterator[str]:
    todo: list[Any] = [json.loads(path.read_text())]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            todo += [*value, *value.values()]
        elif isinstance(value, list):
            todo += value


def test_the_keys_are_found() -> None:
    assert {
        MIRROR,
        "kubernetes.io/config.source",
        "kubernetes.io/config.hash",
        "container.apparmor.security.beta.kubernetes.io/c",
        "container.seccomp.security.alpha.kubernetes.io/c",
        "io.kubernetes.container.hash",
        "alibabacloud.com/container-hash-version",
    } <= set(keys())


def planted(owner: Json, place: int) -> Iterator[tuple[str, Json]]:
    """Yield pods with one key planted in one place, each with that key.

    Each upgrade of UPGRADES has a few of the values for a key, others for the next one, or all of them.
    """
    share = 1 if randomness.FRESH else 24
    for number, key in enumerate(keys(), place):
        for value in VALUES[number % share :: share]:
            texts: Json = {key: value} if isinstance(value, str) else {}
            for metadata in ({"annotations": texts}, {"labels": texts}):
                yield key, {"metadata": {**owner, **metadata}}
            yield key, {"metadata": owner, "spec": {key: value}}
            yield key, {"metadata": owner, "container": {key: value}}


def made(index: int, parts: Json) -> Json:
    spec = parts.get("spec", {})
    container = {**C, **parts.get("container", {})}
    return pod(container, name=f"p{index:06}", metadata=parts["metadata"], spec=spec, status=RUNNING)


def verdicts(run: Run, old: str, new: str, pods: list[Json], *more: object) -> list[tuple[Any, ...]]:
    command = ("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *more)
    items = run(*command, stdin=as_json(*pods)).items
    assert len(items) == sum(manifest["kind"] == "Pod" for manifest in pods)
    return [(item["verdict"], item["reasons"], item["podRecreated"], item["hash"]) for item in items]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("old", "new"), every(2, UPGRADES))
def test_a_planted_key_changes_no_verdict(run: Run, tmp_path: Path, old: str, new: str) -> None:
    victim = {
        "id": "0",
        "metadata": {"name": "c", "attempt": 0},
        "labels": {
            "io.kubernetes.container.name": "c",
            "io.kubernetes.pod.name": "victim-n1",
            "io.kubernetes.pod.namespace": "ns",
            "io.kubernetes.pod.uid": VICTIM,
        },
        "annotations": {"io.kubernetes.container.hash": "7"},
        "state": "CONTAINER_RUNNING",
    }
    given = planted(OWNER, UPGRADES.index((old, new)))
    pods = [made(index, parts) for index, (_, parts) in enumerate(given, 1)]
    first, *others = verdicts(run, old, new, [made(0, {"metadata": OWNER}), *pods])
    assert set(map(repr, others)) == {repr(first)}
    told = recorded(tmp_path, victim)
    first, *others = verdicts(run, old, new, [made(0, {"metadata": OWNER}), *pods], *told)
    assert set(map(repr, others)) == {repr(first)}


MAY = "is treated as static or ordinary, whichever is worse, because"
SEVERITY = ["KEEP", "UNKNOWN", "RESTART", "KILL"]


@pytest.mark.parametrize(("old", "new"), UPGRADES)
def test_a_pod_that_nobody_owns_does_no_better_as_a_mirror_pod(run: Run, old: str, new: str) -> None:
    """Its kubelet takes it for one, and then runs nothing of it."""
    taint = {"taints": [{"key": "k", "effect": "NoExecute"}]}
    host: Json = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "spec": taint, "status": {}}
    bare, *others = verdicts(
        run,
        old,
        new,
        [
            made(index, {"metadata": {"annotations": {MIRROR: value} if value is not None else {}}})
            for index, value in enumerate((None, "", "mirror", VICTIM, "0123"))
        ]
        + [host],
    )[:5]
    assert all(SEVERITY.index(row[0]) >= SEVERITY.index(bare[0]) for row in others)


@pytest.mark.parametrize(
    ("old", "change", "said"),
    [
        ("1.17.17", {}, ""),
        ("1.16.15", {"ownerReferences": []}, ""),
        ("1.17.17", {"ownerReferences": []}, f"{MAY} the controller is not the pod's node"),
        ("1.16.15", {"name": "etcd"}, f"{MAY} its name does not end in -n1"),
        ("1.16.15", OWNER, "is an ordinary one, because its controller is ReplicaSet/web"),
    ],
)
def test_it_is_said_where_a_mirror_pod_is_not_confirmed(run: Run, old: str, change: Json, said: str) -> None:
    given = mirror_pod(C, status=RUNNING)
    given["metadata"].update(change)
    command = ("plan", "--from", old, "--to", "1.18.16", "-f", "-", "-o", "json")
    warnings = run(*command, stdin=as_json(given)).document["spec"]["warnings"]
    lines = [line for line in warnings if "annotation of a mirror pod" in line]
    name = given["metadata"]["name"]
    line = f"1 pod with the annotation of a mirror pod {said}: ns/{name}"
    assert lines == ([line] if said else [])


@pytest.mark.parametrize(
    ("created_by", "changes", "expected"),
    [
        ("1.16.15", {"name": "etcd"}, "UNKNOWN"),
        ("1.15.12", {"name": "etcd"}, "RESTART"),
        ("1.15.12", {}, "RESTART"),
    ],
)
def test_a_doubtful_mirror_pod_on_a_node_of_no_known_release(
    run: Run, tmp_path: Path, created_by: str, changes: Json, expected: str
) -> None:
    """Its record decides, where it decides for both."""
    given = mirror_pod(PLAIN, status=RUNNING)
    given["metadata"].update(changes)
    told = record(hash_of(run, created_by, PLAIN), given["metadata"]["name"], uid="0123")
    item = planned(run, "auto", "1.16.15", node("dev"), given, more=recorded(tmp_path, told))["c"]
    assert item["verdict"] == expected


def test_records_that_are_older_than_their_containers_are_named(run: Run, tmp_path: Path) -> None:
    given = made(0, {"metadata": OWNER})
    given["status"]["containerStatuses"][0]["restartCount"] = 2
    told = recorded(tmp_path, record(7, given["metadata"]["name"]))
    command = ("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", "-", "-o", "json", *told)
    result = run(*command, stdin=as_json(given))
    assert result.item["hash"]["recorded"] is None
    line = (
        "ignored the records of 1 container because they predate what runs now: "
        "ns/p000000/c; collect them again"
    )
    assert line in result.document["spec"]["warnings"]


@pytest.mark.parametrize(("name", "warned"), [("p000000", 0), ("another", 1)])
def test_records_of_other_containers_alone_are_warned_of(
    name: str, warned: int, run: Run, tmp_path: Path
) -> None:
    """Those of another node decide nothing, and a plan with them looks like one that they confirm."""
    told = recorded(tmp_path, record(7, name))
    command = ("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", "-", "-o", "json", *told)
    warnings = run(*command, stdin=as_json(made(0, {"metadata": OWNER}))).document["spec"]["warnings"]
    line = "the records are of no container in this plan, but of other nodes, or of pods that are gone"
    assert warnings.count(line) == warned


def test_a_static_pod_takes_the_place_of_its_mirror_pod_on_its_own_node_only(
    run: Run, tmp_path: Path
) -> None:
    """What a tenant names and annotates like one stays in the plan."""
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}}
    (manifests / "p.json").write_text(json.dumps({**manifest, "spec": {"containers": [C]}}))
    elsewhere = mirror_pod(C)
    elsewhere["spec"]["nodeName"] = "n2"
    owned = pod(C, name="p-n1", metadata={**OWNER, "uid": "3", "annotations": {MIRROR: VICTIM}})
    objects = (mirror_pod(C), {**elsewhere, "metadata": {**elsewhere["metadata"], "uid": "2"}}, owned)
    command = ("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", "-", "-o", "json")
    static = ("--static-pod-dir", manifests, "--node-name", "n1")
    items = run(*command, *static, stdin=as_json(*objects)).items
    assert [(item["node"], item["uid"]) for item in items] == [("n1", "3"), ("n1", "uid-p-n1"), ("n2", "2")]
