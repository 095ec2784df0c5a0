"""A result as a page for people: values for a format to lay out, each part of it optional."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from hashcompat.core.model.results import About, Fact


class Phrase(msgspec.Struct, frozen=True):
    """A part of a sentence."""

    text: str
    tone: str = ""
    """``bad``, ``open`` or ``good``; empty for what is none of them."""


class Count(msgspec.Struct, frozen=True):
    """How many there are of something."""

    number: int
    label: str
    verdict: str = ""
    """The verdict that is counted; empty for anything else."""


class Cause(msgspec.Struct, frozen=True):
    """A rule that is a reason on this page, explained once."""

    number: int
    """Its number on the page, from 1."""
    rule: str
    """Its id, ``HC004``."""
    text: str
    """The reason in the words that all its cases share."""
    containers: int
    name: str = ""
    meaning: str = ""
    effect: str = ""
    avoid: Sequence[tuple[str, str]] = ()
    """What to do about it, and the command for it or an empty text."""
    links: Sequence[str] = ()
    """Upstream's pull requests and files."""


class Link(msgspec.Struct, frozen=True):
    """A cell that leads to a file next to the page."""

    text: str
    file: str

    def __str__(self) -> str:
        return self.text


class Listing(msgspec.Struct, frozen=True):
    """A table; a cell is a text, which may have a colour or lead to a file, a number, or None for nothing."""

    columns: Sequence[str]
    rows: Callable[[], Iterable[Sequence[object]]]
    title: str = ""
    after: str = ""
    """What the table leaves out."""
    id: str = ""
    """What links lead to it by; empty for a part of a text."""


class Bar(msgspec.Struct, frozen=True):
    """The containers that have something in common."""

    label: str
    counts: Mapping[str, int]
    """How many of them have each verdict."""

    @property
    def total(self) -> int:
        """How many they are."""
        return sum(self.counts.values())


class Chart(msgspec.Struct, frozen=True):
    """Bars of one kind; the longest fills the width."""

    id: str
    title: str
    noun: str
    """What each bar stands for, ``node``."""
    bars: Sequence[Bar]
    rest: Bar | None = None
    """All the bars that are left out as one; its length would dwarf the others."""

    @property
    def longest(self) -> int:
        """The total of the longest bar, at least 1."""
        return max([1, *(bar.total for bar in self.bars)])


class UpgradeStep(msgspec.Struct, frozen=True):
    """One step of a way, from one release to the next or back."""

    title: str
    findings: int
    unknown: int
    back: bool = False
    """Whether it is the way back."""
    parts: Sequence[UpgradeStep] = ()


class HeatCell(msgspec.Struct, frozen=True):
    """What an upgrade from one release to another does."""

    text: str
    level: int
    """How much of all restarts: 0 for nothing, 5 for everything."""
    open: bool = False
    """Whether some of it is UNKNOWN."""
    planned: bool = False
    """Whether it is a step of the plan itself."""
    short: str = ""
    """One character in its place where the screen is small; empty where the text is short."""


class Heat(msgspec.Struct, frozen=True):
    """A matrix of releases: rows are those that run, columns the targets."""

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[HeatCell | None]]]
    """A release, and a cell for each column; None where the two are one."""
    legend: str
    after: str = ""
    """What the matrix leaves out."""
    title: str = "Releases between the two"


class MarkedText(msgspec.Struct, frozen=True):
    """Where two texts differ, or how a text begins."""

    title: str
    pieces: Sequence[tuple[str, str]]
    """Pieces by their kind: ``same``, ``removed``, ``added`` or ``gap``."""
    more: str = ""
    """What is not shown."""


