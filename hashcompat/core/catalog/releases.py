"""The order of releases, and the ranges that rows hold for. No other module compares releases.

A range is written as a version specifier (packaging.python.org, PEP 440): ``>=1.6,<1.9``. A vendor's build
counts as the upstream release that it names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import Any, Final, Protocol, TypeVar

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from hashcompat.core.catalog import nearest
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.regex import regex
from hashcompat.core.release import LATEST, Release, parse_release

_MINOR: Final = regex(r"v?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})", re.ASCII)

_MAINTAINED: Final = timedelta(days=426)
"""How long upstream maintains a minor: fourteen months (KEP 1498, since 1.19; nine months before)."""

_Order = tuple[int, int, int]
"""Major, minor and patch number."""

_NEVER: Final[_Order] = (sys.maxsize, 0, 0)
"""No release is as new."""


class Range:
    """The releases that a row holds for; equal where the rows write them alike.

    Not a struct, for msgspec would read a struct from an object, and rows have a text.
    """

    __slots__ = ("_ends", "_specifiers", "text")

    def __init__(self, text: str) -> None:
        """Read a specifier; raises InvalidSpecifier for anything else."""
        self.text = text
        self._specifiers = SpecifierSet(text)
        self._ends = _ends(self._specifiers)
        """The oldest of them and the oldest release after them; None where the specifier is another one."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def holds(self, release: Release) -> bool:
        """Return whether a release is one of them; two comparisons, where the specifier is two ends.

        A plan asks thousands of times, and ``packaging`` takes as long for one answer as for a hash.
        """
        if self._ends is None:
            return Version(release.upstream) in self._specifiers
        return self._ends[0] <= _order(release) < self._ends[1]

    @property
    def since(self) -> str:
        """The oldest of them, as the row writes it; empty where the row names none."""
        return self._end(">=")

    @property
    def until(self) -> str:
        """The oldest release after them, as the row writes it; empty where the row has no end."""
        return self._end("<")

    def _end(self, operator: str) -> str:
        return next(
            (specifier.version for specifier in self._specifiers if specifier.operator == operator), ""
        )

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=1024)
def parse_range(text: str) -> Range:
    """Read a specifier.

    Raises InputError for anything else.
    """
    try:
        return Range(text)
    except InvalidSpecifier:
        raise InputError(f"damaged release data: {text!r} is not a range of releases") from None


Rows = TypeVar("Rows")


def typed_rows(rows: Any, kind: type[Rows]) -> Rows:
    """Return rows of the release data as values of a type; further keys of a row are for people.

    Raises msgspec.ValidationError, with the path, for rows that do not fit.
    """
    return msgspec.convert(rows, kind, dec_hook=_range)


def _range(_: type, text: object) -> Range:
    """Read the only part of rows that msgspec does not know how to read."""
    try:
        return parse_range(str(text))
    except InputError as error:
        raise ValueError(str(error)) from error  # to which msgspec adds the path


def _ends(specifiers: SpecifierSet) -> tuple[_Order, _Order] | None:
    since, until = (0, 0, 0), _NEVER
    for specifier in specifiers:
        numbers = specifier.version.split(".")
        if specifier.operator not in (">=", "<") or len(numbers) > 3 or not all(map(str.isdecimal, numbers)):
            return None
        major, minor, patch, *_ = (*map(int, numbers), 0, 0)
        if specifier.operator == "<":
            until = min(until, (major, minor, patch))
        else:
            since = max(since, (major, minor, patch))
    return since, until


def _order(release: Release) -> _Order:
    return release.major, release.minor_number, release.patch


class HasRelease(Protocol):
    """Anything that belongs to one release: a kubelet, an added release."""

    @property
    def release(self) -> Release:
        """The release."""


Owner = TypeVar("Owner", bound=HasRelease)


def oldest_first(owners: Iterable[Owner]) -> list[Owner]:
    """Sort kubelets, or anything else that has a release; equal ones stay in their order."""
    return sorted(owners, key=lambda owner: _order(owner.release))


def span(names: Iterable[str]) -> str:
    """Name the oldest and the newest of some releases, ``1.34.1 - 1.34.6``; one alone as it is.

    Names of another form, which a distribution's nodes report, are listed as they are.
    """
    try:
        ends = oldest_first(_Named(name, parse_release(name)) for name in dict.fromkeys(names))
    except UsageError:
        return ", ".join(dict.fromkeys(names))
    return " - ".join(dict.fromkeys(end.name for end in (*ends[:1], *ends[-1:])))


class _Named(msgspec.Struct, frozen=True):
    name: str
    release: Release


def newer_of(first: Owner, second: Owner) -> Owner:
    """Return the one of the newer release; ``first`` where both have the same."""
    return max(first, second, key=lambda owner: _order(owner.release))


def is_older(release: Release, other: Release) -> bool:
    """Return whether one upstream release is older than another."""
    return _order(release) < _order(other)


def goes_back(running: str, target: str) -> bool:
    """Return whether a target is older than what runs, by their names; no name that is unreadable is."""
    try:
        return is_older(parse_release(target), parse_release(running))
    except UsageError:  # what a node reports may be anything
        return False


