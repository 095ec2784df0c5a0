"""What systemd's units name on a node: the kubelet's program, and files of variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from hashcompat.errors import InputError
from hashcompat.sources.node.root import Root

UNITS: Final = tuple(
    f"{place}/systemd/system" for place in ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
)
"""The directories of units, in the order in which systemd looks."""

KUBELET: Final = "kubelet.service"

_NAMED: Final = re.compile(r"^[ \t]*EnvironmentFile[ \t]*=[ \t]*-?(/[^\s*?\[%]*)[ \t\r]*$", re.MULTILINE)
"""A file without patterns and specifiers, which stand for other names."""

_PREFIXES: Final = "@-:+!|"
"""Characters with a meaning of their own before the command of a unit."""


def variables(root: Root) -> Iterator[str]:
    """Yield the files that EnvironmentFile in ``kubelet.service`` and its drop-ins names."""
    for path in _everywhere(root):
        try:
            yield from _NAMED.findall(root.own(path, root.why_not_read))
        except (OSError, InputError):
            continue  # the question for the unit itself shows why


def _everywhere(root: Root) -> Iterator[str]:
    for place in UNITS:
        yield f"{place}/{KUBELET}"
        yield from (f"{place}/{KUBELET}.d/{name}" for name in _drop_ins(root, place, KUBELET))


def _drop_ins(root: Root, place: str, unit: str) -> list[str]:
    try:
        return [name for name in root.names(f"{place}/{unit}.d") if name.endswith(".conf")]
    except OSError:
        return []


def program(root: Root, unit: str) -> str:
    """Return the program that a unit starts; empty where there is no unit.

    The first unit in the order of the directories counts, and of drop-ins with one name the first, sorted by
    their names. Raises InputError as ``started`` does, and where a part could not be read; and OSError.
    """
    return started((root.own(path, root.why_not_read) for path in _merged(root, unit)), unit)


def started(texts: Iterable[str], unit: str) -> str:
    """Return the program in a unit and its drop-ins (systemd.service, ``ExecStart``); empty without one.

    An empty assignment forgets those before it. Raises InputError for several programs, and for one that
    depends on variables or specifiers.
    """
    found: list[str] = []
    for line in (line for text in texts for line in _service(text)):
        key, given, value = (part.strip() for part in line.partition("="))
        if given and key == "ExecStart":
            found = [*found[-1:], value] if value else []
    if len(found) > 1:
        raise InputError(f"{unit} starts more than one program")
    return _first_word(found[0], unit) if found else ""


def _merged(root: Root, unit: str) -> Iterator[str]:
    """Yield the unit and its drop-ins as systemd reads them; nothing where there is no unit."""
    file = next((path for place in UNITS if root.holds(path := f"{place}/{unit}")), "")
    if not file:
        return
    yield file
    named = {name: place for place in reversed(UNITS) for name in _drop_ins(root, place, unit)}
    yield from (f"{named[name]}/{unit}.d/{name}" for name in sorted(named))


def _service(text: str) -> Iterator[str]:
    """Yield the lines of the section [Service], each with those that continue it."""
    section, held = "", list[str]()
    for row in text.split("\n"):
        line = row.strip()
        if line.startswith(("#", ";")):  # also between the lines of one that is continued
            continue
        held.append(line.removesuffix("\\"))
        if line.endswith("\\"):
            continue
        whole = " ".join(held)
        held.clear()
        if whole.startswith("["):
            section = whole
        elif section == "[Service]":
            yield whole


def _first_word(command: str, unit: str) -> str:
    try:
        words = shlex.split(command.lstrip(_PREFIXES))
    except ValueError:
        words = []
    if not words or "%" in words[0] or "$" in words[0]:
        raise InputError(f"{unit} names no program without variables")
    return words[0]
