"""The catalog: a release's name -> everything about that kubelet that decides a hash or a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs
from packaging.version import Version

from hashcompat.core.catalog import files
from hashcompat.core.catalog.added import AddedReleases, added_releases, row_of
from hashcompat.core.catalog.behaviour import (
    NO_SETTINGS,
    Behaviour,
    Changes,
    Gates,
    GateTable,
    HostPorts,
    Messages,
    PodFeature,
    Room,
    Settings,
)
from hashcompat.core.catalog.eras import Era, PatchedSource, PatchTables, Schema, era_from_row, site_of
from hashcompat.core.catalog.files import DataTable, read_table
from hashcompat.core.catalog.hazards import (
    Hazards,
    RuntimeAbility,
    RuntimeFault,
    Runtimes,
    StateForms,
    Vendor,
    Vendors,
)
from hashcompat.core.catalog.kubeletsettings import ConfigTable, FlagTable, ValueTable
from hashcompat.core.catalog.pods import PodData, StaticPods
from hashcompat.core.catalog.releases import (
    KnownReleases,
    ReleaseRow,
    is_older,
    oldest_first,
    release_row,
    same_build,
)
from hashcompat.core.go.jsontext import ESCAPES
from hashcompat.core.go.metav1 import CODECS, DEFAULTS
from hashcompat.core.model.results import Making
from hashcompat.core.release import Release, parse_release

if TYPE_CHECKING:
    from hashcompat.core.catalog.defaults import (
        ApiServerTables,
        Default,
        DefaultRow,
        PodCreation,
        ReadDefault,
    )

# Go 1.22's encoding/json writes \b and \f where older ones write \u0008 and \u000c (its release notes).
_SHORT_ESCAPES_SINCE = Version("1.22")


class Kubelet(msgspec.Struct, frozen=True, eq=False):
    """One release as a hash sees it."""

    release: Release
    """The release, or the vendor's build."""
    schema: Schema
    """The types that it hashes."""
    era: Era
    """How it hashes them."""
    escapes: tuple[str, ...]
    """The possible encoding/json variants: both for a vendor's build whose Go is not known, else one."""
    behaviour: Behaviour
    """What else it does with running containers."""
    gates: Gates
    """Its feature gates."""
    static_pods: StaticPods
    """What decides the UIDs of static pods."""
    patch_assumed: bool
    """Whether the patch release is newer than this catalog, and read as the newest known one."""
    based_on: str = ""
    """The minor whose data an added release uses except for types; empty for the program's own."""
    published: date | None = None
    """The day (UTC) before which no kubelet of this release ran; None where it is unknown."""
    vendor: Vendor | None = None
    """The distribution that built it, where it is a known one."""
    decodes: Schema | None = None
    """The types that a patched kubelet decodes, where it hashes those of another release; else None."""

    @property
    def way(self) -> tuple[Schema, Era, tuple[str, ...]]:
        """All that a container's hash depends on."""
        return self.schema, self.era, self.escapes

    @property
    def vendor_assumed(self) -> bool:
        """Whether a vendor's build is read as the upstream release that it names."""
        return bool(self.release.vendor)


class Predecessor(msgspec.Struct, frozen=True):
    """A release that may have run on a node before its current one."""

    name: str
    """The release, the newest one that hashes in its way."""
    maintained: bool
    """Whether upstream maintained a release that hashes in this way on the day in question."""
    types: str
    """The name of its tree of Go types."""
    era: Era
    """How it hashes them."""
    escapes: tuple[str, ...]
    """The encoding/json that built it, as ``Kubelet.escapes``."""
    kubelet_of: Callable[[str], Kubelet]
    """The catalog's own: of most predecessors the era decides, and their types need not be read."""

    @property
    def kubelet(self) -> Kubelet:
        """What the catalog knows of the release."""
        return self.kubelet_of(self.name)

    def hashes_as(self, kubelet: Kubelet) -> bool:
        """Return whether it hashes in a kubelet's way."""
        types = kubelet.schema.name
        return (self.types, self.era, self.escapes) == (types, kubelet.era, kubelet.escapes)


