"""What many upgrades do to pods that pass once: decided together where that is possible, else one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Final

from hashcompat.errors import DecodeError
from hashcompat.model.plan import Hop, Way
from hashcompat.model.pods import Node, Pod
from hashcompat.planning.census import Census, Outcomes
from hashcompat.planning.grid import Subject
from hashcompat.planning.hops import Tally, elsewhere
from hashcompat.planning.kinds import kind
from hashcompat.planning.options import AUTO
from hashcompat.planning.templates import Templates
from hashcompat.planning.view import View, is_plain
from hashcompat.planning.wayhashes import WayHashes

_KEPT: Final = 64
"""Containers that each of many upgrades keeps for their replicas, which follow one another in a list."""

Hops = dict[Way, Hop]

Counted = Sequence[tuple[Census, Outcomes]]
"""What is counted of each container of a pod, and where."""


class Counting:
    """Counts the containers that each of some upgrades kills, and those for which that is not decided."""

    def __init__(
        self,
        ways: Sequence[Way],
        later: Sequence[Way],
        nodes: Iterable[Node],
        view: View,
        templates: Templates | None = None,
    ) -> None:
        """Take upgrades of the pods as they run now, and those among them that also start where others end.

        ``templates`` as Judge's. Raises UsageError for unknown releases.
        """
        self._nodes, self._view = {node.name: node for node in nodes}, view
        self._templates = templates or Templates(view)
        parts = [[way for way in ways if (way.old == AUTO) is auto] for auto in (False, True)]
        self._parts = [_Part(part, later, self._nodes, view, self._templates) for part in parts if part]

    def add(self, pod: Pod) -> Counted | None:
        """Count one more pod; return what is counted of replicas too, None where each is decided by itself.

        Replicas are of the same kind (``kinds.kind``) and started when it did, and each kubelet of the
        upgrades hashes them as it does another one where that is so of the pod. Errors as ``Judge.drafts``.
        """
        subjects = list(self._subjects(pod)) if is_plain(self._view) and _is_served(pod) else []
        found = [part.add(pod, subjects) for part in self._parts]
        counted = [one for one in found if one is not None]
        return list(chain.from_iterable(counted)) if len(counted) == len(found) else None

    @staticmethod
    def repeat(counted: Counted) -> None:
        """Count a replica."""
        for census, outcomes in counted:
            census.add(outcomes)

    def _subjects(self, pod: Pod) -> Iterator[Subject]:
        node = self._nodes.get(pod.node)
        key = kind(pod, node)
        whole = self._templates.whole(pod)
        for place, container in enumerate(pod.containers):
            hashes = WayHashes(pod, container, self._templates.hash)
            yield Subject(pod, container, node, hashes, key, place, whole)

    @property
    def singly(self) -> int:
        """How many times a pod could not be counted for all upgrades together, which takes long."""
        return sum(part.singly for part in self._parts)

    def hops(self, *, elsewhere: bool = False) -> Hops:
        """Return what each upgrade does, or each that starts ``elsewhere``."""
        return {way: hop for part in self._parts for way, hop in part.hops(elsewhere=elsewhere).items()}


def _is_served(pod: Pod) -> bool:
    """Return whether kubelets see a pod as it is given."""
    shown = all(container.stored is None for container in pod.containers)
    return shown and not pod.manifest and not pod.doubt and pod.static_manifest is None


class _Part:
    """Upgrades from the releases that they name, or from what each node reports."""

    def __init__(
        self,
        ways: Sequence[Way],
        later: Sequence[Way],
        nodes: dict[str, Node],
        view: View,
        templates: Templates,
    ) -> None:
        known = set(ways)
        self._ways, self._later = ways, [way for way in later if way in known]
        self._nodes, self._view, self._templates = nodes, view, templates
        self._censuses: dict[str, Census] = {}
        self.singly = 0

    def add(self, pod: Pod, subjects: Sequence[Subject]) -> Counted | None:
        found = self._together(pod, subjects)
        if found is None:
            self._singly(pod)
        return found

    def _together(self, pod: Pod, subjects: Sequence[Subject]) -> Counted | None:
        """Count a pod for all upgrades together; return what was counted, None where that is not possible."""
        current = self._current(pod)
        if not subjects or current is None:
            return None if pod.containers else ()
        if current not in self._censuses:
            self._censuses[current] = Census(self._ways, current, self._view)
        census = self._censuses[current]
        try:
            found = [census.outcomes(subject) for subject in subjects]
        except DecodeError:  # each upgrade reports it in its own words, or goes on
            return None
        for outcomes in found:
            census.add(outcomes)
        return [(census, outcomes) for outcomes in found]

    def _current(self, pod: Pod) -> str | None:
        """Return the release that a pod's node reports; empty where upgrades name one, None if unknown."""
        if self._ways[0].old != AUTO:
            return ""
        node = self._nodes.get(pod.node)
        return node.kubelet if node is not None and self._view.catalog.knows(node.kubelet) else None

    def _singly(self, pod: Pod) -> None:
        self.singly += 1
        for tally in (*self._tallies[0], *self._tallies[1]):
            tally.add(pod)

    @cached_property
    def _tallies(self) -> tuple[list[Tally], list[Tally]]:
        """One for each upgrade, and one for each later one; made for the first pod that needs them."""
        tally = partial(Tally, nodes=self._nodes.values(), templates=self._templates, kept=_KEPT)
        now = [tally(way, view=self._view) for way in self._ways]
        return now, [tally(way, view=elsewhere(self._view)) for way in self._later]

    def hops(self, *, elsewhere: bool) -> Hops:
        ways = self._later if elsewhere else self._ways
        counted = [census.counts(elsewhere=elsewhere) for census in self._censuses.values()]
        tallies = self._tallies[elsewhere] if self.singly else []
        single = {Way(hop.old, hop.new): (hop.findings, hop.unknown) for hop in (one.hop for one in tallies)}
        return {way: _hop(way, [found[way] for found in (*counted, single) if way in found]) for way in ways}


def _hop(way: Way, found: Sequence[tuple[int, int]]) -> Hop:
    return Hop(way.old, way.new, sum(one for one, _ in found), sum(other for _, other in found))
