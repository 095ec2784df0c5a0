"""Spans of releases: what the ranges of several rows cover together, in words for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from packaging.version import Version

from hashcompat.catalog.files import DataFiles
from hashcompat.catalog.releases import Range, parse_range

Span = tuple[Version, Version]
"""The first release, and the first one after them."""

_FIRST: Final = Version("1.0")

_NEVER: Final = Version("999")

EVERY: Final = "every release"


def rows(data: DataFiles, table: str, at: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the rows at some keys of a table: a list, the values of an object, or one row."""
    found = data.table(table)
    for key in at:
        found = found[key]
    if isinstance(found, list):
        return found
    return [found] if "releases" in found else list(found.values())


def span(row: Mapping[str, Any]) -> Span:
    """Return the span of a row: its range, or its release and all after it."""
    held: Range = parse_range(row["releases"] if "releases" in row else f">={row['release']}")
    return Version(held.since) if held.since else _FIRST, Version(held.until) if held.until else _NEVER


def merged(spans: Iterable[Span]) -> list[Span]:
    """Join spans that touch or overlap, the oldest first."""
    found: list[Span] = []
    for since, until in sorted(spans):
        if found and since <= found[-1][1]:
            found[-1] = found[-1][0], max(until, found[-1][1])
        else:
            found.append((since, until))
    return found


def common(one: Iterable[Span], other: Sequence[Span]) -> Iterator[Span]:
    """Yield what is in a span of both."""
    for since, until in one:
        for limit in other:
            both = max(since, limit[0]), min(until, limit[1])
            if both[0] < both[1]:
                yield both


def words(spans: Iterable[Span]) -> str:
    """Return spans in words: ``1.27 - 1.30``, ``1.24 and later``, ``up to 1.5``, ``every release``."""
    return _listed(_words(*found) for found in merged(spans))


def beginnings(spans: Iterable[Span]) -> str:
    """Name the releases in which spans begin, but not the first release of all: ``1.6, 1.16 and 1.31``."""
    return _listed(str(since) for since in sorted({since for since, _ in spans}) if since != _FIRST)


def _words(since: Version, until: Version) -> str:
    if until == _NEVER:
        return EVERY if since == _FIRST else f"{since} and later"
    last = _before(until)
    return f"up to {last}" if since == _FIRST else f"{since} - {last}" if str(since) != last else last


def _before(release: Version) -> str:
    """Return the release, or the minor, before one: ``1.15`` for 1.16, ``1.14.3`` for 1.14.4."""
    *lead, last = release.release
    return ".".join(map(str, (*lead, last - 1)))


def _listed(parts: Iterable[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last
