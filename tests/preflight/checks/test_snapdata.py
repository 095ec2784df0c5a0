"""PF-120: pods that MicroK8s deletes at a refresh."""

from __future__ import annotations

from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.model.pods import Node
from tests.helpers.dumps import OBJECTS, found, unread, upgrade
from tests.helpers.pods import pod

MICROK8S = {"microk8s.io/cluster": "true"}
OWNED = {"ownerReferences": [{"kind": "DaemonSet", "name": "calico-node", "controller": True}]}
CURRENT = "/var/snap/microk8s/current/opt/cni/bin"


def mounting(path: Any, **metadata: Any) -> Any:
    """Return a pod that mounts a directory of its node."""
    return pod(spec={"volumes": [{"hostPath": {"path": path}}]}, metadata=metadata)


@pytest.mark.parametrize(
    ("given", "labels", "expected"),
    [
        (mounting(CURRENT, **OWNED), MICROK8S, ("WARN", "ns/p")),
        (mounting("/var/snap/microk8s/7000/args", **OWNED), MICROK8S, ("WARN", "ns/p")),
        (mounting("/var/snap/microk8s/common/run", **OWNED), MICROK8S, ("OK", "")),
        (mounting(CURRENT), MICROK8S, ("OK", "")),
        (mounting(CURRENT, **OWNED), {}, ("OK", "")),
        (mounting("/etc", **OWNED), MICROK8S, ("OK", "")),
        (mounting(None, **OWNED), MICROK8S, ("OK", "")),
        (pod(metadata=OWNED), MICROK8S, ("OK", "")),
        (mounting(CURRENT, **OWNED), None, ("UNKNOWN", "")),
    ],
)
def test_pf120_a_pod_that_mounts_snap_data(given: Any, labels: Any, expected: tuple[str, str]) -> None:
    cluster = NodeObjects(Node("n1", "v1.31.0", labels=labels), tuple(hashcompat.load([given]).pods))
    rows = found("PF-120", unread(), upgrade("1.31.1"), cluster, OBJECTS)
    assert [row[:2] for row in rows] == [expected]


def test_pf120_without_the_node_object_is_unknown() -> None:
    rows = found("PF-120", unread(), upgrade("1.31.1"), NodeObjects(pods=()), OBJECTS)
    assert [row[0] for row in rows] == ["UNKNOWN"]
