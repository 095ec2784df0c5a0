"""The catalog: a release's name -> everything about that kubelet that decides a hash or a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from hashcompat.catalog import files
from hashcompat.catalog.added import Added, added_releases, row_of
from hashcompat.catalog.behaviour import Rows, Rules, rules_of
from hashcompat.catalog.defaults import ApiServer, Default, Minor, container_structs
from hashcompat.catalog.eras import Era, era_from_row
from hashcompat.catalog.patching import Site, site_of
from hashcompat.catalog.pods import PodData, StaticPods
from hashcompat.catalog.types import Schema
from hashcompat.errors import UsageError
from hashcompat.go.codecs import CODECS, DEFAULTS
from hashcompat.go.jsontext import ESCAPES
from hashcompat.release import Release, parse_release

_SHORT_ESCAPES_SINCE = Version("1.22")


@dataclass(frozen=True, slots=True, eq=False)
class Kubelet:
    """One release as a hash sees it.

    ``escapes`` names the possible encoding/json variants: one for an upstream build, both for a vendor's
    build whose Go is not known. ``static_pods`` is all that decides static pods' UIDs. ``based_on`` is the
    minor from which all but the types of a release is taken that a user added; empty for the program's own.
    ``patch_assumed``: the patch release is newer than this catalog and read as the newest known one.
    """

    release: Release
    schema: Schema
    era: Era
    escapes: tuple[str, ...]
    rules: Rules
    static_pods: StaticPods
    patch_assumed: bool
    based_on: str = ""

    @property
    def vendor_assumed(self) -> bool:
        """Whether a vendor's build is read as the upstream release that it names."""
        return bool(self.release.vendor)


