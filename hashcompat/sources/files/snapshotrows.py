"""Read a saved snapshot as rows, to be compared with another one; ``-f`` reads it as pods and nodes.

The rows are what the document has. So what one version of this program writes and another one does not is a
difference too, and nothing of it is lost on the way through values that plans need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import DecodedRun
from hashcompat.core.model import escape
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.results import CONTAINER_LISTS, RowKind, RowName, SnapshotRows
from hashcompat.sources import snapshots
from hashcompat.sources.documents import JsonObject, row_of
from hashcompat.sources.files import called, plans
from hashcompat.sources.files.saved import PlanRows, Saved, line, opened
from hashcompat.sources.snapshots import HASHES, cluster_of, taken_at

_KINDS: Final = frozenset({RowKind.NODE.value, RowKind.POD.value})

_RECORDS: Final = {
    "recorded": RowKind.RECORDED,
    "sandboxes": RowKind.SANDBOX,
    "applied": RowKind.APPLIED,
    "files": RowKind.FILES,
}

_OF_A_SIDE: Final = ("takenAt", "clusterUID", "clusterName", "clusterLabels")
"""What the spec says of when and where, which is shown with the file."""

_ALIASED: Final = ("hash", "hashWithoutResources")
"""The keys of a record below which a number of this snapshot alone may stand for a hash."""


def _items_of(document: Saved) -> Iterator[JsonObject]:
    for run in document.runs():
        if isinstance(run, DecodedRun):
            raise InputError("$.items: want pods and nodes, as hashcompat snapshot saves them")
        yield run


def rows_of(document: Mapping[str, Any]) -> SnapshotRows:
    """Return the rows of a snapshot's document in memory."""
    items = (row_of(item, f"$.items[{index}]") for index, item in enumerate(document["items"]))
    # in memory, these lists of a document are made only while it is written
    lists = {key: list(document[key]) for key in _RECORDS if key in document}
    return _rows(items, lambda: JsonObject({**document, **lists}, "$"), "")


def _rows(items: Iterable[JsonObject], surrounding: Callable[[], JsonObject], file: str) -> SnapshotRows:
    """Return rows; what surrounds the items is known once they were taken."""
    rows: dict[RowName, tuple[bytes, ...]] = {}
    seen: Counter[RowName] = Counter()
    masked: dict[bytes, bytes] = {}
    names: dict[str, str] = {}  # pods of records that have no name are known by their uid
    for row in items:
        name = _name_of(row)
        if name.kind is RowKind.POD:
            names[row.row("metadata").text("uid", "")] = name.name
        rows[_numbered(name, seen)] = tuple(_parts(row, name.kind, masked))
    rest = surrounding()
    for key, kind in _RECORDS.items():
        for row in rest.rows(key, []):
            name = _name_of_record(row, kind, names)
            aliases = {alias for alias in _ALIASED if isinstance(row.value.get(alias), str)}
            values = {field: value for field, value in row.value.items() if field not in aliases}
            rows[_numbered(name, seen)] = (line(values),)
    spec = {key: value for key, value in rest.row("spec").value.items() if key not in _OF_A_SIDE}
    said, origin = rest.value, "a snapshot"
    return SnapshotRows(file, spec, taken_at(said, origin), cluster_of(said, origin), rows)


def _numbered(name: RowName, seen: Counter[RowName]) -> RowName:
    number = seen[name]
    seen[name] += 1
    return structs.replace(name, number=number) if number else name


def _name_of(row: JsonObject) -> RowName:
    kind = row.value.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputError(f"{row.path}.kind: want Pod or Node, as hashcompat snapshot saves them")
    metadata = row.row("metadata")
    return RowName(RowKind(kind), metadata.text("namespace", ""), metadata.text("name"))


def _name_of_record(row: JsonObject, kind: RowKind, names: Mapping[str, str]) -> RowName:
    if kind is RowKind.FILES:
        return RowName(kind, "", row.text("node"))
    pod = row.text("pod", "") or names.get(row.text("uid"), row.text("uid"))
    return RowName(kind, row.text("namespace", ""), pod, row.text("container", ""))


def _parts(row: JsonObject, kind: RowKind, masked: dict[bytes, bytes]) -> Iterator[bytes]:
    """Yield the parts of a row; ``masked`` has the lists of containers so far, each once.

    A snapshot hides values by itself, but not one that was edited, or made by an early version.
    """
    if kind is RowKind.NODE:
        yield line(row.value)
        return
    spec = row.row("spec")
    around = {key: value for key, value in spec.value.items() if key not in CONTAINER_LISTS}
    yield line({**row.value, "spec": around})
    for key in CONTAINER_LISTS:
        containers = [_without_numbers(container.value) for container in spec.rows(key, [])]
        plain = line(containers)
        if plain not in masked:
            masked[plain] = line(list(map(escape.masked, containers)))
        yield masked[plain]


def _without_numbers(container: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a container without what stands for its hashes in its own snapshot only."""
    hashes = container.get(HASHES)
    if isinstance(hashes, Mapping) and not any(isinstance(value, str) for value in hashes.values()):
        return container
    return {key: value for key, value in container.items() if key != HASHES}


# What ``diff`` compares: a saved plan as a plan, or a saved snapshot as rows.

WANTED: Final = "what hashcompat plan --out FILE or hashcompat snapshot --out FILE saves"


class Comparable(msgspec.Struct, frozen=True):
    """One saved document."""

    file: str
    """Its file in messages: without what may be secret in a URL."""
    value: Plan | SnapshotRows


def read(name: str) -> Comparable:
    """Read a plan that has all its items, or a snapshot.

    Raises InputError, naming the file, for anything else.
    """
    file = called(name)
    with opened(name, (plans.KIND, snapshots.KIND), WANTED, PlanRows().items) as document:
        if document.kind == plans.KIND:
            return Comparable(file, plans.whole_of(document))
        return Comparable(file, _rows(_items_of(document), lambda: document.rest, file))
