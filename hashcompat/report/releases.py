"""The releases that are known, and the program's own version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.answers.releases import KnownMinor, ReleaseList, Versions
from hashcompat.report.model import Document, Prose, Report, Section, Table, document


def _document(known: ReleaseList) -> Document:
    return document("ReleaseList", items=[_item(minor) for minor in known.minors])


def _item(minor: KnownMinor) -> Document:
    return {
        "minor": minor.name,
        "releases": list(minor.releases),
        "types": minor.types,
        "madeFrom": minor.made_from,
        "era": minor.era,
        "go": [{"since": since, "go": go} for since, go in minor.go],
        "userAdded": minor.user_added,
    }


def _table(known: ReleaseList) -> Table:
    return Table(("MINOR", "RELEASES", "TYPES", "ERA", "GO"), lambda: map(_cells, known.minors))


def _cells(minor: KnownMinor) -> list[object]:
    releases = f"{minor.releases[0]} - {minor.releases[-1]}"
    go = " -> ".join(dict.fromkeys(version for _, version in minor.go))
    return [minor.name, Prose(_added(minor) or releases), minor.types, minor.era, Prose(go)]


def _wide(known: ReleaseList) -> Table:
    """Name every patch release and where the types were made from too."""
    columns = ("MINOR", "RELEASES", "TYPES", "ERA", "GO", "MADE-FROM")
    return Table(columns, lambda: map(_wide_cells, known.minors))


def _wide_cells(minor: KnownMinor) -> list[object]:
    go = ", ".join(f"{version} since {since}" for since, version in minor.go)
    releases = _added(minor) or " ".join(minor.releases)
    return [minor.name, Prose(releases), minor.types, minor.era, Prose(go), Prose(minor.made_from)]


def _added(minor: KnownMinor) -> str:
    return f"{minor.releases[-1]}, added" if minor.user_added else ""


def _names(known: ReleaseList) -> Iterator[str]:
    return (release for minor in known.minors for release in minor.releases)


RELEASES: Final[Report[ReleaseList]] = Report(
    "ReleaseList", document=_document, table=_table, wide=_wide, names=_names
)


def _version_document(version: Versions) -> Document:
    return document(
        "Version", version=version.tool, oldestKubelet=version.oldest, newestKubelet=version.newest
    )


def _version_text(version: Versions) -> Iterator[Section]:
    lines = [[f"hashcompat {version.tool}"], [f"kubelet releases {version.oldest} - {version.newest}"]]
    yield Section(lines)


VERSION: Final[Report[Versions]] = Report(
    "Version", document=_version_document, text=_version_text, names=lambda version: (version.tool,)
)
