"""The command line that kubelets accept: the rows of kubeletflags.json.

A kubelet parses its flags before anything else and ends with an error at one that it does not know. Source:
``NewKubeletCommand`` in cmd/kubelet/app/server.go (1.10 - 1.37), ``main`` in cmd/kubelet/kubelet.go before.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import msgspec

from hashcompat.catalog.files import DataFiles
from hashcompat.catalog.releases import Range, parse_range
from hashcompat.release import Release

_WITHOUT_VALUE: Final = ("bool", "version")
"""The kinds of flags that are complete without a value."""


class Flag(msgspec.Struct, frozen=True):
    """What a flag is in some releases."""

    name: str
    """Its name, with - between words."""
    releases: Range
    """The releases."""
    kind: str
    """``bool``, ``string``, ``duration``, ``int``, ``float``, ``map``, ``list``, ``quantity`` or
    ``version``."""
    deprecated: bool
    """Whether a kubelet logs a warning when it is used."""
    hidden: bool
    """Whether ``--help`` leaves it out, though it is not deprecated."""
    shorthand: str
    """The letter that can be written for it (``-v``); empty for most."""

    @property
    def takes_value(self) -> bool:
        """Whether the next argument is its value where it has no =: ``--v 4``, but ``--runonce`` alone."""
        return self.kind not in _WITHOUT_VALUE


class FlagTable:
    """The rows of kubeletflags.json, read when they are first asked for.

    Names are as a user writes them: kubelets read ``_`` as ``-`` (``WordSepNormalizeFunc``).
    """

    def __init__(self, data: DataFiles) -> None:
        self._data = data
        self._known: dict[str, Mapping[str, Flag]] = {}

    @cached_property
    def _rows(self) -> Mapping[str, tuple[Flag, ...]]:
        rows: Mapping[str, list[Mapping[str, Any]]] = self._data.table("kubeletflags")["flags"]
        return {name: tuple(_flag(name, row) for row in found) for name, found in rows.items()}

    def flags(self, release: Release) -> Mapping[str, Flag]:
        """Return the flags that a release accepts, by name; empty for releases before 1.6."""
        if release.upstream not in self._known:
            found = (flag for rows in self._rows.values() for flag in rows if flag.releases.holds(release))
            self._known[release.upstream] = {flag.name: flag for flag in found}
        return self._known[release.upstream]

    def find(self, release: Release, name: str) -> Flag | None:
        """Return what a flag is in a release; None where the release does not accept it."""
        return self.flags(release).get(_dashed(name))

    def by_shorthand(self, release: Release, letter: str) -> Flag | None:
        """Return the flag that one letter is written for in a release, or None."""
        return next((flag for flag in self.flags(release).values() if flag.shorthand == letter), None)

    def accepts(self, release: Release, name: str) -> bool:
        """Return whether a kubelet of a release starts with the flag."""
        return self.find(release, name) is not None

    def removed_in(self, release: Release, name: str) -> str:
        """Return the release in or before ``release`` that removed a flag; empty where none did."""
        if self.accepts(release, name):
            return ""
        ends = (flag.releases.until for flag in self._rows.get(_dashed(name), ()))
        passed = [end for end in ends if end and parse_range(f">={end}").holds(release)]
        return passed[-1] if passed else ""

    def added_in(self, release: Release, name: str) -> str:
        """Return the release after ``release`` that is the next to accept a flag; empty where none does."""
        if self.accepts(release, name):
            return ""
        starts = (flag.releases.since for flag in self._rows.get(_dashed(name), ()))
        return next((start for start in starts if not parse_range(f">={start}").holds(release)), "")

    def deprecated_since(self, release: Release, name: str) -> str:
        """Return since which release a flag of ``release`` is deprecated; empty where it is not."""
        flag = self.find(release, name)
        if flag is None or not flag.deprecated:
            return ""
        since = flag.releases.since
        for row in reversed(self._rows[flag.name]):
            if row.deprecated and row.releases.until == since:
                since = row.releases.since
        return since

    def nearest(self, release: Release, name: str) -> list[str]:
        """Name up to three flags of a release that are written almost like a name, the nearest first."""
        from difflib import get_close_matches  # noqa: PLC0415

        return get_close_matches(_dashed(name), self.flags(release), n=3, cutoff=0.7)


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _flag(name: str, row: Mapping[str, Any]) -> Flag:
    return Flag(
        name,
        parse_range(row["releases"]),
        row["kind"],
        row.get("deprecated", False),
        row.get("hidden", False),
        row.get("shorthand", ""),
    )
