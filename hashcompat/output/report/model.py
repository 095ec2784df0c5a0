"""What can be shown of a result: the values that stand between results and formats, and hold no layout.

A kind of result is one file of this package with one :class:`Report`, listed in ``registry``. A format
(see ``hashcompat.output.formats``) takes from a report what it needs, so that neither knows the other.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import msgspec

from hashcompat.core.model.documents import API_VERSION
from hashcompat.core.model.items import Item
from hashcompat.core.rules import Rule
from hashcompat.output.report.items import COLOURS, Provenance

if TYPE_CHECKING:
    from hashcompat.output.report.page import Page
    from hashcompat.output.report.rowtexts import AlikeRows, Write


Result = TypeVar("Result")
Value = TypeVar("Value")
Struct = TypeVar("Struct", bound=msgspec.Struct)
Document = dict[str, Any]
"""Plain data, as schemas/documents describes it; at its top level a list may be :class:`Rows`."""


def document(kind: str | type[msgspec.Struct], **content: Any) -> Document:
    """Put a document's content under its version and kind; that of a struct by its fields, in their order."""
    if isinstance(kind, str):
        return {"apiVersion": API_VERSION, "kind": kind, **content}
    content = {"api_version": API_VERSION, "kind": kind.__name__, **content}
    keys = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
    if unknown := content.keys() - keys.keys():
        raise TypeError(f"{kind.__name__} has no {', '.join(unknown)}")
    fields = {key: content[name] for name, key in keys.items() if name in content}
    return {key: value if isinstance(value, Rows) else plain(value) for key, value in fields.items()}


def filled(kind: type[Struct], value: object, /, **values: Any) -> Struct:
    """Return an object of a document: ``values``, and the rest of its fields as a value has them, by name."""
    names = [name for name in kind.__struct_fields__ if name not in values]
    return kind(**{name: getattr(value, name) for name in names}, **values)


def plain(value: Any) -> Any:
    """Return a value as a document shows it; a struct as a ``Document``."""
    return _listed(msgspec.to_builtins(value))


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    return list(map(_listed, value)) if isinstance(value, (list, tuple)) else value


@lru_cache(maxsize=4096)
def time_text(time: datetime | None) -> str | None:
    """Return a time in UTC as RFC 3339 has it; None for none."""
    return time.isoformat().replace("+00:00", "Z") if time else None


def later(module: str, name: str) -> Any:
    """Return a function of a module of this package, which is imported when it is called, in few runs."""

    def call(*arguments: Any) -> Any:
        return getattr(import_module(f"hashcompat.output.report.{module}"), name)(*arguments)

    return call


class Rows(msgspec.Struct, Generic[Value], frozen=True):
    """A document's list that is made while it is written: one plain object of each value."""

    values: Iterable[Value]
    row: Callable[[Value], dict[str, Any]]
    likeness: AlikeRows[Value] | None = None
    """What many of them share; None where that is not known."""
    jobs: int = 1
    """How many processes may write them."""

    def texts(self, *writes: Write) -> Iterator[Sequence[str]]:
        """Yield the texts of each object, as each of ``writes`` makes it."""
        if self.likeness is None:
            return ([write(row) for write in writes] for row in self)
        # text for people needs neither
        from hashcompat.output.report.rowtexts import WORTH_FORKING, Forms, in_turn  # noqa: PLC0415

        texts, values = Forms(self.likeness, writes).texts, self.values
        if self.jobs > 1 and isinstance(values, Sequence) and len(values) >= WORTH_FORKING:
            return in_turn(values, texts, self.jobs)
        return texts(values)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self.row, self.values)


class Seals(Protocol):
    """Makes the last members of a document of its rows and other members."""

    def line(self, row: dict[str, Any]) -> str:
        """Return the text of a row that counts."""

    def add(self, line: str) -> None:
        """Take the next row into account."""

    def members(self) -> Document:
        """Return the members, once all rows were added."""


class Coloured(msgspec.Struct, frozen=True):
    """A text with the colour in which a terminal may show it."""

    text: str
    colour: str
    """A name that ``click.style`` knows."""

    def __str__(self) -> str:
        return self.text


def coloured(word: StrEnum, colours: Mapping[Any, str]) -> str | Coloured:
    """Return a word in its colour, if it has one."""
    colour = colours.get(word)
    return Coloured(word.value, colour) if colour else word.value


def verdict_cell(item: Item) -> str | Coloured:
    """Return the verdict in its colour."""
    return coloured(item.verdict, COLOURS)


