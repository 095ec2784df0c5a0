"""PF-103: a kubelet without dockershim on a node that is set up for it."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import GONE, OBJECTS, docker, dump, failed, found, status, unread, upgrade

ARGUMENTS = ("arguments", "kubelet")
BARE = {ARGUMENTS: "/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n"}
SHIM = {ARGUMENTS: "/usr/bin/kubelet\n--container-runtime-endpoint=unix:///var/run/dockershim.sock\n"}
CRI_DOCKERD = {ARGUMENTS: "/usr/bin/kubelet\n--container-runtime-endpoint=unix:///run/cri-dockerd.sock\n"}
OK = [("OK", "")]


@pytest.mark.parametrize(
    ("current", "to", "changes", "expected"),
    [
        ("1.22.17", "1.23.17", {**docker("20.10.24"), **BARE}, OK),
        ("1.23.17", "1.24.0", {**docker("20.10.24"), **BARE}, [("ERROR", "")]),
        ("", "1.26.15", BARE, [("ERROR", "")]),
        ("", "1.27.0", BARE, OK),
        ("", "1.27.0", {**docker("20.10.24"), **BARE}, [("ERROR", "")]),
        ("1.23.17", "1.24.0", SHIM, [("ERROR", "unix:///var/run/dockershim.sock")]),
        ("1.23.17", "1.24.0", {**docker("20.10.24"), **CRI_DOCKERD}, OK),
        ("1.24.0", "1.25.16", {**docker("20.10.24"), **BARE}, OK),
        ("1.23.17", "1.24.0", {ARGUMENTS: failed()}, [("UNKNOWN", "")]),
        ("", "1.24.0", {ARGUMENTS: "/usr/local/bin/k3s\nserver\n"}, [("UNKNOWN", "")]),
    ],
)
def test_pf103_docker_without_dockershim(
    current: str, to: str, changes: Any, expected: list[tuple[str, str]]
) -> None:
    assert status("PF-103", dump(changes), upgrade(to, current)) == expected


SOCKET = "unix:///run/containerd/containerd.sock"
CRIO = "unix:///var/run/crio/crio.sock"
UNIT = ("file", "/lib/systemd/system/kubelet.service")
CONFIG = ("file", "/var/lib/kubelet/config.yaml")
KIND = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"


def running(endpoint: str, unit: str, of_config: str = "") -> dict[Any, Any]:
    """Return a kubelet that runs with an endpoint, and what its unit and its file give the next one."""
    given = [f"--container-runtime-endpoint={endpoint}"] if endpoint else []
    words = ["/usr/bin/kubelet", "--config=/var/lib/kubelet/config.yaml", *given, ""]
    return {
        ARGUMENTS: "\n".join(words),
        UNIT: f"[Service]\nExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml {unit}\n",
        CONFIG: f"{KIND}containerRuntimeEndpoint: {of_config}\n" if of_config else KIND,
    }


@pytest.mark.parametrize(
    ("current", "to", "changes", "expected"),
    [
        ("1.25.16", "1.26.15", running(SOCKET, ""), [("ERROR", SOCKET)]),
        ("1.25.16", "1.26.15", running(SOCKET, f"--container_runtime_endpoint {SOCKET}"), OK),
        ("1.26.15", "1.27.16", running(SOCKET, ""), OK),
        ("1.26.15", "1.27.16", running("/var/run/containerd/containerd.sock", ""), OK),
        ("1.26.15", "1.27.16", running(CRIO, ""), [("ERROR", CRIO)]),
        ("1.26.15", "1.27.16", running(CRIO, "", CRIO), OK),
        ("1.27.16", "1.26.15", running("", "", SOCKET), [("ERROR", SOCKET)]),
        ("", "1.26.15", running("", "", SOCKET), [("ERROR", "")]),
        ("1.27.16", "1.28.15", running("", "", SOCKET), OK),
        ("1.27.16", "1.28.15", running("", ""), OK),
        ("1.27.16", "1.28.15", {ARGUMENTS: GONE}, OK),
        ("1.27.16", "1.28.15", {ARGUMENTS: "/usr/local/bin/k3s\nserver\n"}, [("UNKNOWN", "")]),
        ("1.27.16", "1.28.15", {ARGUMENTS: failed()}, [("UNKNOWN", "")]),
    ],
)
def test_pf103_an_endpoint_that_the_next_kubelet_is_not_given(
    current: str, to: str, changes: Any, expected: list[tuple[str, str]]
) -> None:
    """Kubelets read it in the configuration file from 1.27 on, and have a default since then."""
    assert status("PF-103", dump(changes), upgrade(to, current)) == expected


@pytest.mark.parametrize(
    ("current", "runtime", "expected"),
    [
        ("1.23.17", "docker://20.10.24", "ERROR"),
        ("", "docker://20.10.24", "UNKNOWN"),
        ("1.24.0", "docker://20.10.24", "OK"),
        ("1.23.17", "containerd://1.6.20", "OK"),
        ("1.23.17", "", "UNKNOWN"),
    ],
)
def test_pf103_by_the_node_object(current: str, runtime: str, expected: str) -> None:
    cluster = NodeObjects(Node("n1", "v1.23.17", runtime))
    ((state, _, _),) = found("PF-103", unread(), upgrade("1.25.16", current), cluster, OBJECTS)
    assert state == expected
