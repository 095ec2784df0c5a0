"""PF-000: containers without a sandbox, by the kubelet that will be started."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.core.records.probes import Dump
from tests.helpers.dumps import APP, GONE, POD_ROWS, SANDBOX, docker_row, dump, failed, found, upgrade

ORPHAN = ("docker", "list"), json.dumps(POD_ROWS[1:])
DIRECTORY = "/var/lib/dockershim/sandbox"
OTHER = "/var/lib/cri-dockerd/sandbox"
VALID = '{"version":"v1","name":"p","namespace":"ns","data":{},"checksum":815459779}'
CRI_VALID = '{"version":"v1","name":"p","namespace":"ns","data":{},"checksum":2305795928}'
HEX = {"id": APP, "podSandboxId": SANDBOX, "metadata": {"name": "app"}, "state": "CONTAINER_EXITED"}


def node(changes: Any = None, **arguments: Any) -> Dump:
    """Return a node with an orphan in Docker, and what differs."""
    return dump({ORPHAN[0]: ORPHAN[1], **(changes or {})}, **arguments)


def checkpoint(text: str, directory: str = DIRECTORY) -> dict[Any, Any]:
    return {("directory", directory): f"{SANDBOX}\n", ("file", f"{directory}/{SANDBOX}"): text}


@pytest.mark.parametrize(
    ("to", "status"),
    [
        ("1.17.17", "WARN"),
        ("1.18.0", "ERROR"),
        ("1.23.13", "ERROR"),
        ("1.23.14", "WARN"),
        ("1.23.15", "WARN"),
        ("1.24.17", "WARN"),
        ("1.33.13", "WARN"),
    ],
)
def test_pf000_is_an_error_where_the_kubelet_ends(to: str, status: str) -> None:
    given = node({("directory", path): GONE for path in (DIRECTORY, OTHER)})
    [(severity, thing, text)] = found("PF-000", given, upgrade(to))
    assert (severity, thing) == (status, "ns/p/app")
    assert text.startswith(f"container {APP[:12]}: its sandbox {SANDBOX[:12]} is missing: kubelet {to}")


def test_pf000_in_order() -> None:
    assert found("PF-000", dump(), upgrade("1.22.17")) == [("OK", "", "nothing found: orphaned containers")]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (VALID, "INFO"),
        (VALID.replace("815459779", "815459778"), "ERROR"),
        (VALID[:-3], "ERROR"),
        ("", "ERROR"),
        ('{"policyName":"none","defaultCpuSet":"","checksum":1353318690}', "ERROR"),
    ],
)
def test_pf000_a_valid_checkpoint_counts_as_a_sandbox(text: str, status: str) -> None:
    assert found("PF-000", node(checkpoint(text)), upgrade("1.22.17"))[0][0] == status


def test_pf000_checkpoints_of_other_readers_do_not_count() -> None:
    theirs = node({**checkpoint(VALID, OTHER), ("directory", DIRECTORY): GONE})
    assert found("PF-000", theirs, upgrade("1.22.17"))[0][0] == "ERROR"
    ours = node({**checkpoint(VALID), ("directory", OTHER): GONE})
    assert found("PF-000", ours, upgrade("1.24.17"))[0][0] == "WARN"


def test_pf000_a_remote_runtime_is_cri_dockerd() -> None:
    remote = {("arguments", "kubelet"): "kubelet\n--container-runtime=remote\n"}
    given = node({**remote, **checkpoint(CRI_VALID, OTHER)})
    assert found("PF-000", given, upgrade("1.22.17"))[0][0] == "INFO"


def test_pf000_what_cannot_be_read_is_unknown() -> None:
    unread = node({("directory", DIRECTORY): failed(), ("arguments", "kubelet"): failed()})
    assert found("PF-000", unread, upgrade("1.22.17"))[0][:2] == ("UNKNOWN", "")
    listed = dump({("docker", "list"): failed()})
    assert found("PF-000", listed, upgrade("1.22.17"))[0][0] == "UNKNOWN"


@pytest.mark.parametrize(
    "changes",
    [
        {("arguments", "kubelet"): "kubelet\n--feature-gates=CPUManager=false,MemoryManager=false\n"},
        {
            ("arguments", "kubelet"): "kubelet\n--config=/c\n--feature-gates=CPUManager=false\n",
            ("file", "/c"): "featureGates: {MemoryManager: false, CPUManager: true}\n",
        },
    ],
)
def test_pf000_without_the_gates_no_map_is_built(changes: Any) -> None:
    given = node({**changes, ("directory", DIRECTORY): GONE})
    assert found("PF-000", given, upgrade("1.22.17"))[0][0] == "WARN"


def test_pf000_one_gate_is_enough() -> None:
    changes = {
        ("arguments", "kubelet"): "kubelet\n--feature-gates=CPUManager=false\n",
        ("directory", DIRECTORY): GONE,
    }
    assert found("PF-000", node(changes), upgrade("1.22.17"))[0][0] == "ERROR"
    assert found("PF-000", node(changes), upgrade("1.19.16"))[0][0] == "WARN"  # MemoryManager is off in 1.19


def test_pf000_unread_gates_are_the_release_s_own() -> None:
    given = node({("arguments", "kubelet"): failed(), ("directory", DIRECTORY): GONE})
    assert found("PF-000", given, upgrade("1.22.17"))[0][0] == "ERROR"


IMITATED = {"io.kubernetes.docker.type": "container", "io.kubernetes.sandbox.id": "f" * 64}


@pytest.mark.parametrize(
    "name",
    [
        "app",
        "k8s_app_p_ns_uid",
        "k8s_app_p_ns_uid_x",
        "k8s_app.1a2b_p_ns_uid_0",
        "k8s_app_p_ns_uid_0_random_more",
        "my_app_p_ns_uid_0",
    ],
)
def test_pf000_labels_of_an_image_do_not_count(name: str) -> None:
    rows = [*POD_ROWS, docker_row("b" * 64, name, state="exited", **IMITATED)]
    inspect = {("docker", f"inspect {'b' * 64}"): '{"State":{"Running":false}}'}
    given = dump({("docker", "list"): json.dumps(rows), **inspect})
    assert found("PF-000", given, upgrade("1.22.17"))[0][0] == "OK"


def cri(*rows: Any, pods: str = '{"items":[]}') -> dict[Any, Any]:
    return {
        ("docker", "list"): GONE,
        ("cri", "version"): "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  1.6.20\n",
        ("cri", "containers"): json.dumps({"containers": list(rows)}),
        ("cri", "pods"): pods,
    }


def test_pf000_in_a_cri_runtime() -> None:
    orphan = found("PF-000", dump(cri(HEX)), upgrade("1.22.17"))
    assert [row[:2] for row in orphan] == [("ERROR", "app")]
    healthy = dump(cri(HEX, pods=json.dumps({"items": [{"id": SANDBOX, "state": "SANDBOX_NOTREADY"}]})))
    assert found("PF-000", healthy, upgrade("1.22.17"))[0][0] == "OK"
    unread = dump({**cri(HEX), ("cri", "pods"): failed()})
    assert found("PF-000", unread, upgrade("1.22.17"))[0][0] == "UNKNOWN"


def test_pf000_what_both_show_is_found_once() -> None:
    both = {**cri(HEX), ("docker", "list"): ORPHAN[1], ("directory", DIRECTORY): GONE}
    assert [row[0] for row in found("PF-000", dump(both), upgrade("1.22.17"))] == ["ERROR"]
