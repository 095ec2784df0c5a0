"""The hops of an upgrade over several minors, and its rollback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from hashcompat.catalog.lookup import Catalog
from hashcompat.model.plan import FINDINGS, Hop, Verdict, Way
from hashcompat.model.pods import Node, Pod
from hashcompat.planning.judge import Judge
from hashcompat.planning.options import AUTO
from hashcompat.planning.prepare import HashOf
from hashcompat.planning.replicas import KEPT
from hashcompat.planning.view import View
from hashcompat.records.index import Records


class Tally:
    """Counts what one upgrade does to the containers of pods that are added one by one."""

    def __init__(
        self,
        way: Way,
        nodes: Iterable[Node],
        view: View,
        hash_of: HashOf | None = None,
        *,
        kept: int = KEPT,
    ) -> None:
        """Keep the latest ``kept`` containers, for their replicas; the rest and the errors are as Judge's."""
        self._judge = Judge(way, nodes, view, hash_of, kept=kept)
        self._counts: Counter[Verdict] = Counter()
        self._doubtful: dict[str, Counter[tuple[Verdict, Verdict]]] = {}
        self._broken: set[str] = set()

    def add(self, pod: Pod) -> None:
        """Count one more pod."""
        for draft in self._judge.drafts(pod):
            verdict = draft.decision(calibrated=True).verdict
            doubtful = draft.decision(calibrated=False).verdict if self._recorded else verdict
            self._counts[verdict] += 1
            if doubtful is not verdict:
                self._doubtful.setdefault(pod.node, Counter())[verdict, doubtful] += 1
            if draft.reproduced is False:
                self._broken.add(pod.node)

    @property
    def _recorded(self) -> bool:
        return bool(self._judge.view.options.records)

    @property
    def hop(self) -> Hop:
        """The counts so far."""
        count, way = self._counts.copy(), self._judge.way
        for node in self._broken & self._doubtful.keys():
            for (verdict, doubtful), number in self._doubtful[node].items():
                count[verdict] -= number
                count[doubtful] += number
        return Hop(way.old, way.new, sum(count[verdict] for verdict in FINDINGS), count[Verdict.UNKNOWN])


def tallies(way: Way, nodes: Iterable[Node], view: View) -> list[Tally]:
    """Return a tally for each hop, where an upgrade has several, and one for the rollback last.

    They use no recorded hashes, times and patches, which belong to the current kubelet alone. From ``auto``
    there are no hops.
    """
    if way.old == AUTO:
        return []
    later = elsewhere(view)
    return [Tally(step, nodes, later) for step in (*steps(way, view.catalog), Way(way.new, way.old))]


def elsewhere(view: View) -> View:
    """Return the view of an upgrade that starts elsewhere: without what shows the current kubelets' work."""
    options = replace(view.options, records=Records())
    return replace(view, options=options, current_patch=None, dated=False)


def steps(way: Way, catalog: Catalog) -> list[Way]:
    """Return the hops of one minor each; none where the whole upgrade is one hop."""
    stops = [way.old, *catalog.known.newest_of_each_minor(way.old, way.new)[1:-1], way.new]
    return [Way(*step) for step in pairwise(stops)] if len(stops) > 2 else []
