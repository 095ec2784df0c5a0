"""The checks of a node before its kubelet is restarted: facts in, findings out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from typing import Final

from hashcompat.errors import InputError, UsageError
from hashcompat.model.preflight import Finding, Status
from hashcompat.preflight.checks.check import Check, Need, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.cluster import Cluster
from hashcompat.preflight.registry import CHECKS
from hashcompat.records.probes import AbsentError, Dump, UnreadError
from hashcompat.shown import urls

EVERY: Final = "all"
"""Stands for the id of every check."""

_A_NODE: Final = frozenset({Need.NODE})

_NOWHERE: Final = Cluster()


def examine(
    dump: Dump,
    upgrade: Upgrade,
    ignored: Collection[str] = (),
    cluster: Cluster = _NOWHERE,
    given: frozenset[Need] = _A_NODE,
) -> Iterator[Finding]:
    """Yield what every check finds on a node that can be made with what is given, at least one finding each.

    ``ignored`` are the ids of checks whose errors count as warnings, or ``all``.
    """
    facts = Facts(dump, cluster)
    for check in CHECKS:
        mild = check.rule.id in ignored or EVERY in ignored
        for problem in _problems(check, facts, upgrade) if check.is_run(given) else ():
            status = Status.WARN if mild and problem.status == Status.ERROR else problem.status
            texts = map(urls, (problem.object, problem.text, problem.advice))
            yield Finding(check.rule.id, dump.node, status, *texts)


def _problems(check: Check, facts: Facts, upgrade: Upgrade) -> list[Problem]:
    """Return what a check finds; what it could not read makes it UNKNOWN, and never OK."""
    found: list[Problem] = []
    try:
        found.extend(check.find(facts, upgrade))
    except (UnreadError, AbsentError, InputError) as error:
        found.append(Problem(Status.UNKNOWN, "", str(error)))
    return found or [Problem(Status.OK, "", f"nothing found: {check.rule.name}")]


def left_out(given: frozenset[Need]) -> Iterator[tuple[str, str]]:
    """Yield each check that cannot be made with what is given, and what it needs besides, in words."""
    for check in CHECKS:
        if not check.is_run(given):
            missing = min((need - given for need in check.needs), key=len)
            yield check.rule.id, " and ".join(sorted(missing))


def worst_first(findings: Collection[Finding]) -> tuple[Finding, ...]:
    """Sort findings: by status, then by check, node and object."""
    order = list(Status)
    return tuple(
        sorted(findings, key=lambda found: (order.index(found.status), found.id, found.node, found.object))
    )


def known_checks(names: Iterable[str]) -> list[str]:
    """Return the ids of checks as they are written; raises UsageError for what is none."""
    known = {check.rule.id for check in CHECKS} | {EVERY}
    wanted = [name.lower() if name.lower() == EVERY else name.upper() for name in names]
    for name in wanted:
        if name not in known:
            near = ", ".join(get_close_matches(name, known, n=3) or sorted(known)[:3])
            raise UsageError(f"no check {name!r}; near it: {near}")
    return wanted