class Prose(msgspec.Struct, frozen=True):
    """A cell of several words, such as a reason."""

    text: str

    def __str__(self) -> str:
        return self.text


class Headline(msgspec.Struct, frozen=True):
    """What a result comes to, in one word and the line that decided; what is read first."""

    word: str
    """``PASS``, ``FAIL`` or ``UNDECIDED`` of what is judged; empty where nothing is."""
    text: str
    """Why, in one line without a full stop."""
    colour: str = ""
    """Of the word: red, yellow or green."""


class Ranking(msgspec.Struct, frozen=True):
    """What has the most of a result, the first one first."""

    title: str
    """``Top owners``"""
    rows: Sequence[tuple[str, int]]
    """Names, escaped, and how many each has."""


def judged(text: str, *, findings: object, undecided: object = False) -> Headline:
    """Return the headline of a result that fails where something was found, and else may be undecided."""
    if findings:
        return Headline("FAIL", text, "red")
    return Headline("UNDECIDED", text, "yellow") if undecided else Headline("PASS", text, "green")


Line = Sequence[str | Coloured]
"""Pieces of one line; a line break or control character inside one is data, for the format to escape."""


class Table(msgspec.Struct, frozen=True):
    """Columns and rows; a cell is a name or number, as ``str`` prints it, or Prose; None for nothing."""

    columns: Sequence[str]
    """Empty for rows that explain themselves."""
    rows: Callable[[], Iterable[Sequence[object]]]
    """Makes the rows one by one, each time again: a format may need the widths first."""
    caption: str = ""
    """A line before the table, printed even if there is no row."""
    bare: bool = False
    """Whether the header is left out where there is no row."""
    after: str = ""
    """A line below the table that begins with an ellipsis: what the table leaves out."""


class Section(msgspec.Struct, frozen=True):
    """A part of a text for people: lines or a table, under a title or without one."""

    body: Sequence[Line] | Table
    title: str = ""
    wraps: bool = False
    """Whether a line that is longer than the terminal goes on below, broken between words."""
    fits: bool = False
    """Whether nothing may be longer than the terminal: words are broken too, and cells shortened."""
    short: bool = False
    """Whether a line that is too long for that ends where the terminal does."""
    hanging: int = 0
    """The columns before what goes on from the line above."""


class Heading(msgspec.Struct, frozen=True):
    """A title within a text of several pages."""

    text: str
    level: int
    """1 for that of the whole text."""


class Bullets(msgspec.Struct, frozen=True):
    """Some sentences, each of which stands for itself."""

    lines: Sequence[str]


class Code(msgspec.Struct, frozen=True):
    """Lines of shell, as they are."""

    text: str
    names: tuple[str, ...] = ()
    """What the first ``{}`` in the text stands for, as words that are quoted; for itself where there are
    none."""

    @property
    def shell(self) -> str:
        """The lines as a shell takes them."""
        return self.text.replace("{}", shlex.join(self.names), 1) if self.names else self.text


class Script(msgspec.Struct, frozen=True):
    """What is typed into a shell, line by line."""

    lines: Sequence[str | tuple[str, ...] | Code]
    """A comment, the words of a command, or other lines."""


Block = Heading | Bullets | Script | Table
"""A part of a text that is read as a page, not on a terminal."""


class Screen(msgspec.Struct, frozen=True):
    """What a result has to fit; None where it is not on a terminal, and nothing is left out."""

    width: int | None = None
    """The columns of a terminal."""
    height: int | None = None
    """The lines that the result may take."""


def _nothing(_: object) -> Iterable[str]:
    return ()


