"""What differs between two releases for any container."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.answers.comparison import ReleaseDifference, restarts
from hashcompat.catalog.changes import Change
from hashcompat.catalog.lookup import Kubelet
from hashcompat.planning.assumptions import facts
from hashcompat.report.items import release_facts
from hashcompat.report.model import Document, Prose, Report, Section, Table, document
from hashcompat.report.upstream import change_lines


def _document(difference: ReleaseDifference) -> Document:
    types = [
        {
            "type": row.type,
            "field": row.field,
            "from": row.old,
            "to": row.new,
            "upstream": row.upstream.document if row.upstream else None,
        }
        for row in difference.types
    ]
    sides = {"from": _release(difference.old), "to": _release(difference.new)}
    upstream = [row.document for row in difference.upstream]
    return document("ReleaseDifference", **sides, types=types, upstream=upstream)


def _release(kubelet: Kubelet) -> Document:
    name = str(kubelet.release)
    return {"release": name, **release_facts(facts(name, kubelet)), "steps": kubelet.era.described()}


def _text(difference: ReleaseDifference) -> Iterator[Section]:
    yield Section([[restarts(difference)]], wraps=True)
    sides = (("from", difference.old), ("to", difference.new))
    rows = [[label, side.release, side.era.name, Prose(side.schema.made_from)] for label, side in sides]
    yield Section(Table(("", "KUBELET", "ERA", "TYPES MADE FROM"), lambda: rows))
    if difference.upstream:
        yield Section([*change_lines(difference.upstream)], "Upstream", wraps=True)
    if difference.types:
        columns = ("TYPE", "FIELD", "FROM", "TO", "SINCE", "UPSTREAM")
        yield Section(Table(columns, lambda: _type_rows(difference)))
    else:
        yield Section([["The type trees are the same."]])


def _type_rows(difference: ReleaseDifference) -> Iterator[list[object]]:
    for row in difference.types:
        yield [
            row.type,
            row.field or "(type)",
            Prose(row.old or ""),
            Prose(row.new or ""),
            *_source(row.upstream),
        ]


def _source(upstream: Change | None) -> list[object]:
    return [upstream.release, upstream.pr] if upstream else [None, None]


DIFFERENCE: Final[Report[ReleaseDifference]] = Report("ReleaseDifference", document=_document, text=_text)
