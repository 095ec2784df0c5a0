"""The policy of a gate as values: what may restart, who may say so, and which findings do not count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import word
from hashcompat.core.model.results import Keywords
from hashcompat.core.regex import regex

# What a rollout may do: the policy of a gate, how its values are written, and who gave each of them.
#
# The caller gives flags and variables, and whoever writes the working directory may write a settings file.
# So a file decides what the caller leaves open, and makes stricter what the caller says, and loosens none
# of that.

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


class Limit(msgspec.Struct, frozen=True, metaclass=Keywords):
    """How many findings are allowed."""

    text: str
    """As it was given: ``10`` or ``2.5%``."""

    def __post_init__(self) -> None:
        """Raise UsageError, naming the argument, for what is neither a number nor a part."""
        check_limit(self.text, "text")

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


class Policy(msgspec.Struct, frozen=True, metaclass=Keywords):
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

    if TYPE_CHECKING:

        def __init__(  # noqa: PLR0913, PLR0917 - the fields, of which some are taken as flags have them
            self,
            max_restarts: Limit | str | int | None = None,
            max_per_owner: Limit | str | int | None = None,
            max_per_node: Limit | str | int | None = None,
            fail_on: Iterable[FailOn | str] | str = DEFAULT,
            strict: bool = False,
            max_age: timedelta | None = None,
            max_age_text: str = "",
            max_input_age: timedelta | None = None,
            max_input_age_text: str = "",
            cluster: str = "",
            report_only: bool = False,
            files: tuple[PolicyFile, ...] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        """Take limits and findings as flags have them: ``"5%"``, ``5``, ``"restart"``.

        Raises UsageError, naming the argument, for anything else.
        """
        for name in ("strict", "report_only"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"{name}: want True or False")
        for name in ("max_age", "max_input_age"):
            if not isinstance(getattr(self, name), timedelta | None):
                raise UsageError(f"{name}: want a timedelta; load_policy takes texts such as 24h")
        for name in ("max_restarts", "max_per_owner", "max_per_node"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, Limit):
                text = str(value) if isinstance(value, str | int) and value is not True else ""
                structs.force_setattr(self, name, limit_of(text, name))
        words: Iterable[object] = self.fail_on
        if isinstance(words, str):
            words = [words]
        if not isinstance(words, tuple) or not all(isinstance(finding, FailOn) for finding in words):
            text = ",".join(map(str, words if isinstance(words, Iterable) else [words]))
            structs.force_setattr(self, "fail_on", fail_on_of(text, "fail_on"))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Which keys of settings files do not count, one line each."""
        return tuple(
            f"{file.name}: {key}: not counted, because {place} is stricter; give the flag if it is meant"
            for file in self.files
            for key, place in file.ignored
        )

    @property
    def is_limited(self) -> bool:
        """Whether findings are allowed as far as limits go; without limits none is."""
        return any((self.max_restarts, self.max_per_owner, self.max_per_node))


def check_limit(text: object, place: str) -> None:
    """Raise UsageError, which names the place, for what is neither ``N`` nor ``P%``."""
    fits = isinstance(text, str) and re.fullmatch(LIMIT, text)
    if not fits or (str(text).endswith("%") and Fraction(str(text)[:-1]) > 100):
        got = f"; got {word(text)}" if isinstance(text, str) else ""
        raise UsageError(
            f"{place}: want a number of findings, such as 10, or a part of all, such as 5%, up to 100%{got}"
        )


def limit_of(text: str, place: str) -> Limit:
    """Read ``N`` or ``P%``; raises UsageError, which names the place, for anything else."""
    check_limit(text, place)
    return Limit(text)


