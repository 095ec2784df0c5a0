"""What is shown of saved documents: what changed between two of them, and the page that joins others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.answers.changes import PLAN, DocumentDifference, Edit, ItemChange, What
from hashcompat.analysis.answers.comparison import ABSENT
from hashcompat.core.model.escape import count, few, name_path, printable
from hashcompat.core.model.results import KeptPage, KeptPages
from hashcompat.core.model.verdicts import Verdict
from hashcompat.output.documents import containers as docs
from hashcompat.output.documents import nodes
from hashcompat.output.report.items import COLOURS, Provenance
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
    coloured,
    document,
    filled,
    plain,
    time_text,
)
from hashcompat.output.report.page import TONES, Link, Listing, Page, Phrase, heading

_COLOURS: Final = {What.APPEARED: "green", What.GONE: "red", What.CHANGED: "yellow"}

_MOST_PLACES: Final = 4
"""Places that a row names; -o wide has all of them, with their values."""


def _document(difference: DocumentDifference) -> Document:
    verdicts = [docs.VerdictCount(old, new, number) for (old, new), number in _sorted_verdicts(difference)]
    counts = {what.value: number for what, number in difference.counts.items()}
    return document(
        docs.DocumentDifference,
        of=difference.kind,
        from_=difference.old,
        to=difference.new,
        summary=docs.ChangesSummary(**counts, same=difference.same, verdicts=verdicts),
        changes=[_edit(edit, edit.place) for edit in difference.edits],
        items=Rows(difference.items, lambda item: plain(_item(item))),
    )


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


def _rows(difference: DocumentDifference, items: Iterable[ItemChange], what: Any, after: str = "") -> Table:
    columns = ("CHANGE", "NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "WHAT")
    if difference.kind != PLAN:
        columns = ("CHANGE", "KIND", "NODE", "NAMESPACE", "POD", "CONTAINER", "WHAT")

    def rows() -> Iterator[list[object]]:
        for item in items:
            change = coloured(item.what, _COLOURS)
            names = item.node, item.namespace, item.pod, item.container
            cells = (*names, _verdicts(item)) if difference.kind == PLAN else (item.kind, *names)
            yield [change, *cells, Prose(what(item))]

    return Table(columns, rows, after=after)


def _verdicts(item: ItemChange) -> str | Coloured | Prose:
    if item.old is item.new and item.new:
        return coloured(item.new, COLOURS)
    if item.old and item.new:
        return Prose(f"{item.old.value} -> {item.new.value}")
    verdict = item.old or item.new
    return coloured(verdict, COLOURS) if verdict else ""


def _places(item: ItemChange) -> str:
    return few([edit.place for edit in item.edits], _MOST_PLACES)


def _values(item: ItemChange) -> str:
    return "; ".join(f"{edit.place}: {_shown(edit.old)} -> {_shown(edit.new)}" for edit in item.edits)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _names(difference: DocumentDifference) -> Iterable[str]:
    """Return each container, pod or node once, as other commands take it."""
    return dict.fromkeys(
        name_path(*filter(None, (change.namespace, change.pod, change.container)))
        if change.pod
        else name_path(change.node)
        for change in difference.items
    )


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
        # 16 lines are for what precedes the rows and for the line below them
        room = max(screen.height - 16 - len(difference.edits), 1)
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
            yield [f"{noun} from ", coloured(old, COLOURS), " to ", coloured(new, COLOURS)]
        elif new:
            yield [f"{noun} appeared: ", coloured(new, COLOURS)]
        elif old:
            yield [f"{noun} gone: ", coloured(old, COLOURS)]


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
    table=lambda difference: _rows(difference, difference.items, _places),
    overview=_overview,
    wide=lambda difference: _rows(difference, difference.items, _values),
    names=_names,
    notes=_notes,
)


# The page that joins others, with the verdict of each and what decided it.

KIND: Final = "Reports"
"""What people call the page itself, which is never one of those that it joins."""
_ORDER: Final = ("bad", "open", "", "good")
_WORDS: Final = {"bad": "restarts", "open": "undecided", "good": "kept"}
"""What pages without a verdict of their own come to, such as those of plans, by their tone."""
_JOINED_COLOURS: Final = {tone: colour for colour, tone in TONES.items()}
_COLUMNS: Final = ("VERDICT", "REPORT", "DECIDED BY", "DATA TAKEN", "REPORT MADE", "CLUSTER")
_KINDS: Final = ("Upgrade gate", "Restart plan", "Impact of an upgrade", "Preflight of nodes")
"""Those that others explain, in the order in which they are read."""
_IN_COMMON: Final = {"upgrade": "upgrades", "cluster": "clusters", "input_taken": "times of data"}
"""What reports of one change have in common, and what it is called where they differ."""
_FACTS: Final = ("input_taken", "report_made", "cluster")


def _in_order(joined: KeptPages) -> list[KeptPage]:
    """Return the pages, the worst first, and of these the ones that decide."""
    kinds = {kind: place for place, kind in enumerate(_KINDS)}

    def place(page: KeptPage) -> tuple[int, int, str]:
        about = page.about
        return _ORDER.index(about.tone), kinds.get(about.kind, len(kinds)), page.file

    return sorted(joined.pages, key=place)


def _joined_rows(joined: KeptPages, *, linked: bool) -> Iterator[list[object]]:
    for page in _in_order(joined):
        about = page.about
        word = about.verdict or _WORDS.get(about.tone, "shown")
        verdict = Coloured(word, _JOINED_COLOURS[about.tone]) if about.tone in _JOINED_COLOURS else word
        name = Link(about.title, page.file) if linked else Prose(about.title)
        facts = [Prose(text) if (text := about.fact(key)) else None for key in _FACTS]
        yield [verdict, name, Prose(about.answer), *facts, *([] if linked else [page.file])]


def _joined_document(joined: KeptPages) -> Document:
    return document(
        nodes.PageList,
        directory=joined.directory,
        differing=_differing(joined),
        others=joined.foreign,
        items=[
            filled(
                nodes.KeptPage,
                page.about,
                file=page.file,
                facts=[filled(nodes.KeptFact, fact) for fact in page.about.facts],
            )
            for page in _in_order(joined)
        ],
    )


def _differing(joined: KeptPages) -> list[str]:
    """Return in what reports differ that are about one change; what is unknown differs from nothing."""
    facts = {key: {page.about.fact(key) for page in joined.pages} - {"", "unknown"} for key in _IN_COMMON}
    return [
        f"These reports are of {len(values)} {_IN_COMMON[key]}: {', '.join(sorted(values))}"
        for key, values in facts.items()
        if len(values) > 1
    ]


def _page(joined: KeptPages) -> Page:
    first, *_ = _in_order(joined)
    bad = sum(page.about.tone == "bad" for page in joined.pages)
    left = sum(page.about.tone == "open" for page in joined.pages)
    about = first.about
    columns = [*map(heading, _COLUMNS)]
    upgrades = {upgrade for page in joined.pages if (upgrade := page.about.fact("upgrade"))}
    of = f"{len(upgrades)} upgrades" if len(upgrades) > 1 else about.fact("upgrade") or about.title
    return Page(
        title=f"Reports: {of}",
        kind=KIND,
        verdict=Phrase(about.verdict, about.tone) if about.verdict else None,
        answer=[Phrase(f"{about.kind}: {about.answer}", "" if about.verdict else about.tone)],
        facts=[("Reports", f"{len(joined.pages)}: {bad} against the upgrade, {left} undecided")],
        warnings=_differing(joined),
        findings=[Listing(columns, lambda: _joined_rows(joined, linked=True), "Reports", id="reports")],
        notes=list(_foreign_files(joined)),
        provenance=list(Provenance(making=joined.making).facts()),
    )


def _foreign_files(joined: KeptPages) -> Iterator[str]:
    if joined.foreign:
        yield f"No pages of hashcompat: {', '.join(map(printable, joined.foreign))}"


def _joined_notes(joined: KeptPages) -> Iterator[str]:
    yield from (f"Warning: {line}" for line in _differing(joined))
    yield from _foreign_files(joined)
    yield f"{joined.directory}: {count(len(joined.pages), 'report')}"


LANDING: Final[Report[KeptPages]] = Report(
    "PageList",
    document=_joined_document,
    table=lambda joined: Table((*_COLUMNS, "FILE"), lambda: _joined_rows(joined, linked=False)),
    names=lambda joined: (page.file for page in _in_order(joined)),
    title=KIND,
    page=_page,
    notes=_joined_notes,
)
