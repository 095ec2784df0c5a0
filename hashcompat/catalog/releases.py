"""The order of releases: spans of them, and the newest of each minor."""

from __future__ import annotations

from hashcompat.catalog.lookup import Catalog


def every_patch(catalog: Catalog, first: str, last: str) -> list[str]:
    """Name every known release from one to another, whichever way they go."""
    known = catalog.releases()
    start, end = known.index(catalog.known_name(first)), known.index(catalog.known_name(last))
    return known[start : end + 1] if start <= end else known[end : start + 1][::-1]


def newest_of_each_minor(catalog: Catalog, first: str, last: str) -> list[str]:
    """Name the newest known patch release of every minor from one minor to another, whichever way they go."""
    minors = list(catalog.rows)
    start, end = (
        minors.index(catalog.kubelet(first).release.minor),
        minors.index(catalog.kubelet(last).release.minor),
    )
    between = minors[start : end + 1] if start <= end else minors[end : start + 1][::-1]
    return [f"{minor}.{catalog.rows[minor]['patches'][-1]}" for minor in between]
