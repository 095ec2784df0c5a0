"""Where a kubelet's source computes and compares container hashes, release by release: rows of schemas/patch.json."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from hashcompat.errors import InputError

Rows = Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Function:
    """A function as upstream's releases have it: known by the SHA-256 of its text, from ``func`` to the closing brace's line."""

    file: str
    name: str
    releases: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Assertion:
    """A test file of Kubernetes that asserts the hashes of some containers, in this order."""

    file: str
    container: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Site:
    """One release's source, as far as a patch needs to know it.

    ``functions`` are those of this release, ``others`` those of all others. ``log``, ``version`` and
    ``version_util`` are the import paths of the packages with which this release logs, knows its own version
    and compares versions.
    """

    functions: tuple[Function, ...]
    others: tuple[Function, ...]
    assertions: tuple[Assertion, ...]
    log: str
    version: str
    version_util: str

    def function(self, name: str) -> Function | None:
        """Return a function of this release, or None where it has none of that name."""
        return next((function for function in self.functions if function.name == name), None)


def site_of(version: Version, rows: Mapping[str, Any]) -> Site:
    """Return what patch.json says about a release."""
    functions = [Function(**row) for row in rows["functions"]]
    mine = tuple(function for function in functions if version in SpecifierSet(function.releases))
    return Site(
        functions=mine,
        others=tuple(function for function in functions if function not in mine),
        assertions=tuple(_assertions(version, rows["assertions"])),
        log=_import("log", version, rows),
        version=_import("version", version, rows),
        version_util=_import("versionUtil", version, rows),
    )


def _assertions(version: Version, rows: Rows) -> Iterator[Assertion]:
    for row in _rows(version, rows):
        yield from (Assertion(row["file"], container) for container in row["containers"])


def _rows(version: Version, rows: Rows) -> list[Mapping[str, Any]]:
    return [row for row in rows if version in SpecifierSet(row["releases"])]


def _import(name: str, version: Version, rows: Mapping[str, Any]) -> str:
    found = _rows(version, rows["imports"][name])
    if len(found) != 1:
        raise InputError(f"patch.json: imports.{name}: want one row for {version}, found {len(found)}")
    return str(found[0]["value"])
