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
        self.every = (1 << len(ends)) - 1
        self.sides = tuple(_places([pair[side] for pair in ends]) for side in (0, 1))
        """By the current and by the target kubelet: the pairs that have it."""
        self._answers: dict[Asked, dict[Hashable, int]] = {}

    def grouped(self, side: int, key: Callable[[Kubelet], Value]) -> dict[Value, int]:
        """Return the pairs by a function of their current (0) or target kubelet (1), asked once each."""
        found: dict[Value, int] = {}
        for kubelet, place in self.sides[side].items():
            value = key(kubelet)
            found[value] = found.get(value, 0) | place
        return found

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

    def first(self, some: int) -> tuple[Kubelet, Kubelet]:
        """Return the kubelets of the first of some pairs."""
        return self.ends[next(numbers(some))]

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


def numbers(some: int) -> Iterator[int]:
    """Yield the numbers of some pairs, the lowest first."""
    while some:
        lowest = some & -some
        yield lowest.bit_length() - 1
        some ^= lowest


def of_numbers(chosen: Sequence[int]) -> int:
    """Return the pairs with these numbers."""
    row = bytearray(max(chosen, default=0) // 8 + 1)
    for number in chosen:
        row[number // 8] |= 1 << number % 8
    return int.from_bytes(row, "little")


def together(groups: Iterable[int]) -> int:
    """Return the pairs that are in any of some groups."""
    found = 0
    for some in groups:
        found |= some
    return found


def crossed(one: Mapping[Hashable, int], other: Mapping[Hashable, int]) -> dict[Hashable, int]:
    """Return the pairs by two keys, from those by each."""
    found = {(a, b): some & more for a, some in one.items() for b, more in other.items()}
    return {key: some for key, some in found.items() if some}


class PairSums:
    """A count for each pair, in bits of the same weight side by side: adding takes no step for each pair."""

    def __init__(self) -> None:
        self._bits: list[int] = []

    def add(self, some: int) -> None:
        """Count each of some pairs once more."""
        for level in range(len(self._bits)):
            self._bits[level], some = self._bits[level] ^ some, self._bits[level] & some
        if some:
            self._bits.append(some)

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
    found: dict[Kubelet, list[int]] = {}
    for number, kubelet in enumerate(kubelets):
        found.setdefault(kubelet, []).append(number)
    return {kubelet: of_numbers(chosen) for kubelet, chosen in found.items()}


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
