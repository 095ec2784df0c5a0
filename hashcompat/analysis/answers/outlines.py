"""Containers that differ in gaps alone, without their values: each kubelet's text is printed once for all.

Such a text gives two hashes: that of the container as it is, and that of what a snapshot shows of it. Those
of one pod template differ in few gaps, so that the others are closed first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hashcompat.analysis.answers.keeping import is_kept, may_be_kept
from hashcompat.core.kubelet.gaps import Cuts, Gap, Text, filled, open_for
from hashcompat.core.kubelet.hashing import Hasher
from hashcompat.core.kubelet.sections import Sections
from hashcompat.core.kubelet.template import Kind, Value, Values
from hashcompat.core.model.verdicts import Hash
from hashcompat.core.shown import MASK

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

    @property
    def has_values(self) -> bool:
        """Whether a hidden value takes part in any hash."""
        return len(self.public) < len(self.true)

    @property
    def is_distinct(self) -> bool:
        """Whether no two of its texts share a hash."""
        return len(set(self.true.values())) == len(self.true)


class Printed(msgspec.Struct, frozen=True):
    """What one kubelet prints of a container with gaps."""

    hasher: Hasher
    hidden: Sections
    """The hashed text of what a snapshot shows."""
    true: Sections
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
        texts, cuts = [], Cuts(gaps)
        for one in printed:
            hidden = cuts.text(one.hasher, one.hidden)
            own = hidden if one.true == one.hidden else cuts.text(one.hasher, one.true)
            if hidden is None or own is None:
                return None
            texts.append((hidden, own))
        return cls(spec, tuple(texts), gaps)

    @property
    def size(self) -> int:
        """The characters that it keeps, of strings that texts share once."""
        strings = {id(part): len(part) for texts in self.texts for text in texts for _, part in text.after}
        return sum(strings.values())

    def hidden(self, values: Sequence[Value]) -> Hidden | None:
        """Return the container with these values; None where two texts share a hash."""
        shown = self._shown(values)
        keys = self._keys(shown)
        if keys is None:
            return None
        public, as_is = self._public(values, shown), self._written(values)
        true = {
            key: key if place in public else own.hash(as_is)
            for place, (key, (_, own)) in enumerate(zip(keys, self.texts, strict=True))
        }
        return Hidden(self._spec(shown), true, frozenset(keys[place] for place in public))

    def replicas(self, values: Sequence[Value], words: Sequence[str]) -> Replicas | None:
        """Return the containers with these values but for the words, which stand for others in each.

        None where a snapshot may show those others, or where a word is in no gap of its own.
        """
        still = open_for(words, values)
        if still is None or any(may_be_kept(self.gaps[gap].path) for gap in still):
            return None
        shown = self._shown(values)
        keys = self._keys(shown)
        if keys is None:
            return None
        public, as_is = self._public(values, shown), self._written(values)
        strings: dict[str, str] = {}  # what follows the words is the same in many of the texts
        own = tuple(
            (key, text.closed(as_is, still, strings))
            for place, (key, (_, text)) in enumerate(zip(keys, self.texts, strict=True))
            if place not in public
        )
        return Replicas(self._spec(shown), keys, frozenset(keys[place] for place in public), own)

    def _keys(self, shown: Sequence[Value]) -> tuple[int, ...] | None:
        """Return the hashes of what a snapshot shows, with these values; None where two texts share one."""
        as_shown = self._written(shown)
        keys = tuple(hidden.hash(as_shown) for hidden, _ in self.texts)
        return keys if len(set(keys)) == len(keys) else None

    def _spec(self, shown: Sequence[Value]) -> Spec:
        made: Spec = filled(
            self.spec, {gap.stand: value for gap, value in zip(self.gaps, shown, strict=True)}
        )
        return made

    def _written(self, values: Sequence[Value]) -> Values:
        return Values(values, [gap.kind for gap in self.gaps])

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

    spec: Spec
    """The JSON that a snapshot shows."""
    keys: tuple[int, ...]
    """The hashes of that."""
    public: frozenset[int]
    """Those in which no hidden value takes part."""
    own: tuple[tuple[int, Text], ...]
    """What is hashed of the values, by the hash of what the snapshot shows."""

    @property
    def size(self) -> int:
        """The characters that it keeps, of strings that texts share once."""
        return sum({id(part): len(part) for _, text in self.own for _, part in text.after}.values())

    def hidden(self, own: Sequence[str]) -> Hidden:
        """Return the container with texts of its own, none of which JSON or Go writes differently."""
        values = Values(own, [Kind.TEXT] * len(own))
        hashes = {key: text.hash(values) for key, text in self.own}
        return Hidden(self.spec, {key: hashes.get(key, key) for key in self.keys}, self.public)