def runs(running: str, target: str) -> bool:
    """Return whether what runs is the target, whoever built it; no name that is unreadable is."""
    try:
        return same_upstream(parse_release(running), parse_release(target))
    except UsageError:
        return False


def same_upstream(release: Release, other: Release) -> bool:
    """Return whether two names are of one upstream release; ``v1.9.11`` and ``1.9.11`` are."""
    return _order(release) == _order(other)


def same_build(release: Release, other: Release) -> bool:
    """Return whether two names are of one build: the same upstream release, and the same vendor's if any."""
    return (_order(release), release.vendor) == (_order(other), other.vendor)


def is_build_of(release: Release, wanted: Release) -> bool:
    """Return whether a release is the wanted one: a vendor's build of it too, where no vendor's is wanted."""
    return _order(release) == _order(wanted) and wanted.vendor in ("", release.vendor)


def is_of_minor(release: Release, number: int) -> bool:
    """Return whether a release is of the release line with that number: 9 for 1.9.11."""
    return release.minor_number == number


def same_minor(release: Release, other: Release) -> bool:
    """Return whether two releases are of one release line."""
    return release.minor == other.minor


def minors_behind(kubelet: Release, server: Release) -> int:
    """Return how many minors a kubelet is older than its API server; negative where it is newer."""
    return server.minor_number - kubelet.minor_number


def minor_before(release: Release) -> str:
    """Return the minor before that of a release: ``1.36`` for ``1.37.1``."""
    return f"{release.major}.{release.minor_number - 1}"


def latest_minor_at(release: Release, minors: Iterable[str]) -> str | None:
    """Return the newest of some minors (``1.9``) that is not newer than a release; None if all are newer."""
    candidates = [minor for minor in minors if _minor_order(minor) <= _order(release)[:2]]
    return max(candidates, key=_minor_order, default=None)


def _minor_order(minor: str) -> tuple[int, ...]:
    return tuple(map(int, minor.split(".")))


class GoBuild(msgspec.Struct, frozen=True):
    """The Go that upstream built some releases with."""

    releases: Range
    """The releases, all of one minor."""
    go: str
    """The Go minor, such as ``1.22``."""


class ReleaseRow(msgspec.Struct, frozen=True):
    """One minor's row of releases.json."""

    minor: str
    """The minor, such as ``1.9``."""
    patches: tuple[int, ...]
    """The patch releases that were published, oldest first."""
    types: str
    """The name of the tree of Go types, a file in schemas/types/container."""
    era: str
    """The era's key in eras.json."""
    go: tuple[GoBuild, ...] = ()
    """The Go minors that built the releases, oldest first; none where no JSON is hashed."""
    based_on: str = ""
    """The minor whose data an added release uses except for types; empty for the program's own."""
    dates: tuple[date, ...] = ()
    """The day (UTC) on which each patch release was published; none for an added release."""
    stage: str = ""
    """The suffix of a pre-release that was added, ``-alpha.2``; of its minor no other release is known."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every patch release's name, oldest first."""
        return tuple(f"{self.minor}.{patch}{self.stage}" for patch in self.patches)

    @property
    def newest(self) -> str:
        """The newest patch release's name."""
        return self.names[-1]

    def published(self, release: Release) -> date | None:
        """Return the day before which no kubelet of a release of this minor ran; None where that is unknown.

        A newer patch release than those known was published after them.
        """
        days = [day for patch, day in zip(self.patches, self.dates, strict=False) if patch <= release.patch]
        return days[-1] if days else None

    def maintained(self, day: date) -> bool:
        """Return whether upstream maintained this minor on a day, on which it was published."""
        return bool(self.dates) and day <= max(self.dates[0] + _MAINTAINED, self.dates[-1])

    def built_with(self, release: Release) -> str:
        """Return the Go minor that built an upstream release of this minor."""
        return next(build.go for build in self.go if build.releases.holds(release))


def release_row(row: Mapping[str, Any]) -> ReleaseRow:
    """Build the row that a JSON object of releases.json describes."""
    go = tuple(GoBuild(parse_range(build["releases"]), build["go"]) for build in row.get("go", ()))
    patches = {int(patch): date.fromisoformat(day) for patch, day in row["patches"].items()}
    return ReleaseRow(
        row["minor"], tuple(patches), row["types"], row["era"], go, dates=tuple(patches.values())
    )


