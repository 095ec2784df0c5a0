"""Both hashed texts of a container whole, and every field in which they differ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hashcompat.answers.marking import mark
from hashcompat.answers.onecontainer import Explanation, Side
from hashcompat.report.model import Coloured, Line, Prose, Section, Table

SHOW: Final = "--show-values prints what is really hashed"

_NOTE: Final = f" (values are masked; {SHOW})"

_MARKS: Final = (
    (re.compile(r"\[-.*?-\]", re.DOTALL), "red"),
    (re.compile(r"\{\+.*?\+\}", re.DOTALL), "green"),
)


def whole_sections(explanation: Explanation) -> Iterator[Section]:
    """Yield the fields and the texts: of one era as one text with marks, else one after the other."""
    if explanation.fields:
        lines = [
            [field.path, _short(field.old), Prose("->"), _short(field.new)] for field in explanation.fields
        ]
        yield Section(Table((), lambda: lines), "Fields that make the difference")
    yield from _texts(explanation)


def _short(value: Any) -> Prose:
    if isinstance(value, str):
        return Prose(value)
    return Prose("nil" if value is None else json.dumps(value, ensure_ascii=False))


def _texts(explanation: Explanation) -> Iterator[Section]:
    note = _NOTE if explanation.masked else ""
    old, new = explanation.old, explanation.new
    if old and new and old.era == new.era and explanation.compared:
        title = f"Hashed text, [-only {old.release}-] {{+only {new.release}+}}{note}"
        yield Section([_coloured(mark(old.readable, new.readable))], title)
        return
    for side in (old, new):
        if side:
            yield Section([[side.readable]], f"{_text_title(side)}{note}")


def _text_title(side: Side) -> str:
    if side.readable == side.text:
        return f"Text that {side.release} hashes"
    return f"JSON whose bytes {side.release} hashes, as {side.text[: side.text.find(' ', 20)]} …]"


def _coloured(marked: str) -> Line:
    """Return a text in pieces, those between marks coloured."""
    pieces: list[str | Coloured] = [marked]
    for pattern, colour in _MARKS:
        pieces = [part for piece in pieces for part in _split(piece, pattern, colour)]
    return pieces


def _split(piece: str | Coloured, pattern: re.Pattern[str], colour: str) -> Iterator[str | Coloured]:
    if isinstance(piece, Coloured):
        yield piece
        return
    end = 0
    for match in pattern.finditer(piece):
        yield piece[end : match.start()]
        yield Coloured(match[0], colour)
        end = match.end()
    yield piece[end:]
