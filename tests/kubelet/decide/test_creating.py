"""What the target kubelet kills and fails to create (kubelet_pods.go makeMounts)."""

from __future__ import annotations

import pytest

import hashcompat
from tests.helpers.pods import pod

EXPANDED = {"name": "c", "volumeMounts": [{"name": "v", "mountPath": "/v", "subPathExpr": "$(A)"}]}
PLAIN = {"name": "c", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
GATE = "VolumeSubpathEnvExpansion"


@pytest.mark.parametrize(
    ("old", "new", "verdict", "rules"),
    [
        ("1.13.12", "1.14.10", "KILL", ["HC004", "HC041"]),
        ("1.15.12", "1.14.10", "KEEP", []),
        ("1.16.15", "1.14.10", "KILL", ["HC001", "HC041"]),
        ("1.13.12", "1.15.12", "RESTART", ["HC004"]),
        ("1.14.10", "1.13.12", "RESTART", ["HC005"]),
        ("1.14.10", "1.16.15", "RESTART", ["HC001"]),
    ],
)
def test_hc041_by_the_gate_of_the_target_kubelet(old: str, new: str, verdict: str, rules: list[str]) -> None:
    (item,) = hashcompat.plan([pod(EXPANDED)], old, new).items
    assert (item.verdict, sorted({reason.id for reason in item.reasons})) == (verdict, rules)


def test_hc041_with_the_gate_on_it_restarts() -> None:
    (item,) = hashcompat.plan([pod(EXPANDED)], "1.13.12", "1.14.10", gates=frozenset({GATE})).items
    assert item.verdict == "RESTART"


@pytest.mark.parametrize("container", [PLAIN, {"name": "c", "volumeMounts": None}])
def test_hc041_without_a_subpathexpr_nothing_is_refused(container: dict[str, object]) -> None:
    (item,) = hashcompat.plan([pod(container)], "1.15.12", "1.16.15").items
    assert item.verdict == "RESTART"
    (item,) = hashcompat.plan([pod(container)], "1.16.15", "1.14.10").items
    assert item.verdict == "RESTART"
