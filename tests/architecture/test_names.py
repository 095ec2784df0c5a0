"""No part of the package hides a function of the API, even when everything is imported."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import hashcompat
from hashcompat.analysis.patching import NewFile, Patch
from scripts.docs import imports
from tests.helpers.pods import ARTICLE, node, pod
from tests.helpers.upgrades import record

FUNCTIONS = sorted(name for name in hashcompat.__all__ if name.islower() and not name.startswith("_"))
ADDED = Patch("keep", "why", (NewFile("a.go", "package a\n"),), ())
OLD, NEW = "1.7.16", "1.9.11"


def recorded(directory: Path) -> Path:
    """Write a file with the hash that the older release records for the pod's container."""
    path = directory / "records.json"
    path.write_text(json.dumps({"containers": [record(1559107639, "p", ARTICLE["name"])]}))
    return path


def refused(call: Callable[[], object]) -> bool:
    with pytest.raises(hashcompat.InputError):
        call()
    return True


EXAMPLES: dict[str, Callable[[Path], object]] = {
    "calibrate": lambda at: hashcompat.calibrate(
        [pod(ARTICLE)], OLD, records=hashcompat.load_records(recorded(at))
    ),
    "compare": lambda _: hashcompat.compare(OLD, NEW),
    "container_hash": lambda _: hashcompat.container_hash(ARTICLE, NEW),
    "container_text": lambda _: hashcompat.container_text(ARTICLE, NEW),
    "gate": lambda _: hashcompat.gate(hashcompat.plan([pod()], OLD, NEW)),
    "gate_after": lambda _: hashcompat.gate_after(hashcompat.plan([pod()], OLD, NEW), [pod()], ["n1"]),
    "diff": lambda _: hashcompat.diff(OLD, NEW),
    "explain": lambda _: hashcompat.explain([pod()], "ns/p", OLD, NEW),
    "hashes": lambda _: hashcompat.hashes([pod()], [NEW]),
    "impact": lambda _: hashcompat.impact([pod()], OLD, NEW),
    "load": lambda _: hashcompat.load(pod()),
    "load_cluster": lambda _: refused(lambda: hashcompat.load_cluster(kubeconfig="/no/such")),
    "load_dumps": lambda at: refused(lambda: hashcompat.load_dumps(at / "none")),
    "load_policy": lambda _: hashcompat.load_policy(max_restarts="1"),
    "load_records": lambda at: hashcompat.load_records(recorded(at)),
    "load_sample": lambda _: hashcompat.load_sample(),
    "load_static_pods": lambda at: hashcompat.load_static_pods(at / "manifests", "n1"),
    "matrix": lambda _: hashcompat.matrix(None, OLD, NEW),
    "normalize": lambda _: hashcompat.normalize([pod()], OLD, NEW),
    "patch": lambda _: hashcompat.patch(NEW, [OLD]),
    "patch_audit": lambda _: hashcompat.patch_audit([pod()], NEW, OLD),
    "patch_text": lambda _: hashcompat.patch_text(ADDED, {}),
    "preflight_nodes": lambda _: hashcompat.preflight_nodes(None, NEW, source=[node(OLD), pod()]),
    "plan": lambda _: hashcompat.plan([pod()], OLD, NEW),
    "releases": lambda _: hashcompat.releases(),
    "select": lambda _: hashcompat.select([pod()], hashcompat.Filters(namespaces=("ns",))),
    "snapshot": lambda _: hashcompat.snapshot([pod()]),
    "to_document": lambda _: hashcompat.to_document(hashcompat.releases()),
    "to_json": lambda _: hashcompat.to_json(hashcompat.compare(OLD, NEW)),
    "verify": lambda at: hashcompat.verify(str(at)),
}
"""One call of every function of the API; the argument is a small golden directory."""


@cache
def import_all() -> None:
    for module in imports.modules():
        importlib.import_module(module)


def test_every_function_has_an_example() -> None:
    assert sorted(EXAMPLES) == FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_still_one_after_all_imports(name: str, golden: Path) -> None:
    """Importing ``hashcompat.plan``, were there one, would put that module in the function's place."""
    import_all()
    (golden / "manifests").mkdir()
    (golden / "manifests" / "web.json").write_text(json.dumps(pod()))
    assert EXAMPLES[name](golden)


def test_no_part_of_the_package_is_called_as_a_function_is() -> None:
    assert set(imports.rooms()) & set(hashcompat.__all__) == set()
