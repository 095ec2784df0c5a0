"""One element of a YAML list, by itself: its value, and where in its text each scalar is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Final

import msgspec
import yaml

from hashcompat.errors import InputError
from hashcompat.go.limits import object_meter
from hashcompat.go.parts import Lines
from hashcompat.go.tokens import COUNT, Text, Token
from hashcompat.go.yaml import Builder
from hashcompat.go.yamlevents import Events
from hashcompat.go.yamlscalar import is_text

_BEFORE: Final = [yaml.StreamStartEvent, yaml.DocumentStartEvent, yaml.SequenceStartEvent]
_BEHIND: Final = [yaml.SequenceEndEvent, yaml.DocumentEndEvent, yaml.StreamEndEvent]

_BARE: Final = re.compile(r"[A-Za-z0-9._/+](?:[A-Za-z0-9._:/@+-]*[A-Za-z0-9._/@+-])?", re.ASCII)
"""What a plain scalar of such characters is: ``@`` begins none, ``-`` and ``:`` may be indicators."""

_QUOTES: Final = ("'", '"')

_OTHER: Final = "not one element of a list"


class Element(msgspec.Struct, frozen=True, eq=False):
    """An element of a list."""

    value: Any
    text: Text
    """Its text, with the ``-`` before it."""
    lines: Lines
    """Where the objects in its lists begin, if its text begins at line 1."""


def element_of(text: str) -> Element:
    """Return the one element of a block sequence that is all of a text.

    Raises InputError for any other text, also for one with an anchor, which what follows may refer to.
    """
    builder = _Builder(Events([text]))
    value, lines = builder.only()
    return Element(value, Text(text, partial(_tokens, builder.scalars, text), lines, _is_bare), lines)


class _Scalar(msgspec.Struct, frozen=True):
    """A scalar that is a value, and not a key."""

    key: str
    """The latest key before it."""
    value: Any
    event: Any
    """Its ``yaml.ScalarEvent``."""

    def token(self, text: str) -> Token:
        """Return it with the place of its characters in the text."""
        quote = self.event.style if self.event.style in _QUOTES else ""
        start, end = self.event.start_mark.index, self.event.end_mark.index
        as_is = self.event.tag is None and text[start:end] == f"{quote}{self.value}{quote}"
        is_number = type(self.value) is int
        return Token(start + len(quote), end - len(quote), self.key, is_number, as_is)


class _Builder(Builder):
    """Builds an element, and keeps its scalars."""

    def __init__(self, events: Events) -> None:
        super().__init__(events)
        self.scalars: list[_Scalar] = []
        self._key = ""

    def only(self) -> tuple[Any, Lines]:
        """Return the only element and the lines in it; errors as ``element_of``."""
        if [type(event) for event in islice(self._events, len(_BEFORE))] != _BEFORE:
            raise InputError(_OTHER)
        value = self.value(self._next(), object_meter())
        if [type(event) for event in self._events] != _BEHIND or self._anchors:
            raise InputError(_OTHER)
        return value, self._found()

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        value = super()._scalar(event)
        self.scalars.append(_Scalar(self._key, value, event))
        return value

    def _members(self, result: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for key, event in super()._members(result):
            self._key = key
            yield key, event


def _tokens(scalars: Iterable[_Scalar], text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the strings in a part of a text, and the numbers of a ``restartCount``."""
    for one in scalars:
        kind = type(one.value)
        if start <= one.event.start_mark.index < end and (kind is str or (kind is int and one.key == COUNT)):
            yield one.token(text)


def _is_bare(value: str) -> bool:
    """Return whether a string of a pattern's characters is that string also without quotes.

    At the beginning of a line, ``...`` ends the document.
    """
    return _BARE.fullmatch(value) is not None and value != "..." and is_text(value)
