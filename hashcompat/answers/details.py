"""The details of a plan: where hashed texts differ, and what the releases on its way do in pairs.

Pods pass once, and what is kept does not grow with them: replicas share a difference, and so do containers
whose masked specs are equal; of too many distinct ones the rest is only counted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import permutations
from typing import Final

import msgspec

from hashcompat import planning
from hashcompat.answers.fragment import beginning, fragment
from hashcompat.answers.matrix import Ends, current_kubelets, pair_cell, releases_between
from hashcompat.answers.onecontainer import BY_TEXT
from hashcompat.answers.sentences.situation import hashed
from hashcompat.answers.texts import Texts, texts_of
from hashcompat.catalog.lookup import Kubelet
from hashcompat.model.details import Details, Difference, Pair
from hashcompat.model.escape import name_path
from hashcompat.model.items import Item
from hashcompat.model.mask import masked
from hashcompat.model.plan import Plan, Way
from hashcompat.model.pods import Inventory, Pod
from hashcompat.model.verdicts import Verdict
from hashcompat.planning.counting import Counting
from hashcompat.planning.judge import Draft
from hashcompat.planning.options import AUTO
from hashcompat.planning.replicas import Latest
from hashcompat.planning.view import View, is_plain

DISTINCT: Final = 500
"""The most differences of a plan."""

_COMPUTED: Final = 2000
"""The most containers whose texts are compared for that; they may turn out to have the same difference."""

_SINGLY: Final = 200
"""So often pods are counted one by one for the pairs, which takes long."""

_RELEASES: Final = 12
"""The most releases of a matrix of pairs."""

_DECIDED: Final = frozenset({Verdict.RESTART, Verdict.UNKNOWN})
"""The verdicts behind which a difference of the texts may be."""


def make(inventory: Inventory, from_release: str, to_release: str, view: View) -> Plan:
    """Return a plan with its details; errors as ``planning.make``."""
    return planning.make(inventory, from_release, to_release, view, partial(Gathering, inventory))


class Gathering:
    """Gathers details while the pods of a plan pass."""

    def __init__(self, inventory: Inventory, way: Way, view: View) -> None:
        self._differences = _Differences(view.kubelet(way.new), view)
        self._pairs = _Pairs(inventory, way, view)

    def add(self, pod: Pod, drafts: Sequence[Draft]) -> None:
        """Take one more pod, with a draft of each of its containers."""
        self._pairs.add(pod)
        for draft in drafts:
            self._differences.add(draft)

    def numbers(self, items: Sequence[Item]) -> Sequence[int]:
        """Return the number of each item's difference, from 1; 0 for none."""
        return self._differences.settled(items)

    def details(self) -> Details:
        """Return the details."""
        pairs, differences = self._pairs, self._differences
        found = tuple(pairs.found())
        return Details(tuple(differences.used), differences.omitted, pairs.releases, pairs.passed, found)


_OMITTED: Final = -1
"""Stands for a difference that is not kept."""


class _Differences:
    """The distinct differences, and the place of that of each container."""

    def __init__(self, new: Kubelet, view: View) -> None:
        self._new, self._view = new, view
        self._places: list[int] = []
        self._found: dict[Difference, int] = {}
        self._by_spec: dict[Hashable, int] = {}
        self._by_group: Latest[Hashable, int] = Latest()
        self._across: dict[Hashable, int] = {}
        self.used: list[Difference] = []
        self.omitted = 0

    def add(self, draft: Draft) -> None:
        """Take the next container."""
        self._places.append(self._place(draft))

    def settled(self, items: Sequence[Item]) -> list[int]:
        """Return the number of each item's difference, in the order in which they are used."""
        differences, numbers, found = list(self._found), dict[int, int](), []
        for item, place in zip(items, self._places, strict=True):
            if not place or not _is_by_text(item):
                found.append(0)
            elif place == _OMITTED:
                self.omitted += 1
                found.append(0)
            else:
                if place not in numbers:
                    numbers[place] = len(numbers) + 1
                    self.used.append(differences[place - 1])
                found.append(numbers[place])
        return found

    def _place(self, draft: Draft) -> int:
        """Return the place of a container's difference, from 1; 0 where the two hashes are the same."""
        prepared = draft.prepared
        if prepared is None or not prepared.case.old_known:
            return 0
        case = prepared.case
        if case.old_hash.candidates == case.new_hash.candidates:
            return 0
        if case.old.era is not case.new.era:
            return self._across_eras(draft, case.old)
        key = prepared.group, case.old
        if key not in self._by_group:
            self._by_group[key] = self._of_spec(draft, case.old)
        return self._by_group[key]

    def _across_eras(self, draft: Draft, old: Kubelet) -> int:
        """Return the place of an example: texts of two eras have nothing in common."""
        if old not in self._across:
            self._across[old] = self._kept(draft)
        return self._across[old]

    def _of_spec(self, draft: Draft, old: Kubelet) -> int:
        key = old, _digest(draft), self._view.keeps_empty(draft.pod)
        if key not in self._by_spec:
            if len(self._by_spec) >= _COMPUTED:
                return _OMITTED
            self._by_spec[key] = self._kept(draft)
        return self._by_spec[key]

    def _kept(self, draft: Draft) -> int:
        old, new = texts_of(draft, self._new, self._view)
        if old is None or new is None:
            return 0
        found = _difference(draft, old, new)
        if found not in self._found and len(self._found) >= DISTINCT:
            return _OMITTED
        return self._found.setdefault(found, len(self._found) + 1)


