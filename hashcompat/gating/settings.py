"""The settings of a policy: who gave each of them, which of them count, and the policy that they make.

The caller gives flags and variables, and whoever writes the working directory may write a settings file. So a
file decides what the caller leaves open, and makes stricter what the caller says, and loosens none of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.errors import UsageError
from hashcompat.gating.policy import (
    DEFAULT,
    FailOn,
    Policy,
    PolicyFile,
    duration_of,
    fail_on_of,
    limit_of,
)

LIMITS: Final = ("max-restarts", "max-per-owner", "max-per-node")

_AGES: Final = ("plan-max-age", "max-age")

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


class Setting(msgspec.Struct, frozen=True):
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
    settings: Mapping[str, Setting]


class Settled(msgspec.Struct, frozen=True):
    """The settings that count, and what became of those in files."""

    settings: Mapping[str, Setting]
    files: tuple[PolicyFile, ...] = ()


def settled(given: Mapping[str, Setting], files: Sequence[SettingsFile]) -> Settled:
    """Return the settings that count: the caller's, and those of the files, the nearest one first.

    Raises UsageError for a word of ``fail-on`` that is unknown.
    """
    found, read = dict(given), list[PolicyFile]()
    chosen: dict[str, SettingsFile] = {}
    for one in files:
        for key, value in one.settings.items():
            if key not in chosen or _is_kept(key, value, chosen[key].settings[key]):
                chosen[key] = one
    for one in files:
        own = {key: value for key, value in one.settings.items() if chosen[key] is one}
        read.append(_joined(one.name, own, given, found))
    strict = is_on(found, "strict")
    return Settled(found, tuple(_without_effect(one, strict) for one in read))


def _is_kept(key: str, value: Setting, nearer: Setting) -> bool:
    """Return whether a file's setting counts although a nearer file has the key: that only makes it stricter.

    Whoever writes the working directory may say less than the user does, never the opposite.
    """
    if STRICTER[key]:
        return False
    if key == "strict":
        return _BOOLEANS[value.text]
    if key in _AGES:
        return duration_of(value.text, value.place) < duration_of(nearer.text, nearer.place)
    return True  # which cluster, and which key: the user's own


def _joined(
    name: str, own: Mapping[str, Setting], given: Mapping[str, Setting], found: dict[str, Setting]
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
            found[key] = _with_default(value, given)
        elif stricter:
            continue
        else:
            found[key] = value
        keys.append(key)
        if _loosens(key, found[key], given):
            loosens.append(key)
    return PolicyFile(name, tuple(keys), tuple(loosens), tuple(ignored))


def _stricter(key: str, value: Setting, given: Mapping[str, Setting]) -> str:
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


def _loosens(key: str, value: Setting, given: Mapping[str, Setting]) -> bool:
    """Return whether a file's setting lets more pass than the caller's settings alone do."""
    if key in LIMITS:
        return not any(one in given for one in LIMITS) and float(value.text.rstrip("%")) > 0
    if key == "fail-on":
        return not {*DEFAULT} <= {*fail_on_of(value.text, value.place)}
    return key in ("exceptions", "baseline") or (key == "report-only" and _BOOLEANS[value.text])


def _with_default(value: Setting, given: Mapping[str, Setting]) -> Setting:
    """Return a file's ``fail-on``, with the words that the caller's limits and preflight are about."""
    words = [*fail_on_of(value.text, value.place)]
    if any(key in given for key in LIMITS):
        words = [*dict.fromkeys((*DEFAULT, *words))]
    if "preflight" in given:
        words = [*dict.fromkeys((*words, FailOn.PREFLIGHT))]
    return msgspec.structs.replace(value, text=",".join(words))


def _without_effect(one: PolicyFile, strict: bool) -> PolicyFile:
    """Return what became of a file's settings where exceptions do not count at all."""
    if not strict:
        return one
    loosens = tuple(key for key in one.loosens if key != "exceptions")
    return msgspec.structs.replace(one, loosens=loosens)


def is_on(found: Mapping[str, Setting], key: str) -> bool:
    """Return whether a setting that is true or false is true."""
    return key in found and _BOOLEANS[found[key].text]


def is_boolean(text: str) -> bool:
    """Return whether a text is true or false, as settings are."""
    return text in _BOOLEANS


def policy_of(settled: Settled) -> Policy:
    """Return the policy of some settings; raises UsageError for values and combinations that cannot be."""
    found = settled.settings
    restarts, per_owner, per_node = (
        limit_of(found[key].text, found[key].place) if key in found else None for key in LIMITS
    )
    fail_on = _fail_on(found)
    if (restarts or per_owner or per_node) and not {FailOn.RESTART, FailOn.KILL} & {*fail_on}:
        key = next(key for key in LIMITS if key in found)
        raise UsageError(f"{found[key].place}: counts nothing: fail-on names neither restart nor kill")
    plan_age, input_age = found.get("plan-max-age"), found.get("max-age")
    return Policy(
        restarts,
        per_owner,
        per_node,
        fail_on,
        strict=is_on(found, "strict"),
        max_age=duration_of(plan_age.text, plan_age.place) if plan_age else None,
        max_age_text=plan_age.text if plan_age else "",
        max_input_age=duration_of(input_age.text, input_age.place) if input_age else None,
        max_input_age_text=input_age.text if input_age else "",
        cluster=found["cluster-uid"].text if "cluster-uid" in found else "",
        report_only=is_on(found, "report-only"),
        files=settled.files,
    )


def _fail_on(found: Mapping[str, Setting]) -> tuple[FailOn, ...]:
    given, report = found.get("fail-on"), found.get("preflight")
    if given is None:
        return (*DEFAULT, FailOn.PREFLIGHT) if report else DEFAULT
    words = fail_on_of(given.text, given.place)
    if FailOn.PREFLIGHT in words and not report:
        raise UsageError(f"{given.place} preflight: needs --preflight FILE, a report of hashcompat preflight")
    if report and FailOn.PREFLIGHT not in words:
        raise UsageError(f"{report.place}: counts nothing: {given.place} does not name preflight")
    return words


def named_files(found: Mapping[str, Setting]) -> Iterator[Setting]:
    """Yield the settings in which a settings file names another file."""
    return (found[key] for key in FILES if key in found and found[key].directory is not None)
