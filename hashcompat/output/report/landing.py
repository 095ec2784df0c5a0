"""The page that joins others: each with its verdict and what decided it, and whether they belong together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.core.model.escape import count, printable
from hashcompat.core.model.making import KeptPage, KeptPages
from hashcompat.output.documents import rollout as docs
from hashcompat.output.report.model import Coloured, Document, Prose, Report, Table, document
from hashcompat.output.report.page import TONES, Link, Listing, Page, Piece, heading
from hashcompat.output.report.provenance import Provenance

KIND: Final = "Reports"
"""What people call the page itself, which is never one of those that it joins."""
_ORDER: Final = ("bad", "open", "", "good")
_WORDS: Final = {"bad": "restarts", "open": "undecided", "good": "kept"}
"""What pages without a verdict of their own come to, such as those of plans, by their tone."""
_COLOURS: Final = {tone: colour for colour, tone in TONES.items()}
_COLUMNS: Final = ("VERDICT", "REPORT", "DECIDED BY", "DATA TAKEN", "REPORT MADE", "CLUSTER")
_KINDS: Final = ("Upgrade gate", "Restart plan", "Impact of an upgrade", "Preflight of nodes")
"""Those that others explain, in the order in which they are read."""
_TOGETHER: Final = {"upgrade": "upgrades", "cluster": "clusters", "input_taken": "times of data"}
"""What reports of one change have in common, and what it is called where they differ."""
_FACTS: Final = ("input_taken", "report_made", "cluster")
_UNKNOWN: Final = "unknown"


def _in_order(joined: KeptPages) -> list[KeptPage]:
    """Return the pages, the worst first, and of these the ones that decide."""
    kinds = {kind: place for place, kind in enumerate(_KINDS)}

    def place(page: KeptPage) -> tuple[int, int, str]:
        about = page.about
        return _ORDER.index(about.tone), kinds.get(about.kind, len(kinds)), page.file

    return sorted(joined.pages, key=place)


def _rows(joined: KeptPages, *, linked: bool) -> Iterator[list[object]]:
    for page in _in_order(joined):
        about = page.about
        word = about.verdict or _WORDS.get(about.tone, "shown")
        verdict = Coloured(word, _COLOURS[about.tone]) if about.tone in _COLOURS else word
        name = Link(about.title, page.file) if linked else Prose(about.title)
        facts = [Prose(text) if (text := about.fact(key)) else None for key in _FACTS]
        yield [verdict, name, Prose(about.answer), *facts]


def _document(joined: KeptPages) -> Document:
    return document(
        docs.PageList,
        directory=joined.directory,
        differing=list(_differing(joined)),
        others=joined.others,
        items=list(map(_item, _in_order(joined))),
    )


def _item(page: KeptPage) -> docs.KeptPage:
    about = page.about
    facts = [docs.KeptFact(fact.key, fact.name, fact.text) for fact in about.facts]
    return docs.KeptPage(page.file, about.kind, about.title, about.verdict, about.answer, facts)


def _differing(joined: KeptPages) -> Iterator[str]:
    """Yield in what reports differ that are about one change; what is unknown differs from nothing."""
    for key, words in _TOGETHER.items():
        found = {page.about.fact(key) for page in joined.pages} - {"", _UNKNOWN}
        if len(found) > 1:
            yield f"These reports are of {len(found)} {words}: {', '.join(sorted(found))}"


def _page(joined: KeptPages) -> Page:
    first, *_ = _in_order(joined)
    bad = sum(page.about.tone == "bad" for page in joined.pages)
    left = sum(page.about.tone == "open" for page in joined.pages)
    about = first.about
    columns = [*map(heading, _COLUMNS)]
    upgrades = {found for page in joined.pages if (found := page.about.fact("upgrade"))}
    of = f"{len(upgrades)} upgrades" if len(upgrades) > 1 else about.fact("upgrade") or about.title
    return Page(
        title=f"Reports: {of}",
        kind=KIND,
        verdict=Piece(about.verdict, about.tone) if about.verdict else None,
        answer=[Piece(f"{about.kind}: {about.answer}", "" if about.verdict else about.tone)],
        facts=[("Reports", f"{len(joined.pages)}: {bad} against the upgrade, {left} undecided")],
        warnings=list(_differing(joined)),
        findings=[Listing(columns, lambda: _rows(joined, linked=True), "Reports", id="reports")],
        notes=list(_others(joined)),
        provenance=list(Provenance(making=joined.making).facts()),
    )


def _others(joined: KeptPages) -> Iterator[str]:
    if joined.others:
        yield f"No pages of hashcompat: {', '.join(map(printable, joined.others))}"


def _notes(joined: KeptPages) -> Iterator[str]:
    yield from (f"Warning: {line}" for line in _differing(joined))
    yield from _others(joined)
    yield f"{joined.directory}: {count(len(joined.pages), 'report')}"


LANDING: Final[Report[KeptPages]] = Report(
    "PageList",
    document=_document,
    table=lambda joined: Table(_COLUMNS, lambda: _rows(joined, linked=False)),
    names=lambda joined: (page.file for page in _in_order(joined)),
    title=KIND,
    page=_page,
    notes=_notes,
)
