"""The reasons of a plan, one of each kind: what differs between two cases of a rule is left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from hashcompat.model.verdicts import Reason
from hashcompat.report.items import FIELD_WORDS
from hashcompat.rules.pages import RULES

GAP: Final = "..."
"""Stands for the words in which cases differ."""

_NAMES: Final = {rule.id: rule.name for rule in RULES}

_ENOUGH: Final = 3
"""Words that are enough without those in which cases differ."""


class Kind(msgspec.Struct, eq=False):
    """One rule as the reason of some containers."""

    id: str
    """The rule, ``HC004``."""

    bit: int
    """The number whose one bit stands for it in a set."""

    number: int = 0
    """Its place in the list of reasons, from 1; 0 until all are known."""

    containers: int = 0
    """How many containers have this reason, those that are kept not among them."""

    found: int = 0
    """How many of them are killed."""

    _words: tuple[str, ...] | None = None
    _fields: dict[str, None] = msgspec.field(default_factory=dict)

    def add(self, reason: Reason) -> None:
        """Take the words of one more case into account."""
        if reason.field and self.id in FIELD_WORDS:
            self._fields[reason.field] = None
            return
        words = tuple(reason.text.split(" "))
        self._words = words if self._words is None else _common(self._words, words)

    @property
    def text(self) -> str:
        """The words that all its cases share; the rule's name where they share too little."""
        if self._fields:
            return f"{FIELD_WORDS[self.id]} {', '.join(self._fields)}"
        words = self._words or ()
        said = len(words) - words.count(GAP)
        return " ".join(words) if said >= _ENOUGH or GAP not in words else _NAMES.get(self.id, self.id)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words at the start and at the end of both, with GAP between where they differ."""
    if one == other:
        return one
    start = _shared(zip(one, other, strict=False))
    least = min(len(one), len(other)) - start
    end = min(_shared(zip(reversed(one), reversed(other), strict=False)), least)
    return (*one[:start], GAP, *one[len(one) - end :])


def _shared(pairs: Iterable[tuple[str, str]]) -> int:
    number = 0
    for left, right in pairs:
        if left != right or left == GAP:
            break
        number += 1
    return number


class Kinds:
    """The reasons met so far; sets of them are integers with a bit for each."""

    def __init__(self) -> None:
        self._known: dict[str, Kind] = {}

    def mask(self, reasons: Iterable[Reason]) -> int:
        """Return the set of some reasons, which are taken into account."""
        mask = 0
        for reason in reasons:
            kind = self._known.get(reason.id)
            if kind is None:
                kind = self._known[reason.id] = Kind(reason.id, 1 << len(self._known))
            kind.add(reason)
            mask |= kind.bit
        return mask

    def count(self, mask: int, containers: int, *, found: bool) -> None:
        """Count containers that have these reasons."""
        for kind in self._known.values():
            if kind.bit & mask:
                kind.containers += containers
                kind.found += containers if found else 0

    def numbered(self) -> tuple[Kind, ...]:
        """Number the reasons, those of the most containers that are killed first, and return them."""
        kinds = sorted(self._known.values(), key=lambda kind: (-kind.found, -kind.containers, kind.id))
        for number, kind in enumerate(kinds, 1):
            kind.number = number
        return tuple(kinds)
