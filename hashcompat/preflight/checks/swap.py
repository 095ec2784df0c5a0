"""PF-213: swap under a kubelet that does not start with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.records.probes import AbsentError
from hashcompat.rules import Rule

_SWAPS: Final = "/proc/swaps"


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    try:
        lines = facts.dump.read("file", _SWAPS).splitlines()
    except AbsentError:
        return  # a kernel without swap
    rows = [words for words in map(str.split, lines) if words][1:]
    if not rows or not facts.is_set("fail-swap-on", "failSwapOn", default=upgrade.hazards.fail_swap_on):
        return
    devices = ", ".join(words[0] for words in rows)
    yield Problem(
        Status.ERROR,
        _SWAPS,
        f"swap is on ({devices}), with which kubelet {upgrade.target.release} does not start",
        "swapoff -a and remove it from /etc/fstab, or set failSwapOn: false",
    )


SWAP: Final = Check(
    Rule(
        "PF-213",
        "swap is on",
        "The node has swap, and the kubelet to be started refuses it unless failSwapOn is false. It may have "
        "been switched on after the current kubelet started.",
        "pkg/kubelet/cm/container_manager_linux.go NewContainerManager; pkg/kubelet/util/swap/swap_util.go "
        "IsSwapOn",
    ),
    ("/proc/swaps", "the kubelet's flags and configuration file"),
    _find,
)
