"""Pairs of kubelets as bits of integers, and functions of a pair that are asked once for all that agree.

What a kubelet does to a container depends on the two kubelets only through what the decision reads of them:
a few behaviours and gates. So a function of two kubelets is run for one pair and watched; every pair whose
kubelets answer the same to all that it read has the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeVar, cast

import msgspec

from hashcompat.analysis.planning.prepare import is_current
from hashcompat.analysis.planning.reading import Transition, read, rows
from hashcompat.analysis.planning.view import View
from hashcompat.analysis.planning.wayhashes import WayHashes
from hashcompat.core.catalog.defaults import ReadDefault
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.decide.static import Compare, same_uid
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.model.plan import AUTO, Way
from hashcompat.core.model.pods import Container, Node, Pod
from hashcompat.core.model.verdicts import Hash

Value = TypeVar("Value")

Question = tuple[Any, ...]
"""What is read of a kubelet: the path of an attribute (``behaviour``, ``dockershim``), or of a method with
its arguments.
"""

Asked = tuple[int, Question]
"""A question to the current (0) or to the target kubelet (1) of a pair."""

_PARTS: Final = frozenset({"behaviour", "gates", "release"})
"""What of a kubelet is read part by part."""


class Pairs:
    """Numbered pairs of kubelets; some of them are an integer, with the bit of each set."""

    def __init__(self, ends: Sequence[tuple[Kubelet, Kubelet]]) -> None:
        """Take the current and the target kubelet of each pair."""
        self.ends = ends
        self.all_pairs = (1 << len(ends)) - 1
        self.sides = tuple(_places([pair[side] for pair in ends]) for side in (0, 1))
        """By the current and by the target kubelet: the pairs that have it."""
        self._answers: dict[Asked, dict[Hashable, int]] = {}

    def grouped(self, side: int, key: Callable[[Kubelet], Value]) -> dict[Value, int]:
        """Return the pairs by a function of their current (0) or target kubelet (1), asked once each."""
        groups: dict[Value, int] = {}
        for kubelet, place in self.sides[side].items():
            value = key(kubelet)
            groups[value] = groups.get(value, 0) | place
        return groups

    def split(self, function: Callable[[Kubelet, Kubelet], Value], among: int) -> Iterator[tuple[Value, int]]:
        """Yield what a function of a pair returns, with those ``among`` the pairs for which it does.

        It has to depend on nothing but what it reads of the two kubelets. That it prints the name of a
        release does not count, so its results hold no texts.
        """
        while among:
            number = next(numbers(among))
            asked: dict[Asked, None] = {}
            value = function(*(self._watched(number, side, asked) for side in (0, 1)))
            same = among
            for question in asked:
                same &= self._agreeing(number, question)
            yield value, same
            among &= ~same

    def first(self, mask: int) -> tuple[Kubelet, Kubelet]:
        """Return the kubelets of the first of some pairs."""
        return self.ends[next(numbers(mask))]

    def _watched(self, number: int, side: int, asked: dict[Asked, None]) -> Kubelet:
        def note(question: Question) -> None:
            asked[side, question] = None

        return cast("Kubelet", _Watched(self.ends[number][side], (), note))

    def _agreeing(self, number: int, asked: Asked) -> int:
        """Return the pairs whose kubelet answers a question as that of one pair does."""
        side, question = asked
        if asked not in self._answers:
            self._answers[asked] = self.grouped(side, lambda kubelet: _answer(kubelet, question))
        return self._answers[asked][_answer(self.ends[number][side], question)]


def numbers(mask: int) -> Iterator[int]:
    """Yield the numbers of some pairs, the lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def of_numbers(chosen: Sequence[int]) -> int:
    """Return the pairs with these numbers."""
    row = bytearray(max(chosen, default=0) // 8 + 1)
    for number in chosen:
        row[number // 8] |= 1 << number % 8
    return int.from_bytes(row, "little")


def together(groups: Iterable[int]) -> int:
    """Return the pairs that are in any of some groups."""
    union = 0
    for mask in groups:
        union |= mask
    return union


def crossed(left: Mapping[Hashable, int], right: Mapping[Hashable, int]) -> dict[Hashable, int]:
    """Return the pairs by two keys, from those by each."""
    groups = {
        (a, b): left_mask & right_mask for a, left_mask in left.items() for b, right_mask in right.items()
    }
    return {key: mask for key, mask in groups.items() if mask}


class PairSums:
    """A count for each pair, in bits of the same weight side by side: adding takes no step for each pair."""

    def __init__(self) -> None:
        self._bits: list[int] = []

    def add(self, mask: int) -> None:
        """Count each of some pairs once more."""
        for level in range(len(self._bits)):
            self._bits[level], mask = self._bits[level] ^ mask, self._bits[level] & mask
        if mask:
            self._bits.append(mask)

    def counts(self, length: int) -> list[int]:
        """Return the counts of the first ``length`` pairs."""
        rows = [f"{bits:0{length}b}"[::-1] for bits in self._bits]
        return [
            sum((row[number] == "1") << level for level, row in enumerate(rows)) for number in range(length)
        ]


class _Watched:
    """Stands for a kubelet, or a part of one, and notes what is read of it."""

    def __init__(self, real: Any, path: Question, note: Callable[[Question], None]) -> None:
        self._real, self._path, self._note = real, path, note

    def __getattr__(self, name: str) -> Any:
        path, value = (*self._path, name), getattr(self._real, name)
        if len(path) == 1 and name in _PARTS:
            return _Watched(value, path, self._note)
        if callable(value):
            return lambda *arguments: self._called(value, path, arguments)
        self._note(path)
        return value

    def _called(self, method: Callable[..., Any], path: Question, arguments: tuple[Any, ...]) -> Any:
        self._note((*path, arguments))
        return method(*arguments)

    def __str__(self) -> str:
        return str(self._real)


def _answer(kubelet: Kubelet, question: Question) -> Hashable:
    """Return what is compared of an answer: lists and maps by their text."""
    value: Any = kubelet
    for name in question:
        value = value(*name) if isinstance(name, tuple) else getattr(value, name)
    return value if isinstance(value, Hashable) else repr(value)


def _places(kubelets: Sequence[Kubelet]) -> dict[Kubelet, int]:
    """Return the pairs of each kubelet."""
    members: dict[Kubelet, list[int]] = {}
    for number, kubelet in enumerate(kubelets):
        members.setdefault(kubelet, []).append(number)
    return {kubelet: of_numbers(chosen) for kubelet, chosen in members.items()}


Groups = dict[Hashable, int]
"""Pairs by what they have in common."""


class Subject(msgspec.Struct, frozen=True):
    """One container of an API pod, with what decides about it."""

    pod: Pod
    container: Container
    node: Node | None
    """The pod's node, where it is in the input."""
    hashes: WayHashes
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
    mask: int


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
            current = {old: mask for old, mask in olds.items() if is_current(node, old, self._view)}
            self._current[node.kubelet] = current
        return self._current[node.kubelet]

    def targets(self, subject: Subject) -> dict[Target, int]:
        """Return the pairs by what the target kubelet compares.

        Raises DecodeError for JSON that does not fit the Go types of a kubelet.
        """
        changing = [defaulting for defaulting in self._defaultings if self._changes(subject, defaulting)]
        unchanged = self.pairs.all_pairs & ~together(defaulting.mask for defaulting in changing)
        hashes = subject.hashes
        targets = self.pairs.grouped(1, lambda new: Target(hashes.of(new).candidates, False, new.era))
        targets = {target: mask & unchanged for target, mask in targets.items()}
        for target, mask in self._read(subject, changing):
            targets[target] = targets.get(target, 0) | mask
        return {target: mask for target, mask in targets.items() if mask}

    def compared(self, subject: Subject, targets: dict[Target, int]) -> Groups:
        """Return the pairs by how the hashes of the two kubelets compare; errors as above."""
        olds = self.pairs.grouped(0, lambda kubelet: subject.hashes.of(kubelet).candidates)
        groups: Groups = {}
        for old, old_mask in olds.items():
            for target, target_mask in targets.items():
                new = target.candidates
                key = len(old & new), len(old - new), len(new - old), target.lost
                groups[key] = groups.get(key, 0) | old_mask & target_mask
        return {key: mask for key, mask in groups.items() if mask}

    def _changes(self, subject: Subject, defaulting: _Defaulting) -> bool:
        """Return whether a container is not served as it is: what is written depends on the rows alone."""
        if not defaulting.written:
            return bool(defaulting.lost)
        transition = self._transition(subject, defaulting.mask)
        return bool(defaulting.lost) or read(subject.container.spec, transition, self._view).spec != dict(
            subject.container.spec
        )

    def _read(self, subject: Subject, changing: Iterable[_Defaulting]) -> Iterator[tuple[Target, int]]:
        """Yield what target kubelets compare of a container that is not served as it is, with the pairs."""
        for defaulting, (new, place) in product(changing, self.pairs.sides[1].items()):
            mask = place & defaulting.mask
            if mask:
                reading = read(subject.container.spec, self._transition(subject, mask), self._view)
                new_hash = subject.hashes(subject.pod, subject.container, reading.spec, new)
                yield Target(new_hash.candidates | reading.without, bool(reading.lost), new.era), mask

    def _transition(self, subject: Subject, mask: int) -> Transition:
        return Transition(subject.pod, subject.container, *self.pairs.first(mask), subject.whole)


def uids(pairs: Pairs, pod: Pod, compare: Compare) -> Groups:
    """Return the pairs by whether a mirror pod shows that its static pod keeps its UID."""
    members = dict[bool | None, list[int]]()
    for number, (old, new) in enumerate(pairs.ends):
        members.setdefault(same_uid(pod, old, new, compare), []).append(number)
    return {same: of_numbers(chosen) for same, chosen in members.items()}


def _defaultings(ends: Sequence[tuple[Kubelet, Kubelet]], view: View) -> Iterator[_Defaulting]:
    members: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for number, (old, new) in enumerate(ends):
        key = tuple(tuple(map(id, defaults)) for defaults in rows(old, new, view))
        members.setdefault(key, []).append(number)
    for chosen in members.values():
        yield _Defaulting(*rows(*ends[chosen[0]], view), of_numbers(chosen))
