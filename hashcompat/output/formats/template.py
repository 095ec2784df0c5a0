"""kubectl's JSONPath templates as values: ``{range .items[*]}{.pod} {end}``.

Source: k8s.io/client-go/util/jsonpath/parser.go (1.37).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from hashcompat.core.errors import UsageError


class Verbatim(msgspec.Struct, frozen=True):
    """Text between actions, or in quotes in one."""

    text: str


class Literal(msgspec.Struct, frozen=True):
    """A number or boolean."""

    value: float | bool


class Lookup(msgspec.Struct, frozen=True):
    """``.name``: what is below a key."""

    name: str


class Wildcard(msgspec.Struct, frozen=True):
    """``.*``: everything in an object or list."""


class Recursive(msgspec.Struct, frozen=True):
    """``..``: an object or list, and all of those in it."""


class Indexes(msgspec.Struct, frozen=True):
    """``[start:end:step]``; ``[2]`` is one element, and ``[*]`` all."""

    start: int | None = None
    end: int | None = None
    step: int | None = None
    single: bool = False
    """Whether only ``start`` was given, without a colon."""


class Union(msgspec.Struct, frozen=True):
    """``[a,b]``: what each of them finds."""

    paths: tuple[Path, ...]


class Filter(msgspec.Struct, frozen=True):
    """``[?(@.a=="b")]``: the elements for which it holds."""

    left: Path
    operator: str
    """Empty where the left side only has to exist."""
    right: Path = ()


class Word(msgspec.Struct, frozen=True):
    """``range`` or ``end``."""

    word: str


Step = Verbatim | Literal | Lookup | Wildcard | Recursive | Indexes | Union | Filter | Word
Path = tuple[Step, ...]
MOST_STEPS: Final = 100
"""Steps of one action: each takes what the one before it finds, and no document is so deep."""
MOST_DESCENTS: Final = 4
"""How many times an action looks through all that is below: each takes so many times as long."""
MOST_RANGES: Final = 50
MOST_OF_TEXT: Final = 4_096
"""Characters of a text with escaped quotes."""
_FIELD: Final = re.compile(r"(?:\\.?|[^ \t\r\n.,\[\]$@{}\\])*", re.DOTALL)
_WORD: Final = re.compile(r"[^ \t\r\n.,\[\]$@{}]*")
_NUMBER: Final = re.compile(r"[+-]?[\d.]*")
_ARRAY: Final = re.compile(r"\[([^\]\n]*)\]")
_KEY: Final = re.compile(r"'([^']*)'")
_SLICE: Final = re.compile(r"(-?\d{0,9})(:-?\d{0,9})?(:-?\d{0,9})?")
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+)", re.DOTALL)
_OPERATORS: Final = ("==", "!=", "<", ">", "<=", ">=")
_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))|\\"
)
_CONTROLS: Final = dict(zip("abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\"", strict=True))


def parse(template: str) -> tuple[Path, ...]:
    """Return the actions of a template; text between them is an action of its own.

    Raises UsageError where it does not parse, and for an ``end`` outside a range. A range without one ends
    with the template.
    """
    actions = tuple(_Scanner(template).actions())
    depth = 0
    for action in actions:
        depth += sum(({"range": 1, "end": -1}[step.word] if isinstance(step, Word) else 0) for step in action)
        if depth > MOST_RANGES:
            raise UsageError(f"jsonpath: more than {MOST_RANGES} ranges in one another")
        if depth < 0:
            raise UsageError(f"jsonpath {template!r}: not in range, nothing to end")
    return actions


class _Scanner:
    """Reads a template from left to right."""

    def __init__(self, text: str) -> None:
        self._text, self._position = text, 0

    def actions(self) -> Iterator[Path]:
        while self._position < len(self._text):
            start = self._text.find("{", self._position)
            plain = self._text[self._position : start if start >= 0 else None]
            if plain:
                yield (Verbatim(plain),)
            if start < 0:
                return
            self._position = start + 1
            steps: list[Step] = []
            while not self._takes("}"):
                steps.extend(self._steps(recursive=bool(steps) and isinstance(steps[-1], Recursive)))
                if len(steps) > MOST_STEPS:
                    raise self._error(f"more than {MOST_STEPS} steps in one action")
                if sum(isinstance(step, Recursive) for step in steps) > MOST_DESCENTS:
                    raise self._error(f"more than {MOST_DESCENTS} times .. in one action")
            yield tuple(steps)

    def _steps(self, *, recursive: bool) -> Path:
        """Read what comes next in an action."""
        char = self._text[self._position : self._position + 1]
        if not char or char in "\r\n":
            raise self._error("unclosed action")
        if self._takes("[?("):
            return (self._filter(),)
        if self._takes(".."):
            if recursive:
                raise self._error("invalid multiple recursive descent")
            return (Recursive(), *(self._field() if self._next().isalnum() or self._next() in "_*" else ()))
        if char in " @$":
            self._position += 1
            return ()
        return self._step(char)

    def _step(self, char: str) -> Path:
        if char == "[":
            return self._array()
        if char in "\"'":
            return (self._quoted(char),)
        if self._takes("."):
            return self._field()
        if char in "+-" or char.isdigit():
            return (self._number(),)
        if char == "_" or char.isalpha():
            return (self._word(),)
        raise self._error(f"unrecognized character {char!r} in an action")

    def _next(self) -> str:
        return self._text[self._position : self._position + 1] or "}"

    def _takes(self, prefix: str) -> bool:
        is_next = self._text.startswith(prefix, self._position)
        self._position += len(prefix) * is_next
        return is_next

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._position)
        text = match[0] if match else ""
        self._position += len(text)
        return text

    def _field(self) -> Path:
        name = self._match(_FIELD)
        return (Wildcard() if name == "*" else Lookup(name.replace("\\", "")),)

    def _word(self) -> Step:
        word = self._match(_WORD)
        if word in ("true", "false"):
            return Literal(word == "true")
        if word not in ("range", "end"):
            raise self._error(f"unrecognized identifier {word}")
        return Word(word)

    def _number(self) -> Step:
        text = self._match(_NUMBER)
        try:
            return Literal(float(text) if "." in text else int(text))
        except ValueError:
            raise self._error(f"cannot parse number {text}") from None

    def _quoted(self, quote: str) -> Step:
        """Read a text in quotes; an escaped quote does not end it."""
        end = self._position
        while True:
            end = self._text.find(quote, end + 1)
            if end < 0 or "\n" in self._text[self._position : end]:
                raise self._error("unterminated quoted string")
            if self._text[end - 1] != "\\":
                break
            if end - self._position > MOST_OF_TEXT:
                raise self._error(f"a quoted text of more than {MOST_OF_TEXT:,} characters")
        text = self._text[self._position + 1 : end]
        self._position = end + 1
        return Verbatim(_ESCAPE.sub(self._unescaped, text))

    def _unescaped(self, match: re.Match[str]) -> str:
        plain, *codes, octal = match.groups()
        code = next(filter(None, codes), None)
        number = int(code, 16) if code else int(octal, 8) if octal else None
        if plain is None and (number is None or number > 0x10FFFF):
            raise self._error(f"unquote string: invalid escape {match[0]}")
        return _CONTROLS[plain] if plain else chr(number or 0)

    def _array(self) -> Path:
        inner = self._match(_ARRAY)[1:-1]
        if not inner:
            raise self._error("unterminated array, or one without an index")
        parts = inner.split(",")
        if len(parts) > 1:
            return (Union(tuple(self._inner(f"[{part.strip(' ')}]") for part in parts)),)
        if key := _KEY.fullmatch(inner):
            return self._inner(f".{key[1]}")
        match = _SLICE.fullmatch(":" if inner == "*" else inner)
        if not match:
            raise self._error(f"invalid array index {inner}")
        start, end, step = (self._index(text) for text in match.groups(default=""))
        return (Indexes(start, end, step, single=match[2] is None),)

    def _index(self, text: str) -> int | None:
        digits = text.removeprefix(":")
        if digits == "-":
            raise self._error("array index - is not a number")
        return int(digits) if digits else None

    def _inner(self, text: str) -> Path:
        scanner = _Scanner(f"{{{text}}}")
        path, *more = scanner.actions()
        if more:
            raise self._error(f"a brace in {text}")
        return path

    def _filter(self) -> Step:
        text = self._text[self._position : self._end_of_filter()]
        self._position += len(text) + 1
        if not self._takes("]"):
            raise self._error("unclosed array expect ]")
        match = _COMPARISON.fullmatch(text)
        if not match:
            return Filter(self._inner(text), "")
        if match[2] not in _OPERATORS:
            raise self._error(f"unrecognized filter operator {match[2]}")
        return Filter(self._inner(match[1]), match[2], self._inner(match[3]))

    def _end_of_filter(self) -> int:
        """Return where the parenthesis is that closes a filter: not one in quotes."""
        quote, closed = "", True
        for place in range(self._position, len(self._text)):
            char = self._text[place]
            if char == "\n":
                break
            if char in "\"'" and not quote:
                quote, closed = char, False
            elif char == quote and self._text[place - 1] != "\\":
                closed = True
            elif char == ")" and closed:
                return place
        raise self._error("unterminated filter")

    def _error(self, problem: str) -> UsageError:
        return UsageError(f"jsonpath {self._text!r}: {problem}")
