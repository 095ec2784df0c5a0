"""The ids that a node has for pods with user namespaces: the user ``kubelet``, its ranges, and getsubids.

From 1.30 on a kubelet whose node has that user runs getsubids, which reads what is read here
(pkg/kubelet/kubelet_pods.go ``getKubeletMappings``).
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from hashcompat.core.records.probes import AbsentError, Dump, UnreadError, lines

USER: Final = "kubelet"

USERS: Final = "/etc/passwd"

RANGES: Final = ("/etc/subuid", "/etc/subgid")

SERVICES: Final = "/etc/nsswitch.conf"

PROGRAM: Final = "getsubids"

DIRECTORIES: Final = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
"""The PATH of services of systemd, in its order."""


_NUMBER: Final = re.compile("[0-9]{1,19}")


class Range(msgspec.Struct, frozen=True):
    """Ids that belong to a user."""

    first: int
    """The first of them."""
    length: int
    """How many they are."""


def has_user(dump: Dump) -> bool:
    """Return whether the node has a user of that name."""
    return _line(dump) is not None


def _line(dump: Dump) -> list[str] | None:
    rows = (line.split(":") for line in lines(dump.read("file", USERS)))
    return next((row for row in rows if row[0] == USER), None)


def has_program(dump: Dump) -> bool:
    """Return whether getsubids is in a directory of the PATH; raises UnreadError where that is not known."""
    unread: list[str] = []
    for directory in DIRECTORIES:
        path = f"{directory}/{PROGRAM}"
        kind, name = ("directory", directory) if ("directory", directory) in dump.probes else ("path", path)
        try:
            found = dump.read(kind, name)
        except AbsentError:
            continue
        except UnreadError as error:
            unread.append(str(error))
            continue
        if kind == "path" or PROGRAM in found.splitlines():
            return True
    # One list of names without it settles nothing alone, but a distribution has it in /usr/bin.
    if unread and ("directory", "/usr/bin") not in dump.probes:
        raise UnreadError(unread[0])
    return False


def ranges(dump: Dump, path: str) -> tuple[Range, ...]:
    """Return the ranges of the user in a file, by its name or id; raises UnreadError for no numbers."""
    user = _line(dump) or [USER]
    owners = {USER, *user[2:3]}
    rows = (line.split(":") for line in _read(dump, path))
    return tuple(_range(row, path) for row in rows if row[0] in owners)


def _read(dump: Dump, path: str) -> list[str]:
    try:
        return lines(dump.read("file", path))
    except AbsentError:
        return []


def _range(row: list[str], path: str) -> Range:
    numbers = [part.strip() for part in row[1:]]
    if len(numbers) != 2 or not all(map(_NUMBER.fullmatch, numbers)):
        raise UnreadError(f"{path}: a line of {USER} is not NAME:FIRST:LENGTH")
    return Range(int(numbers[0]), int(numbers[1]))


def other_service(dump: Dump) -> str:
    """Return what answers for ranges of ids instead of these files; empty where they count."""
    for line in _read(dump, SERVICES):
        name, _, services = line.partition(":")
        if name.strip() == "subid":
            first = (services.split() or ["files"])[0]
            return "" if first == "files" else first
    return ""
