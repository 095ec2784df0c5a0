"""The explanation of some containers, as a text for a person and as a document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hashcompat.answers.explanation import Explanation, Explanations, Side
from hashcompat.catalog.changes import Change, EraChange
from hashcompat.report.items import item_document, item_name, reason_words, verdict_cell
from hashcompat.report.model import Coloured, Document, Line, Prose, Report, Section, Table, document

_MASK_NOTE: Final = (
    "values of env, args, commands and headers are masked; --show-values prints what is really hashed"
)

_SEPARATOR: Final = "-" * 72

_MARKS: Final = (
    (re.compile(r"\[-.*?-\]", re.DOTALL), "red"),
    (re.compile(r"\{\+.*?\+\}", re.DOTALL), "green"),
)


def _document(explanations: Explanations) -> Document:
    return document("ExplanationList", items=[_item(explanation) for explanation in explanations.items])


def _item(explanation: Explanation) -> Document:
    return {
        **item_document(explanation.item),
        "from": _side(explanation.old) if explanation.old else None,
        "to": _side(explanation.new) if explanation.new else None,
        "fields": [{"path": field.path, "from": field.old, "to": field.new} for field in explanation.fields],
        "upstream": [row.document for row in explanation.upstream],
        "logLine": explanation.log_line,
        "event": explanation.event,
        "masked": explanation.masked,
        "compared": explanation.compared,
    }


def _side(side: Side) -> Document:
    return {
        "release": side.release,
        "era": side.era,
        "hash": side.hash,
        "hex": _hex(side.hash),
        "text": side.text,
        "readable": side.readable,
    }


def _hex(value: int | None) -> str | None:
    return None if value is None else f"{value:x}"


def _text(explanations: Explanations) -> Iterator[Section]:
    for number, explanation in enumerate(explanations.items):
        if number:
            yield Section([[_SEPARATOR]])
        yield from _sections(explanation)


def _sections(explanation: Explanation) -> Iterator[Section]:
    """Yield the whole story of one container."""
    item = explanation.item
    yield Section([[item_name(item), ": ", verdict_cell(item), ", ", reason_words(item)]])
    if not explanation.compared:
        yield Section([["This decides before any hash is compared."]])
    if item.creator:
        yield Section([[f"Assumed: created by {item.creator}"]])
    if rows := _hash_rows(explanation):
        yield Section(Table(("", "KUBELET", "HASH", "HEX", "ERA"), lambda: rows))
    if explanation.fields:
        lines = [
            [field.path, _short(field.old), Prose("->"), _short(field.new)] for field in explanation.fields
        ]
        yield Section(Table((), lambda: lines), "Fields that make the difference")
    yield from _texts(explanation)
    if explanation.upstream:
        yield Section(upstream_table(explanation.upstream), "Upstream changes")
    if explanation.log_line:
        yield Section([[explanation.log_line]], "Expect in the kubelet's log")
    if explanation.event:
        yield Section([[explanation.event]], "Expect among the pod's events")


def _hash_rows(explanation: Explanation) -> list[list[object]]:
    recorded = explanation.item.hashes.recorded
    rows: list[list[object]] = (
        [] if recorded is None else [["recorded", None, recorded, _hex(recorded), None]]
    )
    for label, side in (("from", explanation.old), ("to", explanation.new)):
        if side:
            rows.append([label, side.release, side.hash, _hex(side.hash), side.era])
    return rows


def _short(value: Any) -> Prose:
    if isinstance(value, str):
        return Prose(value)
    return Prose("nil" if value is None else json.dumps(value, ensure_ascii=False))


def _texts(explanation: Explanation) -> Iterator[Section]:
    note = f" ({_MASK_NOTE})" if explanation.masked else ""
    old, new = explanation.old, explanation.new
    if explanation.marked and old and new:
        title = f"Hashed text, [-only {old.release}-] {{+only {new.release}+}}{note}"
        yield Section([_coloured(explanation.marked)], title)
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
    for mark, colour in _MARKS:
        pieces = [part for piece in pieces for part in _split(piece, mark, colour)]
    return pieces


def _split(piece: str | Coloured, mark: re.Pattern[str], colour: str) -> Iterator[str | Coloured]:
    if isinstance(piece, Coloured):
        yield piece
        return
    end = 0
    for match in mark.finditer(piece):
        yield piece[end : match.start()]
        yield Coloured(match[0], colour)
        end = match.end()
    yield piece[end:]


def upstream_table(rows: Sequence[Change | EraChange]) -> Table:
    """Return rows of changes.json as a table: release, what changed, in a few words, links."""
    return Table((), lambda: map(_upstream_row, rows))


def _upstream_row(row: Change | EraChange) -> list[object]:
    links = ", ".join(filter(None, [row.pr, *row.issues]))
    what = row.field if isinstance(row, Change) else f"{row.old} -> {row.new}"
    return [row.release, Prose(what), Prose(row.about), Prose(links)]


EXPLANATIONS: Final[Report[Explanations]] = Report("ExplanationList", document=_document, text=_text)
