"""PF-313 and PF-413: processes that nothing can interrupt, and containers that never finished starting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.processes import Process
from hashcompat.rules import Rule

_READS: Final = ("the list of processes, twice",)


def _find_sleeping(facts: Facts, _upgrade: Upgrade) -> Iterator[Problem]:
    for process in facts.processes.lasting():
        if process.state.startswith("D"):
            what = f"process {process.pid} ({process.name}) is in state D: no signal reaches it"
            advice = f"look at /proc/{process.pid}/stack and at the disk or mount that it waits for"
            yield _problem(facts, process, what, advice)


def _find_starting(facts: Facts, _upgrade: Upgrade) -> Iterator[Problem]:
    for process in facts.processes.lasting():
        if process.name.startswith("runc:["):
            what = f"process {process.pid} ({process.name}) is runc init: its container does not start"
            advice = f"find its container in /proc/{process.pid}/cgroup; kill -9 {process.pid}"
            yield _problem(facts, process, what, advice)


def _problem(facts: Facts, process: Process, what: str, advice: str) -> Problem:
    """Warn of what lasts; what was seen once may be over."""
    status = Status.WARN if facts.processes.watched else Status.INFO
    once = "" if facts.processes.watched else " (seen once)"
    return Problem(status, process.pid, what + once, advice)


SLEEPING: Final = Check(
    Rule(
        "PF-313",
        "process in state D",
        "A process waits for a disk, a mount or a lock and cannot be killed. Its container cannot be killed "
        "either, and what looks at it hangs too.",
        "proc(5) /proc/PID/stat; kubernetes/kubernetes#45419",
    ),
    _READS,
    _find_sleeping,
)

STARTING: Final = Check(
    Rule(
        "PF-413",
        "runc init does not finish",
        "A container has been set up and does not start. The runtime may not answer for it, and then the "
        "kubelet reports PLEG is not healthy.",
        "opencontainers/runc#2314, #4481",
    ),
    _READS,
    _find_starting,
)
