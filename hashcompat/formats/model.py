"""What a format is: which results it can show, and the text that it makes of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hashcompat.model.escape import UTF_8
from hashcompat.report.model import Report

Paint = Callable[[str, str], str]
"""Colours a text by a colour's name, or leaves it as it is."""


def plain(text: str, colour: str) -> str:  # noqa: ARG001 - the signature of Paint
    """Leave a text uncoloured."""
    return text


@dataclass(frozen=True, slots=True)
class Style:
    """How people want to see a result."""

    headers: bool = True
    """Whether a table has its header line."""
    paint: Paint = plain
    encoding: str = UTF_8
    """What the characters are written in, as ``codecs`` names it; what it lacks is escaped."""


@dataclass(frozen=True, slots=True)
class Format:
    """One value of ``-o``."""

    name: str
    shows: Callable[[Report[Any]], bool]
    """Returns whether it can show such results: by what the report offers, or by its kind."""
    render: Callable[[Report[Any], Any, Style], Iterator[str]]
    """Yields the text of a result in pieces, so that a large one is never held as a whole."""
    for_programs: bool = False
    """Whether programs read it: it is UTF-8 then, and ASCII where the style's encoding is another."""