def duration_of(text: str, place: str) -> timedelta:
    """Read a duration such as ``1h30m``; raises UsageError, which names the place, for anything else."""
    if not re.fullmatch(DURATION, text):
        raise UsageError(f"{place}: want a duration such as 24h, 90m or 1h30m; got {word(text)}")
    parts = (Fraction(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    milliseconds = int(sum(parts))
    if milliseconds > _LONGEST / timedelta(milliseconds=1):
        raise UsageError(f"{place}: more than {_LONGEST.days // 365} years")
    return timedelta(milliseconds=milliseconds)


def fail_on_of(text: str, place: str) -> tuple[FailOn, ...]:
    """Read ``restart,kill``; raises UsageError, which names the place, for another word."""
    words = [word.strip() for word in text.split(",")]
    choices = ", ".join(FailOn)
    for finding in words:
        if finding not in [*FailOn]:
            raise UsageError(f"{place}: {finding!r}: want some of {choices}, with commas between them")
    return tuple(FailOn(finding) for finding in dict.fromkeys(words))


LIMITS: Final = ("max-restarts", "max-per-owner", "max-per-node")

_RESTARTS: Final = (*LIMITS, "fail-on")
"""What a caller says about restarts."""

STRICTER: Final[Mapping[str, tuple[str, ...]]] = {
    "max-restarts": ("fail-on",),
    "max-per-owner": ("fail-on",),
    "max-per-node": ("fail-on",),
    "fail-on": LIMITS,
    "preflight": ("fail-on",),
    "exceptions": (*_RESTARTS, "strict"),
    "baseline": (*_RESTARTS, "strict"),
    "strict": (),
    "plan-max-age": (),
    "max-age": (),
    "cluster-uid": (),
    "verify-key": (),
    "report-only": (*_RESTARTS, "strict", "preflight"),
}
"""The keys that a settings file may have, each with those of the caller's that it must not loosen: a
limit of the caller's makes those of a file stricter, and ``fail-on`` alone allows no restart.

Keys without any only make a policy stricter. A new key of a settings file belongs here first.
"""

FILES: Final = ("preflight", "exceptions", "baseline", "verify-key")
"""The keys that name a file."""

_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}


class PolicySetting(msgspec.Struct, frozen=True):
    """One value, as text, and where it was given."""

    text: str
    place: str
    """The flag, the variable or the file with its key, for messages."""
    directory: Path | None = None
    """Of a settings file: that directory, to which the name of a file is relative; None for the caller's."""

    @property
    def file(self) -> str:
        """The name of the file that it is."""
        if self.directory is None:
            return self.text
        name = str(self.directory / self.text)
        return f"./{name}" if name == "-" else name  # which alone is standard input


class SettingsFile(msgspec.Struct, frozen=True):
    """What one settings file gives."""

    name: str
    settings: Mapping[str, PolicySetting]


class Settled(msgspec.Struct, frozen=True):
    """The settings that count, and what became of those in files."""

    settings: Mapping[str, PolicySetting]
    files: tuple[PolicyFile, ...] = ()


def settled(given: Mapping[str, PolicySetting], files: Sequence[SettingsFile]) -> Settled:
    """Return the settings that count: the caller's, and those of the files, the nearest one first.

    Raises UsageError for a word of ``fail-on`` that is unknown.
    """
    counted, read = dict(given), list[PolicyFile]()
    chosen: dict[str, SettingsFile] = {}
    for file in files:
        for key, value in file.settings.items():
            # the nearest file decides, but a farther one may be stricter
            if key not in chosen or _is_kept(key, value, chosen[key].settings[key]):
                chosen[key] = file
    for file in files:
        own = {key: value for key, value in file.settings.items() if chosen[key] is file}
        read.append(_joined(file.name, own, given, counted))
    if is_on(counted, "strict"):  # exceptions do not count at all
        loosens = [tuple(key for key in file.loosens if key != "exceptions") for file in read]
        read = [structs.replace(file, loosens=keys) for file, keys in zip(read, loosens, strict=True)]
    return Settled(counted, tuple(read))


def _is_kept(key: str, value: PolicySetting, nearer: PolicySetting) -> bool:
    """Return whether a file's setting counts although a nearer file has the key: that only makes it stricter.

    Whoever writes the working directory may say less than the user does, never the opposite.
    """
    if STRICTER[key]:
        return False
    if key == "strict":
        return _BOOLEANS[value.text]
    if key in ("plan-max-age", "max-age"):
        return duration_of(value.text, value.place) < duration_of(nearer.text, nearer.place)
    return True  # which cluster, and which key: the user's own


def _joined(
    name: str,
    own: Mapping[str, PolicySetting],
    given: Mapping[str, PolicySetting],
    counted: dict[str, PolicySetting],
) -> PolicyFile:
    """Add what counts of a file's settings to those that were found, and return what became of each."""
    keys, loosens, ignored = list[str](), list[str](), list[tuple[str, str]]()
    for key, value in own.items():
        if key in given:
            continue
        stricter = _stricter(key, value, given)
        if stricter:
            ignored.append((key, stricter))
        if key == "fail-on":
            # with the words that the caller's limits and preflight are about
            words = [*fail_on_of(value.text, value.place)]
            if any(key in given for key in LIMITS):
                words = [*dict.fromkeys((*DEFAULT, *words))]
            if "preflight" in given:
                words = [*dict.fromkeys((*words, FailOn.PREFLIGHT))]
            counted[key] = msgspec.structs.replace(value, text=",".join(words))
        elif stricter:
            continue
        else:
            counted[key] = value
        keys.append(key)
        if _loosens(key, counted[key], given):
            loosens.append(key)
    return PolicyFile(name, tuple(keys), tuple(loosens), tuple(ignored))


def _stricter(key: str, value: PolicySetting, given: Mapping[str, PolicySetting]) -> str:
    """Return the place of the caller's setting that a file's would loosen; empty where there is none."""
    if not _loosens(key, value, given) and key != "preflight":
        return ""
    for other in STRICTER[key]:
        if other not in given or (other == "strict" and not is_on(given, other)):
            continue
        words = fail_on_of(given[other].text, given[other].place) if other == "fail-on" else ()
        if key == "preflight" and FailOn.PREFLIGHT not in words:
            continue
        return given[other].place
    return ""


def _loosens(key: str, value: PolicySetting, given: Mapping[str, PolicySetting]) -> bool:
    """Return whether a file's setting lets more pass than the caller's settings alone do."""
    if key in LIMITS:
        return not any(limit in given for limit in LIMITS) and float(value.text.rstrip("%")) > 0
    if key == "fail-on":
        return not {*DEFAULT} <= {*fail_on_of(value.text, value.place)}
    return key in ("exceptions", "baseline") or (key == "report-only" and _BOOLEANS[value.text])


def is_on(settings: Mapping[str, PolicySetting], key: str) -> bool:
    """Return whether a setting that is true or false is true."""
    return key in settings and _BOOLEANS[settings[key].text]


def is_boolean(text: str) -> bool:
    """Return whether a text is true or false, as settings are."""
    return text in _BOOLEANS


def policy_of(settled: Settled) -> Policy:
    """Return the policy of some settings; raises UsageError for values and combinations that cannot be."""
    settings = settled.settings
    restarts, per_owner, per_node = (
        limit_of(settings[key].text, settings[key].place) if key in settings else None for key in LIMITS
    )
    fail_on = _fail_on(settings)
    plan_age, input_age = settings.get("plan-max-age"), settings.get("max-age")
    return Policy(
        restarts,
        per_owner,
        per_node,
        fail_on,
        strict=is_on(settings, "strict"),
        max_age=duration_of(plan_age.text, plan_age.place) if plan_age else None,
        max_age_text=plan_age.text if plan_age else "",
        max_input_age=duration_of(input_age.text, input_age.place) if input_age else None,
        max_input_age_text=input_age.text if input_age else "",
        cluster=settings["cluster-uid"].text if "cluster-uid" in settings else "",
        report_only=is_on(settings, "report-only"),
        files=settled.files,
    )


def _fail_on(settings: Mapping[str, PolicySetting]) -> tuple[FailOn, ...]:
    fail_on, report = settings.get("fail-on"), settings.get("preflight")
    if fail_on is None:
        return (*DEFAULT, FailOn.PREFLIGHT) if report else DEFAULT
    words = fail_on_of(fail_on.text, fail_on.place)
    if FailOn.PREFLIGHT in words and not report:
        raise UsageError(
            f"{fail_on.place} preflight: needs --preflight FILE, a report of hashcompat preflight"
        )
    if report and FailOn.PREFLIGHT not in words:
        raise UsageError(f"{report.place}: counts nothing: {fail_on.place} does not name preflight")
    return words


def named_files(settings: Mapping[str, PolicySetting]) -> Iterator[PolicySetting]:
    """Yield the settings in which a settings file names another file."""
    return (settings[key] for key in FILES if key in settings and settings[key].directory is not None)