class Catalog:
    """The release data of one directory, and the releases that a user added in another; read on demand."""

    def __init__(self, directory: Path, added: Path | None = None) -> None:
        self._data = files.DataFiles(directory)
        self._added = added
        self._kubelets: dict[tuple[str, Settings], Kubelet] = {}
        self._knows: dict[str, bool] = {}
        self._schemas: dict[str, Schema] = {}
        self._defaults: dict[tuple[tuple[DefaultRow, ...], str], tuple[Default, ...]] = {}
        self._read_defaults: dict[tuple[str, str, Settings], tuple[ReadDefault, ...]] = {}
        self._api_servers: dict[tuple[str, Settings], PodCreation] = {}
        self._predecessors: dict[tuple[str, date], tuple[Predecessor, ...]] = {}
        self._pod_data = PodData(self._data)
        self.gate_table = GateTable(self._data)

    @cached_property
    def known(self) -> KnownReleases:
        """Every known release, oldest first; added ones come last, unless the program knows them by now."""
        rows = [release_row(row) for row in self._data.table("releases")["releases"]]
        newest = rows[-1]
        minors = {row.minor for row in rows}
        for added in self._added_releases.releases:
            if is_older(parse_release(newest.newest), added.release) and added.release.minor not in minors:
                minor, types = added.release.minor, newest.types
                if self.schema(types).types != added.tree["types"]:  # else both have one tree
                    types = minor
                    self._schemas[minor] = Schema(minor, added.tree, DEFAULTS)
                rows.append(row_of(added, newest, types))
                minors.add(minor)
        return KnownReleases(tuple(rows), self.vendors.aliases)

    @cached_property
    def _added_releases(self) -> AddedReleases:
        return added_releases(self._added)

    @property
    def damaged(self) -> tuple[str, ...]:
        """What of the releases that a user added cannot be read, one line per file."""
        return self._added_releases.damaged

    @cached_property
    def eras(self) -> dict[str, Era]:
        """The eras by name."""
        return {name: era_from_row(name, row) for name, row in self._data.table("eras").items()}

    @cached_property
    def changes(self) -> Changes:
        """What changed between releases, and by which pull request."""
        return self._data.rows("changes", Changes)

    @cached_property
    def _api_server_tables(self) -> ApiServerTables:
        from hashcompat.core.catalog.defaults import api_server_tables  # noqa: PLC0415 - pods of an API server rarely need it

        return api_server_tables(self._data)

    @cached_property
    def vendors(self) -> Vendors:
        """The distributions, by the suffixes of their versions."""
        return Vendors(self._data.table("vendors"))

    @cached_property
    def runtime_faults(self) -> tuple[RuntimeFault, ...]:
        """Container runtimes whose own restart breaks pods."""
        return self._data.rows("runtimes", tuple[RuntimeFault, ...])

    @cached_property
    def runtimes(self) -> Runtimes:
        """What is known of container runtimes."""
        abilities = self._data.rows("abilities", tuple[RuntimeAbility, ...])
        return Runtimes(self.runtime_faults, abilities)

    @cached_property
    def _behaviour(self) -> DataTable:
        return read_table("behaviour.json", self._data.table("behaviour"))

    def behaviour_since(self, release: Release, other: Release) -> Iterator[tuple[str, str, str]]:
        """Yield what kubelets do since a release between two: key, first release, words.

        Only of what the two do otherwise, so that what began and ended in between is left out.
        """
        for key, rows in self._behaviour.rows.items():
            ends = [
                next(place for place, row in enumerate(rows) if row.releases.holds(end))
                for end in (release, other)
            ]
            if rows[ends[0]].value != rows[ends[1]].value:
                yield from (
                    (key, row.releases.since, row.about) for row in rows[min(ends) + 1 : max(ends) + 1]
                )

    @property
    def every_read_default(self) -> list[ReadDefault]:
        """What any API server writes by itself on reading a pod."""
        return self._api_server_tables.on_read

    def read_defaults(
        self, server: Release, since: Release, settings: Settings = NO_SETTINGS
    ) -> tuple[ReadDefault, ...]:
        """Return what an API server writes on reading a pod, but one of the release ``since`` does not."""
        key = server.upstream, since.upstream, settings
        if key not in self._read_defaults:
            gates = Gates(self.gate_table, server, settings)
            self._read_defaults[key] = self._api_server_tables.read_by(server, since, gates)
        return self._read_defaults[key]

    def server_defaults(self) -> list[tuple[str, Any]]:
        """Return ``(path, value)`` of every default that any API server writes into stored pods."""
        return [(row.path, row.value) for row in self._api_server_tables.written]

    def api_server(self, name: str, settings: Settings = NO_SETTINGS) -> PodCreation:
        """Return what an API server with some feature gates set does to a manifest.

        Releases that do the same share one object. Errors as kubelet.
        """
        key = name, settings
        if key not in self._api_servers:
            kubelet = self.kubelet(name, settings)
            from hashcompat.core.catalog.defaults import PodCreation  # noqa: PLC0415 - as above

            tables = self._api_server_tables
            server = PodCreation(
                self.newest_schema(),
                self._container_defaults(kubelet.release, kubelet.gates),
                tables.written_by(kubelet.release, kubelet.gates),
                tables.dropped_by(kubelet.release, kubelet.gates),
                tables.profiles_by(kubelet.release),
            )
            self._api_servers[key] = next(
                (cached for cached in self._api_servers.values() if cached.does_as(server)), server
            )
        return self._api_servers[key]

    def _container_defaults(self, release: Release, gates: Gates) -> tuple[Default, ...]:
        """Return a release's defaults below Container; releases with the same ones share one object."""
        from hashcompat.core.catalog.defaults import container_structs  # noqa: PLC0415 - API pods have their defaults

        tables = self._pod_data.defaults
        rows = tables.held(release, gates), tables.parser(release)
        if rows not in self._defaults:
            defaults = tables.resolved(release, gates, container_structs(self.newest_schema()).get)
            self._defaults[rows] = next(
                (cached for cached in self._defaults.values() if cached == defaults), defaults
            )
        return self._defaults[rows]

    def source_site(self, kubelet: Kubelet) -> PatchedSource:
        """Return where a release's source computes and compares hashes."""
        return site_of(kubelet.release, self._data.rows("patch", PatchTables))

    def releases(self) -> list[str]:
        """Name every known release, oldest first."""
        return list(self.known.names)

    def kubelet(self, name: str, settings: Settings = NO_SETTINGS) -> Kubelet:
        """Return the kubelet of a release, with some feature gates set.

        Raises UsageError for a malformed or unknown release, naming the nearest known ones.
        """
        key = name, settings
        if key not in self._kubelets:
            parsed, row = self.known.find(name)
            release = self.vendors.true(parsed)
            behaviour = self._behaviour.decide(Behaviour, release)
            features = msgspec.convert(behaviour.pod_features, tuple[PodFeature, ...])
            behaviour = structs.replace(
                behaviour,
                pod_features=features,
                room=msgspec.convert(behaviour.room, Room),
                host_ports=msgspec.convert(behaviour.host_ports, HostPorts),
            )
            gates = Gates(self.gate_table, release, settings)
            self._kubelets[key] = Kubelet(
                release=release,
                schema=self.schema(row.types),
                era=self.eras[row.era],
                escapes=_escapes(release, row),
                behaviour=behaviour,
                gates=gates,
                static_pods=StaticPods(
                    self._pod_data, release, gates, behaviour.static_pod_digest, behaviour.static_pod_source
                ),
                patch_assumed=release.patch not in row.patches,
                based_on=row.based_on,
                published=row.published(release),
                vendor=self.vendors.of(release),
            )
        return self._kubelets[key]

    def making(self, at: datetime | None, command: str = "") -> Making:
        """Return what a result is made by at a time with this data, and the command line, if there is one."""
        return Making(at, command, self.known.newest, self.known.published)

    @cached_property
    def digest(self) -> str:
        """What changes with any of this data, releases that a user added included."""
        return files.digest(self._data.directory, *([self._added] if self._added else []))

    def knows(self, name: str) -> bool:
        """Return whether a name is that of a known release."""
        if name not in self._knows:
            self._knows[name] = self.known.holds(name)
        return self._knows[name]

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Return the names of releases, each once, oldest first and unknown ones last."""
        distinct = sorted(set(names))
        kubelets = {self.kubelet(name): name for name in distinct if self.knows(name)}
        first = [kubelets[kubelet] for kubelet in oldest_first(kubelets)]
        return [*first, *(name for name in distinct if name not in first)]

    def is_same_build(self, name: str, other: str) -> bool:
        """Return whether two names are those of one known build."""
        if not (self.knows(name) and self.knows(other)):
            return False
        return same_build(self.kubelet(name).release, self.kubelet(other).release)

    def predecessors(self, release: Release, day: date) -> tuple[Predecessor, ...]:
        """Return the releases older than one that were published by a day, one per way of hashing.

        The newest come first.
        """
        key = release.upstream, day
        if key not in self._predecessors:
            by_hash: dict[object, Predecessor] = {}
            for name, maintained in self.known.published_before(release, day):
                older, row = self.known.find(name)
                way = row.types, row.era, _escapes(older, row)
                if way not in by_hash:
                    types, era, escapes = way
                    by_hash[way] = Predecessor(name, maintained, types, self.eras[era], escapes, self.kubelet)
            self._predecessors[key] = tuple(by_hash.values())
        return self._predecessors[key]

    def hazards(self, release: Release) -> Hazards:
        """Return what can break at the start of a kubelet of a release."""
        return self._hazards.decide(
            Hazards,
            release,
            states=self._state_forms.files(self._hazards, release),
            flags=self.flag_table,
            config=self.config_table,
            values=self.value_table,
        )

    @cached_property
    def flag_table(self) -> FlagTable:
        """The flags of kubelets."""
        return FlagTable(self._data)

    @cached_property
    def config_table(self) -> ConfigTable:
        """The fields of kubelets' configuration files."""
        return ConfigTable(self._data)

    @cached_property
    def value_table(self) -> ValueTable:
        """The values with which kubelets do not start."""
        return ValueTable(self._data)

    @cached_property
    def _state_forms(self) -> StateForms:
        return StateForms(self._data)

    @cached_property
    def _hazards(self) -> DataTable:
        return read_table("hazards.json", self._data.table("hazards"))

    def messages(self, release: Release) -> Messages:
        """Return what a kubelet of a release writes into its log and its events."""
        return self._messages.decide(Messages, release)

    @cached_property
    def _messages(self) -> DataTable:
        return read_table("messages.json", self._data.table("messages"))

    def schema(self, name: str) -> Schema:
        """Load a type tree by the name that releases.json gives it."""
        if name not in self._schemas:
            tree = self._data.tree(files.CONTAINER, name)
            chosen = {go_name: CODECS[codec] for go_name, codec in tree.get("codecs", {}).items()}
            self._schemas[name] = Schema(name, tree, {**DEFAULTS, **chosen})
        return self._schemas[name]

    def newest_schema(self) -> Schema:
        """Return the tree of the newest release, which knows every field."""
        return self.schema(self.known.rows[-1].types)


def _escapes(release: Release, row: ReleaseRow) -> tuple[str, ...]:
    """Return which encoding/json built the release; rows of releases that hash no JSON name no Go.

    A vendor's Go is not known, except that a release is not built with a Go older than its own source needs.
    """
    if not row.go:
        return ("go1.22",)
    if release.vendor:
        return ("go1.22",) if _escapes_shortly(row.go[0].go) else tuple(ESCAPES)
    return ("go1.22" if _escapes_shortly(row.built_with(release)) else "before-go1.22",)


def _escapes_shortly(go: str) -> bool:
    return Version(go) >= _SHORT_ESCAPES_SINCE


@cache
def default_catalog() -> Catalog:
    """Return the catalog of the package's own release data and of the releases that the user added."""
    return Catalog(files.default_directory(), files.user_directory())