def _is_by_text(item: Item) -> bool:
    """Return whether a difference of the texts is behind a verdict."""
    reasons = any(reason.id in BY_TEXT for reason in item.reasons)
    return reasons and item.verdict in _DECIDED and not item.pod_recreated


def _digest(draft: Draft) -> bytes:
    """Return a digest of what the two kubelets see, without what is masked."""
    prepared = draft.prepared
    specs = (prepared.old_spec, prepared.new_spec) if prepared else ()
    text = repr([masked(spec) for spec in specs])
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def _difference(draft: Draft, old: Texts, new: Texts) -> Difference:
    eras = old.kubelet.era, new.kubelet.era
    ends = str(old.kubelet.release), str(new.kubelet.release)
    if eras[0] is not eras[1]:
        words = hashed(eras[0], eras[1]), hashed(eras[1], eras[0])
        begins = beginning(old.readable), beginning(new.readable)
        example = name_path(draft.pod.namespace, draft.pod.name, draft.container.name)
        return Difference(*ends, hashes=words, begins=begins, example=example)
    found = fragment(old.readable, new.readable, json=eras[0].hashes_json)
    return Difference(*ends, found.pieces, found.more)


class _WayReleases(msgspec.Struct, frozen=True):
    """The releases of a matrix."""

    chosen: tuple[str, ...]
    passed: int


class _Pairs:
    """Counts what the releases on a way do to pods in pairs, as long as that is cheap."""

    def __init__(self, inventory: Inventory, way: Way, view: View) -> None:
        self._catalog = view.catalog
        is_known = any(view.catalog.knows(node.kubelet) for node in inventory.nodes)
        self._current = current_kubelets(inventory, view.catalog) if way.old == AUTO and is_known else ()
        found = _WayReleases((), 0)
        if way.old != AUTO or self._current:
            between = releases_between(view.catalog, way.old, way.new, self._current, patches=False)
            found = _some(list(dict.fromkeys([way.old, *between[1:]])))
        self.releases, self.passed = found.chosen, found.passed
        self._ends: list[Ends] = [pair for pair in permutations(self.releases, 2) if pair[1] != AUTO]
        ways = [Way(*pair) for pair in self._ends]
        self._counting = Counting(ways, (), inventory.nodes, view) if ways and is_plain(view) else None

    def add(self, pod: Pod) -> None:
        """Count one more pod; errors as Judge's."""
        if self._counting:
            self._counting.add(pod)
            if self._counting.singly > _SINGLY:
                self._counting = None

    def found(self) -> Iterator[Pair]:
        """Yield every pair, with its counts where they are known."""
        hops = self._counting.hops() if self._counting else {}
        for ends in self._ends:
            scope = pair_cell(ends, self._current, self._catalog).scope
            hop = hops.get(Way(*ends))
            yield Pair(*ends, scope, *((hop.findings, hop.unknown) if hop else ()))


def _some(releases: Sequence[str]) -> _WayReleases:
    """Return all releases where they are few, else the ends and some between."""
    last = len(releases) - 1
    if last < _RELEASES:
        return _WayReleases(tuple(releases), 0)
    places = sorted({round(step * last / (_RELEASES - 1)) for step in range(_RELEASES)})
    return _WayReleases(tuple(releases[place] for place in places), len(releases) - len(places))