class Why(msgspec.Struct, frozen=True):
    """One explanation, of every row that has its number."""

    number: int
    """From 1."""
    verdict: str
    title: str
    rows: int
    """How many rows it explains."""
    first: str
    """The name of the first of them."""
    reasons: Sequence[tuple[str, str, str]]
    """Each reason by its rule, its text and the path of the field that causes it."""
    facts: Sequence[str] = ()
    fragments: Sequence[MarkedText] = ()
    commands: Sequence[str] = ()
    """What to type about it, as a shell takes it."""
    lists: Sequence[tuple[str, Sequence[str]]] = ()
    """What else is known of it, by its title."""


class TableRow(msgspec.Struct, frozen=True):
    """One row of the main table."""

    cells: Sequence[object]
    verdict: str = ""
    why: int = 0
    """The number of its explanation; 0 for none."""
    facts: Mapping[str, object] = msgspec.field(default_factory=dict)
    """What else is known of it, by its name; None for what is not."""


class Main(msgspec.Struct, frozen=True):
    """The table that is searched and sorted."""

    id: str
    title: str
    columns: Sequence[str]
    rows: Callable[[], Iterable[TableRow]]
    total: int | None = None
    """The number of rows, where it is known before they are made."""
    verdicts: Mapping[str, int] = msgspec.field(default_factory=dict)
    """How many rows have each verdict; empty where rows have none."""
    explained: bool = False
    """Whether rows have explanations."""
    sorts: str = "Verdict"
    """What the words are called that rows are filtered by."""
    legend: str = ""
    """What its cells mean, where that is not plain."""


class Page(msgspec.Struct, frozen=True):
    """All of a page, from top to bottom."""

    title: str
    kind: str = ""
    """What people call such a page."""
    verdict: Phrase | None = None
    """What it comes to, in one word; None where nothing is judged."""
    answer: Sequence[Phrase] = ()
    counts: Sequence[Count] = ()
    facts: Sequence[tuple[str, str]] = ()
    besides: Sequence[str] = ()
    warnings: Sequence[str] = ()
    assumptions: Sequence[str] = ()
    notes: Sequence[str] = ()
    findings: Sequence[Listing] = ()
    """What was found, before all that explains it."""
    causes: Sequence[Cause] = ()
    owners: Listing | None = None
    charts: Sequence[Chart] = ()
    steps: Sequence[UpgradeStep] = ()
    steps_note: str = ""
    whole: int = 0
    """The number of running containers, of all steps alike."""
    heat: Heat | None = None
    missing: str = ""
    """Why there is no matrix, and no fragment in any explanation; empty where that is not so."""
    texts: Sequence[Listing | Sequence[Sequence[Phrase]]] = ()
    """What comes in place of the table, or before it."""
    main: Main | None = None
    whys: Sequence[Why] = ()
    whys_note: str = ""
    provenance: Sequence[Fact] = ()
    """Of what, when, where and by what it was made."""

    @property
    def about(self) -> str:
        """What another page shows of this one, as a JSON object in ASCII: ``About``."""
        said = Phrase(
            self.verdict.text if self.verdict else "",
            self.verdict.tone if self.verdict else next((piece.tone for piece in self.answer), ""),
        )
        answer = "".join(piece.text for piece in self.answer)
        about = About(self.kind, self.title, said.text, said.tone, answer, tuple(self.provenance))
        return json.dumps(msgspec.to_builtins(about))


def heat_level(part: int, whole: int) -> int:
    """Return the level of a cell of a matrix: 0 for nothing, 5 for everything."""
    return 0 if not part else 1 + min(4 * part // max(whole, 1), 4)


def heading(column: str) -> str:
    """Return a column's name, ``READY-AFTER``, as prose has it."""
    return column.replace("-", " ").capitalize()


TONES: Final = {"red": "bad", "magenta": "open", "yellow": "open", "green": "good"}


def toned(line: Iterable[object]) -> list[Phrase]:
    """Return the pieces of a line for a terminal, with a tone in place of each colour."""
    return [Phrase(str(piece), TONES.get(getattr(piece, "colour", ""), "")) for piece in line]