class Report(msgspec.Struct, Generic[Result], frozen=True):
    """What can be shown of one kind of result, as functions of the result; None for what cannot be shown."""

    kind: str
    """The document's kind, or what messages call the result."""
    document: Callable[[Result], Document] | None = None
    sealed: Callable[[Result], tuple[Document, Seals]] | None = None
    """The document without its last members, and what makes these of all others; None for no such members."""
    table: Callable[[Result], Table] | None = None
    overview: Callable[[Result, Screen], Iterable[Section]] | None = None
    """What people see in place of the table: it may leave out what does not fit."""
    wide: Callable[[Result], Table] | None = None
    """The table with more in it."""
    sheet: Callable[[Result], Table] | None = None
    """A row an item and every column, for spreadsheets; None where the table with more in it is that."""
    folded: Callable[[Result], Table] | None = None
    """The same for people: equal rows of many nodes are one; None where there are no such rows."""
    findings: Callable[[Result], Findings] | None = None
    """What was found, for tests, code scanning and metrics."""
    names: Callable[[Result], Iterable[str]] | None = None
    """A name an item, as other commands take it; data like the pieces of a line."""
    text: Callable[[Result], Iterable[Section]] | None = None
    """Prose, where columns would not do."""
    pages: Callable[[Result], Iterable[Block]] | None = None
    """A text to print or to keep, such as a runbook, in place of the table."""
    raw: Callable[[Result], Iterable[str]] | None = None
    """Exact text, in pieces, in which no character may change: what is hashed, a patch."""
    page: Callable[[Result], Page] | None = None
    """A page for people; None for one that is made of the table, the text and the notes."""
    title: str = ""
    """What people call such a result: ``Upgrade gate``; the kind, where nobody does."""
    headline: Callable[[Result], Headline] | None = None
    """What it comes to; None for what only shows something."""
    counted: Callable[[Result], str] | None = None
    """How many of what, in one line; None where the findings or the page say it well."""
    ranking: Callable[[Result], Ranking] | None = None
    """Who is concerned most; None where nobody owns anything."""
    provenance: Callable[[Result], Provenance] | None = None
    """Of what, when, where and by what it was made; None for what is not kept for long."""
    lead: Callable[[Result], Iterable[str]] = _nothing
    """Lines for a table that is kept alone: what a reader has to know of all its rows."""
    notes: Callable[[Result], Iterable[str]] = _nothing
    """Lines that go with the result: assumptions, warnings, the closing line."""
    loosened: Callable[[Result], Iterable[str]] = _nothing
    """Lines in place of all these where nobody wants them: what lets more pass than the input alone does."""


class CaseResult(StrEnum):
    """What a case means to whoever waits for a pass or a failure."""

    FAILED = "failed"
    """Something was found that an upgrade is stopped for."""
    UNDECIDED = "undecided"
    """It could not be determined; it never counts as passed."""
    WARNED = "warned"
    """Something is wrong, and the upgrade goes on."""
    NOTED = "noted"
    """Worth knowing."""
    PASSED = "passed"
    """Nothing was found."""


class ReportCase(msgspec.Struct, frozen=True):
    """One thing that was judged: a container, a check of a node, a case of golden data."""

    outcome: CaseResult
    verdict: str
    """The word that the result's own document has for it: ``RESTART``."""
    rule: str
    """The id of the rule behind it; empty where nothing was found."""
    text: str
    """Why, without the names that follow."""
    group: str
    """What it belongs to, escaped: ``NAMESPACE/POD`` as ``name_path`` writes it, a node, a directory."""
    name: str
    """Its own name there, escaped too."""
    labels: Mapping[str, str]
    """Its names one by one, as they are; the keys are the same for all cases of a result."""
    file: str = ""
    """The file that it comes from; empty where that is unknown."""
    line: int = 0
    """The line there, from 1; 0 where that is unknown."""

    @property
    def path(self) -> str:
        """Its name behind that of what it belongs to."""
        return f"{self.group}/{self.name}"


class Series(msgspec.Struct, frozen=True):
    """A metric with labels of its own, beside those that all findings have."""

    name: str
    about: str
    samples: Callable[[], Iterable[tuple[Mapping[str, str], int]]]
    """Makes the labels and the value of each sample; no two have equal labels."""


class Findings(msgspec.Struct, frozen=True):
    """What was found in one result."""

    subject: str
    """What metrics and test suites are called by, one word: ``plan``."""
    title: str
    """What was judged, in a few words."""
    noun: str
    """What is counted, in the plural, one word: ``containers``."""
    totals: Mapping[str, int]
    """How many there are of each verdict, those included that are not shown."""
    cases: Callable[[], Iterable[ReportCase]]
    """Makes the cases one by one, each time again: a format may need to count them first."""
    rules: Callable[[], Sequence[Rule]] = tuple
    """Reads the rules that cases may name."""
    more: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Other totals, by what they count."""
    times: Mapping[str, datetime | None] = msgspec.field(default_factory=dict)
    """When what was judged was taken and made, UTC; None where that is not known."""
    series: Sequence[Series] = ()
    """Other numbers that only metrics show."""

    def not_passed(self) -> Iterator[ReportCase]:
        """Yield the cases that a list of findings shows; the rest is in order."""
        return (case for case in self.cases() if case.outcome is not CaseResult.PASSED)
