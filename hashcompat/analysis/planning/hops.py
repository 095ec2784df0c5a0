"""The hops of an upgrade over several minors, and its rollback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.judge import Draft, Judge, claim_of
from hashcompat.analysis.planning.latest import KEPT
from hashcompat.analysis.planning.rulings import Rulings
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import oldest_first, same_build
from hashcompat.core.model.plan import AUTO, Hop, Way
from hashcompat.core.model.pods import Node, Pod
from hashcompat.core.model.verdicts import FINDINGS, Verdict

_SEVERAL: Final = 2

_MANY: Final = 16
"""Tallies that keep as many containers as one does; more of them share that number."""

_LEAST: Final = 8


Counted = Sequence[tuple[Counter[Verdict], Verdict, int]]
"""The counts to which a pod adds, with how many containers of each verdict."""


class HopTally:
    """Counts what one upgrade does to the containers of pods that are added one by one."""

    def __init__(
        self,
        way: Way,
        nodes: Iterable[Node] | Mapping[str, Node],
        view: View,
        templates: Templates | None = None,
        *,
        kept: int = KEPT,
    ) -> None:
        """Keep the latest ``kept`` containers, for their replicas; the rest and the errors are as Judge's."""
        self._judge = Judge(way, nodes, view, templates, kept=kept)
        self.rulings = Rulings(self._judge, self._verdicts, kept=kept, verdicts=True)
        """Remembers the verdicts of replicas."""
        self.verdicts: Counter[Verdict] = Counter()
        """How many containers have each verdict, on nodes whose records are reproduced."""
        self._doubtful: dict[str, Counter[tuple[Verdict, Verdict]]] = {}
        self._broken: set[str] = set()

    def add(self, pod: Pod, ended: Collection[int] = ()) -> tuple[Verdict, ...] | None:
        """Count one more pod; return its verdicts where replicas have the same (``Rulings.of``).

        ``ended`` are the places of containers that are there no more.
        """
        ruled, shared = self.rulings.of(pod)
        rulings = [entry.ruling for place, entry in enumerate(ruled) if place not in ended]
        for verdict, doubtful, reproduced in rulings:
            self.verdicts[verdict] += 1
            if doubtful is not verdict:
                self._doubtful.setdefault(pod.node, Counter())[verdict, doubtful] += 1
                shared = False
            if reproduced is False:
                self._broken.add(pod.node)
                shared = False
        return tuple([verdict for verdict, _, _ in rulings]) if shared else None

    def _verdicts(self, draft: Draft) -> tuple[Verdict, Verdict, bool | None]:
        """Return a verdict, that on a node with a record that is not reproduced, and whether its own is."""
        verdict = draft.decision(calibrated=True).verdict
        recorded = bool(self._judge.view.options.records)
        doubtful = draft.decision(calibrated=False).verdict if recorded else verdict
        return verdict, doubtful, draft.reproduced

    @property
    def hop(self) -> Hop:
        """The counts so far."""
        count, way = self.verdicts.copy(), self._judge.way
        # Only now: a record that is not reproduced may belong to a pod that came after others of its node.
        for node in self._broken & self._doubtful.keys():
            for (verdict, doubtful), number in self._doubtful[node].items():
                count[verdict] -= number
                count[doubtful] += number
        findings = sum(count[verdict] for verdict in FINDINGS)
        return Hop(way.old, way.new, findings, count[Verdict.UNKNOWN], ())


class HopCounts(msgspec.Struct, frozen=True):
    """What was counted of some pods, for the hops of more."""

    releases: list[str]
    """The releases that they start from; empty for one that is not known."""
    verdicts: dict[Way, Counter[Verdict]]
    """Those of each upgrade, once: pods that start from several releases share the hops that they meet in."""


