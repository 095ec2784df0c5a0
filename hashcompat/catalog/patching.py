"""Where a kubelet's source computes and compares container hashes, release by release: rows of patch.json."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from hashcompat.catalog.releases import Range, parse_range
from hashcompat.errors import InputError
from hashcompat.release import Release


class Function(msgspec.Struct, frozen=True):
    """A function of Kubernetes' source, in some releases."""

    file: str
    """The file's path in Kubernetes' source."""
    name: str
    """The function's name."""
    releases: Range
    """The releases that have it so."""
    sha256: str
    """The SHA-256 of its text, from ``func`` to the closing brace's line, in hexadecimal digits."""


class Assertion(msgspec.Struct, frozen=True):
    """A test file of Kubernetes that asserts hashes."""

    file: str
    """The file's path in Kubernetes' source."""
    releases: Range
    """The releases that have it so."""
    containers: tuple[Mapping[str, Any], ...]
    """The containers' JSON, in the order in which their hashes are asserted."""


class Import(msgspec.Struct, frozen=True):
    """The import path under which some releases have a package."""

    releases: Range
    """The releases."""
    path: str
    """The import path."""


class PatchTables(msgspec.Struct, frozen=True):
    """The rows of patch.json."""

    functions: tuple[Function, ...]
    """The functions that a patch touches."""
    assertions: tuple[Assertion, ...]
    """The tests that assert hashes."""
    imports: Mapping[str, tuple[Import, ...]]
    """The import paths of a package by its name in patch.json: ``log``, ``version``, ``versionUtil``."""


class Site(msgspec.Struct, frozen=True):
    """One release's source, as far as a patch needs to know it."""

    functions: tuple[Function, ...]
    """The functions of this release."""
    others: tuple[Function, ...]
    """Those of all other releases."""
    assertions: tuple[Assertion, ...]
    """The tests of this release that assert hashes."""
    log: str
    """The import path of the package with which this release logs."""
    version: str
    """The import path of the package with which it knows its own version."""
    version_util: str
    """The import path of the package with which it compares versions."""

    def function(self, name: str) -> Function | None:
        """Return a function of this release, or None where it has none of that name."""
        return next((function for function in self.functions if function.name == name), None)


def patch_tables(document: Mapping[str, Any]) -> PatchTables:
    """Read the rows of patch.json."""
    return PatchTables(
        tuple(
            Function(row["file"], row["name"], parse_range(row["releases"]), row["sha256"])
            for row in document["functions"]
        ),
        tuple(
            Assertion(row["file"], parse_range(row["releases"]), tuple(row["containers"]))
            for row in document["assertions"]
        ),
        {
            name: tuple(Import(parse_range(row["releases"]), row["value"]) for row in rows)
            for name, rows in document["imports"].items()
        },
    )


def site_of(release: Release, tables: PatchTables) -> Site:
    """Return what patch.json has about a release.

    Raises InputError where the rows do not name exactly one import path per package.
    """
    mine = _held(tables.functions, release)
    return Site(
        functions=mine,
        others=tuple(function for function in tables.functions if function not in mine),
        assertions=_held(tables.assertions, release),
        log=_import("log", release, tables),
        version=_import("version", release, tables),
        version_util=_import("versionUtil", release, tables),
    )


class _Ranged(Protocol):
    @property
    def releases(self) -> Range: ...


_Row = TypeVar("_Row", bound=_Ranged)


def _held(rows: Iterable[_Row], release: Release) -> tuple[_Row, ...]:
    return tuple(row for row in rows if row.releases.holds(release))


def _import(name: str, release: Release, tables: PatchTables) -> str:
    found = _held(tables.imports[name], release)
    if len(found) != 1:
        raise InputError(
            f"patch.json: imports.{name}: want one row for {release.upstream}, found {len(found)}"
        )
    return found[0].path
