"""Read ``.hashcompat.yaml`` and files of exceptions: YAML with known keys, checked by msgspec.

What is wrong is reported with its line and, for a key that is unknown, the nearest one that is not.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Collection
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hashcompat.core.errors import InputError
from hashcompat.core.go.yaml import load_all
from hashcompat.core.go.yamlevents import Place, line_in, line_of, lines_of
from hashcompat.core.model.items import near
from hashcompat.core.policies import (
    DURATION,
    LIMIT,
    LIMITS,
    PolicySetting,
    SettingsFile,
    Settled,
    named_files,
)
from hashcompat.core.policies.exceptions import LONGEST_PATTERN, Exemption, Names, pattern_problem
from hashcompat.core.shown import name as shown_name
from hashcompat.sources.content import whole
from hashcompat.sources.files import inputs, named

FILE: Final = ".hashcompat.yaml"
_LONGEST: Final = 1 << 20
"""Characters of such a file."""
_Limit = Annotated[int, Meta(ge=0, le=999_999_999)] | Annotated[str, Meta(pattern=LIMIT)] | UnsetType
_File = Annotated[
    str,
    Meta(pattern=r"^(?!-$)(?!.*://).", description="a regular file; relative to the directory of this one"),
]
_Label = Annotated[str, Meta(pattern="^[^=]+=[^=]*$", description="only where the cluster has this label")]
_Text = Annotated[str, Meta(pattern=r"\S")]
_Pattern = Annotated[str, Meta(pattern="^[^/]+/[^/]+/[^/]+$", max_length=LONGEST_PATTERN)]


class Gate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True):
    """What ``gate`` lets pass; every key has a flag of the same name."""

    max_restarts: _Limit = UNSET
    max_per_owner: _Limit = UNSET
    max_per_node: _Limit = UNSET
    fail_on: (
        Annotated[
            list[Literal["restart", "kill", "unknown", "pdb", "static", "preflight"]], Meta(min_length=1)
        ]
        | UnsetType
    ) = UNSET
    preflight: _File | UnsetType = UNSET
    exceptions: _File | UnsetType = UNSET
    baseline: _File | UnsetType = UNSET
    strict: bool | UnsetType = UNSET
    plan_max_age: Annotated[str, Meta(pattern=DURATION)] | UnsetType = UNSET
    max_age: Annotated[str, Meta(pattern=DURATION)] | UnsetType = UNSET
    cluster_uid: _Text | UnsetType = UNSET
    verify_key: _File | UnsetType = UNSET
    report_only: bool | UnsetType = UNSET


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of ``.hashcompat.yaml``."""

    gate: Gate = Gate()


