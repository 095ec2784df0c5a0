"""The details of a plan: where hashed texts differ, and what the releases on its way do in pairs.

Pods pass once, and what is kept does not grow with them: replicas share a difference, and so do containers
whose masked specs are equal; of too many distinct ones the rest is only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import chain, permutations
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.analysis import planning
from hashcompat.analysis.answers.explanation import BY_TEXT
from hashcompat.analysis.answers.matrix import Ends, current_kubelets, pair_cell, releases_between
from hashcompat.analysis.answers.sentences.why import hashed
from hashcompat.analysis.answers.texts import Texts, beginning, fragment, texts_of
from hashcompat.analysis.planning.counting import Counted, Counting
from hashcompat.analysis.planning.judge import Draft, Judge
from hashcompat.analysis.planning.kinds import Dates
from hashcompat.analysis.planning.latest import Latest
from hashcompat.analysis.planning.prepare import is_current
from hashcompat.analysis.planning.rulings import Rulings
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import View, is_plain
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.corev1.scheduling import is_token_mount
from hashcompat.core.model.escape import masked, name_path
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import AUTO, Beginning, Details, Difference, Pair, Plan, Way
from hashcompat.core.model.pods import Inventory, Pod
from hashcompat.core.model.verdicts import Verdict

DISTINCT: Final = 500
"""The most differences of a plan."""
_COMPUTED: Final = 2000
"""The most containers whose texts are compared for that; they may turn out to have the same difference."""
_SINGLY: Final = 200
"""Limit for pods that are counted individually, which is slow."""
_RELEASES: Final = 12
"""The most releases of a matrix of pairs."""
_DECIDED: Final = frozenset({Verdict.RESTART, Verdict.UNKNOWN})
"""The verdicts behind which a difference of the texts may be."""


def make(inventory: Inventory, from_release: str, to_release: str, view: View) -> Plan:
    """Return a plan with its details; errors as ``planning.make``."""
    return planning.make(inventory, from_release, to_release, view, partial(DetailsGathering, inventory))


class _Gathered(msgspec.Struct, frozen=True):
    """What the replicas of a pod share."""

    rulings: Sequence[_Ruling]
    """Of each container."""
    counted: Counted


class DetailsGathering:
    """Gathers details while the pods of a plan pass."""

    def __init__(self, inventory: Inventory, way: Way, view: View, templates: Templates) -> None:
        self._differences = _Differences(view.kubelet(way.new), view)
        self._pairs = _Pairs(inventory, way, view, templates)
        self._judge = Judge(way, inventory.nodes, view, templates)
        self._rulings = Rulings(self._judge, self._differences.of)

    def kubelets(self) -> tuple[Kubelet, ...]:
        """Return the kubelets of the pairs that are counted."""
        return self._pairs.kubelets()

    def decisive(self, pod: Pod) -> Hashable:
        """Return the days on which its containers started, as far as the pairs depend on them."""
        return self._pairs.days(pod)

    def add(self, pod: Pod) -> _Gathered | None:
        """Take one more pod; return what its replicas share, None where they may differ."""
        rulings, shared = self._rulings.of(pod)
        for place, ruled in enumerate(rulings):
            names = _names(ruled.draft) if ruled.replica is None else ruled.replica.names
            if ruled.ruling.varies and names != ruled.ruling.names:
                draft = (
                    ruled.draft if ruled.replica is None else self._judge.draft(pod, pod.containers[place])
                )
                self._differences.add_by_itself(draft)
            else:
                self._differences.add(ruled.ruling, names)
        counted = self._pairs.add(pod)
        shared = shared and not any(ruled.ruling.varies for ruled in rulings)
        return (
            _Gathered([ruled.ruling for ruled in rulings], counted)
            if shared and counted is not None
            else None
        )

    def repeat(self, gathered: _Gathered, pod: Pod) -> None:
        """Take a replica of a pod."""
        for ruling, container in zip(gathered.rulings, pod.containers, strict=True):
            self._differences.add(ruling, container.own)
        self._pairs.repeat(gathered.counted)

    def numbers(self, items: Callable[[], Sequence[Item]]) -> Sequence[int]:
        """Return the number of each item's difference, from 1; 0 for none."""
        return self._differences.settled(items())

    def details(self) -> Details:
        """Return the details."""
        pairs, differences = self._pairs, self._differences
        release_pairs = tuple(pairs.with_counts())
        return Details(
            tuple(differences.used), differences.omitted, pairs.releases, pairs.passed, release_pairs
        )


