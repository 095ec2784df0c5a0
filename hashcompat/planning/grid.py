"""The pairs of kubelets of many upgrades, by what of one container differs between them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import product

import msgspec

from hashcompat.catalog.apiserver import ReadDefault
from hashcompat.catalog.lookup import Kubelet
from hashcompat.kubelet.decide.static import Compare, same_uid
from hashcompat.kubelet.decide.whole import Whole
from hashcompat.model.hashes import Hash
from hashcompat.model.plan import Way
from hashcompat.model.pods import Container, Node, Pod
from hashcompat.planning.options import AUTO
from hashcompat.planning.pairs import Pairs, of_numbers, together
from hashcompat.planning.prepare import is_current
from hashcompat.planning.reading import Transition, read, rows
from hashcompat.planning.view import View
from hashcompat.planning.wayhashes import WayHashes

Groups = dict[Hashable, int]
"""Pairs by what they have in common."""


class Subject(msgspec.Struct, frozen=True):
    """One container of an API pod, with what decides about it."""

    pod: Pod
    """The pod."""
    container: Container
    """One of its containers."""
    node: Node | None
    """The pod's node, where it is in the input."""
    hashes: WayHashes
    """The hashes of the container."""
    kind: bytes
    """What of the pod decides besides hashes."""
    place: int
    """Which of the pod's containers it is."""
    whole: Whole
    """What the decisions about all of them share."""


class Target(msgspec.Struct, frozen=True):
    """What a target kubelet compares."""

    candidates: frozenset[Hash]
    """Its hashes of what its API server serves."""
    lost: bool
    """Whether a default that only the current API server writes decides."""
    era: object
    """How it hashes."""


class _Defaulting(msgspec.Struct, frozen=True):
    """The pairs of kubelets whose API servers write the same defaults on reading."""

    written: tuple[ReadDefault, ...]
    lost: tuple[ReadDefault, ...]
    some: int


class Grid:
    """The pairs of some upgrades, from the releases that they name or from one that a node reports."""

    def __init__(self, ways: Sequence[Way], current: str, view: View) -> None:
        """Raise UsageError for unknown releases; ``current`` is for upgrades from ``auto``."""
        olds = [current if way.old == AUTO else way.old for way in ways]
        ends = [(view.current(old), view.kubelet(way.new)) for old, way in zip(olds, ways, strict=True)]
        self.pairs = Pairs(ends)
        self._view = view
        self._defaultings = list(_defaultings(ends, view))
        self._current: dict[str, dict[Kubelet, int]] = {}

    def current(self, node: Node | None) -> dict[Kubelet, int]:
        """Return the current kubelets that a node reports, with their pairs; all of them without a node."""
        olds = self.pairs.sides[0]
        if node is None:
            return olds
        if node.kubelet not in self._current:
            found = {old: some for old, some in olds.items() if is_current(node, old, self._view)}
            self._current[node.kubelet] = found
        return self._current[node.kubelet]

    def targets(self, subject: Subject) -> dict[Target, int]:
        """Return the pairs by what the target kubelet compares.

        Raises DecodeError for JSON that does not fit the Go types of a kubelet.
        """
        changing = [one for one in self._defaultings if self._changes(subject, one)]
        unchanged = self.pairs.every & ~together(one.some for one in changing)
        hashes = subject.hashes
        found = self.pairs.grouped(1, lambda new: Target(hashes.of(new).candidates, False, new.era))
        found = {target: some & unchanged for target, some in found.items()}
        for target, some in self._read(subject, changing):
            found[target] = found.get(target, 0) | some
        return {target: some for target, some in found.items() if some}

    def compared(self, subject: Subject, targets: dict[Target, int]) -> Groups:
        """Return the pairs by how the hashes of the two kubelets compare; errors as above."""
        olds = self.pairs.grouped(0, lambda kubelet: subject.hashes.of(kubelet).candidates)
        found: Groups = {}
        for old, some in olds.items():
            for target, more in targets.items():
                new = target.candidates
                key = len(old & new), len(old - new), len(new - old), target.lost
                found[key] = found.get(key, 0) | some & more
        return {key: some for key, some in found.items() if some}

    def _changes(self, subject: Subject, defaulting: _Defaulting) -> bool:
        """Return whether a container is not served as it is: what is written depends on the rows alone."""
        if not defaulting.written:
            return bool(defaulting.lost)
        transition = self._transition(subject, defaulting.some)
        return bool(defaulting.lost) or read(subject.container.spec, transition, self._view).spec != dict(
            subject.container.spec
        )

    def _read(self, subject: Subject, changing: Iterable[_Defaulting]) -> Iterator[tuple[Target, int]]:
        """Yield what target kubelets compare of a container that is not served as it is, with the pairs."""
        for defaulting, (new, place) in product(changing, self.pairs.sides[1].items()):
            some = place & defaulting.some
            if some:
                reading = read(subject.container.spec, self._transition(subject, some), self._view)
                found = subject.hashes(subject.pod, subject.container, reading.spec, new)
                yield Target(found.candidates | reading.without, bool(reading.lost), new.era), some

    def _transition(self, subject: Subject, some: int) -> Transition:
        return Transition(subject.pod, subject.container, *self.pairs.first(some), subject.whole)


def uids(pairs: Pairs, pod: Pod, compare: Compare) -> Groups:
    """Return the pairs by whether a mirror pod shows that its static pod keeps its UID."""
    found = dict[bool | None, list[int]]()
    for number, (old, new) in enumerate(pairs.ends):
        found.setdefault(same_uid(pod, old, new, compare), []).append(number)
    return {same: of_numbers(chosen) for same, chosen in found.items()}


def _defaultings(ends: Sequence[tuple[Kubelet, Kubelet]], view: View) -> Iterator[_Defaulting]:
    found: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for number, (old, new) in enumerate(ends):
        key = tuple(tuple(map(id, some)) for some in rows(old, new, view))
        found.setdefault(key, []).append(number)
    for chosen in found.values():
        yield _Defaulting(*rows(*ends[chosen[0]], view), of_numbers(chosen))
