"""CRI-O as its configuration files set it, and the runtimes that run its containers.

What ``crictl info`` prints of CRI-O has neither a cgroup driver nor a default runtime.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.preflight.facts.processes import option
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.records.probes import AbsentError, Dump, UnreadError, lines

FILE: Final = "/etc/crio/crio.conf"

DIRECTORY: Final = "/etc/crio/crio.conf.d"

_OCI: Final = frozenset({"runc", "crun"})
"""Runtimes of ordinary containers; a RuntimeClass names others on purpose."""


def config(dump: Dump) -> Mapping[str, Any]:
    """Return the table ``crio`` of its files: each counts after those before it, sorted by their names.

    Raises UnreadError where one of them, or the list of them, is not in the dump, and for what is no TOML
    (pkg/config/config.go ``UpdateFromFile`` and ``UpdateFromPath``).
    """
    merged: Mapping[str, Any] = {}
    for path in [FILE, *(f"{DIRECTORY}/{name}" for name in _names(dump))]:
        try:
            merged = _merged(merged, tomllib.loads(dump.read("file", path)))
        except AbsentError:
            continue
        except (ValueError, RecursionError):
            raise UnreadError(f"{path}: not a file of TOML") from None
    return mapping(merged.get("crio"))


def _names(dump: Dump) -> list[str]:
    try:
        return sorted(dump.read("directory", DIRECTORY).splitlines())
    except AbsentError:
        return []


def _merged(base: Mapping[str, Any], other: Mapping[str, Any]) -> Mapping[str, Any]:
    merged = dict(base)
    for key, value in other.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def setting(dump: Dump, table: str, key: str) -> Any:
    """Return what a table of its files sets; None for its default."""
    return mapping(config(dump).get(table)).get(key) or None


def cgroup_driver(dump: Dump) -> str:
    """Return its cgroup driver: ``systemd`` by default, as from 1.18 on."""
    return str(setting(dump, "runtime", "cgroup_manager") or "systemd")


def makers(dump: Dump) -> Counter[str]:
    """Count the containers that run by the programs of their runtimes, as the arguments of conmon show them.

    Raises UnreadError where these do not.
    """
    counted = Counter[str]()
    for words in _conmons(dump):
        program = option(words, "r") or option(words, "runtime")
        if not program:
            raise UnreadError("the arguments of conmon do not show the runtime of its container")
        if program.rpartition("/")[2] in _OCI:
            counted[program] += 1
    return counted


def _conmons(dump: Dump) -> Iterator[str]:
    for probe in dump.of_kind("arguments"):
        words = lines(probe.text or "")
        if words and words[0].rpartition("/")[2] == "conmon":
            yield probe.text or ""