class Accepted(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One accepted finding: of an owner or of a container."""

    reason: _Text
    expires: Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="the last day, UTC")]
    owner: _Pattern | UnsetType = UNSET
    container: _Pattern | UnsetType = UNSET
    clusters: _Label | UnsetType = UNSET


class Exceptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file of exceptions."""

    exceptions: list[Accepted]


FILES: Final = {"settings": Settings, "exceptions": Exceptions}
"""What ``schemas/settings`` has a schema of."""
_PATTERN: Final = f"with '*' for any characters within a part, of at most {LONGEST_PATTERN} characters"
_WANTED: Final = {
    **dict.fromkeys(LIMITS, "a number of findings, such as 10, or a part of all, such as 5%"),
    "fail-on": "a list of some of restart, kill, unknown, pdb, static, preflight",
    **dict.fromkeys(("plan-max-age", "max-age"), "a duration, such as 24h, 90m or 1h30m"),
    **dict.fromkeys(("strict", "report-only"), "true or false"),
    **dict.fromkeys(
        ("preflight", "exceptions", "baseline", "verify-key"), "the name of a file, no URL and not '-'"
    ),
    "cluster-uid": "the UID of the namespace kube-system",
    "reason": "a text that is not empty",
    "expires": "a day, such as 2026-03-31",
    "clusters": "a label of clusters, KEY=VALUE",
    "owner": f"NAMESPACE/KIND/NAME, {_PATTERN}",
    "container": f"NAMESPACE/POD/CONTAINER, {_PATTERN}",
}
"""What a key takes, in words."""
_MISSING: Final = re.compile(r"Object missing required field `(.*?)`(?: - at `\$(.*)`)?")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*?)`(?: - at `\$(.*)`)?")
_WITH_PATH: Final = re.compile(r".* - at `\$(.*)`")
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
"""One step of a path as msgspec writes it."""
T = TypeVar("T")


def settings(path: Path) -> Gate:
    """Return the policy in a settings file; raises InputError, which names the file and the line."""
    document, _ = _read(path, Settings)
    return document.gate


def settings_file(path: Path, forbidden: Collection[str] = ()) -> SettingsFile:
    """Return what a settings file gives, without ``forbidden`` keys.

    Raises InputError as ``settings``, and for a file that others may write or replace.
    """
    check_writers(path)
    rows = msgspec.to_builtins(settings(path))
    values = {
        key: PolicySetting(_text_of(value), f"{path}: {key}", path.parent)
        for key, value in rows.items()
        if key not in forbidden
    }
    return SettingsFile(str(path) if len(path.parts) > 1 else f"./{path}", values)


def check_named(settled: Settled) -> None:
    """Raise InputError where a settings file names a file that others may write or replace."""
    for setting in named_files(settled.settings):
        try:
            check_writers(Path(setting.file))
        except InputError as error:
            raise InputError(f"{setting.place}: {error}") from None


def _text_of(value: object) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def exemptions(path: Path) -> tuple[Exemption, ...]:
    """Return the exceptions in a file; errors as ``settings``."""
    document, text = _read(path, Exceptions)
    lines = lines_of(text)
    with named(str(path)):
        return tuple(
            _exemption(row, number, text, f"{path}: line {line_in(lines, ('exceptions', number))}")
            for number, row in enumerate(document.exceptions)
        )


def _exemption(row: Accepted, number: int, text: str, line: str) -> Exemption:
    place: Place = ("exceptions", number)
    patterns = {Names.OWNER: row.owner, Names.CONTAINER: row.container}
    given = [(names, value) for names, value in patterns.items() if isinstance(value, str)]
    if len(given) != 1:
        raise _error(text, place, "want either owner or container")
    names, pattern = given[0]
    if problem := pattern_problem(pattern):
        raise _error(text, (*place, names.value), problem)
    try:
        expires = date.fromisoformat(row.expires)
    except ValueError:
        raise _error(text, (*place, "expires"), f"want {_WANTED['expires']}") from None
    clusters = row.clusters if isinstance(row.clusters, str) else ""
    return Exemption(names, pattern, row.reason, expires, line, clusters)


def _read(path: Path, kind: type[T]) -> tuple[T, str]:
    if path.is_dir():
        raise InputError(f"{path}: is a directory, expected a file")
    (source,) = inputs(str(path), recursive=False, suffixes=())
    with named(str(path)):
        with source.open() as stream:
            text = whole(stream, "YAML", _LONGEST)
        documents = [value for value in load_all(text) if value is not None]
        if len(documents) > 1:
            raise InputError("more than one document")
        try:
            return msgspec.convert(documents[0] if documents else {}, kind), text
        except msgspec.ValidationError as error:
            raise _explained(str(error), kind, text) from None


def _explained(problem: str, kind: type, text: str) -> InputError:
    """Return the error for what msgspec finds, with its line, its path and what to write."""
    if match := _UNKNOWN.fullmatch(problem):
        place = _place(match[2])
        names = _keys(kind, place)
        close = near(match[1], names, most=1)
        deeper = [] if close or place else near(match[1], _keys(kind, ("gate",)), most=1)
        if deeper:
            hint = f"{deeper[0]} goes below gate"
        elif close:
            hint = f"did you mean {close[0]}?"
        else:
            hint = f"the {'key is' if len(names) == 1 else 'keys are'} {', '.join(names)}"
        named = (*place, match[1]) if close or kind is Settings else place
        return _error(text, (*place, match[1]), f"unknown key; {hint}", named)
    if match := _MISSING.fullmatch(problem):
        return _error(
            text, (*_place(match[2]), match[1]), f"missing: want {_words((*_place(match[2]), match[1]))}"
        )
    match = _WITH_PATH.fullmatch(problem)
    place = _place(match[1] if match else None)
    keys = ", ".join(_keys(kind, place))
    return _error(text, place, f"want {f'a mapping with {keys}' if keys else _words(place)}")


def _words(place: Place) -> str:
    """Return what a place takes that is not a mapping; a list at the top is one of mappings."""
    names = [step for step in place[1:] if isinstance(step, str)]
    return _WANTED[names[-1]] if names else "a list"


def _error(text: str, place: Place, problem: str, named: Place | None = None) -> InputError:
    """Return an error with its line, and the path that is ``named``.

    A settings file may name anything as the file of exceptions, so nothing of what that holds is shown.
    """
    steps = place if named is None else named
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")
    return InputError(f"line {line_of(text, place)}: {f'{shown_name(path)}: ' if path else ''}{problem}")


def _place(path: str | None) -> Place:
    return tuple(int(step[2]) if step[2] else step[1] for step in _STEP.finditer(path or ""))


def _keys(kind: Any, place: Place) -> list[str]:
    """Return the keys of the mapping at a place."""
    info: Any = msgspec.inspect.type_info(kind)
    for step in place:
        if isinstance(info, msgspec.inspect.ListType):
            info = info.item_type
        else:
            types = [field.type for field in getattr(info, "fields", ()) if field.encode_name == step]
            info = types[0] if types else info
    fields = info.fields if isinstance(info, msgspec.inspect.StructType) else ()
    return [field.encode_name for field in fields]


# Whose a file is that decides a policy: whoever may write it, or put another in its place, decides too. The
# rules are those of OpenSSH for ``authorized_keys`` (misc.c ``safe_path``), and what git asks of a
# repository that it reads settings of (``safe.directory``): the file, and each directory and link that
# leads to it, belongs to the user or to root, and nobody else may write there. In a directory with the
# sticky bit, such as /tmp, each may replace only what is theirs.

_MOST_LINKS: Final = 40
"""As Linux follows them."""
_WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
_HINT: Final = "make it yours alone, or do without it (--config none)"


def check_writers(name: Path) -> None:
    """Raise InputError for anything but a regular file that only the user and root can write or replace.

    Nothing is opened, so a pipe keeps nobody waiting. What holds now holds later, because nobody else can
    change it.
    """
    here, links = Path("/"), 0
    steps = [*Path.cwd().parts[1:], *name.parts] if not name.is_absolute() else [*name.parts[1:]]
    _check(name, here, here.lstat())
    while steps:
        step = steps.pop(0)
        if step == "..":
            here = here.parent
            continue
        place = here / step
        try:
            state = place.lstat()
        except OSError as error:
            raise InputError(f"{name}: cannot read: {error.strerror}") from None
        if stat.S_IFMT(state.st_mode) not in (stat.S_IFDIR, stat.S_IFLNK, stat.S_IFREG):
            here = place  # the mode of a device is as the system needs it
            break
        _check(name, place, state)
        if not stat.S_ISLNK(state.st_mode):
            here = place
            continue
        links += 1
        if links > _MOST_LINKS:
            raise InputError(f"{name}: cannot read: more than {_MOST_LINKS} links")
        target = place.readlink()
        # an absolute target has the root as its first part, which is where ``here`` goes back to
        steps = [*target.parts[target.is_absolute() :], *steps]
        here = Path("/") if target.is_absolute() else here
    if not stat.S_ISREG(here.lstat().st_mode):
        raise InputError(f"{name}: is {_kind(here)}, expected a regular file, or --config none")


def _check(name: Path, place: Path, state: os.stat_result) -> None:
    """Raise InputError for one step of the way to a file that somebody else owns or may write to."""
    typed = shlex.quote(str(place))
    where = "" if place.name == name.name and not stat.S_ISDIR(state.st_mode) else f"{place} "
    if state.st_uid not in (os.geteuid(), 0):
        raise InputError(
            f"{name}: refused: {where}belongs to user {state.st_uid}, not to you (user {os.geteuid()}) or "
            f"root; look at what is in it, then {_HINT}: chown {os.geteuid()} {typed}"
        )
    # the mode of a link says nothing: 0777 on Linux; what counts is who owns it
    if stat.S_ISLNK(state.st_mode) or not state.st_mode & _WRITABLE_BY_OTHERS:
        return
    if stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_ISVTX:
        return
    raise InputError(
        f"{name}: refused: {where}can be written by its group or by others; look at what is in it, then "
        f"{_HINT}: chmod go-w {typed}"
    )


def _kind(path: Path) -> str:
    if path.is_dir():
        return "a directory"
    return "a pipe" if path.is_fifo() else "a device or a socket"