_OMITTED: Final = -1
"""Stands for a difference that is not kept."""


class _Ruling(msgspec.Struct, frozen=True):
    """The difference of a container, and of its replicas."""

    place: int
    """Where it is among the distinct ones, from 1; 0 where the two hashes are the same."""
    names: tuple[str, ...] = ()
    """The names that are the container's own among its replicas."""
    token: int | None = None
    """Which of them a replica's stands for in the difference; None for none."""
    varies: bool = False
    """Whether the differences of replicas are others, and not by the name of their token mounts alone."""


class _Differences:
    """The distinct differences, and the place of that of each container."""

    def __init__(self, new: Kubelet, view: View) -> None:
        self._new, self._view = new, view
        self._places: list[int] = []
        self._place_by_difference: dict[Difference, int] = {}
        self._distinct: list[Difference] = []
        self._by_spec: dict[Hashable, int] = {}
        self._by_group: Latest[Hashable, _Ruling] = Latest()
        self._across: dict[Hashable, int] = {}
        self.used: list[Difference] = []
        self.omitted = 0

    def add(self, ruling: _Ruling, names: tuple[str, ...]) -> None:
        """Take the next container, which is like one whose difference is known but for its names."""
        place = ruling.place
        if ruling.token is not None and names != ruling.names and place > 0:
            old, new = ruling.names[ruling.token], names[ruling.token]
            place = self._placed(_with_name(self._distinct[place - 1], old, new))
        self._places.append(place)

    def add_by_itself(self, draft: Draft) -> None:
        """Take the next container, whose difference no other one has."""
        self._places.append(self._of_spec(draft, draft.prepared.case.old) if draft.prepared else 0)

    def settled(self, items: Sequence[Item]) -> list[int]:
        """Return the number of each item's difference, in the order in which they are used."""
        differences, numbers, item_numbers = self._distinct, dict[int, int](), []
        for item, place in zip(items, self._places, strict=True):
            if not place or not _is_by_text(item):
                item_numbers.append(0)
            elif place == _OMITTED:
                self.omitted += 1
                item_numbers.append(0)
            else:
                if place not in numbers:
                    numbers[place] = len(numbers) + 1
                    self.used.append(differences[place - 1])
                item_numbers.append(numbers[place])
        return item_numbers

    def of(self, draft: Draft) -> _Ruling:
        """Return the difference of a container with that of its replicas."""
        prepared = draft.prepared
        if prepared is None or not prepared.case.old_known:
            return _Ruling(0)
        case = prepared.case
        if case.old_hash.candidates == case.new_hash.candidates:
            return _Ruling(0)
        if case.old.era is not case.new.era:
            # texts of two eras have nothing in common: one example of them will do
            if case.old not in self._across:
                self._across[case.old] = self._kept(draft)
            return _Ruling(self._across[case.old])
        key = prepared.template or prepared.group, case.old
        if key not in self._by_group:
            self._by_group[key] = self._of_replicas(self._of_spec(draft, case.old), prepared.names)
        return self._by_group[key]

    def _of_replicas(self, place: int, names: tuple[str, ...]) -> _Ruling:
        """Return a difference with what it has of the names."""
        shown = "\n".join(piece.text for piece in self._distinct[place - 1].pieces) if place > 0 else ""
        there = [number for number, name in enumerate(names) if name in shown]
        token = there[0] if len(there) == 1 and is_token_mount(names[there[0]]) else None
        return _Ruling(place, names, token, varies=bool(there) and token is None)

    def _of_spec(self, draft: Draft, old: Kubelet) -> int:
        key = old, _digest(draft), self._view.keeps_empty(draft.pod)
        if key not in self._by_spec:
            if len(self._by_spec) >= _COMPUTED:
                return _OMITTED
            self._by_spec[key] = self._kept(draft)
        return self._by_spec[key]

    def _kept(self, draft: Draft) -> int:
        old, new = texts_of(draft, self._new, self._view)
        return 0 if old is None or new is None else self._placed(_difference(draft, old, new))

    def _placed(self, difference: Difference) -> int:
        if difference not in self._place_by_difference:
            if len(self._place_by_difference) >= DISTINCT:
                return _OMITTED
            self._place_by_difference[difference] = len(self._place_by_difference) + 1
            self._distinct.append(difference)
        return self._place_by_difference[difference]


