"""What ``normalize apply``, ``check`` and ``undo`` did on a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.core.model.escape import count, name_path, word
from hashcompat.core.model.normalization import Done, Run, State
from hashcompat.output.report.model import Coloured, Document, Prose, Report, Rows, Table, document

_COLUMNS: Final = ("POD", "CONTAINER", "STATE", "WHY")

_COLOURS: Final = {
    State.READY: "cyan",
    State.REWRITTEN: "green",
    State.RESTORED: "green",
    State.ALREADY: "green",
    State.SHOWN: "green",
    State.NOT_YET: "yellow",
    State.SKIPPED: "yellow",
    State.FAILED: "red",
}


def _document(run: Run) -> Document:
    spec = {
        "action": run.action,
        "write": run.write,
        "node": run.node,
        "to": run.to_release,
        "runtime": run.runtime,
        "undo": run.undo,
    }
    summary = {state.name.lower(): run.count(state) for state in State}
    return document("NormalizationRun", spec=spec, summary=summary, items=Rows(run.rows, _item))


def _item(row: Done) -> Document:
    return {
        "name": row.name,
        "namespace": row.namespace,
        "pod": row.pod,
        "container": row.container,
        "state": row.state.value,
        "why": row.why,
    }


def _table(run: Run) -> Table:
    return Table(_COLUMNS, lambda: map(_cells, run.rows), bare=True)


def _cells(row: Done) -> list[object]:
    state = Coloured(row.state.value, _COLOURS[row.state])
    whose = row.container or f"manifest {word(row.name)}"
    return [name_path(row.namespace, row.pod), whose, state, Prose(row.why) if row.why else None]


def _names(run: Run) -> Iterator[str]:
    return (row.name for row in run.rows)


def _notes(run: Run) -> Iterator[str]:
    parts = [f"{run.count(state)} {state.value}" for state in State if run.count(state)]
    yield f"{run.node}: {count(len(run.rows), 'record')} and manifests: {', '.join(parts) or 'none'}"
    if run.count(State.READY):
        yield "nothing was changed; --write does it"
    if run.write and run.count(State.REWRITTEN):
        yield f"next: restart the runtime, then hashcompat normalize check; {run.undo} is what undo needs"


RUN: Final[Report[Run]] = Report(
    "NormalizationRun", document=_document, table=_table, names=_names, notes=_notes
)
