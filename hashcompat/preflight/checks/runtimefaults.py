"""PF-116: a container runtime whose own restart breaks pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import OF_BOTH, Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.rules import Rule


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if "ip" not in upgrade.target.behaviour.sandbox_checks:
        return
    for fault in upgrade.runtimes.faults_of(facts.runtime):
        yield Problem(
            Status.WARN,
            facts.runtime,
            f"{facts.runtime} {fault.about} ({fault.source}): if it restarts too, as an upgrade of packages "
            "may do, every pod that is not on the host's network is recreated",
            "do not restart the runtime with the kubelet, or drain the node and upgrade it first",
        )


RUNTIME_FAULTS: Final = Check(
    Rule(
        "PF-116",
        "runtime forgets sandboxes",
        "A restart of this version of the container runtime loses what a kubelet checks in sandboxes, and "
        "every pod off the host's network is recreated.",
        "containerd/containerd#7843 (1.6.9 - 1.6.14, 1.5.15 - 1.5.16)",
    ),
    ("the runtime's version", "the Node object"),
    _find,
    OF_BOTH,
)
