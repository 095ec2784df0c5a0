"""Containers of all templates that set the same fields: each kubelet's text is printed once for all of them.

The templates of a cluster are many, and differ mostly in names, images and numbers, which every kubelet
prints as they are (``kubelet/gaps.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.catalog.lookup import Kubelet
from hashcompat.errors import DecodeError
from hashcompat.kubelet.gaps import Gapped, Text, gapped, open_for
from hashcompat.kubelet.hashing import Hasher, hashers
from hashcompat.kubelet.template import Around
from hashcompat.kubelet.writing import Values, writing_of
from hashcompat.planning.replicas import KEPT, Latest

Spec = Mapping[str, Any]

_TEXTS: Final = 8
"""How many times its size a skeleton counts: it keeps a text for each way of hashing."""


class Skeleton:
    """What containers share that set the same fields."""

    def __init__(self, found: Gapped) -> None:
        self.spec: Spec = found.around
        """The JSON with something that stands for each value that decides nothing."""
        self._gaps = found.gaps
        self._texts: dict[Hasher, Text | None] = {}

    def text(self, hasher: Hasher) -> Text | None:
        """Return what is hashed as a function of the values; None where one is not printed as itself."""
        if hasher not in self._texts:
            self._texts[hasher] = self._text(hasher)
        return self._texts[hasher]

    def _text(self, hasher: Hasher) -> Text | None:
        try:
            return Text.of(hasher, hasher.text(self.spec), self._gaps)
        except DecodeError:  # the container itself says what is wrong, and where
            return None

    def stands_for_all(self, old: Kubelet, new: Kubelet) -> bool:
        """Return whether every container of it differs between two kubelets in the same fields.

        No value decides that but quantities, where the two read those differently.
        """
        one, other = hashers(old)[0], hashers(new)[0]
        readable = self.text(one) is not None and self.text(other) is not None
        return readable and writing_of(one).quantity == writing_of(other).quantity


class Bones:
    """A container with names, as its skeleton and what is in the gaps of that."""

    def __init__(self, skeleton: Skeleton, found: Gapped, names: tuple[str, ...]) -> None:
        self.skeleton = skeleton
        self._values = Values(found.values, [gap.kind for gap in found.gaps])
        self._open = open_for(names, found.values)

    def around(self, hasher: Hasher) -> Around | None:
        """Return a hash of the container by its names; None where it has to be printed by itself."""
        text = self.skeleton.text(hasher)
        if text is None or self._open is None:
            return None
        closed = text.closed(self._values, self._open)
        return Around.of(hasher, closed.before, closed.after)


class Skeletons:
    """Finds the skeletons of containers; keeps the latest ones."""

    def __init__(self, kept: int = KEPT) -> None:
        self._known: Latest[str, Skeleton] = Latest(kept)

    def of(self, spec: Spec, names: tuple[str, ...]) -> Bones | None:
        """Return a container as its skeleton; None where that would not pay, or could be mistaken."""
        found = gapped(spec)
        if found is None:
            return None
        key = found.key
        skeleton = self._known.get(key)
        if skeleton is None:
            skeleton = Skeleton(found)
            self._known.add(key, skeleton, len(key) * _TEXTS)
        return Bones(skeleton, found, names)