class Hops:
    """Counts the hops of an upgrade and its rollback, for pods that are added one by one.

    With ``auto`` each pod starts from the release of its node, and takes part in the hops that lead on from
    there; where that release is unknown, so is what each hop does. Recorded hashes, times and patches, which
    belong to the current kubelet alone, are not used.
    """

    def __init__(self, way: Way, nodes: Iterable[Node], view: View, templates: Templates) -> None:
        """Raise UsageError for an unknown release; ``templates`` as Judge's."""
        self._templates = templates
        self._way, self._view = way, elsewhere(view)
        # what runs under a release today is admitted by it, whichever sysctls it holds safe
        options = structs.replace(self._view.options, allowed_sysctls=frozenset({"*"}))
        self._rolled_back = structs.replace(self._view, options=options)
        all_nodes = tuple(nodes)
        is_disputable = not view.options.override_node_releases
        self._disputed = claim_of(way, all_nodes, view).disputed if is_disputable else {}
        self._nodes = {node.name: node for node in all_nodes}
        for name in self._disputed:  # its release is not the one that is given
            self._nodes[name] = structs.replace(self._nodes[name], kubelet="")
        self._tallies: dict[Way, HopTally] = {}
        self._tallies_by_release: dict[str, list[HopTally]] = {}
        self._routes: dict[str, list[Way]] = {}
        self._from_unknown = Way(AUTO, way.new)
        if way.old != AUTO:
            self._route(way.old)

    def add(self, pod: Pod, ended: Collection[int] = ()) -> Counted | None:
        """Count one more pod; return what its replicas count too, None where they may differ.

        ``ended`` are the places of containers that the upgrade kills for good, so that no rollback has them.
        Replicas are as for ``Rulings.of``, under all ``kubelets``. Errors as Judge's.
        """
        release = self.release_of(pod)
        tallies = self._tallies_of(release)
        back = self._tally(self._back(release)) if release else None
        all_verdicts = [tally.add(pod, ended if tally is back else ()) for tally in tallies]
        shared = [Counter(verdicts) for verdicts in all_verdicts if verdicts is not None]
        if len(shared) < len(all_verdicts):
            return None
        return [
            (tally.verdicts, *pair)
            for tally, count in zip(tallies, shared, strict=True)
            for pair in count.items()
        ]

    def repeat(self, counted: Counted) -> None:
        """Count a replica."""
        for verdicts, verdict, number in counted:
            verdicts[verdict] += number

    def kubelets(self, pod: Pod, release: str) -> tuple[Kubelet, ...]:
        """Return all kubelets on the way of pods like one, from a release on.

        Nothing where they do not decide alone.
        """
        pairs = [tally.rulings.pair(pod) for tally in self._tallies_of(release)]
        shared = [pair for pair in pairs if pair is not None]
        kubelets = chain.from_iterable(shared) if len(shared) == len(pairs) else ()
        return tuple(dict.fromkeys(kubelets))

    def _tallies_of(self, release: str) -> list[HopTally]:
        """Return the tallies of the pods that start from a release, which is empty where it is unknown."""
        if release not in self._tallies_by_release:
            ways = [self._from_unknown]
            if release:
                route = self._route(release)
                # a single hop is the plan's own
                is_counted = self._way.old == AUTO or len(route) >= _SEVERAL
                ways = [*(route if is_counted else ()), self._back(release)]
            self._tallies_by_release[release] = [self._tally(way) for way in ways]
        return self._tallies_by_release[release]

    @property
    def counts(self) -> HopCounts:
        """What was counted so far; no record changes any of it."""
        return HopCounts(
            list(self._tallies_by_release), {way: tally.verdicts for way, tally in self._tallies.items()}
        )

    def merge(self, counts: HopCounts) -> None:
        """Count other pods, whose verdicts were found elsewhere."""
        for release in counts.releases:
            self._tallies_of(release)
        for way, verdicts in counts.verdicts.items():
            self._tally(way).verdicts.update(verdicts)

    def retract(self, counts: HopCounts) -> None:
        """Take back what was counted of some pods, which are counted again."""
        for way, verdicts in counts.verdicts.items():
            self._tally(way).verdicts.subtract(verdicts)

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The counts of each hop so far; none where every node goes the whole way in one."""
        routes = sorted((self._routes[name] for name in self._releases), key=len, reverse=True)
        if not routes or len(routes[0]) < _SEVERAL:
            return ()
        stops = dict.fromkeys([*(step.new for route in routes for step in route[:-1]), self._way.new])
        steps = dict.fromkeys(step for route in routes for step in route)
        return tuple(
            self._hop(Way(AUTO, stop), [step for step in steps if step.new == stop]) for stop in stops
        )

    @property
    def rollback(self) -> Hop | None:
        """The counts of the way back so far; None where the current release of no pod is known."""
        ways = [self._back(release) for release in self._releases]
        return self._hop(self._back(AUTO), ways) if ways else None

    @property
    def _releases(self) -> list[str]:
        """The releases that pods start from, oldest first: the order of the pods changes nothing."""
        names = {self._view.catalog.kubelet(name): name for name in sorted(self._routes)}
        return [names[kubelet] for kubelet in oldest_first(names)]

    def _hop(self, asked: Way, ways: Sequence[Way]) -> Hop:
        """Add up the counts of some ways, and what may happen where the current release is unknown."""
        hops = [self._tally(way).hop for way in ways]
        from_unknown = (
            self._tallies[self._from_unknown].hop.unknown if self._from_unknown in self._tallies else 0
        )
        whole = ways[0] if len(ways) == 1 and not from_unknown else asked
        unknown = sum(hop.unknown for hop in hops) + from_unknown
        parts = () if whole in ways else tuple(hops)
        return Hop(whole.old, whole.new, sum(hop.findings for hop in hops), unknown, parts)

    def release_of(self, pod: Pod) -> str:
        """Return the release that a pod starts from; empty where it is unknown."""
        if self._way.old != AUTO:
            return "" if pod.node in self._disputed else self._way.old
        release = self._nodes[pod.node].kubelet if pod.node in self._nodes else ""
        return release if self._view.catalog.knows(release) else ""

    def _route(self, release: str) -> list[Way]:
        """Return the hops from a release on; none where the kubelet stays the same build."""
        if release not in self._routes:
            way, catalog = Way(release, self._way.new), self._view.catalog
            old, new = (catalog.kubelet(name).release for name in (way.old, way.new))
            self._routes[release] = steps(way, catalog) or ([] if same_build(old, new) else [way])
        return self._routes[release]

    def _back(self, release: str) -> Way:
        return Way(self._way.new, release)

    def _tally(self, way: Way) -> HopTally:
        if way not in self._tallies:
            kept = max(_LEAST, KEPT * _MANY // max(_MANY, len(self._tallies)))
            view = self._rolled_back if way.old == self._way.new else self._view
            self._tallies[way] = HopTally(way, self._nodes, view, self._templates, kept=kept)
        return self._tallies[way]


def elsewhere(view: View) -> View:
    """Return the view of an upgrade that starts elsewhere: without what shows the current kubelets' work.

    What dumps show of nodes stays, but for what a kubelet notes as allocated.
    """
    options = structs.replace(view.options, records=view.options.records.settings)
    return structs.replace(view, options=options, current_patch=None, dated=False)


def steps(way: Way, catalog: Catalog) -> list[Way]:
    """Return the hops of one minor each; none where the whole upgrade is one hop."""
    stops = [way.old, *catalog.known.newest_per_minor(way.old, way.new)[1:-1], way.new]
    return [Way(*step) for step in pairwise(stops)] if len(stops) > 2 else []
