"""State files: every release has one row for each, and what the rows name exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from hashcompat.core.catalog.hazards import StateFile, StateFiles
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.go.types import Pointer, Struct

TREES = Path(__file__).parents[2] / "schemas" / "types" / "checkpoint"


def files(release: str) -> StateFiles:
    catalog = default_catalog()
    return catalog.hazards(catalog.kubelet(release).release).states


def each(states: StateFiles) -> list[StateFile]:
    return [getattr(states, name) for name in states.__struct_fields__]


def test_every_release_has_one_row_for_each_file() -> None:
    for release in default_catalog().releases():
        for file in each(files(release)):
            assert {form.name for form in file.forms} <= {form.name for form in file.all_forms} | {
                "memory-1.21-zero",
                "cpu-1.9",
            }
            assert bool(file.forms) == (file.refusal in {"stops", "warns", "resets"})


def test_every_tree_is_of_a_form() -> None:
    named = {form.type for file in each(files("1.37.1")) for form in file.all_forms}
    roots = {go_type.elem.name if isinstance(go_type, Pointer) else go_type.name for go_type in named}
    assert roots >= {"state.CPUManagerCheckpoint", "checkpoint.checkpointData", "state.DRAManagerCheckpoint"}
    assert len(list(TREES.glob("*.json"))) == 12


@pytest.mark.parametrize(
    ("release", "forms", "gate"),
    [
        ("1.8.15", [], ""),
        ("1.9.11", ["cpu-1.9"], "CPUManager"),
        ("1.17.17", ["cpu-1.12"], "CPUManager"),
        ("1.18.0", ["cpu-1.12", "cpu-1.18"], "CPUManager"),
        ("1.36.0", ["cpu-1.18", "cpu-1.12"], "CPUManager"),
        ("1.37.0", ["cpu-1.37", "cpu-1.36", "cpu-1.18"], "CPUManager"),
    ],
)
def test_what_releases_read_of_the_cpu_manager(release: str, forms: list[str], gate: str) -> None:
    file = files(release).cpu_manager_state
    assert ([form.name for form in file.forms], file.gate) == (forms, gate)
    assert file.path == "cpu_manager_state"


def test_forms_are_over_a_value_or_a_pointer() -> None:
    known = {form.name: form for file in each(files("1.37.1")) for form in file.all_forms}
    assert isinstance(known["cpu-1.18"].type, Pointer)
    assert isinstance(known["devices-1.20"].type, Struct)
    assert known["cpu-1.12"].by_id
    assert not known["cpu-1.18"].by_id
    assert files("1.36.3").cpu_manager_state.gated == {"PodLevelResourceManagers": (known["cpu-1.36"],)}