def _names(draft: Draft) -> tuple[str, ...]:
    """Return the names that are a container's own among its replicas."""
    return draft.prepared.names if draft.prepared else ()


def _with_name(difference: Difference, old: str, new: str) -> Difference:
    """Return the difference of a replica whose token mount has another name."""
    pieces = [structs.replace(piece, text=piece.text.replace(old, new)) for piece in difference.pieces]
    return structs.replace(difference, pieces=tuple(pieces))


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
        begins = tuple(Beginning(beginning(text.readable)) for text in (old, new))
        example = name_path(draft.pod.namespace, draft.pod.name, draft.container.name)
        return Difference(*ends, (), False, words, begins, example)
    excerpt = fragment(old.readable, new.readable, json=eras[0].hashes_json)
    return Difference(*ends, excerpt.pieces, excerpt.more, (), (), "")


class _Pairs:
    """Counts what the releases on a way do to pods in pairs, as long as that is cheap."""

    def __init__(self, inventory: Inventory, way: Way, view: View, templates: Templates) -> None:
        self._view, self._catalog = view, view.catalog
        is_known = any(view.catalog.knows(node.kubelet) for node in inventory.nodes)
        self._current = current_kubelets(inventory, view.catalog) if way.old == AUTO and is_known else ()
        self.releases, self.passed = tuple[str, ...](), 0
        if way.old != AUTO or self._current:
            between = releases_between(view.catalog, way.old, way.new, self._current, patches=False)
            self.releases, self.passed = _sampled(list(dict.fromkeys([way.old, *between[1:]])))
        self._ends: list[Ends] = [pair for pair in permutations(self.releases, 2) if pair[1] != AUTO]
        ways = [Way(*pair) for pair in self._ends]
        self._is_counted = bool(ways) and is_plain(view)
        counting = Counting(ways, (), inventory.nodes, view, templates) if self._is_counted else None
        self._counting = counting
        self._nodes = {node.name: node for node in inventory.nodes}
        self._dates: dict[str | None, Dates] = {}

    def kubelets(self) -> tuple[Kubelet, ...]:
        """Return the kubelets of the pairs that are counted."""
        names = [name for name in self.releases if name != AUTO] if self._counting else ()
        pairs = ((self._view.current(name), self._view.kubelet(name)) for name in names)
        return tuple(dict.fromkeys(chain.from_iterable(pairs)))

    def days(self, pod: Pod) -> Hashable:
        """Return the days of starts before a release that may be the current one was published."""
        if not self._counting:
            return None
        node = self._nodes.get(pod.node)
        release = node.kubelet if node else None
        if release not in self._dates:
            olds = [
                kubelet
                for kubelet in self.kubelets()
                if node is None or is_current(node, kubelet, self._view)
            ]
            self._dates[release] = Dates(
                max((kubelet.published for kubelet in olds if kubelet.published), default=None)
            )
        dates = self._dates[release]
        return tuple([dates.of(container) for container in pod.containers])

    def add(self, pod: Pod) -> Counted | None:
        """Count one more pod; return what is counted of its replicas, None where each is by itself.

        Errors as Judge's.
        """
        if not self._is_counted:
            return ()
        counted = self._counting.add(pod) if self._counting else None
        if self._counting and self._counting.singly > _SINGLY:
            self._counting = None
        return counted

    def repeat(self, counted: Counted) -> None:
        """Count a replica."""
        if self._counting:
            self._counting.repeat(counted)

    def with_counts(self) -> Iterator[Pair]:
        """Yield every pair, with its counts where they are known."""
        hops = self._counting.hops() if self._counting else {}
        for ends in self._ends:
            scope = pair_cell(ends, self._current, self._catalog).scope
            hop = hops.get(Way(*ends))
            yield Pair(*ends, scope, *((hop.findings, hop.unknown) if hop else (None, None)))


def _sampled(releases: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return all releases where they are few, else the ends and some between; with how many are left out."""
    last = len(releases) - 1
    if last < _RELEASES:
        return tuple(releases), 0
    places = sorted({round(step * last / (_RELEASES - 1)) for step in range(_RELEASES)})
    return tuple(releases[place] for place in places), len(releases) - len(places)
