"""What a rollout may do: the policy of a gate, and how its values are written."""

from __future__ import annotations

import re
from datetime import timedelta
from enum import StrEnum
from fractions import Fraction
from typing import Final

import msgspec

from hashcompat.errors import UsageError
from hashcompat.regex import regex

LIMIT: Final = r"^([0-9]{1,9}|[0-9]{1,3}(\.[0-9]{1,9})?%)$"
"""How a limit is written: a number of findings, or a part of all containers that are compared."""

DURATION: Final = r"^([0-9]{1,9}(\.[0-9]{1,9})?(h|m|s|ms))+$"
"""How a duration is written, as Go's ``time.ParseDuration`` reads it; smaller units are not needed."""

_PART: Final = regex(r"(?<![0-9])([0-9]++(?:\.[0-9]++)?)(ms|h|m|s)")

_UNITS: Final = {"h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
"""Milliseconds."""

_LONGEST: Final = timedelta(days=36_500)


class FailOn(StrEnum):
    """What fails a gate."""

    RESTART = "restart"
    """A container that is killed and created again."""
    KILL = "kill"
    """A container that is killed and not started again."""
    UNKNOWN = "unknown"
    """A container whose verdict the input does not determine."""
    PDB = "pdb"
    """A PodDisruptionBudget that the restarts break."""
    STATIC = "static"
    """A container of a static pod that is killed, whatever number of others may be."""
    PREFLIGHT = "preflight"
    """An error of a preflight, or a check of it that is UNKNOWN."""


DEFAULT: Final = (FailOn.RESTART, FailOn.KILL, FailOn.UNKNOWN)


ABOUT_PLANS: Final = frozenset({"plan-max-age", "max-age", "cluster-uid", "verify-key", "report-only"})
"""The keys of a policy that are about the plan itself, or what is read: they count after the upgrade too."""


class Limit(msgspec.Struct, frozen=True):
    """How many findings are allowed."""

    text: str
    """As it was given: ``10`` or ``2.5%``."""

    @property
    def is_part(self) -> bool:
        """Whether it is a part of the containers that are compared, not a number."""
        return self.text.endswith("%")

    def of(self, compared: int) -> int:
        """Return how many of so many containers that is; a part of one container is none."""
        if not self.is_part:
            return int(self.text)
        return int(Fraction(self.text[:-1]) * compared / 100)


class PolicyFile(msgspec.Struct, frozen=True):
    """What a settings file has in a policy."""

    name: str
    keys: tuple[str, ...]
    """The keys that count."""
    loosens: tuple[str, ...] = ()
    """Those of them that let more pass than the caller's settings alone."""
    ignored: tuple[tuple[str, str], ...] = ()
    """The keys that would loosen what the caller says, each with the flag or variable that says it."""

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(self.loosens)})" if self.loosens else self.name


class Policy(msgspec.Struct, frozen=True):
    """What a gate lets pass; as it is by default, nothing that restarts and nothing UNKNOWN."""

    max_restarts: Limit | None = None
    """How many findings are allowed in all."""
    max_per_owner: Limit | None = None
    """How many of one owner's."""
    max_per_node: Limit | None = None
    """How many on one node."""
    fail_on: tuple[FailOn, ...] = DEFAULT
    strict: bool = False
    """Whether exceptions do not count."""
    max_age: timedelta | None = None
    """How old a plan may be."""
    max_age_text: str = ""
    """That, as it was given."""
    max_input_age: timedelta | None = None
    """How old what a plan is made of may be; None for any age, also an unknown one."""
    max_input_age_text: str = ""
    """That, as it was given."""
    cluster: str = ""
    """The UID of the namespace kube-system of the cluster that plans must be of; empty for any."""
    report_only: bool = False
    """Whether the exit code is 0 whatever is found."""
    files: tuple[PolicyFile, ...] = ()
    """The settings files that it comes from, in part or as a whole; the nearest one first."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Which keys of settings files do not count, one line each."""
        return tuple(
            f"{one.name}: {key}: not counted, because {place} is stricter; give the flag if it is meant"
            for one in self.files
            for key, place in one.ignored
        )

    @property
    def is_limited(self) -> bool:
        """Whether findings are allowed as far as limits go; without limits none is."""
        return any((self.max_restarts, self.max_per_owner, self.max_per_node))


def limit_of(text: str, place: str) -> Limit:
    """Read ``N`` or ``P%``; raises UsageError, which names the place, for anything else."""
    if not re.fullmatch(LIMIT, text) or (text.endswith("%") and Fraction(text[:-1]) > 100):
        raise UsageError(f"{place}: want a number of findings, such as 10, or a part of all, such as 5%")
    return Limit(text)


def duration_of(text: str, place: str) -> timedelta:
    """Read a duration such as ``1h30m``; raises UsageError, which names the place, for anything else."""
    if not re.fullmatch(DURATION, text):
        raise UsageError(f"{place}: want a duration such as 24h, 90m or 1h30m")
    parts = (Fraction(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    milliseconds = int(sum(parts))
    if milliseconds > _LONGEST / timedelta(milliseconds=1):
        raise UsageError(f"{place}: more than {_LONGEST.days // 365} years")
    return timedelta(milliseconds=milliseconds)


def fail_on_of(text: str, place: str) -> tuple[FailOn, ...]:
    """Read ``restart,kill``; raises UsageError, which names the place, for another word."""
    words = [word.strip() for word in text.split(",")]
    known = ", ".join(FailOn)
    for one in words:
        if one not in [*FailOn]:
            raise UsageError(f"{place}: {one!r}: want some of {known}, with commas between them")
    return tuple(FailOn(one) for one in dict.fromkeys(words))
