"""One YAML list as kubectl prints it -> its elements, each parsed by itself, so that replicas need not be.

Each element begins with ``- `` at one and the same column. A text between two such places that is exactly one
element of a list when it is parsed alone is the same in its list: nothing of it is open at its end, all that
the parser knows at its beginning is the column, and anchors, which reach further, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NoReturn

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance, yaml
from hashcompat.core.go.jsonpath import ITEMS, Lines, Part
from hashcompat.core.go.jsonstream import Alike
from hashcompat.core.go.yaml import element_of

_FIRST: Final = re.compile(rf"^({ITEMS}:)[ \t]*\r?\n( *)(?=- )", re.MULTILINE)
"""Where the elements begin."""
_DIRECTIVE: Final = re.compile("^%", re.MULTILINE)
"""It may say what tags mean, also in the elements."""
_FEW: Final = 1 << 16
"""Characters before or behind the elements: kubectl writes three lines."""


def parts(chunks: Iterable[str], alike: Alike | None = None) -> Iterator[Part]:
    """Yield the parts of a YAML document as ``yaml.parts`` does, but for what ``alike`` makes of an element.

    Raises InputError, whatever is wrong, for a text that is not one document with such a list, which may be
    valid all the same: what was yielded then does not count.
    """
    text = _Text(iter(chunks))
    before, after = text.head()
    kind = None
    for part in yaml.parts([before]):
        kind = part.value.get("kind") if isinstance(part.value, dict) else _refuse()
    for index, (value, lines) in enumerate(text.elements(alike)):
        yield Part(1, value, index, kind, lines)
    # what is around the elements is one document with an empty list: so its keys cannot be there twice
    document, *others = yaml.parts([f"{before}{after} []\n", text.rest()])
    if others or not str(document.value.get("kind")).endswith("List"):
        _refuse()  # somebody might ask for lines in it
    yield Part(1, document.value)


def _refuse() -> NoReturn:
    raise InputError("not a list of elements on lines of their own")


class _Text:
    """The part of a text that was read but not yet used."""

    def __init__(self, chunks: Iterator[str]) -> None:
        self._chunks = chunks
        self._text = ""
        self._position, self._line = 0, 1
        self._indent = ""
        self._end = _end_of(0)

    def head(self) -> tuple[str, str]:
        """Consume what precedes the first element; return what is before ``items:``, and that."""
        while (match := _FIRST.search(self._text)) is None and len(self._text) < _FEW and self._more():
            pass
        # a %TAG directive holds for the whole document, and an element that is parsed alone would not see it
        if match is None or _DIRECTIVE.search(self._text, 0, match.start()):
            _refuse()
        self._indent = match[2]
        self._end = _end_of(len(self._indent))
        self._take(match.end() - len(self._indent))
        return self._text[: match.start()], match[1]

    def elements(self, alike: Alike | None) -> Iterator[tuple[Any, Lines | None]]:
        """Consume the elements; yield each, and where the objects in it begin."""
        mark = f"{self._indent}- "
        while self._has(len(mark)) and self._text.startswith(mark, self._position):
            if alike and (entry := self._alike(alike)) is not None:
                yield entry, None
                continue
            line = self._line
            while (match := self._end.search(self._text, self._position)) is None and self._more():
                pass
            start = self._position
            self._take(match.end() if match else len(self._text))
            element = element_of(self._text[start : self._position])
            value = alike.learn(element.text, element.value, line) if alike else element.value
            yield value, partial(_moved, element.lines, line - 1)

    def rest(self) -> str:
        """Return what follows the elements."""
        return _refuse() if self._has(_FEW) else self._text[self._position :]

    def _alike(self, alike: Alike) -> Any:
        """Consume an element that is like an earlier one; return what is made of it, or None."""
        self._has(alike.longest + len(self._indent) + 1)
        match = alike.match(self._text, self._position, self._line)
        # the stencil's text must end where the element does, or the next line would still belong to it
        if match is None or not self._end.match(self._text, match[2] - 1):
            return None
        self._position = match[2]
        self._line += match[1]
        return match[0]

    def _has(self, number: int) -> bool:
        """Read until there are so many characters; return whether there are."""
        while len(self._text) - self._position < number:
            if not self._more():
                return False
        return True

    def _take(self, end: int) -> None:
        self._line += self._text.count("\n", self._position, end)
        self._position = end

    def _more(self) -> bool:
        """Drop what was used and read at least as much again as is left; return whether there was more."""
        read = [self._text[self._position :]]
        left = length = len(read[0])
        if left > allowance.LONGEST:
            _refuse()
        for chunk in self._chunks:
            read.append(chunk)
            length += len(chunk)
            if length >= 2 * left:
                break
        self._text, self._position = "".join(read), 0
        return length > left


def _end_of(indent: int) -> re.Pattern[str]:
    """Return what finds the line break before the first line that is indented no further, unless empty."""
    return re.compile(rf"\n(?= {{0,{indent}}}[^ \t\r\n#])")


def _moved(lines: Lines, number: int, key: str, rows: Sequence[Any]) -> list[int]:
    """Return the lines in an element that begins so many lines later."""
    return [line and line + number for line in lines(key, rows)]
