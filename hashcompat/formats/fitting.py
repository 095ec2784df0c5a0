"""Text in the columns of a terminal: how many it takes, and what is left of it where there are fewer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import east_asian_width

LEAST: Final = 3
"""The columns that every cell keeps."""

_ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"

_DOTS: Final = "..."
"""Stands for it where the encoding lacks it."""


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes in which all is visible (UAX #11)."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    return 1 + (east_asian_width(char) in "WF")


def fitted(widths: Sequence[int], room: int) -> list[int]:
    """Return widths of columns that together take no more than ``room``: the widest give way, all at once.

    None becomes narrower than LEAST, or than it was.
    """
    found = list(widths)
    while (excess := sum(found) - room) > 0:
        widest = max(found, default=0)
        if widest <= LEAST:
            break
        places = [place for place, width in enumerate(found) if width == widest]
        below = max((width for width in found if width < widest), default=LEAST)
        step = max(min(widest - max(below, LEAST), excess // len(places)), 1)
        for place in places[: max(excess, 1)]:
            found[place] -= step
    return found


def shortened(text: str, room: int, encoding: str) -> str:
    """Return a text with an ellipsis for what does not fit in its middle."""
    if width_of(text) <= room:
        return text
    gap = ellipsis_in(encoding)[:room]
    left = room - len(gap)
    return _start(text, left - left // 2) + gap + _start(text[::-1], left // 2)[::-1]


def cut(text: str, room: int, encoding: str) -> str:
    """Return a text with an ellipsis for what does not fit at its end."""
    if width_of(text) <= room:
        return text
    gap = ellipsis_in(encoding)[:room]
    return _start(text, room - len(gap)).rstrip() + gap


def ellipsis_in(encoding: str) -> str:
    """Return the ellipsis, in dots where an encoding lacks it."""
    try:
        _ELLIPSIS.encode(encoding)
    except UnicodeEncodeError:
        return _DOTS
    return _ELLIPSIS


def _start(text: str, room: int) -> str:
    """Return as much of the start of a text as fits."""
    for place, char in enumerate(text):
        room -= _width(char)
        if room < 0:
            return text[:place]
    return text


def wrapped(text: str, room: int, indent: int, *, breaks: bool) -> Iterator[tuple[int, int]]:
    """Yield where each line of a text starts and ends: at a space, or within a word too long if it breaks.

    The first line has ``room`` columns, the others some less, for an indent. An empty text is one line.
    """
    start = 0
    while start < len(text) or not start:
        end = start + max(len(_start(text[start:], room)), 1)
        if end < len(text):
            end = _break(text, start, end, breaks=breaks)
        yield start, min(end, len(text))
        room -= indent if not start else 0
        start = end + (text[end : end + 1] == " ")


def _break(text: str, start: int, end: int, *, breaks: bool) -> int:
    """Return where to break a text between ``start`` and, if possible, ``end``."""
    space = text.rfind(" ", start + 1, end + 1)
    if space > start or breaks:
        return space if space > start else end
    space = text.find(" ", end)
    return space if space > 0 else len(text)
