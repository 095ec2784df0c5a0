"""The releases that are known, the program's own version, and the roles that it needs in a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hashcompat.analysis.answers.comparison import KnownMinor, ReleaseList, Versions
from hashcompat.core.model.escape import name_path
from hashcompat.output.documents import releases as docs
from hashcompat.output.report.model import Document, Prose, Report, Section, Table, document

if TYPE_CHECKING:
    from hashcompat.sources.cluster.roles import Roles  # which imports what reads a cluster


def _document(releases: ReleaseList) -> Document:
    return document(docs.ReleaseList, items=list(map(_minor, releases.minors)))


def _minor(minor: KnownMinor) -> docs.KnownMinor:
    built = tuple(docs.BuiltWith(since, go) for since, go in minor.go)
    return docs.KnownMinor(
        minor.name,
        minor.releases,
        minor.types,
        minor.made_from,
        minor.era,
        built,
        minor.user_added,
        minor.pre_release,
    )


def _table(releases: ReleaseList) -> Table:
    return Table(("MINOR", "RELEASES", "TYPES", "ERA", "GO"), lambda: map(_cells, releases.minors))


def _cells(minor: KnownMinor) -> list[object]:
    releases = f"{minor.releases[0]} - {minor.releases[-1]}"
    go = " -> ".join(dict.fromkeys(version for _, version in minor.go))
    return [minor.name, Prose(_added(minor) or releases), minor.types, minor.era, Prose(go)]


def _wide(releases: ReleaseList) -> Table:
    """Name every patch release and where the types were made from too."""
    columns = ("MINOR", "RELEASES", "TYPES", "ERA", "GO", "MADE-FROM")
    return Table(columns, lambda: map(_wide_cells, releases.minors))


def _wide_cells(minor: KnownMinor) -> list[object]:
    go = ", ".join(f"{version} since {since}" for since, version in minor.go)
    releases = _added(minor) or " ".join(minor.releases)
    return [minor.name, Prose(releases), minor.types, minor.era, Prose(go), Prose(minor.made_from)]


def _added(minor: KnownMinor) -> str:
    pre = ", a pre-release" if minor.pre_release else ""
    return f"{minor.releases[-1]}, added{pre}" if minor.user_added else ""


def _names(releases: ReleaseList) -> Iterator[str]:
    return (release for minor in releases.minors for release in minor.releases)


RELEASES: Final[Report[ReleaseList]] = Report(
    "ReleaseList", document=_document, table=_table, wide=_wide, names=_names
)


def _version_document(version: Versions) -> Document:
    return document(
        docs.Version, version=version.tool, oldest_kubelet=version.oldest, newest_kubelet=version.newest
    )


def _version_text(version: Versions) -> Iterator[Section]:
    lines = [[f"hashcompat {version.tool}"], [f"kubelet releases {version.oldest} - {version.newest}"]]
    yield Section(lines)


VERSION: Final[Report[Versions]] = Report(
    "Version", document=_version_document, text=_version_text, names=lambda version: (version.tool,)
)


def _role_document(roles: Roles) -> Document:
    """Return the ``List`` that kubectl applies."""
    return {"apiVersion": "v1", "kind": "List", "items": list(roles.objects)}


def _role_names(roles: Roles) -> Iterator[str]:
    """Yield ``Kind/[namespace/]name``."""
    return (
        name_path(
            role["kind"], *[role["metadata"][key] for key in ("namespace", "name") if key in role["metadata"]]
        )
        for role in roles.objects
    )


def _role_table(roles: Roles) -> Table:
    """Return one line per rule: where it holds, and what it allows."""
    return Table(("KIND", "NAMESPACE", "VERBS", "RESOURCES", "NAMES"), lambda: _rows(roles))


def _rows(roles: Roles) -> Iterator[list[object]]:
    for role in roles.objects:
        for rule in role.get("rules", ()):
            lists = (", ".join(rule.get(key, ())) for key in ("verbs", "resources", "resourceNames"))
            yield [role["kind"], role["metadata"].get("namespace"), *map(Prose, lists)]


ROLES: Final[Report[Roles]] = Report("List", document=_role_document, table=_role_table, names=_role_names)
