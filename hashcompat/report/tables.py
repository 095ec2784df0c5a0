"""Tables for people: one line a container, nothing truncated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import Final, Self

from hashcompat.answers.golden import Verification
from hashcompat.answers.hashes import HashRow
from hashcompat.catalog.lookup import Catalog
from hashcompat.model.plan import Hop, Item, Plan, Verdict
from hashcompat.model.words import agree, count
from hashcompat.report.documents import summary
from hashcompat.report.formats import printable
from hashcompat.rules import FIELD_ADDED, FIELD_DROPPED, FIELD_REMOVED, FIELD_RETYPED

Paint = Callable[[str, str], str]
"""Colours a text by a colour's name, or leaves it as it is."""

_SPACE: Final = "  "

_HEADER_ROOM: Final = 2

COLOURS: Final = {
    Verdict.RESTART: "red",
    Verdict.KILL: "red",
    Verdict.UNKNOWN: "yellow",
    Verdict.KEEP: "green",
}

_FIELD_WORDS: Final = {
    FIELD_ADDED: "new field",
    FIELD_REMOVED: "lost field",
    FIELD_DROPPED: "not known to both:",
    FIELD_RETYPED: "other Go type of",
}


class Painted(str):
    """A text of this program's own with colour in it: the only one in which a table leaves escape sequences."""

    __slots__ = ("width",)
    width: int

    def __new__(cls, text: str, colour: str, paint: Paint) -> Self:
        """Colour a text and remember how wide it is without."""
        painted = super().__new__(cls, paint(text, colour))
        painted.width = len(text)
        return painted


def plain(text: str, colour: str) -> str:  # noqa: ARG001 - the signature of Paint
    """Leave a text uncoloured."""
    return text


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, show_headers: bool = True) -> str:
    """Lay rows out in columns, kubectl's way; a line break or control character inside a cell is shown escaped."""
    kept = list(rows)
    return "\n".join(table_lines(headers, lambda: kept, show_headers=show_headers))


def table_lines(
    headers: Sequence[str], rows: Callable[[], Iterable[Sequence[object]]], *, show_headers: bool = True
) -> Iterator[str]:
    """Yield the lines of a table; ``rows`` is asked twice, for the widths and for the cells, so that no large table is in memory."""
    head = [list(headers)] if show_headers and headers else []
    widths = [len(header) + _HEADER_ROOM for row in head for header in row]
    for cells in map(_cells, rows()):
        widths = [max(pair) for pair in zip_longest(widths, map(_width, cells), fillvalue=0)]
    for cells in chain(head, map(_cells, rows())):
        yield _SPACE.join(
            cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=False)
        ).rstrip()


def _cells(row: Iterable[object]) -> list[str]:
    return [_cell(value) for value in row]


def _width(cell: str) -> int:
    return cell.width if isinstance(cell, Painted) else len(cell)


def _cell(value: object) -> str:
    if isinstance(value, Painted):
        return value
    text = "-" if value is None or value == "" else str(value)
    return printable(text)


