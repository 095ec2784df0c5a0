"""Findings that do not count: those that somebody accepted until a day, and those that an earlier plan has.

Whoever writes exceptions chooses how many there are, and whoever names pods what they are compared with. So
an exception is looked up by those of its parts that are plain names, and compared only where these are
right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from fnmatch import translate
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.model.items import Item, PodName, owners_of
from hashcompat.core.model.results import Keywords
from hashcompat.core.model.verdicts import Verdict

LONGEST_PATTERN: Final = 1024
"""Characters of a pattern; a namespace, a kind and a name of Kubernetes' have up to 380."""

MOST_WILDCARDS: Final = 16
"""``*``, ``?`` and ``[`` of a pattern: the time for a comparison grows with them."""

MOST_COMPARED: Final = 3_000_000
"""Comparisons of a name with a pattern in one gate: some seconds. Plain parts are looked up, not compared."""

_WILD: Final = re.compile(r"[*?[]")

Parts = tuple[str | None, ...]
"""The parts of a pattern or a name, with None for each that is a pattern."""


class Names(StrEnum):
    """What a pattern names."""

    OWNER = "owner"
    """``NAMESPACE/KIND/NAME``: the workload, the controller below it, or a pod that nothing controls."""
    CONTAINER = "container"
    """``NAMESPACE/POD/CONTAINER``."""


class Exemption(msgspec.Struct, frozen=True, metaclass=Keywords):
    """One accepted finding, or several that a pattern matches."""

    names: Names
    pattern: str
    """Three parts as shells match them: ``*`` and ``?`` within a part, ``[ab]`` one of some characters."""
    reason: str
    expires: date
    """The last day on which it counts, in UTC."""
    place: str = ""
    """Where it is written, for messages."""
    clusters: str = ""
    """The label that clusters have in which it counts, ``KEY=VALUE``; empty for any cluster."""

    def counts_in(self, labels: Iterable[tuple[str, str]]) -> bool:
        """Return whether it counts in a cluster with some labels; one without labels has none of them."""
        return not self.clusters or any(f"{key}={value}" == self.clusters for key, value in labels)

    def is_expired(self, today: date) -> bool:
        """Return whether its last day is over."""
        return today > self.expires

    def __str__(self) -> str:
        return f"{self.names} {self.pattern}"


def pattern_problem(pattern: str) -> str:
    """Return what is wrong with the size of a pattern; empty where nothing is."""
    if len(pattern) > LONGEST_PATTERN:
        return f"want at most {LONGEST_PATTERN} characters"
    if len(_WILD.findall(pattern)) > MOST_WILDCARDS:
        return f"want at most {MOST_WILDCARDS} of '*', '?' and '['"
    return ""


class Exemptions:
    """Finds the exception for a container; of several, the first that has not expired."""

    def __init__(self, rows: Sequence[Exemption], today: date) -> None:
        """Sort the exceptions by what is plain in them; raises InputError for a pattern beyond its limits."""
        valid = [row for row in rows if not row.is_expired(today)]
        expired = [row for row in rows if row.is_expired(today)]
        # of several that match, one that still holds comes before any that has expired
        self._rows = [*valid, *expired]
        self._tables = {names: _Table(self._rows, names) for names in Names}
        self._owners = lru_cache(1 << 12)(self._of_owner)
        self._today = today
        self.used: dict[Exemption, int] = {}
        """How many containers each one matched; an expired one too."""

    def find(self, item: Item) -> Exemption | None:
        """Return the exception under which a container does not count; None where there is none.

        Raises InputError where there were more comparisons than a gate makes.
        """
        if not self._rows:
            return None
        pod = item.pod
        places = [
            *self._owners(pod.namespace, *owners_of(pod)),
            self._tables[Names.CONTAINER].first((pod.namespace, pod.name, item.container.name)),
        ]
        place = min((index for index in places if index is not None), default=None)
        if place is None:
            return None
        row = self._rows[place]
        self.used[row] = self.used.get(row, 0) + 1
        return None if row.is_expired(self._today) else row

    def _of_owner(self, namespace: str, *owners: str) -> tuple[int | None, ...]:
        names = [(namespace, *owner.split("/", 1)) for owner in owners]
        return tuple(map(self._tables[Names.OWNER].first, names))


class _Table:
    """The patterns of one kind, by the parts of them that are plain names."""

    def __init__(self, rows: Sequence[Exemption], names: Names) -> None:
        self._places: dict[Parts, list[int]] = {}
        self._patterns: dict[int, tuple[str, ...]] = {}
        for place, row in enumerate(rows):
            if row.names is not names:
                continue
            if problem := pattern_problem(row.pattern):
                where = f"{row.place}: " if row.place else ""
                raise InputError(f"{where}{row.names}: {problem}")
            parts = tuple(row.pattern.split("/"))
            plain = tuple(None if _WILD.search(part) else part for part in parts)
            self._places.setdefault(plain, []).append(place)
            if None in plain:
                self._patterns[place] = parts
        shapes = {tuple(part is None for part in plain) for plain in self._places}
        self._shapes = [shape for shape in product((False, True), repeat=3) if shape in shapes]
        self._compared = 0

    def first(self, name: Sequence[str]) -> int | None:
        """Return the place of the first pattern that matches a name; None where none does."""
        return min(self._matching(name), default=None) if len(name) == 3 else None

    def _matching(self, name: Sequence[str]) -> Iterator[int]:
        """Yield for each set of plain parts the first pattern with these that matches."""
        for shape in self._shapes:
            plain = tuple(None if wild else part for part, wild in zip(name, shape, strict=True))
            for place in self._places.get(plain, ()):
                if self._matches(place, name):
                    yield place
                    break

    def _matches(self, place: int, name: Sequence[str]) -> bool:
        parts = self._patterns.get(place)
        if parts is None:
            return True
        self._compared += 1
        # whoever names pods decides how often patterns are compared
        if self._compared > MOST_COMPARED:
            raise InputError(
                f"exceptions: more than {MOST_COMPARED:,} comparisons of patterns with names; write whole "
                "names, or at least whole namespaces, in place of patterns"
            )
        return all(_compiled(part).match(text) for part, text in zip(parts, name, strict=True))


@lru_cache(1 << 16)
def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


def owner_of(pod: PodName) -> str:
    """Return what a pod belongs to: its workload, or the pod alone."""
    return owners_of(pod)[0]


class Identity(NamedTuple):
    """What makes two findings the same one.

    Names of pods and nodes are not part of it, because replicas are scheduled again under other names; the
    name of a pod that nothing owns is.
    """

    namespace: str
    owner: str
    container: str
    type: str
    verdict: Verdict
    """A container that was restarted and is now killed is another finding."""


def identity(item: Item) -> Identity:
    """Return what makes a finding the same as another."""
    container = item.container
    return Identity(item.pod.namespace, owner_of(item.pod), container.name, container.type, item.verdict)


def check_target(release: str, target: str, is_of: Callable[[str], bool]) -> None:
    """Raise InputError for a baseline of another target: its restarts have other causes than the plan's."""
    if not is_of(release):
        raise InputError(f"a baseline for {release}, and the plan is of {target}")


def baseline_of(items: Iterable[Item]) -> frozenset[Identity]:
    """Return the findings of an earlier plan, those that are UNKNOWN included."""
    return frozenset(identity(item) for item in items if item.verdict is not Verdict.KEEP)
