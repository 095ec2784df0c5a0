"""PF-132: containers that are not ready until their probe passes again."""

from __future__ import annotations

from typing import Any

import pytest

import hashcompat
from hashcompat.analysis.preflight.facts import NodeObjects
from tests.helpers.dumps import ALL, dump, found, upgrade
from tests.helpers.pods import mirror_pod, node, pod

PROBE = {"httpGet": {"port": 80}, "periodSeconds": 5, "successThreshold": 2}
SLOW = {"httpGet": {"port": 80}, "periodSeconds": 60}


def probed(**probes: Any) -> Any:
    return pod({"name": "c", "image": "i", **probes})


@pytest.mark.parametrize(
    ("given", "to", "expected", "text"),
    [
        (
            probed(readinessProbe=PROBE),
            "1.34.10",
            "INFO",
            "1 pod with a readinessProbe or startupProbe is not",
        ),
        (probed(readinessProbe=PROBE), "1.34.10", "INFO", "up to 10 s (ns/p)"),
        (probed(readinessProbe=SLOW), "1.31.14", "WARN", "up to 60 s"),
        (probed(readinessProbe=PROBE, startupProbe=SLOW), "1.18.20", "WARN", "up to 70 s"),
        (probed(readinessProbe=PROBE, startupProbe=SLOW), "1.17.17", "INFO", "up to 10 s"),
        (probed(startupProbe=PROBE), "1.34.10", "INFO", "up to 5 s"),
        (probed(startupProbe=PROBE), "1.35.8", "OK", ""),
        (probed(readinessProbe={"exec": {}}), "1.34.10", "INFO", "up to 10 s"),
        (probed(livenessProbe=SLOW), "1.34.10", "OK", ""),
        (probed(readinessProbe=SLOW), "1.35.8", "OK", ""),
        (mirror_pod({"name": "c", "image": "i", "readinessProbe": SLOW}), "1.35.8", "WARN", "up to 60 s"),
        (mirror_pod({"name": "c", "image": "i", "startupProbe": SLOW}), "1.35.8", "OK", ""),
        (mirror_pod({"name": "c", "image": "i", "startupProbe": SLOW}), "1.34.10", "WARN", "up to 60 s"),
        ({**probed(readinessProbe=SLOW), "status": {"phase": "Succeeded"}}, "1.34.10", "OK", ""),
    ],
)
def test_pf132_counts_pods_that_leave_their_services(given: Any, to: str, expected: str, text: str) -> None:
    inventory = hashcompat.load([given, node("1.34.0")])
    cluster = NodeObjects(inventory.nodes[0], tuple(inventory.pods))
    (row,) = found("PF-132", dump(), upgrade(to, "1.34.0"), cluster, ALL)
    assert row[0] == expected
    assert text in row[2]
