"""What a plan can show beyond its items: where hashed texts differ, and its releases in pairs."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """Which of the two texts a piece is of."""

    SAME = "same"
    REMOVED = "removed"
    """Of the first text alone."""
    ADDED = "added"
    """Of the second text alone."""
    GAP = "gap"
    """Stands for characters that are left out."""


class Piece(msgspec.Struct, frozen=True):
    """A part of a fragment.

    Between two gaps, the same and the removed pieces in a row are part of the first text, and the same and
    the added ones of the second.
    """

    kind: Kind
    text: str
    """Empty for a gap."""


class Difference(msgspec.Struct, frozen=True):
    """Where the masked texts differ that two kubelets hash of some containers."""

    old: str
    """The current release."""
    new: str
    """The target release."""
    pieces: tuple[Piece, ...] = ()
    """The first places where the two texts differ; empty across eras, and where masked values differ."""
    more: bool = False
    """Whether there are more places."""
    hashes: tuple[str, ...] = ()
    """Across eras, what each of the two hashes, in words; else empty."""
    begins: tuple[tuple[Piece, ...], ...] = ()
    """Across eras, how the two texts of one container begin, as an example; else empty."""
    example: str = ""
    """That container, as ``explain`` takes it."""


class Scope(StrEnum):
    """Which containers restart between two releases: all, those with certain fields, none."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


class Pair(msgspec.Struct, frozen=True):
    """What an upgrade between two releases does."""

    old: str
    """The current release, or ``auto``."""
    new: str
    """The target release."""
    scope: Scope
    """Which unchanged containers restart, whatever the pods."""
    findings: int | None = None
    """How many containers of the plan it kills; None where that was not counted."""
    unknown: int | None = None
    """How many of them are UNKNOWN; None where that was not counted."""


class Details(msgspec.Struct, frozen=True):
    """The details of a plan, as far as they are gathered."""

    differences: tuple[Difference, ...] = ()
    """Each distinct difference once; ``Item.difference`` counts them from 1."""
    omitted: int = 0
    """For how many containers no difference is kept, for there were too many distinct ones."""
    releases: tuple[str, ...] = ()
    """The releases on the way of the plan, in its order; the first one may be ``auto``."""
    passed: int = 0
    """How many releases of the way are left out of these."""
    pairs: tuple[Pair, ...] = ()
    """Every ordered pair of these releases, but for those that lead to ``auto``."""
