"""PF-101: flags and feature gates with which the kubelet does not start."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from shlex import quote
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks import gatewords
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.commandline import Given, given
from hashcompat.preflight.facts.units import RUNNING, Start
from hashcompat.records.probes import AbsentError, UnreadError
from hashcompat.rules import Rule

_FLAG: Final = re.compile(r"--?[A-Za-z0-9][A-Za-z0-9._-]*")
"""What is nothing but itself to a shell and to sed."""


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    release, table = upgrade.target.release, upgrade.hazards.flags
    if not table.flags(release):
        raise UnreadError(f"the flags of kubelet {release} are not known")
    try:
        start = facts.start
    except UnreadError as error:
        yield Problem(Status.UNKNOWN, "", str(error))
        start = Start((), complete=False)
    next_start = tuple(given(start.words, table, release))
    running = _running(facts, upgrade, start)
    if not next_start and not running:
        facts.words  # noqa: B018 - read for why there are none
    for name, sources in _unknown(chain(next_start, running)).items():
        yield _unknown_flag(upgrade, name, list(dict.fromkeys(sources)), is_next=_is_next(start, sources))
    decisive = next_start if start.complete else (*next_start, *running)
    yield from gatewords.of_flags(upgrade, decisive)
    yield from gatewords.of_config(facts, upgrade)


def _unknown(flags: Iterable[Given]) -> Mapping[str, list[str]]:
    """Return where each flag is given that the target does not accept."""
    found: dict[str, list[str]] = {}
    for each in flags:
        if each.flag is None:
            found.setdefault(each.name, []).append(each.source)
    return found


def _running(facts: Facts, upgrade: Upgrade, start: Start) -> tuple[Given, ...]:
    """Return the flags of the kubelet that runs; none where none does and the next start is known."""
    try:
        return tuple(given(facts.words, upgrade.hazards.flags, upgrade.target.release))
    except (UnreadError, AbsentError):
        if not start.complete:
            raise
        return ()


def _is_next(start: Start, sources: list[str]) -> bool:
    """Return whether the next start has a flag, as far as that is known."""
    return not start.complete or set(sources) != {RUNNING}


def _unknown_flag(upgrade: Upgrade, name: str, sources: list[str], *, is_next: bool) -> Problem:
    release, table = upgrade.target.release, upgrade.hazards.flags
    removed = table.removed_in(release, name)
    why = f"{removed} removed it" if removed else "it knows no such flag"
    near = "" if removed else ", ".join(f"--{each}" for each in table.nearest(release, name))
    shown = f"--{name}" if len(name) > 1 else f"-{name}"
    files = [source for source in sources if source != RUNNING]
    effect = f"kubelet {release} does not start with {shown}: {why}"
    if not is_next:
        return Problem(
            Status.WARN,
            shown,
            f"{effect}; {RUNNING} has it, and its files no longer do",
            "systemctl daemon-reload, before the kubelet is restarted",
        )
    removing = _removing(shown)
    advice = "; ".join(f"{removing}{quote(file)}" for file in files)
    return Problem(
        Status.ERROR,
        shown,
        f"{effect}; {' and '.join(sources)} {'has' if len(sources) == 1 else 'have'} it",
        (advice or "remove it from where the kubelet is started") + (f"; near it: {near}" if near else ""),
    )


def _removing(flag: str) -> str:
    """Return how a command begins that removes a flag from a file, in words if a shell obeyed it."""
    return f"sed -i 's/ *{flag}[= ]*[^ \"]*//' " if _FLAG.fullmatch(flag) else "remove it from "


FLAGS: Final = Check(
    Rule(
        "PF-101",
        "flags and feature gates",
        "The kubelet to be started is given a flag that it does not know, or a feature gate that it does not "
        "know or that is locked, and does not start.",
        "cmd/kubelet/app/server.go NewKubeletCommand; k8s.io/component-base/featuregate SetFromMap",
    ),
    (
        "the kubelet's command line",
        "kubelet.service and its drop-ins",
        "/var/lib/kubelet/kubeadm-flags.env, /etc/default/kubelet and /etc/sysconfig/kubelet",
        "the kubelet's configuration file",
    ),
    _find,
)
