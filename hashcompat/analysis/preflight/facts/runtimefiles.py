"""The files that configure CRI-O and the network of pods, and what is installed for them.

What ``crictl info`` prints of CRI-O has neither a cgroup driver nor a default runtime.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from hashcompat.analysis.preflight.facts.processes import option
from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import mapping, rows
from hashcompat.core.records.probes import (
    CNI_SUFFIXES,
    CRIO_CONFIG,
    CRIO_DROP_INS,
    AbsentError,
    Dump,
    UnreadError,
    lines,
)

_OCI: Final = frozenset({"runc", "crun"})
"""Runtimes of ordinary containers; a RuntimeClass names others on purpose."""


def crio_config(dump: Dump) -> Mapping[str, Any]:
    """Return the table ``crio`` of its files: each counts after those before it, sorted by their names.

    Raises UnreadError where one of them, or the list of them, is not in the dump, and for what is no TOML
    (pkg/config/config.go ``UpdateFromFile`` and ``UpdateFromPath``).
    """
    merged: Mapping[str, Any] = {}
    drop_ins = (f"{CRIO_DROP_INS}/{name}" for name in sorted(dump.names(CRIO_DROP_INS)))
    for path in (CRIO_CONFIG, *drop_ins):
        try:
            merged = _merged(merged, tomllib.loads(dump.read("file", path)))
        except AbsentError:
            continue
        except (ValueError, RecursionError):
            raise UnreadError(f"{path}: not a file of TOML") from None
    return mapping(merged.get("crio"))


def _merged(base: Mapping[str, Any], patch: Mapping[str, Any]) -> Mapping[str, Any]:
    merged = dict(base)
    for key, value in patch.items():
        are_tables = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merged(merged[key], value) if are_tables else value
    return merged


def crio_setting(dump: Dump, table: str, key: str) -> Any:
    """Return what a table of its files sets; None for its default."""
    return mapping(crio_config(dump).get(table)).get(key) or None


def crio_cgroup_driver(dump: Dump) -> str:
    """Return its cgroup driver: ``systemd`` by default, as from 1.18 on."""
    return str(crio_setting(dump, "runtime", "cgroup_manager") or "systemd")


def crio_makers(dump: Dump) -> Counter[str]:
    """Count the containers that run by the programs of their runtimes, as the arguments of conmon show them.

    Raises UnreadError where these do not.
    """
    counted = Counter[str]()
    for probe in dump.of_kind("arguments"):
        text = probe.text or ""
        words = lines(text)
        if not words or words[0].rpartition("/")[2] != "conmon":
            continue
        program = option(text, "r") or option(text, "runtime")
        if not program:
            raise UnreadError("the arguments of conmon do not show the runtime of its container")
        if program.rpartition("/")[2] in _OCI:
            counted[program] += 1
    return counted


# The plugins that a node's network configuration names, and those that are in its directories.


def configurations(dump: Dump, directory: str) -> list[str]:
    """Return the names of network configurations in a directory, in the order in which runtimes read them."""
    return sorted(name for name in dump.names(directory) if name.endswith(CNI_SUFFIXES))


def named(dump: Dump, info: Mapping[str, Any], directory: str) -> dict[str, str]:
    """Return the plugins that are named, each with where: by the runtime's report, or by the first file.

    Raises UnreadError for a file that could not be read, and where the dump has neither.
    """
    reported = rows(mapping(info.get("cniconfig")), "Networks")
    plugins = {kind: "the runtime" for network in reported for kind in _of_network(mapping(network))}
    if plugins:
        return plugins
    paths = [f"{directory.rstrip('/')}/{name}" for name in configurations(dump, directory)[:1]]
    return {kind: path for path in paths for kind in _of_file(dump, path)}


def _of_network(network: Mapping[str, Any]) -> Iterator[str]:
    for row in rows(mapping(network.get("Config")), "Plugins"):
        yield from _types(mapping(mapping(row).get("Network")))
        source = mapping(row).get("Source")
        with suppress(InputError):  # what a plugin hands on is in its text alone
            yield from _delegates(mapping(jsontext.loads(source)) if isinstance(source, str) else {})


def _of_file(dump: Dump, path: str) -> Iterator[str]:
    try:
        document = jsontext.loads(dump.read("file", path))
    except InputError as error:
        raise UnreadError(f"{path}: {error}") from None
    for row in rows(mapping(document), "plugins") or [document]:
        yield from _types(mapping(row))
        yield from _delegates(mapping(row))


def _delegates(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the plugins that a plugin runs itself: flannel one by default, Multus those that it is given.

    Source: flannel-io/cni-plugin flannel.go ``cmdAdd`` and flannel_linux.go ``getDelegateIPAM``;
    k8snetworkplumbingwg/multus-cni pkg/types ``LoadNetConf``.
    """
    for delegate in rows(row, "delegates"):
        for plugin in rows(mapping(delegate), "plugins") or [delegate]:
            yield from _types(mapping(plugin))
            yield from _delegates(mapping(plugin))
    if row.get("type") == "flannel":
        handed, ipam = mapping(row.get("delegate")), mapping(row.get("ipam"))
        yield from _types({"type": "bridge", **handed, "ipam": {"type": "host-local", **ipam}})


def _types(row: Mapping[str, Any]) -> Iterator[str]:
    for plugin in (row, mapping(row.get("ipam"))):
        kind = plugin.get("type")
        if isinstance(kind, str) and kind:
            yield kind


def installed(dump: Dump, directories: list[str]) -> frozenset[str]:
    """Return the names in directories of plugins; one that is missing has none."""
    return frozenset(name for directory in directories for name in dump.names(directory))
