"""Which records are rewritten, on which node, what restarts all the same, and what was done on a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from hashcompat.core.model.escape import agree, count, name_path, owner_path, word
from hashcompat.core.model.preflight import Change, Done, Normalization, NormalizationRun, State
from hashcompat.core.model.verdicts import FINDINGS
from hashcompat.output.documents import nodes as docs
from hashcompat.output.report.items import COLOURS, Provenance, item_name, reason_words, way_of
from hashcompat.output.report.model import (
    Document,
    Headline,
    Prose,
    Ranking,
    Report,
    Rows,
    Screen,
    Seals,
    Section,
    Table,
    coloured,
    document,
    filled,
    later,
    plain,
    verdict_cell,
)
from hashcompat.output.report.restartplan import ItemSeals, container_verdict, sealed, source_of, tool_of

_OF_NODES: Final = ("NODE", "KUBELET", "RUNTIME", "RESTART", "AFTER", "UNKNOWN", "RECORDS", "MANIFESTS")
_OF_CHANGES: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "AFTER", "RECORDED", "NEW", "WHY")
_PINNED: Final = (
    "A static pod whose manifest has a uid is not a new pod once the manifest is edited, and kubelets from "
    "1.31 on compare nothing but the name and image of its containers: remove the uid when you edit one"
)


class Signed(Normalization, frozen=True):
    """A normalization with the key by which its document is signed."""

    key: bytes = b""
    """Empty for no signature."""


def _sealed(made: Normalization) -> tuple[Document, Seals]:
    """Return the Normalization without its digest and signature, and what makes these."""
    spec = filled(
        docs.NormalizationSpec,
        made,
        from_=made.from_release,
        to=made.to_release,
        source=source_of(made.origin),
        manifests=made.pins,
        tool=tool_of(made.making),
        created_at=made.making.at,
    )
    killed = made.containers, made.before, made.after, made.unknown
    summary = docs.NormalizationSummary(*killed, made.rewritten, len(made.pins))
    content = document(docs.Normalization, spec=spec, summary=summary, items=Rows(made.changes, _item))
    return content, ItemSeals(content, made.key if isinstance(made, Signed) else b"")


def _item(change: Change) -> Any:
    rewrite = change.rewrite
    record = None
    if rewrite:
        hashes = rewrite.recorded, rewrite.new
        record = docs.RewrittenRecord(rewrite.id, rewrite.uid, *hashes, rewrite.creator)
    item = filled(
        docs.NormalizationItem,
        container_verdict(change.item),
        after=change.after,
        record=record,
        manifest=change.pinned,
        left_alone=change.obstacle or None,
    )
    return plain(item)


def _table(made: Normalization) -> Table:
    """Return a row for each node."""
    before, after, unknown, records, pins = (Counter[str]() for _ in range(5))
    for change in made.changes:
        node = change.item.pod.node
        before[node] += change.item.verdict in FINDINGS
        after[node] += change.after in FINDINGS
        unknown[node] += change.after not in FINDINGS and bool(change.obstacle)
        records[node] += change.rewrite is not None
    pins.update(pin.node for pin in made.pins)
    counts = (before, after, unknown, records, pins)

    def rows() -> Iterator[list[object]]:
        for node in made.nodes:
            yield [node.name, node.kubelet, node.runtime or None, *(counter[node.name] for counter in counts)]

    return Table(_OF_NODES, rows, bare=True)


def _left(made: Normalization) -> list[Change]:
    return [change for change in made.changes if change.obstacle]


def _cells(change: Change) -> list[object]:
    item, rewrite = change.item, change.rewrite
    names = [item.pod.node, item.pod.namespace, item.pod.name, item.container.name]
    verdicts = [coloured(verdict, COLOURS) for verdict in (item.verdict, change.after)]
    hashes = [f"{rewrite.recorded:x}", f"{rewrite.new:x}"] if rewrite else [None, None]
    return [*names, *verdicts, *hashes, Prose(change.obstacle or reason_words(item))]


def _overview(made: Normalization, _screen: Screen) -> Iterator[Section]:
    yield Section([[_first_line(made)]])
    yield Section(_table(made))
    rows = [
        [
            *(name_path(change.item.pod.namespace, change.item.pod.name), change.item.container.name),
            *(verdict_cell(change.item), Prose(change.obstacle)),
        ]
        for change in _left(made)
    ]
    if rows:
        yield Section(Table(("POD", "CONTAINER", "VERDICT", "WHY"), lambda: rows), title="Left alone")


def _first_line(made: Normalization) -> str:
    restart = f"{count(made.before, 'container')} {agree(made.before, 'restart')}"
    after = f"with the records as they are, {made.after} once they are rewritten"
    return f"Kubelet {way_of(made)}: {restart} {after}"


def _notes(made: Normalization) -> Iterator[str]:
    yield from (f"Warning: {warning}" for warning in made.warnings)
    if made.pins:
        yield f"Warning: {_PINNED}"
    written = f"{count(made.rewritten, 'record')} and {count(len(made.pins), 'manifest')} to rewrite"
    yield f"{written}; {made.after} of {made.before} would still restart, {made.unknown} unknown"


def _ranking(made: Normalization) -> Ranking:
    pods = (change.item.pod for change in _left(made))
    left = Counter((pod.namespace, pod.owner or pod.name) for pod in pods)
    return Ranking("Left alone", [(owner_path(*name), number) for name, number in left.most_common()])


def _headline(made: Normalization) -> Headline:
    # It is an offer, and passes or fails nothing.
    colour = "red" if made.after else "yellow" if made.unknown else "green"
    return Headline("", _first_line(made), colour)


NORMALIZATION: Final[Report[Normalization]] = Report(
    "Normalization",
    document=lambda made: sealed(*_sealed(made)),
    sealed=_sealed,
    table=_table,
    overview=_overview,
    wide=lambda made: Table(_OF_CHANGES, lambda: map(_cells, made.changes), bare=True),
    names=lambda made: (item_name(change.item) for change in made.changes if change.rewrite),
    title="Normalization of recorded hashes",
    page=lambda made: later("resultpages", "normalization_page")(NORMALIZATION, made),
    headline=_headline,
    ranking=_ranking,
    provenance=lambda made: Provenance(way_of(made), made.origin, made.making),
    notes=_notes,
)

# What ``normalize apply``, ``check`` and ``undo`` did on a node.

_COLUMNS: Final = ("POD", "CONTAINER", "STATE", "WHY")

_COLOURS: Final = {
    State.READY: "cyan",
    **dict.fromkeys((State.REWRITTEN, State.RESTORED, State.ALREADY, State.SHOWN), "green"),
    **dict.fromkeys((State.NOT_YET, State.SKIPPED), "yellow"),
    State.FAILED: "red",
}


def _done_document(run: NormalizationRun) -> Document:
    spec = {
        "action": run.action,
        "write": run.write,
        "node": run.node,
        "to": run.to_release,
        "runtime": run.runtime,
        "undo": run.undo,
    }
    summary = {state.name.lower(): run.count(state) for state in State}
    return document("NormalizationRun", spec=spec, summary=summary, items=Rows(run.rows, plain))


def _done_cells(row: Done) -> list[object]:
    state = coloured(row.state, _COLOURS)
    whose = row.container or f"manifest {word(row.name)}"
    return [name_path(row.namespace, row.pod), whose, state, Prose(row.why) if row.why else None]


def _done_notes(run: NormalizationRun) -> Iterator[str]:
    parts = [f"{run.count(state)} {state.value}" for state in State if run.count(state)]
    yield f"{run.node}: {count(len(run.rows), 'record')} and manifests: {', '.join(parts) or 'none'}"
    if run.count(State.READY):
        yield "nothing was changed; --write does it"
    if run.write and run.count(State.REWRITTEN):
        yield f"next: restart the runtime, then hashcompat normalize check; {run.undo} is what undo needs"


RUN: Final[Report[NormalizationRun]] = Report(
    "NormalizationRun",
    document=_done_document,
    table=lambda run: Table(_COLUMNS, lambda: map(_done_cells, run.rows), bare=True),
    names=lambda run: (row.name for row in run.rows),
    notes=_done_notes,
)
