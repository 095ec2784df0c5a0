"""A first look by msgspec sees what one by the plain decoder sees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hashcompat.core.errors import InputError
from hashcompat.core.model.pods import Inventory
from hashcompat.sources.files import reading
from hashcompat.sources.files.collect import collect
from tests.helpers.pods import Json, node, pod

OWNER: Json = {"kind": "ReplicaSet", "name": "web-5d4", "uid": "u-rs", "controller": True}
OWNED: Json = {"labels": {"pod-template-hash": "5d4"}, "ownerReferences": [OWNER]}
CREATED_BY = json.dumps({"reference": {"kind": "Job", "name": "j", "namespace": "ns"}})
WORKLOAD: Json = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "web-5d4", "namespace": "ns", "uid": "u-rs"},
    "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}},
}
NAMESPACE: Json = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "u-c"}}
LISTS: dict[str, list[Json]] = {
    "pods": [pod(name=f"p{number}") for number in range(9)],
    "owned": [pod(name="a", metadata=OWNED), pod(name="b", metadata=OWNED), WORKLOAD],
    "not owned": [pod(name="a"), WORKLOAD, NAMESPACE, node("1.9.11")],
    "an annotation": [
        pod(name=name, metadata={"annotations": {"kubernetes.io/created-by": CREATED_BY}}) for name in "ab"
    ],
    "null": [pod(metadata={"labels": None, "ownerReferences": None, "annotations": None}), pod(name="q")],
    "other types": [pod(metadata={"labels": [], "ownerReferences": {}, "annotations": 1}), pod(name="q")],
    "no containers": [pod(spec={"containers": None}), pod(name="q")],
    "no metadata": [{"kind": "Pod", "spec": {"containers": []}}, pod(name="q")],
    "escapes": [pod(name="\u00e9\ud800\x00\b"), pod(name="q")],
    "numbers": [pod(spec={"priority": 1e400, "x": 10**500, "y": [0.5, -0]}), pod(name="q")],
}


def look(path: Path) -> tuple[object, ...] | str:
    try:
        inventory: Inventory = collect((str(path),))
    except InputError as error:
        return str(error)
    return inventory.nodes, inventory.warnings, inventory.containers, inventory.origin, inventory.budgets


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("name", LISTS)
def test_it_sees_the_same(
    name: str, indent: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = {"apiVersion": "v1", "items": LISTS[name] * 2, "kind": "List"}
    path = tmp_path / "list.json"
    path.write_text(json.dumps(document, indent=indent))
    outcome = look(path)
    monkeypatch.setattr(reading, "first_look", lambda _: None)
    assert outcome == look(path)


@pytest.mark.parametrize(
    "text",
    ["", "[", "[{}]", '[{"kind": "Node"}]', '[{"kind": "Pod", "spec": 1, "metadata": {}}]', "[" * 9999],
)
def test_what_is_no_list_of_pods_it_leaves(text: str) -> None:
    assert reading.first_look(text) is None


def test_it_reads_what_a_first_look_needs() -> None:
    text = json.dumps([pod(name="p", metadata=OWNED, status={"phase": "Running"})])
    ((manifest, _),) = reading.first_look(text) or ()
    assert {key: sorted(value) for key, value in manifest.items() if key not in ("apiVersion", "kind")} == {
        "metadata": ["labels", "name", "namespace", "ownerReferences"],
        "spec": ["containers"],
    }
