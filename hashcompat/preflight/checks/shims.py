"""PF-124: shims of containerd without a process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, processes
from hashcompat.records.probes import AbsentError, UnreadError
from hashcompat.rules import Rule

_COMMAND: Final = "containerd-shim"
"""How the kernel names a shim: it cuts names after 15 characters."""

_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,127}")


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:  # noqa: ARG001 - every check has it
    rows = processes.rows(facts.dump.read(*processes.ALL))
    parents = {row.parent for row in rows}
    for row in rows:
        if row.name.startswith(_COMMAND) and row.pid not in parents:
            name = _id(facts, row.pid)
            yield Problem(
                Status.WARN,
                f"PID {row.pid}",
                f"this shim of containerd{f' for {name[:12]}' if name else ''} has no process left",
                f"crictl pods --id {name}; if there is no such pod: kill {row.pid}"
                if name
                else f"kill {row.pid}",
            )


def _id(facts: Facts, pid: str) -> str:
    """Return the id that a shim was started for; empty where its arguments do not show one.

    It becomes a part of a command, and anybody may call a process a shim.
    """
    try:
        found = processes.option(facts.dump.read("arguments", pid), "id")
    except (AbsentError, UnreadError):
        return ""
    return found if _ID.fullmatch(found) else ""


SHIMS: Final = Check(
    Rule(
        "PF-124",
        "leftover shims",
        "A shim of containerd has no process left and did not end. Restarts of static pods under containerd "
        "2 leave such shims; each keeps its memory until the node is restarted.",
        "containerd/containerd#12560",
    ),
    ("the processes", "the arguments of shims"),
    _find,
)
