"""What changed between two plans or two snapshots: counts, and a row for each thing that did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.answers.changes import PLAN, DocumentDifference, Edit, ItemChange, Side, What
from hashcompat.analysis.answers.comparison import ABSENT
from hashcompat.core.model.escape import count, few, name_path
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.documents import containers as docs
from hashcompat.output.report.items import COLOURS
from hashcompat.output.report.model import (
    Coloured,
    Document,
    Line,
    Prose,
    Report,
    Rows,
    Screen,
    Section,
    Table,
    document,
    plain,
    time_text,
)

_COLOURS: Final = {What.APPEARED: "green", What.GONE: "red", What.CHANGED: "yellow"}

_MOST_PLACES: Final = 4
"""Places that a row names; -o wide has all of them, with their values."""

_AROUND: Final = 16
"""Lines of a terminal that are kept for what precedes the rows and for the line below them."""


def _document(difference: DocumentDifference) -> Document:
    verdicts = [docs.VerdictCount(old, new, number) for (old, new), number in _sorted_verdicts(difference)]
    counts = {what.value: number for what, number in difference.counts.items()}
    return document(
        docs.DocumentDifference,
        of=difference.kind,
        from_=_side(difference.old),
        to=_side(difference.new),
        summary=docs.ChangesSummary(**counts, same=difference.same, verdicts=verdicts),
        changes=[_edit(edit, edit.place) for edit in difference.edits],
        items=Rows(difference.items, lambda item: plain(_item(item))),
    )


def _side(side: Side) -> docs.ComparedFile:
    return docs.ComparedFile(side.file, side.made, side.cluster, side.tool)


def _edit(edit: Edit, path: str) -> docs.Edited:
    old, new = (None if value is ABSENT else value for value in (edit.old, edit.new))
    return docs.Edited(path, old, new)


def _item(item: ItemChange) -> docs.ChangedItem:
    names = item.node, item.namespace, item.pod, item.container
    verdicts = docs.VerdictChange(item.old, item.new) if item.old or item.new else None
    edits = [_edit(edit, f"{item.path}.{edit.place}") for edit in item.edits]
    return docs.ChangedItem(item.what, item.kind, *names, verdicts, edits)


def _sorted_verdicts(
    difference: DocumentDifference,
) -> list[tuple[tuple[Verdict | None, Verdict | None], int]]:
    """Return the changes of verdicts, the most frequent ones first."""
    return sorted(difference.verdicts.items(), key=lambda row: (-row[1], *map(str, row[0])))


def _columns(difference: DocumentDifference) -> tuple[str, ...]:
    if difference.kind == PLAN:
        return "CHANGE", "NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "WHAT"
    return "CHANGE", "KIND", "NODE", "NAMESPACE", "POD", "CONTAINER", "WHAT"


def _table(difference: DocumentDifference) -> Table:
    return _rows(difference, difference.items, _places)


def _wide(difference: DocumentDifference) -> Table:
    """Show every place with both values."""
    return _rows(difference, difference.items, _values)


def _rows(difference: DocumentDifference, items: Iterable[ItemChange], what: Any, after: str = "") -> Table:
    columns = _columns(difference)

    def rows() -> Iterator[list[object]]:
        for item in items:
            change = Coloured(item.what.value, _COLOURS[item.what])
            names = item.node, item.namespace, item.pod, item.container
            cells = (*names, _verdicts(item)) if difference.kind == PLAN else (item.kind, *names)
            yield [change, *cells, Prose(what(item))]

    return Table(columns, rows, after=after)


def _verdicts(item: ItemChange) -> str | Coloured | Prose:
    if item.old is item.new and item.new:
        return Coloured(item.new.value, COLOURS[item.new])
    if item.old and item.new:
        return Prose(f"{item.old.value} -> {item.new.value}")
    one = item.old or item.new
    return Coloured(one.value, COLOURS[one]) if one else ""


def _places(item: ItemChange) -> str:
    return few([edit.place for edit in item.edits], _MOST_PLACES)


def _values(item: ItemChange) -> str:
    return "; ".join(f"{edit.place}: {_shown(edit.old)} -> {_shown(edit.new)}" for edit in item.edits)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _names(difference: DocumentDifference) -> Iterator[str]:
    """Yield each container, pod or node once, as other commands take it."""
    names = (
        name_path(*(name for name in (one.namespace, one.pod, one.container) if name))
        if one.pod
        else name_path(one.node)
        for one in difference.items
    )
    yield from dict.fromkeys(names)


def _overview(difference: DocumentDifference, screen: Screen) -> Iterator[Section]:
    sides = (("from", difference.old), ("to", difference.new))
    cells = [[label, side.file, time_text(side.made), side.tool or None] for label, side in sides]
    yield Section(Table(("", "FILE", "MADE", "VERSION"), lambda: cells))
    yield Section(list(_count_lines(difference)), wraps=True)
    if difference.edits:
        rows = [
            [Prose(text) for text in (edit.place, _shown(edit.old), _shown(edit.new))]
            for edit in difference.edits
        ]
        yield Section(Table(("WHERE", "FROM", "TO"), lambda: rows))
    items, after = difference.items, ""
    if screen.height is not None:
        room = max(screen.height - _AROUND - len(difference.edits), 1)
        if len(items) > room:
            after = f"and {len(items) - room} more: -o wide shows all of them"
            items = items[:room]
    if items:
        yield Section(_rows(difference, items, _places, after))


def _count_lines(difference: DocumentDifference) -> Iterator[Line]:
    yield [_counts(difference)]
    for (old, new), number in _sorted_verdicts(difference):
        noun = count(number, "container")
        if old and new:
            yield [f"{noun} from ", *_named(old), " to ", *_named(new)]
        elif new:
            yield [f"{noun} appeared: ", *_named(new)]
        elif old:
            yield [f"{noun} gone: ", *_named(old)]


def _named(verdict: Verdict) -> Line:
    return [Coloured(verdict.value, COLOURS[verdict])]


def _counts(difference: DocumentDifference) -> str:
    counts: Mapping[What, int] = difference.counts
    said = ", ".join(f"{number} {what.value}" for what, number in counts.items())
    nouns = "Containers" if difference.kind == PLAN else "Nodes, pods and records"
    if not difference.is_different:
        return f"Nothing changed. {nouns}: {difference.same} the same"
    return f"{nouns}: {said}, {difference.same} the same"


def _notes(difference: DocumentDifference) -> Iterator[str]:
    old, new = difference.old, difference.new
    if old.cluster and new.cluster and old.cluster != new.cluster:
        yield f"Warning: they are of two clusters, {old.cluster} and {new.cluster}"
    yield _counts(difference)


CHANGES: Final[Report[DocumentDifference]] = Report(
    "DocumentDifference",
    document=_document,
    table=_table,
    overview=_overview,
    wide=_wide,
    names=_names,
    notes=_notes,
)
