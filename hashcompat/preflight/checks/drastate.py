"""PF-107: a dra_manager_state with which the kubelet does not start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.preflight.checks import states
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.rules import Rule


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    return states.problems(facts, upgrade, upgrade.hazards.states.dra_manager_state)


DRA_STATE: Final = Check(
    Rule(
        "PF-107",
        "state of dynamic resource allocation",
        "The file dra_manager_state is in a form that the kubelet to be started does not read: 1.31 changed "
        "it, and a kubelet with dynamic resource allocation does not start with the other one.",
        "kubernetes/kubernetes#127653; pkg/kubelet/cm/dra/state/checkpoint.go, 1.27.16 - 1.37.1",
    ),
    ("dra_manager_state", "the feature gate DynamicResourceAllocation"),
    _find,
)
