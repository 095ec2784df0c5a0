"""Findings that somebody accepted, with the reason and until when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from fnmatch import translate
from functools import lru_cache

import msgspec

from hashcompat.model.items import Item, PodName


class Names(StrEnum):
    """What a pattern names."""

    OWNER = "owner"
    """``NAMESPACE/KIND/NAME``: the workload, or the controller below it."""
    CONTAINER = "container"
    """``NAMESPACE/POD/CONTAINER``."""


class Exemption(msgspec.Struct, frozen=True):
    """One accepted finding, or several that a pattern matches."""

    names: Names
    pattern: str
    """Three parts as shells match them: ``*`` and ``?`` within a part, ``[ab]`` one of some characters."""
    reason: str
    expires: date
    """The last day on which it counts, in UTC."""
    place: str = ""
    """Where it is written, for messages."""

    def is_expired(self, today: date) -> bool:
        """Return whether its last day is over."""
        return today > self.expires

    def __str__(self) -> str:
        return f"{self.names} {self.pattern}"


class Exemptions:
    """Finds the exception for a container; of several, the first that has not expired."""

    def __init__(self, rows: Sequence[Exemption], today: date) -> None:
        valid = [row for row in rows if not row.is_expired(today)]
        expired = [row for row in rows if row.is_expired(today)]
        self._rows = [(row, tuple(map(_compiled, row.pattern.split("/")))) for row in (*valid, *expired)]
        self._owners = lru_cache(1 << 12)(self._of_owner)
        self._today = today
        self.used: dict[Exemption, int] = {}
        """How many containers each one matched; an expired one too."""

    def find(self, item: Item) -> Exemption | None:
        """Return the exception under which a container does not count; None where there is none."""
        if not self._rows:
            return None
        found = min(
            (*self._owners(item.pod.namespace, item.pod.workload, item.pod.owner), *self._of_container(item)),
            default=None,
        )
        if found is None:
            return None
        row = self._rows[found][0]
        self.used[row] = self.used.get(row, 0) + 1
        return None if row.is_expired(self._today) else row

    def _of_owner(self, namespace: str, *owners: str) -> tuple[int, ...]:
        names = [(namespace, *owner.split("/", 1)) for owner in owners if owner]
        return tuple(
            place
            for place, (row, parts) in enumerate(self._rows)
            if row.names is Names.OWNER and any(_matches(parts, name) for name in names)
        )

    def _of_container(self, item: Item) -> tuple[int, ...]:
        name = (item.pod.namespace, item.pod.name, item.container.name)
        return tuple(
            place
            for place, (row, parts) in enumerate(self._rows)
            if row.names is Names.CONTAINER and _matches(parts, name)
        )


def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


def _matches(parts: Sequence[re.Pattern[str]], name: Sequence[str]) -> bool:
    return len(parts) == len(name) and all(part.match(text) for part, text in zip(parts, name, strict=True))


def owner_of(pod: PodName) -> str:
    """Return what a pod belongs to: its workload, or the pod alone."""
    return pod.workload or pod.owner or f"Pod/{pod.name}"
