"""Neighbouring releases that behave alike in a matrix: one row and one column can show them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from hashcompat.planning.options import AUTO

Value = TypeVar("Value")


def folded(
    releases: Sequence[str], values: Mapping[tuple[str, str], Value], same: Value
) -> tuple[tuple[str, ...], ...]:
    """Group neighbours that have equal rows and columns, and ``same`` between one another.

    ``values`` has each ordered pair of ``releases``; to ``auto``, which is a group of its own, leads none.
    """
    groups: list[list[str]] = []
    for release in releases:
        if groups and _alike(groups[-1][0], release, releases, values, same):
            groups[-1].append(release)
        else:
            groups.append([release])
    return tuple(map(tuple, groups))


def _alike(
    one: str, other: str, releases: Sequence[str], values: Mapping[tuple[str, str], Value], same: Value
) -> bool:
    """Return whether two releases have the same values with every other one, and ``same`` with each other."""
    if one == AUTO or values[one, other] != same or values[other, one] != same:
        return False
    others = [release for release in releases if release not in (one, other)]
    return all(
        values[one, release] == values[other, release] for release in others if release != AUTO
    ) and all(values[release, one] == values[release, other] for release in others)
