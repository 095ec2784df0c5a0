"""PF-219: static pods that the API server does not know."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight.facts import NodeObjects
from tests.helpers.dumps import ALL, dump, failed, status, upgrade
from tests.helpers.pods import mirror_pod

STATIC = "0123456789abcdef0123456789abcdef"
KNOWN = NodeObjects(pods=tuple(hashcompat.load([mirror_pod()]).pods))


def sandbox(name: str, uid: str = STATIC, state: str = "SANDBOX_READY") -> Any:
    """Return a row of ``crictl pods``."""
    return {"id": "1", "metadata": {"name": name, "uid": uid, "namespace": "ns"}, "state": state}


CONTAINER = {
    "id": "2",
    "metadata": {"name": "c"},
    "state": "CONTAINER_RUNNING",
    "labels": {"io.kubernetes.container.name": "c", "io.kubernetes.pod.uid": STATIC},
}


@pytest.mark.parametrize(
    ("rows", "cluster", "expected"),
    [
        ([sandbox("p-n1")], KNOWN, ("OK", "")),
        ([sandbox("q-n1")], KNOWN, ("WARN", "ns/q-n1")),
        ([sandbox("q-n1")], NodeObjects(pods=()), ("WARN", "ns/q-n1")),
        ([sandbox("q-n1", state="SANDBOX_NOTREADY")], KNOWN, ("OK", "")),
        ([sandbox("q-n1", uid="0-1-2-3")], KNOWN, ("OK", "")),
        ([CONTAINER], KNOWN, ("OK", "")),
        ([sandbox("q-n1")], NodeObjects(), ("UNKNOWN", "")),
    ],
)
def test_pf219_a_static_pod_without_its_mirror(
    rows: list[Any], cluster: NodeObjects, expected: tuple[str, str]
) -> None:
    given = dump({("cri", "pods"): json.dumps({"items": rows})})
    assert status("PF-219", given, upgrade("1.34.0"), cluster, ALL - {"a plan"}) == [expected]


def test_pf219_unread_is_unknown() -> None:
    given = dump({("cri", "pods"): failed()})
    assert status("PF-219", given, upgrade("1.34.0"), KNOWN, ALL) == [("UNKNOWN", "")]
