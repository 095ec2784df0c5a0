"""Checkpoints of sandboxes: which ones their readers believe, by what real ones computed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.catalog.lookup import default_catalog
from hashcompat.compile.decode import compile_decoder
from hashcompat.compile.spew import spew
from hashcompat.errors import InputError
from hashcompat.preflight.facts import statefiles
from hashcompat.preflight.facts.statefiles import DOCKERSHIM, checkpoint_fault
from hashcompat.records.probes import UnreadError
from tests.helpers.dumps import GONE, dump, failed

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
