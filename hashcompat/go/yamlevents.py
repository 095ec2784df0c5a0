"""The events of PyYAML's parser: it reads a text in chunks, and little of it is in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import yaml

from hashcompat.errors import InputError
from hashcompat.go.limits import LONGEST, too_deep, too_long
from hashcompat.go.yamlbreaks import Breaks

DEEPEST: Final = 200
"""Levels of lists and objects: each is up to four calls deeper, and Python ends at 1,000."""

_DEEPER: Final = "exceeded maximum nesting depth"
"""What libyaml says from 0.2.6 on beyond 1,000 levels: it looks ahead of the events that it reports."""

_BEGINS_NOTHING: Final = "cannot start any token"

_HINT: Final = "; indent with spaces, not tabs, and quote text that begins with @ or `"
"""libyaml does not say which character it is."""

_TAG: Final = re.compile(r"![^\s']*")
"""A tag that the parser in Python quotes: it may be the first word of a value."""

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Events:
    """The events of a YAML text, one by one, and the lines at which they begin."""

    def __init__(self, chunks: Iterable[str]) -> None:
        self._stream = _Utf8(chunks)
        self._events = self._parsed()

    def __iter__(self) -> Iterator[Any]:
        """Return what yields the events that are left; it takes less time for each than ``next``."""
        return self._events

    def __next__(self) -> Any:
        """Return the next event; raise InputError, with line and column, for what is not YAML or UTF-8."""
        return next(self._events)

    def line(self, event: Any) -> int:
        """Return the line, from 1, at which the latest event begins."""
        return self._stream.breaks.line(event.start_mark.line)

    def _parsed(self) -> Iterator[Any]:
        stream = self._stream
        breaks = stream.breaks
        try:
            loader = _LOADER(stream)
            try:
                for event in iter(loader.get_event, None):
                    stream.waiting = 0
                    if breaks.odd:
                        breaks.forget(event.start_mark.line)
                    yield event
            finally:
                loader.dispose()
        except yaml.YAMLError as error:
            stream.check()
            raise _invalid(error) from None
        stream.check()


def _invalid(error: yaml.YAMLError) -> InputError:
    if not isinstance(error, yaml.MarkedYAMLError):
        return InputError(f"not valid YAML: {str(error).splitlines()[0]}")
    if error.problem == _DEEPER:
        return at(error.problem_mark, str(too_deep(DEEPEST)))
    problem = _TAG.sub("!***", " ".join(filter(None, (error.context, error.problem))))
    hint = _HINT if _BEGINS_NOTHING in problem else ""
    return at(error.problem_mark or error.context_mark, f"not valid YAML: {problem}{hint}")


class _Utf8:
    """Passes text to the parser in C, which needs UTF-8.

    A lone surrogate represents a byte that is not UTF-8; the text ends there, and ``check`` raises the error,
    as it does where the parser finds no end of a scalar or comment.
    """

    waiting = 0
    """Characters since the parser's last event."""

    def __init__(self, chunks: Iterable[str]) -> None:
        self.breaks = Breaks()
        self._chunks = iter(chunks)
        self._lines = 0
        self._problem = ""

    def read(self, _: int = -1, /) -> bytes:
        """Return the next chunk, whatever size is requested; empty at the end."""
        text = next(self._chunks, "")
        if text and self.waiting > LONGEST:
            self._problem = str(too_long())
            return b""
        self.waiting += len(text)
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            self._lines += text.count("\n", 0, error.start)
            self._problem = "not valid YAML: not UTF-8"
            return b""
        self._lines += text.count("\n")
        self.breaks.add(text)
        return data

    def check(self) -> None:
        """Raise InputError if the text ended early."""
        if self._problem:
            raise InputError(f"line {self._lines + 1}: {self._problem}")


def at(mark: Any, problem: str) -> InputError:
    """Return the error for a problem at a place; ``mark`` is None where it is not known."""
    place = f"line {mark.line + 1} column {mark.column + 1}: " if mark else ""
    return InputError(f"{place}{problem}")
