"""The explanation of one container, and of two releases: as text for a person, and as a document."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, Final

from hashcompat.answers.comparison import ReleaseDifference
from hashcompat.answers.explanation import Explanation, Side
from hashcompat.catalog.changes import Change, EraChange
from hashcompat.planning.facts import facts
from hashcompat.report.documents import Document, document, item_document, release_facts
from hashcompat.report.formats import printable
from hashcompat.report.tables import COLOURS, Paint, plain, reason_words, table

_MASK_NOTE: Final = (
    "values of env, args, commands and headers are masked; --show-values prints what is really hashed"
)


def explanation_document(explanations: Iterable[Explanation]) -> Document:
    """Return the ExplanationList of some containers."""
    return document("ExplanationList", items=[_explained(explanation) for explanation in explanations])


def _explained(explanation: Explanation) -> Document:
    return {
        **item_document(explanation.item),
        "from": _side(explanation.old) if explanation.old else None,
        "to": _side(explanation.new) if explanation.new else None,
        "fields": [{"path": field.path, "from": field.old, "to": field.new} for field in explanation.fields],
        "upstream": [row.document for row in explanation.upstream],
        "logLine": explanation.log_line,
        "masked": explanation.masked,
        "compared": explanation.compared,
    }


def _side(side: Side) -> Document:
    value = None if side.hash is None else f"{side.hash:x}"
    return {
        "release": side.release,
        "era": side.era,
        "hash": side.hash,
        "hex": value,
        "text": side.text,
        "readable": side.readable,
    }


def difference_document(difference: ReleaseDifference) -> Document:
    """Return the ReleaseDifference of two releases."""
    return document(
        "ReleaseDifference",
        **{"from": _release(difference, "old"), "to": _release(difference, "new")},
        types=[
            {
                "type": row.type,
                "field": row.field,
                "from": row.old,
                "to": row.new,
                "upstream": row.upstream.document if row.upstream else None,
            }
            for row in difference.types
        ],
        upstream=[row.document for row in difference.upstream],
    )


def _release(difference: ReleaseDifference, side: str) -> Document:
    kubelet = getattr(difference, side)
    return {
        "release": str(kubelet.release),
        **release_facts(facts(str(kubelet.release), kubelet)),
        "steps": kubelet.era.described(),
    }


def explanation_text(explanation: Explanation, paint: Paint = plain) -> str:
    """Return the whole story of one container."""
    return "\n\n".join(filter(None, _sections(explanation, paint)))


def _sections(explanation: Explanation, paint: Paint) -> Iterator[str]:
    item = explanation.item
    name = f"{item.pod.namespace}/{item.pod.name}/{item.container.name}"
    yield f"{printable(name)}: {paint(item.verdict.value, COLOURS[item.verdict])}, {printable(reason_words(item))}"
    if not explanation.compared:
        yield "This decides before any hash is compared."
    sides = [("from", explanation.old), ("to", explanation.new)]
    rows = [_side_row(label, side) for label, side in sides if side]
    if item.hashes.recorded is not None:
        rows.insert(0, ["recorded", None, item.hashes.recorded, f"{item.hashes.recorded:x}", None])
    if rows:
        yield table(["", "KUBELET", "HASH", "HEX", "ERA"], rows)
    if explanation.fields:
        lines = [[field.path, _short(field.old), "->", _short(field.new)] for field in explanation.fields]
        yield "Fields that make the difference\n" + _indented(table((), lines, show_headers=False))
    if explanation.compared:
        yield _texts(explanation, paint)
    if explanation.upstream:
        yield "Upstream changes\n" + _indented(
            table((), map(_upstream_row, explanation.upstream), show_headers=False)
        )
    if explanation.log_line:
        yield f"Expect in the kubelet's log\n{_indented(printable(explanation.log_line))}"


def _side_row(label: str, side: Side) -> list[object]:
    return [label, side.release, side.hash, None if side.hash is None else f"{side.hash:x}", side.era]


def _short(value: Any) -> str:
    return (
        value if isinstance(value, str) else "nil" if value is None else json.dumps(value, ensure_ascii=False)
    )


def _texts(explanation: Explanation, paint: Paint) -> str:
    note = f" ({_MASK_NOTE})" if explanation.masked else ""
    old, new = explanation.old, explanation.new
    if explanation.marked and old and new:
        title = f"Hashed text, [-only {old.release}-] {{+only {new.release}+}}{note}"
        return f"{title}\n{_indented(_coloured(explanation.marked, paint))}"
    return "\n\n".join(
        f"{_text_title(side)}{note}\n{_indented(printable(side.readable))}" for side in (old, new) if side
    )


def _text_title(side: Side) -> str:
    if side.readable == side.text:
        return f"Text that {side.release} hashes"
    return f"JSON whose bytes {side.release} hashes, as {side.text[: side.text.find(' ', 20)]} …]"


def _coloured(marked: str, paint: Paint) -> str:
    text = printable(marked)
    for start, end, colour in (("[-", "-]", "red"), ("{+", "+}", "green")):
        parts = text.split(start)
        text = parts[0] + "".join(_paint_until(part, start, end, colour, paint) for part in parts[1:])
    return text


def _paint_until(part: str, start: str, end: str, colour: str, paint: Paint) -> str:
    inside, found, rest = part.partition(end)
    return paint(f"{start}{inside}{end}", colour) + rest if found else start + part


def _upstream_row(row: Change | EraChange) -> list[object]:
    links = ", ".join(filter(None, [row.pr, *row.issues]))
    what = row.field if isinstance(row, Change) else f"{row.old} -> {row.new}"
    return [row.release, what, row.about, links]


def _indented(text: str) -> str:
    return textwrap.indent(text, "  ")


def difference_text(difference: ReleaseDifference) -> str:
    """Return the type-tree and era differences between two releases."""
    old, new = difference.old, difference.new
    rows = [
        [label, kubelet.release, kubelet.era.name, kubelet.schema.made_from]
        for label, kubelet in (("from", old), ("to", new))
    ]
    parts = [table(["", "KUBELET", "ERA", "TYPES MADE FROM"], rows)]
    if difference.upstream:
        parts.append(
            "The hash algorithm changed: every container restarts\n"
            + _indented(table((), map(_upstream_row, difference.upstream), show_headers=False))
        )
    if difference.types:
        lines = [
            [row.type, row.field or "(type)", row.old, row.new, *_type_source(row.upstream)]
            for row in difference.types
        ]
        parts.append(table(["TYPE", "FIELD", "FROM", "TO", "SINCE", "UPSTREAM"], lines))
    else:
        parts.append("The type trees are the same.")
    return "\n\n".join(parts)


def _type_source(upstream: Change | None) -> list[object]:
    return [upstream.release, upstream.pr] if upstream else [None, None]
