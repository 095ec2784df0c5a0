"""Whose a file is that decides a policy: whoever may write it, or put another in its place, decides too.

The rules are those of OpenSSH for ``authorized_keys`` (misc.c ``safe_path``), and what git asks of a
repository that it reads settings of (``safe.directory``): the file, and each directory and link that leads to
it, belongs to the user or to root, and nobody else may write there. In a directory with the sticky bit, such
as /tmp, each may replace only what is theirs.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path
from typing import Final

from hashcompat.errors import InputError

_MOST_LINKS: Final = 40
"""As Linux follows them."""

_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH

_HINT: Final = "make it yours alone, or do without it (--config none)"


def check_own(name: Path) -> None:
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
        _check(name, place, state)
        if not stat.S_ISLNK(state.st_mode):
            here = place
            continue
        links += 1
        if links > _MOST_LINKS:
            raise InputError(f"{name}: cannot read: more than {_MOST_LINKS} links")
        target = place.readlink()
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
    if stat.S_ISLNK(state.st_mode) or not state.st_mode & _OTHERS:
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