def plan_table(
    plan: Plan, paint: Paint = plain, *, wide: bool = False, headers: bool = True
) -> Iterator[str]:
    """Yield the lines of the verdict table; ``wide`` adds type, owner, uid, hex hashes and reason ids."""
    columns = ["NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "FROM", "TO", "REASON"]
    extra = ["TYPE", "OWNER", "UID", "RELEASE", "FROM-HEX", "TO-HEX", "RULES"]

    def rows() -> Iterator[list[object]]:
        return (_plan_row(item, paint) + (_wide_cells(item) if wide else []) for item in plan.items)

    return table_lines(columns + extra if wide else columns, rows, show_headers=headers)


def _plan_row(item: Item, paint: Paint) -> list[object]:
    pod = item.pod
    verdict = Painted(item.verdict.value, COLOURS[item.verdict], paint)
    return [
        pod.node,
        pod.namespace,
        pod.name,
        item.container.name,
        verdict,
        item.hashes.from_,
        item.hashes.to,
        reason_words(item),
    ]


def _wide_cells(item: Item) -> list[object]:
    hexes = [None if value is None else f"{value:x}" for value in (item.hashes.from_, item.hashes.to)]
    ids = ",".join(dict.fromkeys(reason.id for reason in item.reasons))
    return [item.container.type.value, item.pod.owner, item.pod.uid, item.from_release, *hexes, ids]


def reason_words(item: Item) -> str:
    """Say in a few words why; fields of one kind of reason together."""
    fields: dict[str, list[str]] = {}
    for reason in item.reasons:
        fields.setdefault(_FIELD_WORDS.get(reason.id, reason.text), []).append(reason.field)
    return (
        "; ".join(
            " ".join([words, ", ".join(dict.fromkeys(names))]).strip() for words, names in fields.items()
        )
        or "same hash"
    )


def plan_notes(plan: Plan) -> list[str]:
    """Return the lines that go beside a plan: what was reproduced, assumed and warned of, the steps and the way back, the closing line."""
    lines = [*plan.notes, *([f"Calibration: {plan.share}"] if plan.share.recorded else [])]
    lines += [f"Assumed: {assumption}" for assumption in plan.assumptions]
    lines += [f"Warning: {warning}" for warning in plan.warnings]
    if plan.hops:
        steps = ", ".join(f"{hop.old} -> {hop.new} {hop_words(hop)}" for hop in plan.hops)
        lines.append(f"One minor at a time, it would restart: {steps}")
    if plan.rollback:
        lines.append(
            f"The way back, {plan.rollback.old} -> {plan.rollback.new}, would restart {hop_words(plan.rollback)}"
        )
    if plan.suggestion:
        lines.append(
            f"A patched kubelet would restart {plan.suggestion.saves} fewer: {plan.suggestion.command}"
        )
    return [*lines, plan_summary(plan)]


def hop_words(hop: Hop) -> str:
    """Say how many containers a step kills, and how many are not decided."""
    return f"{hop.findings}" + (f" (and {hop.unknown} unknown)" if hop.unknown else "")


def plan_summary(plan: Plan) -> str:
    """Return the closing line: how many containers are killed, where, and what is not known."""
    number = summary(plan.summary)
    hit = number["restart"] + number["kill"]
    way = f"{plan.from_release} -> {plan.to_release}"
    parts = [f"{way}: {hit} of {count(number['containers'], 'container')} {agree(hit, 'restart')}"]
    if hit:
        parts.append(f" in {number['podsAffected']} of {count(number['pods'], 'pod')}")
        parts.append(f" on {count(nodes, 'node')}" if (nodes := number["nodesAffected"]) else "")
    if killed := number["kill"]:
        parts.append(f"; {killed} of them {'is' if killed == 1 else 'are'} not started again")
    parts.append(f"; {number['keep']} kept, {number['unknown']} unknown")
    return "".join(parts)


def names(plan: Plan) -> Iterator[str]:
    """Yield NAMESPACE/POD/CONTAINER a line, as ``explain`` takes it."""
    return _names((item.pod.namespace, item.pod.name, item.container.name) for item in plan.items)


def hash_names(rows: Iterable[HashRow]) -> Iterator[str]:
    """Yield NAMESPACE/POD/CONTAINER a line."""
    return _names((row.pod.namespace, row.pod.name, row.container.name) for row in rows)


def _names(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    return (_cell("/".join(row)) for row in rows)


def hash_inputs(rows: Iterable[HashRow]) -> str:
    """Return the exact hashed texts, each with its last line break as the only addition."""
    return "\n".join(text for row in rows for text in row.texts.values())


def hash_table(rows: Iterable[HashRow], *, wide: bool = False, headers: bool = True) -> str:
    """Return one line a container and release: decimal, hex, era."""
    columns = ["NAMESPACE", "POD", "CONTAINER", "KUBELET", "HASH", "HEX", "ERA"] + (
        ["TYPE", "OWNER", "POD-UID"] if wide else []
    )
    lines = [
        [row.pod.namespace, row.pod.name, row.container.name, release, result.value, result.hex, result.era]
        + (
            [row.container.type.value, row.pod.owner, row.uids[release].uid if row.uids else None]
            if wide
            else []
        )
        for row in rows
        for release, result in row.hashes.items()
    ]
    return table(columns, lines, show_headers=headers)


def releases_table(catalog: Catalog, *, wide: bool = False, headers: bool = True) -> str:
    """Return one line a minor; ``wide`` names every patch release and where the types were made from."""
    columns = ["MINOR", "RELEASES", "TYPES", "ERA", "GO"] + (["MADE-FROM"] if wide else [])
    lines: list[list[object]] = []
    for row in catalog.known.rows:
        names = " ".join(row.names) if wide else f"{row.names[0]} - {row.newest}"
        names = f"{row.newest}, added" if row.based_on else names
        go = (
            ", ".join(f"{build.go} since {build.releases.since}" for build in row.go)
            if wide
            else " -> ".join(dict.fromkeys(build.go for build in row.go))
        )
        made_from = [catalog.schema(row.types).made_from] if wide else []
        lines.append([row.minor, names, row.types, row.era, go, *made_from])
    return table(columns, lines, show_headers=headers)


def verify_table(results: Iterable[Verification], *, headers: bool = True) -> str:
    """Return one line a mismatch; empty when everything is equal."""
    lines = [
        [result.directory, row.release, row.case, row.problem]
        for result in results
        for row in result.mismatches
    ]
    return table(["DIRECTORY", "KUBELET", "CASE", "PROBLEM"], lines, show_headers=headers) if lines else ""


def verify_names(results: Iterable[Verification]) -> str:
    """Return RELEASE/CASE a line for each mismatch."""
    return "\n".join(
        printable(f"{row.release}/{row.case}") for result in results for row in result.mismatches
    )
