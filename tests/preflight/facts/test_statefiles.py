"""State files: what kubelets make of them, compared with what their own code does (golden/checkpoints)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from hashcompat.catalog.hazards import StateFile, StateFiles
from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.go.digest import fnv32a
from hashcompat.preflight.facts.statefiles import Condition, State, is_read, read
from tests.helpers.golden import files, releases, rows, state_file
from tests.helpers.program import GOLDEN

RELEASES = releases("checkpoints")
INPUTS = rows("checkpoints")
FIELDS = {
    "cpu_manager_state": "cpu_manager_state",
    "memory_manager_state": "memory_manager_state",
    "pod_status_manager_state": "pod_status_state",
    "dra_manager_state": "dra_manager_state",
    "allocated_pods_state": "allocated_pods_state",
    "kubelet_internal_checkpoint": "device_plugins_state",
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return default_catalog()


def loads(release: str) -> Iterator[dict[str, Any]]:
    lines = (GOLDEN / "checkpoints" / f"{release}.loads.jsonl").read_text(encoding="utf-8").splitlines()
    return map(json.loads, lines)


def text_of(sample: str) -> tuple[str, str]:
    """Return the file that a sample is of, and its text."""
    folder, _, case = sample.partition("/")
    given = INPUTS[case]
    text = given["text"] if folder == "inputs" else state_file(sample)
    return given["file"], text


def seen(catalog: Catalog, release: str, sample: str, on: list[str]) -> State:
    kubelet = catalog.kubelet(release)
    name, text = text_of(sample)
    file: StateFile = getattr(states(catalog, release), FIELDS[name])
    return read(text, file, kubelet.gates.with_settings(frozenset((gate, True) for gate in on)))


@cache
def states(catalog: Catalog, release: str) -> StateFiles:
    return catalog.hazards(catalog.kubelet(release).release).states


def accepted(state: State, row: dict[str, Any], migrates: bool) -> bool:
    """Return whether a kubelet loads what it finds, with the policy and the containers of a row."""
    if state.condition != Condition.GOOD:
        return False
    looked_up = migrates and state.form is not None and state.form.by_id and "containers" in row
    if looked_up and not set(state.content.get("entries") or ()) <= row["containers"].keys():
        return False
    return "policy" not in row or (state.content.get("policyName") or "") == row["policy"]


@pytest.mark.parametrize("release", RELEASES)
def test_kubelets_load_what_they_are_said_to_load(catalog: Catalog, release: str) -> None:
    migrates = catalog.hazards(catalog.kubelet(release).release).cpu_entries_migrate
    wrong = []
    for row in loads(release):
        state = seen(catalog, release, row["sample"], row.get("gates", []))
        if accepted(state, row, migrates) == bool(row["refused"]):
            wrong.append((row, state.condition, state.form))
    assert wrong == []


def test_the_newest_kubelets_were_given_every_golden_file() -> None:
    written = {f"{release}/{name}" for release in RELEASES for name in rows("checkpoints", release)}
    texts = {f"inputs/{name}" for name, given in INPUTS.items() if "text" in given}
    given = {row["sample"] for release in RELEASES for row in loads(release)}
    assert given == written | texts
    assert len(RELEASES) == len({path.partition("/")[0] for path in written}) > 5
    assert files("checkpoints") == {"inputs.jsonl"} | {
        f"{release}{kind}.jsonl" for release in RELEASES for kind in ("", ".loads")
    }


@pytest.mark.parametrize("held", ["{", "[]", "null", "1"])
def test_a_text_with_the_right_checksum_has_to_hold_the_type(catalog: Catalog, held: str) -> None:
    text = json.dumps({"data": held, "checksum": fnv32a([f"(string){held}"])})
    kubelet = catalog.kubelet("1.34.10")
    state = read(text, states(catalog, "1.34.10").allocated_pods_state, kubelet.gates)
    assert state.condition == (Condition.GOOD if held == "null" else Condition.CORRUPT)
    assert state.content == {}


@pytest.mark.parametrize(("release", "on"), [("1.26.15", False), ("1.33.13", True), ("1.32.13", False)])
def test_a_file_is_read_where_there_is_one_and_its_gate_is_on(
    catalog: Catalog, release: str, on: bool
) -> None:
    assert is_read(states(catalog, release).allocated_pods_state, catalog.kubelet(release).gates) is on
