"""At which lines of a JSON text the elements of a list begin, found once the text is decoded.

Python's decoder does not say where a value was. Which list is asked for is known only after an object was
read, so the text of its objects is kept until then. A line ends with LF, as editors, compilers and git count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from hashcompat.go.jsontext import skip_space
from hashcompat.regex import regex

_SKIPPING: Final = json.JSONDecoder(parse_int=bool, parse_float=bool, parse_constant=bool)
"""Finds the end of a value in valid JSON; what its numbers are does not matter."""

_OPENING: Final = regex(r"[ \t\n\r]*:[ \t\n\r]*\[[ \t\n\r]*")
_ASCII: Final = "\\u00"
_LETTERS: Final = tuple(_ASCII + digit for digit in "4567")
"""How escapes of ASCII letters begin."""

_TOKEN: Final = regex(r'"(?:[^"\\]++|\\.)*+"?|[{}\n]')
"""What decides at which line an object begins; valid JSON has line breaks only between its tokens."""


class JsonLines:
    """The objects that make up one part, each with its text."""

    def __init__(self) -> None:
        self._first = self._last = 0
        self._short: list[tuple[Any, int]] = []  # objects on one line
        self._long: list[tuple[Any, int, str]] = []
        self._known: dict[int, int] = {}

    def add(self, value: dict[str, Any], first: int, last: int, text: Callable[[], str]) -> None:
        """Add a decoded object, the lines at which it begins and ends, and what returns its text.

        A text that is on one line is not asked for.
        """
        self._first, self._last = self._first or first, last
        if first == last:
            self._short.append((value, first))
        else:
            self._long.append((value, first, text()))

    def lines(self, key: str, rows: Sequence[Any]) -> Sequence[int]:
        """Return the lines, from 1, at which the objects in a list begin; 0 where that is not known.

        ``rows`` is the very list in one of the objects that were added, ``key`` its key, of ASCII letters.
        """
        if self._first == self._last:
            return [self._first] * len(rows)
        while self._short:
            value, line = self._short.pop()
            self._known.update(dict.fromkeys(_objects_of(value), line))
        if not any(id(row) in self._known for row in rows):
            found = self._alone(key, len(rows))
            if found is not None:
                return found
            while self._long:
                self._known.update(_lines_of(*self._long.pop()))
        return [self._known.get(id(row), 0) for row in rows]

    def _alone(self, key: str, count: int) -> list[int] | None:
        """Return the lines of the elements of the one list with that key; None where it may not be the one.

        This is far faster than to look at every object, and nearly every pod has one list of containers.
        """
        quoted = f'"{key}"'
        places = [(text, line, place) for _, line, text in self._long for place in _places(quoted, text)]
        if len(places) != 1 or any(_may_hide_a_key(text) for _, _, text in self._long):
            return None
        ((text, line, place),) = places
        opening = _OPENING.match(text, place + len(quoted))
        return _elements(text, opening.end(), line, count) if opening else None


def _places(word: str, text: str) -> list[int]:
    """Return the first two places of a word in a text."""
    first = text.find(word)
    second = text.find(word, first + 1) if first >= 0 else -1
    return [place for place in (first, second) if place >= 0]


def _may_hide_a_key(text: str) -> bool:
    return "\\" in text and _ASCII in text and any(letter in text for letter in _LETTERS)


def _elements(text: str, start: int, line: int, count: int) -> list[int]:
    """Return the lines of so many elements of a list; the first one begins at ``start``."""
    found, behind = list[int](), 0
    for number in range(count):
        if number:
            end = _SKIPPING.raw_decode(text, start)[1]
            start = skip_space(text, text.index(",", end) + 1)
        line += text.count("\n", behind, start)
        found.append(line)
        behind = start
    return found


def _lines_of(value: Any, line: int, text: str) -> dict[int, int]:
    """Return the line of each object in a value, by its id: objects end in the same order in both."""
    opened, ended = list[int](), list[int]()
    for match in _TOKEN.finditer(text):
        char = text[match.start()]
        if char == "\n":
            line += 1
        elif char == "{":
            opened.append(line)
        elif char == "}":
            ended.append(opened.pop())
    return dict(zip(_objects_of(value), ended, strict=True))


def _objects_of(value: Any) -> list[int]:
    """Return the ids of the objects in a value, in the order in which they end."""
    found, todo = list[int](), [value]
    while todo:
        one = todo.pop()
        if type(one) is dict:
            found.append(id(one))
            todo += one.values()
        elif type(one) is list:
            todo += one
    return found[::-1]
