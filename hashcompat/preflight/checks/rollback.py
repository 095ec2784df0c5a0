"""PF-118: state files of a newer kubelet, which the one to be started neither reads nor removes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.records.probes import AbsentError
from hashcompat.rules import Rule


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    states = upgrade.hazards.states
    for file in (states.allocated_pods_state, states.actuated_pods_state):
        if file.forms:
            continue
        path = facts.path(file)
        try:
            facts.dump.read("file", path)
        except AbsentError:
            continue
        yield Problem(
            Status.WARN,
            path,
            f"a newer kubelet wrote it; {upgrade.target.release} neither reads nor removes it, takes the "
            "resources of pods from their specs, and the next newer kubelet believes this file again",
            f"once kubelet {upgrade.target.release} runs: rm {path}",
        )


LEFT_BEHIND: Final = Check(
    Rule(
        "PF-118",
        "state files of a newer kubelet",
        "A newer kubelet left files that the one to be started does not know. They do no harm until a newer "
        "kubelet is started again, which takes what they say of pods' resources for the present state.",
        "pkg/kubelet/allocation/allocation_manager.go, 1.33.0 - 1.37.1",
    ),
    ("allocated_pods_state and actuated_pods_state",),
    _find,
)
