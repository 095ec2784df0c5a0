"""Containers that differ in gaps alone, without their values: each kubelet's text is printed once for all.

Such a text gives two hashes: that of the container as it is, and that of what a snapshot shows of it. Those
of one pod template differ in few gaps, so that the others are closed first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hashcompat.answers.gaps import Gap, Text, filled
from hashcompat.answers.keeping import is_kept, may_be_kept
from hashcompat.answers.writing import Kind, Value, Values
from hashcompat.kubelet.hashing import Hasher
from hashcompat.model.hashes import Hash
from hashcompat.shown import MASK

Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A container as a snapshot holds it."""

    spec: Spec
    """Its JSON with values hidden."""
    true: Mapping[int, Hash]
    """The hash with values, by that of the JSON with values hidden: each kubelet's that decodes it."""
    public: frozenset[int]
    """The hashes in which no hidden value takes part."""
    template: object = field(default=None, compare=False)
    """The same object in replicas whose hashes are all different; else None."""

    @property
    def has_values(self) -> bool:
        """Whether a hidden value takes part in any hash."""
        return len(self.public) < len(self.true)


class Printed(msgspec.Struct, frozen=True):
    """What one kubelet prints of a container with gaps."""

    hasher: Hasher
    hidden: str
    """The hashed text of what a snapshot shows."""
    true: str
    """That of the container itself."""


class Outline(msgspec.Struct, frozen=True):
    """What containers share that differ in gaps alone."""

    spec: Spec
    """The JSON that a snapshot shows, with a name in each gap."""
    texts: tuple[tuple[Text, Text], ...]
    """Each kubelet's text of that, and of the container itself: the same object where they are equal."""
    gaps: tuple[Gap, ...]

    @classmethod
    def of(cls, spec: Spec, printed: Iterable[Printed], gaps: tuple[Gap, ...]) -> Outline | None:
        """Return the outline of containers, printed with gaps; None where a gap is not certain."""
        texts = []
        for one in printed:
            hidden = Text.of(one.hasher, one.hidden, gaps)
            own = hidden if one.true == one.hidden else Text.of(one.hasher, one.true, gaps)
            if hidden is None or own is None:
                return None
            texts.append((hidden, own))
        return cls(spec, tuple(texts), gaps)

    @property
    def size(self) -> int:
        """The characters that it keeps."""
        return sum(own.size + (0 if hidden is own else hidden.size) for hidden, own in self.texts)

    def hidden(self, values: Sequence[Value]) -> Hidden | None:
        """Return the container with these values; None where two texts share a hash."""
        shown = self._shown(values)
        public = self._public(values, shown)
        as_shown, as_is = self._written(shown), self._written(values)
        true = {}
        for place, (hidden, own) in enumerate(self.texts):
            key = hidden.hash(as_shown)
            true[key] = key if place in public else own.hash(as_is)
        if len(true) < len(self.texts):
            return None
        keys = list(true)
        return Hidden(
            filled(self.spec, self._places(shown)), true, frozenset(keys[place] for place in public)
        )

    def replicas(self, values: Sequence[Value], words: Sequence[str]) -> Replicas | None:
        """Return the containers with these values but for the words, which stand for others in each.

        None where a snapshot may show those others, or where a word is in no gap of its own.
        """
        numbers = {word: number for number, word in enumerate(words)}
        still = {gap: numbers[str(value)] for gap, value in enumerate(values) if value in numbers}
        if len(still) < len(words) or any(may_be_kept(self.gaps[gap].path) for gap in still):
            return None
        first = self.hidden(values)
        if first is None:
            return None
        as_is = self._written(values)
        own = [
            (key, text.closed(as_is, still))
            for key, (_, text) in zip(first.true, self.texts, strict=True)
            if key not in first.public
        ]
        return Replicas(first, tuple(own))

    def _written(self, values: Sequence[Value]) -> Values:
        return Values(values, [gap.kind for gap in self.gaps])

    def _places(self, shown: Sequence[Value]) -> dict[Value, Value]:
        return {gap.stand: value for gap, value in zip(self.gaps, shown, strict=True)}

    def _shown(self, values: Sequence[Value]) -> list[Value]:
        """Return what a snapshot shows in the gaps: every number and quantity."""
        return [
            value if gap.kind is not Kind.TEXT or is_kept(gap.path, str(value)) else MASK
            for gap, value in zip(self.gaps, values, strict=True)
        ]

    def _public(self, values: Sequence[Value], shown: Sequence[Value]) -> frozenset[int]:
        """Return the places of the texts in which no hidden value is."""
        differing = {gap for gap, value in enumerate(values) if shown[gap] != value}
        return frozenset(
            place
            for place, (hidden, own) in enumerate(self.texts)
            if hidden is own and differing.isdisjoint(number for number, _ in own.after)
        )


class Replicas(msgspec.Struct, frozen=True, eq=False):
    """The containers of one pod template, each with a few texts of its own that a snapshot hides."""

    first: Hidden
    """A container with words in their places; the hashes with values in it are of no container."""
    own: tuple[tuple[int, Text], ...]
    """What is hashed of the values, by the hash of what the snapshot shows."""

    @property
    def size(self) -> int:
        """The characters that it keeps."""
        return sum(text.size for _, text in self.own)

    def hidden(self, own: Sequence[str]) -> Hidden:
        """Return the container with texts of its own, none of which JSON or Go writes differently."""
        first, values = self.first, Values(own, [Kind.TEXT] * len(own))
        true = {**first.true, **{key: text.hash(values) for key, text in self.own}}
        alone = len(set(true.values())) == len(true)
        return Hidden(first.spec, true, first.public, self if alone else None)
