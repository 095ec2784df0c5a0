"""State files, and checkpoints of Docker sandboxes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import statefiles
from hashcompat.analysis.preflight.facts.statefiles import (
    CheckedStateFile,
    Condition,
    checkpoint_fault,
    is_read,
    read,
)
from hashcompat.core.catalog.hazards import StateFile, StateFiles
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.compile.spew import spew
from hashcompat.core.errors import InputError
from hashcompat.core.go.digest import fnv32a
from hashcompat.core.records.probes import DOCKERSHIM, UnreadError
from tests.helpers.dumps import GONE, dump, failed
from tests.helpers.golden import files, releases, rows, state_file
from tests.helpers.program import GOLDEN

# State files: what kubelets make of them, compared with what their own code does (golden/checkpoints).

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


def seen(catalog: Catalog, release: str, sample: str, on: list[str]) -> CheckedStateFile:
    kubelet = catalog.kubelet(release)
    name, text = text_of(sample)
    file: StateFile = getattr(states(catalog, release), FIELDS[name])
    return read(text, file, kubelet.gates.with_settings(frozenset((gate, True) for gate in on)))


@cache
def states(catalog: Catalog, release: str) -> StateFiles:
    return catalog.hazards(catalog.kubelet(release).release).states


def accepted(state: CheckedStateFile, row: dict[str, Any], migrates: bool) -> bool:
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


# Checkpoints of sandboxes: which ones their readers believe, by what real ones computed.

PORTS = {"port_mappings": [{"protocol": "tcp", "container_port": 80, "host_port": 8080}]}
TEXT = (
    "(dockershim.CheckpointData){PortMappings:([]*dockershim.PortMapping)[<*>{Protocol:(*dockershim.Protocol)tcp"
    " ContainerPort:(*int32)80 HostPort:(*int32)8080 HostIP:(string)}] HostNetwork:(bool)false}"
)


def tree(release: str) -> Any:
    catalog = default_catalog()
    return catalog.hazards(catalog.kubelet(release).release).sandbox_checkpoint


def cri_dockerd() -> Any:
    catalog = default_catalog()
    return catalog.hazards(catalog.kubelet("1.28.15").release).cri_dockerd_checkpoint


def checkpoint(data: Any, checksum: int) -> str:
    return json.dumps({"version": "v1", "name": "p", "namespace": "ns", "data": data, "checksum": checksum})


@pytest.mark.parametrize(
    ("data", "checksum"), [({}, 815459779), ({"host_network": True}, 996107268), (PORTS, 928727533)]
)
@pytest.mark.parametrize("release", ["1.14.0", "1.18.0", "1.23.17"])
def test_checksums_of_real_kubelets(release: str, data: Any, checksum: int) -> None:
    assert checkpoint_fault(checkpoint(data, checksum), tree(release)) == ""
    assert checkpoint_fault(checkpoint(data, checksum + 1), tree(release)).startswith(
        f"its checksum is {checksum + 1}"
    )


def test_the_hashed_text() -> None:
    go_type, _ = statefiles._types(tree("1.22.17"))
    assert spew(go_type, compile_decoder(go_type, keep_empty=True)(PORTS)) == TEXT


HOST_IP = {"protocol": "udp", "container_port": 53, "host_port": 53, "host_ip": "127.0.0.1"}

FROM_GO = {
    "1.6.13": (1716700799, 1716700799, 3244008426, 1273659080, 1571235298),
    "1.10.13": (2658024791, 4209345914, 2138342098, 1209280946, 2682308202),
    "1.13.12": (815459779, 996107268, 3670715548, 3002367736, 3585831124),
    "1.23.17": (815459779, 996107268, 928727533, 2159202550, 3585831124),
    "cri-dockerd": (2305795928, 12315789, 3712672205, 2805592534, 3930330829),
}
"""What Go and go-spew computed with the types of each reader, for each of DATA."""

DATA: tuple[Any, ...] = (
    {},
    {"host_network": True},
    PORTS,
    {"port_mappings": [HOST_IP, None], "host_network": False},
    {"port_mappings": []},
)


@pytest.mark.parametrize("reader", FROM_GO)
def test_every_reader_has_types_of_its_own(reader: str) -> None:
    types = cri_dockerd() if reader == "cri-dockerd" else tree(reader)
    for data, checksum in zip(DATA, FROM_GO[reader], strict=True):
        assert checkpoint_fault(checkpoint(data, checksum), types) == ""
        assert checkpoint_fault(checkpoint(data, checksum - 1), types) != ""


def test_releases_without_checkpoints() -> None:
    assert (tree("1.5.8"), tree("1.24.0")) == (None, None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "want one JSON document"),
        ('{"data":{}', "not valid JSON"),
        ("[]", "want an object"),
        ("null", "want an object"),
        ('{"data":[],"checksum":1}', "want an object, got"),
        ('{"data":null,"checksum":815459779}', "its data is null"),
        ('{"data":{},"checksum":-1}', ""),
        ('{"policyName":"none","checksum":"x"}', ""),
        (checkpoint({}, 815459779) + "x", ""),
    ],
)
def test_what_no_kubelet_decodes(text: str, problem: str) -> None:
    shown = checkpoint_fault(text, tree("1.22.17"))
    assert shown.startswith("it cannot be decoded: ")
    assert problem in shown


def test_data_that_is_left_out_is_empty() -> None:
    assert checkpoint_fault('{"checksum":815459779}', tree("1.22.17")) == ""
    assert checkpoint_fault('{"checksum":815459779}', tree("1.10.13")) != ""


def test_damaged_release_data() -> None:
    damaged = {**tree("1.22.17"), "types": {"PodSandboxCheckpoint": "string"}, "root": "PodSandboxCheckpoint"}
    with pytest.raises(InputError, match="not a struct"):
        statefiles._types(damaged)


def test_which_files_count() -> None:
    listed: dict[Any, Any] = {
        ("directory", DOCKERSHIM): "abc\n.tmp\n",
        ("file", f"{DOCKERSHIM}/.tmp"): checkpoint({}, 815459779),
    }
    assert not statefiles.has_checkpoint(dump(listed), DOCKERSHIM, ".tmp", tree("1.22.17"))
    assert not statefiles.has_checkpoint(dump(listed), DOCKERSHIM, "", tree("1.22.17"))
    assert not statefiles.has_checkpoint(dump(listed), DOCKERSHIM, "other", tree("1.22.17"))
    gone: dict[Any, Any] = {**listed, ("file", f"{DOCKERSHIM}/abc"): GONE}
    assert not statefiles.has_checkpoint(dump(gone), DOCKERSHIM, "abc", tree("1.22.17"))
    unread: dict[Any, Any] = {**listed, ("file", f"{DOCKERSHIM}/abc"): failed()}
    with pytest.raises(UnreadError, match="permission denied"):
        statefiles.has_checkpoint(dump(unread), DOCKERSHIM, "abc", tree("1.22.17"))


def test_cri_dockerd_s_types_have_names_of_their_own() -> None:
    go_type, _ = statefiles._types(cri_dockerd())
    text = TEXT.replace("dockershim.CheckpointData", "core.CheckpointData").replace("dockershim.", "config.")
    assert spew(go_type, compile_decoder(go_type, keep_empty=True)(PORTS)) == text
    assert checkpoint_fault(checkpoint({}, 815459779), cri_dockerd()) != ""