class KnownReleases(msgspec.Struct, frozen=True, dict=True):
    """All releases that a catalog knows, oldest first."""

    rows: tuple[ReleaseRow, ...]
    """One row per minor."""
    aliases: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Other names of releases, such as ``kubeedge:1.21``."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every release's name."""
        return tuple(name for row in self.rows for name in row.names)

    @cached_property
    def minors(self) -> tuple[str, ...]:
        """Every minor, such as ``1.9``."""
        return tuple(self._by_minor)

    @cached_property
    def _by_minor(self) -> dict[str, ReleaseRow]:
        return {row.minor: row for row in self.rows}

    @property
    def published(self) -> date | None:
        """The day on which the last of these releases was published; None where no row shows it."""
        return max((day for row in self.rows for day in row.dates), default=None)

    @property
    def oldest(self) -> str:
        """The oldest release's name."""
        return self.names[0]

    @property
    def newest(self) -> str:
        """The newest release's name; no pre-release is it."""
        return next(row.newest for row in reversed(self.rows) if not row.stage)

    def find(self, name: str) -> tuple[Release, ReleaseRow]:
        """Parse a release's name, and return its minor's row, also for a newer patch than those known.

        Raises UsageError for a malformed or unknown release, naming the nearest known ones.
        """
        try:
            pair = self._lookup(name)
        except UsageError as error:
            raise UsageError(f"{error}; {self._nearest(name)}") from None
        if pair is None:
            raise UsageError(f"{name!r} is not a known kubelet release; {self._nearest(name)}")
        return pair

    def has_minor(self, release: Release) -> bool:
        """Return whether any release of a release's minor is known."""
        return release.minor in self._by_minor

    def holds(self, name: str) -> bool:
        """Return whether ``find`` finds a release; this looks for no near ones, and so takes no time."""
        try:
            return self._lookup(name) is not None
        except UsageError:
            return False

    def _lookup(self, name: str) -> tuple[Release, ReleaseRow] | None:
        """Return None for an unknown release; raises UsageError for a malformed one."""
        release = parse_release(self.aliases.get(name.strip(), name), pre=True)
        row = self._by_minor.get(release.minor)
        if release.stage != (row.stage if row is not None else ""):
            parse_release(name)  # which refuses pre-releases, but for the one that was added
            return None
        # A gap among the patches was never published, and never will be; one above the newest may have been
        # since.
        if row is None or (release.patch not in row.patches and release.patch < row.patches[-1]):
            return None
        return release, row

    def known_name(self, name: str) -> str:
        """Return the known release that a name is read as; errors as find."""
        release, row = self.find(name)
        return f"{row.minor}.{min(release.patch, row.patches[-1])}{row.stage}"

    def patches_between(self, first: str, last: str) -> list[str]:
        """Return every known release from one to another, in either direction; errors as find."""
        return _stretch(self.names, self.known_name(first), self.known_name(last))

    def newest_per_minor(self, first: str, last: str) -> list[str]:
        """Return the newest release of each minor from one to another, in either order; errors as find."""
        ends = [self.find(name)[1].minor for name in (first, last)]
        return [self._by_minor[minor].newest for minor in _stretch(self.minors, *ends)]

    def outwards(self, release: Release) -> list[str]:
        """Return every other release: the older ones, newest first, then the newer ones, oldest first."""
        named = [(name, parse_release(name, pre=True)) for name in self.names]
        older = [name for name, candidate in named if is_older(candidate, release)]
        newer = [name for name, candidate in named if is_older(release, candidate)]
        return [*reversed(older), *newer]

    def published_before(self, release: Release, day: date) -> Iterator[tuple[str, bool]]:
        """Yield releases older than one that were published by a day, the newest first.

        They are the newest of each minor and of each Go that built it; no others hash differently. Each
        comes with whether upstream maintained its minor on that day.
        """
        for row in reversed(self.rows):
            maintained, builds = row.maintained(day), set[str]()
            # Added releases have no dates, so they are nobody's predecessors.
            for name, published in reversed(list(zip(row.names, row.dates, strict=False))):
                if published > day or not is_older(candidate := parse_release(name), release):
                    continue
                build = row.built_with(candidate) if row.go else ""
                if build not in builds:
                    builds.add(build)
                    yield name, maintained
                if len(builds) >= len(row.go):  # no older release of this minor has another build
                    break

    def minors_between(self, release: Release, other: Release) -> frozenset[str]:
        """Return the minors after the older of two releases, up to the newer one's."""
        ends = sorted((release.minor, other.minor), key=self.minors.index)
        return frozenset(_stretch(self.minors, *ends)[1:])

    def named(self, name: str) -> str:
        """Return the release that a person's name for it means.

        A minor (``1.31``) and ``latest`` mean the newest known patch release; any other name is returned as
        given, without white space around it. Errors as find.
        """
        if name.strip() == LATEST:
            return self.newest
        if minor := _MINOR.fullmatch(name.strip()):
            row = self._by_minor.get(f"{int(minor[1])}.{int(minor[2])}")
            if row is None:
                raise UsageError(f"{name!r} is not a known kubelet release; {self._nearest(name)}")
            if row.stage:
                raise UsageError(
                    f"{name!r}: of this minor only the pre-release {row.newest} is known; name that"
                )
            return row.newest
        self.find(name)
        return name.strip()

    def is_short(self, name: str) -> bool:
        """Return whether a name has no patch number, as those that mean the newest release."""
        return name.strip() == LATEST or bool(_MINOR.fullmatch(name.strip()))

    def _nearest(self, name: str) -> str:
        return nearest(name, {row.minor: row.names for row in self.rows})


def _stretch(names: Sequence[str], first: str, last: str) -> list[str]:
    start, end = names.index(first), names.index(last)
    return list(names[start : end + 1] if start <= end else names[end : start + 1][::-1])
