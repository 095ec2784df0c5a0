"""The processes of a node."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

ALL: Final = "all"
"""The name of the probe of all processes."""

_COLUMNS: Final = 4


@dataclass(frozen=True, slots=True)
class Row:
    """A process."""

    pid: str
    """Its id."""
    parent: str
    """The id of its parent."""
    state: str
    """The letter of its state, such as ``D`` or ``Z``."""
    command: str
    """Its name, at most 15 characters."""


def rows(text: str) -> tuple[Row, ...]:
    """Read lines of ``PID PPID STATE COMM``; others are passed over."""
    found = (line.split(None, _COLUMNS - 1) for line in text.splitlines())
    return tuple(Row(*words) for words in found if len(words) == _COLUMNS and words[0].isdecimal())


def option(arguments: str, name: str) -> str:
    """Return the value of an option among arguments, each on a line; empty where it is not given."""
    for word, after in pairwise([*arguments.splitlines(), ""]):
        if word.lstrip("-") == name and word.startswith("-"):
            return after
        if word.startswith("-") and word.lstrip("-").startswith(f"{name}="):
            return word.partition("=")[2]
    return ""
