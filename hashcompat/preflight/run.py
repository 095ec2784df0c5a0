"""One run over many nodes: each with its own current release, its own part of the plan, and one report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.catalog.releases import same_upstream
from hashcompat.errors import InputError
from hashcompat.model.preflight import Finding, Preflight
from hashcompat.preflight import examine, known_checks, left_out, worst_first
from hashcompat.preflight.checks.check import Need, Upgrade
from hashcompat.preflight.joining import Known, restarts_of, without_dumps
from hashcompat.records.probes import Dump


class Question(msgspec.Struct, frozen=True):
    """What is asked of nodes."""

    target: str
    """The release of the kubelet that will be started."""
    current: str = ""
    """The release of the kubelet that runs now, on every node; empty for what each node shows."""
    server: str = ""
    """The release of the API server; empty where it is unknown."""
    ignored: tuple[str, ...] = ()
    """The checks whose errors count as warnings, or ``all``."""
    now: datetime | None = None
    """The time, UTC."""


def inspect(dumps: Sequence[Dump] | None, known: Known, question: Question, catalog: Catalog) -> Preflight:
    """Return what the checks find on nodes: those of the dumps or, with None for these, all Node objects.

    Raises UsageError for unknown releases and checks, and InputError where there is no node, and for a plan
    of another release than the one that runs on a node.
    """
    given = known.given if dumps is None else known.given | {Need.NODE}
    ignored = tuple(known_checks(question.ignored))
    base = _upgrade(question, catalog)
    findings: list[Finding] = []
    current: dict[str, str | None] = {}
    for dump in without_dumps(known.nodes) if dumps is None else dumps:
        name = question.current or known.release(dump)
        current[dump.node] = name
        upgrade = _on_node(base, dump, known, _found(name, catalog))
        findings += examine(dump, upgrade, ignored, known.cluster(dump.node), given)
    return Preflight(question.target, current, worst_first(findings), ignored, tuple(left_out(given)))


def _upgrade(question: Question, catalog: Catalog) -> Upgrade:
    """Return what is the same for all nodes."""
    for name in filter(None, (question.current,)):
        catalog.kubelet(name)
    target = catalog.kubelet(question.target)
    server = catalog.kubelet(question.server) if question.server else None
    return Upgrade(
        target, catalog.hazards(target.release), None, server, runtimes=catalog.runtimes, now=question.now
    )


def _found(name: str | None, catalog: Catalog) -> Kubelet | None:
    """Return the kubelet that runs on a node; None where it is unknown, or not a known release."""
    return catalog.kubelet(name) if name and catalog.knows(name) else None


def _on_node(base: Upgrade, dump: Dump, known: Known, current: Kubelet | None) -> Upgrade:
    items = known.planned(dump.node)
    return Upgrade(
        base.target,
        base.hazards,
        current,
        base.server,
        restarts_of(items),
        items,
        base.runtimes,
        base.now,
    )


def check_plan(known: Known, dumps: Sequence[Dump], catalog: Catalog) -> None:
    """Raise InputError for a plan of another release than the one that a node's own kubelet shows."""
    for node, planned, runs in _releases(known, dumps):
        if catalog.knows(planned) and catalog.knows(runs):
            one, other = (catalog.kubelet(name).release for name in (planned, runs))
            if not same_upstream(one, other):
                raise InputError(f"the plan is of {planned} on {node}, which runs {runs}; make it again")


def _releases(known: Known, dumps: Sequence[Dump]) -> Iterator[tuple[str, str, str]]:
    """Yield the node, the release in the plan and the one that runs, where both are known."""
    for dump in dumps:
        planned = {item.from_release for item in known.planned(dump.node) or ()} - {""}
        runs = known.release(dump)
        yield from ((dump.node, name, runs) for name in sorted(planned) if runs)
