"""The config file of kubelets: the rows of kubeletconfig.json.

Since 1.17 a kubelet decodes it strictly. Where that fails for unknown or repeated fields alone, it decodes
leniently and logs a warning: v1beta1 is the only version, and such a field never keeps a kubelet
from starting (``DecodeKubeletConfiguration`` in pkg/kubelet/kubeletconfig/util/codec/codec.go, 1.17 -
1.37). Up to 1.16 such fields are dropped in silence. A value of another kind is an error in every release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from hashcompat.catalog.files import DataFiles
from hashcompat.catalog.releases import Range, parse_range
from hashcompat.release import Release


class ConfigField(msgspec.Struct, frozen=True):
    """What a field of the config file is in some releases."""

    path: str
    """Where it is: ``authentication.anonymous.enabled``, ``registerWithTaints[].key``."""
    releases: Range
    """The releases."""
    kind: str
    """``object``, ``list``, ``map``, ``string``, ``bool``, ``int``, ``float``, ``duration``, ``time`` or
    ``quantity``."""


class ConfigVersion(msgspec.Struct, frozen=True):
    """How some releases read a config file."""

    releases: Range
    """The releases."""
    api_version: str
    """What the file gives as apiVersion."""
    flag: str
    """The flag that names the file, or the directory that it is in."""


class _Decoding(msgspec.Struct, frozen=True):
    releases: Range
    unknown: str


class ConfigTable:
    """The rows of kubeletconfig.json, read when they are first asked for."""

    def __init__(self, data: DataFiles) -> None:
        self._data = data
        self._known: dict[str, Mapping[str, ConfigField]] = {}

    @cached_property
    def _table(self) -> Mapping[str, Any]:
        table: Mapping[str, Any] = self._data.table("kubeletconfig")
        return table

    @cached_property
    def _rows(self) -> Mapping[str, tuple[ConfigField, ...]]:
        return {
            path: tuple(ConfigField(path, parse_range(row["releases"]), row["kind"]) for row in rows)
            for path, rows in self._table["fields"].items()
        }

    @cached_property
    def _versions(self) -> tuple[ConfigVersion, ...]:
        rows = self._table["versions"]
        return tuple(
            ConfigVersion(parse_range(row["releases"]), row["apiVersion"], row["flag"]) for row in rows
        )

    @cached_property
    def _decoding(self) -> tuple[_Decoding, ...]:
        rows = self._table["decoding"]
        return tuple(_Decoding(parse_range(row["releases"]), row["unknown"]) for row in rows)

    def version(self, release: Release) -> ConfigVersion | None:
        """Return how a release reads its config file; None where it reads none (up to 1.7)."""
        return next((row for row in self._versions if row.releases.holds(release)), None)

    def on_unknown(self, release: Release) -> str:
        """Return what is done to an unknown field: ``dropped``, ``warned``, ``refused``; empty up to 1.7."""
        return next((row.unknown for row in self._decoding if row.releases.holds(release)), "")

    def fields(self, release: Release) -> Mapping[str, ConfigField]:
        """Return the fields that a release knows, by path."""
        if release.upstream not in self._known:
            rows = (row for found in self._rows.values() for row in found if row.releases.holds(release))
            self._known[release.upstream] = {row.path: row for row in rows}
        return self._known[release.upstream]

    def removed_in(self, release: Release, path: str) -> str:
        """Return the release in or before ``release`` that removed a field; empty where none did."""
        if path in self.fields(release):
            return ""
        ends = (row.releases.until for row in self._rows.get(path, ()))
        passed = [end for end in ends if end and parse_range(f">={end}").holds(release)]
        return passed[-1] if passed else ""

    def unknown_in(self, release: Release, document: Mapping[str, Any]) -> Iterator[str]:
        """Yield the path of each field of a config file that a release does not know.

        What is below such a field is not looked at. Values of another kind than their field are passed over.
        """
        return _unknown(self.fields(release), document, "")


def _unknown(known: Mapping[str, ConfigField], document: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, value in document.items():
        path = f"{prefix}{name}"
        if path not in known:
            yield path
        else:
            for below, inner in _parts(known[path], value):
                yield from _unknown(known, inner, below)


def _parts(field: ConfigField, value: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects in a value, each with the prefix of its fields; other elements are passed over."""
    if field.kind == "object":
        yield from _objects(f"{field.path}.", [value])
    elif field.kind == "list" and isinstance(value, list):
        yield from _objects(f"{field.path}[].", value)


def _objects(prefix: str, values: list[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for value in values:
        if isinstance(value, dict):
            yield prefix, value