class Catalog:
    """The release data of one directory, and the releases that a user ``added`` in another, loaded on demand."""

    def __init__(self, directory: Path, added: Path | None = None) -> None:
        self._directory = directory
        self._added = added
        self._kubelets: dict[str, Kubelet] = {}
        self._schemas: dict[str, Schema] = {}
        self._defaults: dict[Minor, tuple[Default, ...]] = {}
        self._read_defaults: dict[tuple[Version, Version, frozenset[str]], tuple[Mapping[str, Any], ...]] = {}
        self._api_servers: dict[str, ApiServer] = {}
        self._pod_data = PodData(directory / "pods")

    @cached_property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The rows of releases.json by minor, oldest first; then those that were added, unless the program knows them by now."""
        rows = {row["minor"]: row for row in self._read("releases.json")["releases"]}
        newest = list(rows.values())[-1]
        for added in added_releases(self._added):
            if (
                added.release.version > parse_release(f"{newest['minor']}.{newest['patches'][-1]}").version
                and added.release.minor not in rows
            ):
                rows[added.release.minor] = row_of(added, newest, self._types_of(added, newest["types"]))
        return rows

    def _types_of(self, added: Added, newest: str) -> str:
        """Name an added release's tree: that of the newest release where it is the same, or its own, which is kept."""
        if self.schema(newest).tree["types"] == added.tree["types"]:
            return newest
        self._schemas[added.release.minor] = Schema(added.release.minor, added.tree, DEFAULTS)
        return added.release.minor

    @cached_property
    def eras(self) -> dict[str, Era]:
        """The eras by name."""
        return {name: era_from_row(name, row) for name, row in self._read("eras.json").items()}

    @cached_property
    def changes(self) -> Mapping[str, Any]:
        """The tables of changes.json: what changed in the hashed types (``fields``) and in the steps (``eras``), by which PR."""
        changes: Mapping[str, Any] = self._read("changes.json")
        return changes

    @property
    def every_read_default(self) -> list[Mapping[str, Any]]:
        """The rows of apiserver.json for what any API server writes on reading a pod."""
        return [row for row in self._api_server_rows if row.get("on") != "creation"]

    def read_defaults(
        self, server: Release, since: Release, gates: frozenset[str]
    ) -> tuple[Mapping[str, Any], ...]:
        """Return the rows of apiserver.json for what an API server writes on reading a pod, and one of the release ``since`` did not."""
        key = server.version, since.version, gates
        if key not in self._read_defaults:
            rows = [
                row
                for row in self._api_server_rows
                if row.get("on") != "creation" and server.version in SpecifierSet(row["releases"])
            ]
            self._read_defaults[key] = tuple(
                row
                for row in rows
                if (
                    row["gate"] in gates
                    if row["gate"]
                    else since.version not in SpecifierSet(row["releases"])
                )
            )
        return self._read_defaults[key]

    def api_server(self, name: str) -> ApiServer:
        """Look up what an API server does to a manifest, gates as they are by default; releases that do the same share one object.

        Errors as kubelet.
        """
        if name not in self._api_servers:
            found = self._api_server(self.kubelet(name).release)
            self._api_servers[name] = next(
                (known for known in self._api_servers.values() if known.does_as(found)), found
            )
        return self._api_servers[name]

    def _api_server(self, release: Release) -> ApiServer:
        written = [
            row
            for row in self._api_server_rows
            if row["gate"] is None and release.version in SpecifierSet(row["releases"])
        ]
        dropped = [row for row in self._gated_rows if release.version in SpecifierSet(row["releases"])]
        defaults = self._container_defaults((release.major, release.minor_number))
        return ApiServer(self.newest_schema(), defaults, tuple(written), tuple(dropped))

    def _container_defaults(self, minor: Minor) -> tuple[Default, ...]:
        """Return a minor's defaults below Container, one object for minors that have the same."""
        if minor not in self._defaults:
            found = self._pod_data.defaults.of(minor, container_structs(self.newest_schema()).get)
            self._defaults[minor] = next(
                (known for known in self._defaults.values() if known == found), found
            )
        return self._defaults[minor]

    @cached_property
    def _api_server_rows(self) -> list[Mapping[str, Any]]:
        rows: list[Mapping[str, Any]] = self._read("apiserver.json")
        return rows

    @cached_property
    def _gated_rows(self) -> list[Mapping[str, Any]]:
        rows: list[Mapping[str, Any]] = self._read("dropped.json")
        return rows

    def server_defaults(self) -> list[tuple[str, Any]]:
        """Return ``(path, value)`` of every default that some API server writes into stored pods by itself, whatever its release."""
        return [(row["path"], row["value"]) for row in self._read("apiserver.json")]

    def source_site(self, kubelet: Kubelet) -> Site:
        """Return where a release's source computes and compares hashes."""
        return site_of(kubelet.release.version, self._read("patch.json"))

    @cached_property
    def _rules(self) -> Rows:
        rows: Rows = self._read("rules.json")
        return rows

    def releases(self) -> list[str]:
        """Name every known release, oldest first."""
        return [f"{minor}.{patch}" for minor, row in self.rows.items() for patch in row["patches"]]

    def kubelet(self, name: str) -> Kubelet:
        """Look a release up.

        Raises UsageError for a malformed or unknown release, naming the nearest known ones.
        """
        if name not in self._kubelets:
            self._kubelets[name] = self._lookup(name)
        return self._kubelets[name]

    def known_name(self, name: str) -> str:
        """Return the known release that a name is read as; errors as kubelet."""
        release = self.kubelet(name).release
        patches = self.rows[release.minor]["patches"]
        return f"{release.minor}.{min(release.patch, patches[-1])}"

    def knows(self, name: str) -> bool:
        """Tell whether a name is that of a known release."""
        try:
            self.kubelet(name)
        except UsageError:
            return False
        return True

    def _lookup(self, name: str) -> Kubelet:
        try:
            release = parse_release(name)
        except UsageError as error:
            raise UsageError(f"{error}; {self._nearest(name)}") from None
        row = self.rows.get(release.minor)
        if row is None or (release.patch not in row["patches"] and release.patch < row["patches"][-1]):
            raise UsageError(f"{name!r} is not a known kubelet release; {self._nearest(name)}")
        rules = rules_of(release.version, self._rules)
        return Kubelet(
            release=release,
            schema=self.schema(row["types"]),
            era=self.eras[row["era"]],
            escapes=_escapes(release, row.get("go")),
            rules=rules,
            static_pods=StaticPods(
                data=self._pod_data,
                minor=(release.major, release.minor_number),
                digest=rules.static_pod_digest,
                source=rules.static_pod_source,
            ),
            patch_assumed=release.patch not in row["patches"],
            based_on=row.get("basedOn", ""),
        )

    def schema(self, name: str) -> Schema:
        """Load a type tree by the name that releases.json gives it."""
        if name not in self._schemas:
            tree = self._read(f"types/{name}.json")
            chosen = {go_name: CODECS[codec] for go_name, codec in tree.get("codecs", {}).items()}
            self._schemas[name] = Schema(name, tree, {**DEFAULTS, **chosen})
        return self._schemas[name]

    def newest_schema(self) -> Schema:
        """Return the tree of the newest release, which knows every field."""
        return self.schema(list(self.rows.values())[-1]["types"])

    def _nearest(self, name: str) -> str:
        parts = name.strip().lstrip("v").replace("+", "-").split("-")[0].split(".")[:3]
        numbers = [int(part) for part in parts if part.isdecimal() and len(part) < 10]
        wanted = _position(numbers)
        known = sorted(self.releases(), key=lambda other: abs(_position(map(int, other.split("."))) - wanted))
        return f"the nearest known releases are {', '.join(known[:3])} (see: hashcompat releases)"

    def _read(self, name: str) -> Any:
        return files.read_json(self._directory / name)


def _position(numbers: Iterable[int]) -> int:
    """Place a release on a line on which a minor is farther than any patch."""
    major, minor, patch = (*numbers, 0, 0, 0)[:3]
    return (major * 1000 + minor) * 1000 + patch


def _escapes(release: Release, go_rows: list[list[str]] | None) -> tuple[str, ...]:
    """Tell which encoding/json built the release; spew-era rows have no Go version, since no JSON is hashed there."""
    if go_rows is None:
        return ("go1.22",)
    if release.vendor:
        return _vendor_escapes(go_rows)
    built_with = [go for since, go in go_rows if Version(since) <= release.version]
    return ("go1.22" if Version(built_with[-1]) >= _SHORT_ESCAPES_SINCE else "before-go1.22",)


def _vendor_escapes(go_rows: list[list[str]]) -> tuple[str, ...]:
    """A vendor's Go is not known, except that a release is not built with a Go older than its own source needs."""
    return ("go1.22",) if Version(go_rows[0][1]) >= _SHORT_ESCAPES_SINCE else tuple(ESCAPES)


@cache
def default_catalog() -> Catalog:
    """Return the catalog of the release data that ships with the package, and of those that the user added."""
    return Catalog(files.default_directory(), files.user_directory())
