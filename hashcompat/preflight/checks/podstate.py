"""PF-106: a pod_status_manager_state with which the kubelet does not start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.preflight.checks import states
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.rules import Rule


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    return states.problems(facts, upgrade, upgrade.hazards.states.pod_status_state)


POD_STATE: Final = Check(
    Rule(
        "PF-106",
        "state of pod resizes",
        "The file pod_status_manager_state is in a form that the kubelet to be started does not read: 1.32 "
        "changed it, and a kubelet with in-place resize of pods panics at the other one.",
        "kubernetes/kubernetes#126620; pkg/kubelet/status/status_manager.go Start, 1.27.16 - 1.32.13",
    ),
    ("pod_status_manager_state", "the feature gate InPlacePodVerticalScaling"),
    _find,
)
