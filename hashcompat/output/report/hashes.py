"""The hashes of containers, and the exact texts that are hashed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET, structs

from hashcompat.analysis.answers.hashes import Hashed, HashRow
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.plan import ReleaseFacts
from hashcompat.output.documents.containers import HashedContainer, HashFacts, HashList
from hashcompat.output.report.model import Document, Report, Rows, Table, document, plain

_COLUMNS: Final = ("NAMESPACE", "POD", "CONTAINER", "KUBELET", "HASH", "HEX", "ERA")
_MORE_COLUMNS: Final = ("TYPE", "OWNER", "POD-UID")


def _document(hashed: Hashed) -> Document:
    """Return the HashList; ``hash`` and ``hex`` are null where a vendor's Go decides."""
    items = Rows(hashed.items, lambda row: plain(_item(row, hashed.releases)))
    return document(HashList, assumptions=hashed.assumptions, items=items)


def _item(row: HashRow, releases: Mapping[str, ReleaseFacts]) -> HashedContainer:
    uids = {release: static.uid for release, static in row.uids.items()}
    return HashedContainer(
        node=row.pod.node,
        namespace=row.pod.namespace,
        pod=row.pod.name,
        uid=row.pod.uid,
        container=row.container.name,
        container_type=row.container.type,
        pod_uid=uids or UNSET,
        hashes={release: _hash(row, release, releases[release]) for release in row.hashes},
    )


def _hash(row: HashRow, release: str, read: ReleaseFacts) -> HashFacts:
    result = row.hashes[release]
    return HashFacts(
        hash=result.value,
        hex=result.hex,
        era=result.era,
        vendor_assumed=read.vendor_assumed or UNSET,
        patch_assumed=read.patch_assumed or UNSET,
        text=row.texts.get(release, UNSET),
    )


def _table(hashed: Hashed) -> Table:
    return Table(_COLUMNS, lambda: (cells for row in hashed.items for _, cells in _cells(row)))


def _wide(hashed: Hashed) -> Table:
    def rows() -> Iterator[list[object]]:
        for row in hashed.items:
            for release, cells in _cells(row):
                uid = row.uids[release].uid if row.uids else None
                yield [*cells, row.container.type.value, row.pod.owner, uid]

    return Table((*_COLUMNS, *_MORE_COLUMNS), rows)


def _cells(row: HashRow) -> Iterator[tuple[str, list[object]]]:
    """Yield a release and its line: decimal, hex, era."""
    names = [row.pod.namespace, row.pod.name, row.container.name]
    for release, result in row.hashes.items():
        yield release, [*names, release, result.value, result.hex, result.era]


def _names(hashed: Hashed) -> Iterator[str]:
    return (name_path(row.pod.namespace, row.pod.name, row.container.name) for row in hashed.items)


def _texts(hashed: Hashed) -> Iterator[str]:
    """Yield the exact hashed texts, each with a last line break as the only addition."""
    return (f"{text}\n" for row in hashed.items for text in row.texts.values())


def _notes(hashed: Hashed) -> Iterator[str]:
    yield from (f"Assumed: {assumption}" for assumption in hashed.assumptions)
    yield from hashed.unknown_uids


HASHES: Final[Report[Hashed]] = Report(
    "HashList", document=_document, table=_table, wide=_wide, names=_names, notes=_notes
)
TEXTS: Final = structs.replace(HASHES, table=None, wide=None, names=None, raw=_texts)
"""The same result where the hashed texts are asked for."""
