"""The plugins that a node's network configuration names, and those that are in its directories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.records.probes import AbsentError, Dump, UnreadError

CONFIGURATIONS: Final = "/etc/cni/net.d"

PLUGINS: Final = "/opt/cni/bin"

SUFFIXES: Final = (".conf", ".conflist", ".json")


def configurations(dump: Dump, directory: str) -> list[str]:
    """Return the names of network configurations in a directory, in the order in which runtimes read them."""
    try:
        names = dump.read("directory", directory).splitlines()
    except AbsentError:
        return []
    return sorted(name for name in names if name.endswith(SUFFIXES))


def named(dump: Dump, info: Mapping[str, Any], directory: str) -> dict[str, str]:
    """Return the plugins that are named, each with where: by the runtime's report, or by the first file.

    None are known where the dump has neither; raises UnreadError for a file that could not be read.
    """
    reported = rows(mapping(info.get("cniconfig")), "Networks")
    found = {kind: "the runtime" for network in reported for kind in _of_network(mapping(network))}
    if found:
        return found
    if ("directory", directory) not in dump.probes:
        return {}
    for name in configurations(dump, directory)[:1]:
        path = f"{directory}/{name}"
        if ("file", path) in dump.probes:
            return dict.fromkeys(_of_file(dump, path), path)
    return {}


def _of_network(network: Mapping[str, Any]) -> Iterator[str]:
    for row in rows(mapping(network.get("Config")), "Plugins"):
        yield from _types(mapping(mapping(row).get("Network")))


def _of_file(dump: Dump, path: str) -> Iterator[str]:
    try:
        document = jsontext.loads(dump.read("file", path))
    except InputError as error:
        raise UnreadError(f"{path}: {error}") from None
    for row in rows(mapping(document), "plugins") or [document]:
        yield from _types(mapping(row))


def _types(row: Mapping[str, Any]) -> Iterator[str]:
    for one in (row, mapping(row.get("ipam"))):
        kind = one.get("type")
        if isinstance(kind, str) and kind:
            yield kind


def installed(dump: Dump, directories: list[str]) -> frozenset[str]:
    """Return the names in directories of plugins; one that is missing has none."""
    names: set[str] = set()
    for directory in directories:
        try:
            names.update(dump.read("directory", directory).splitlines())
        except AbsentError:
            continue
    return frozenset(names)
