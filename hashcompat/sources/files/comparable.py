"""Read what ``diff`` compares: a saved plan as a plan, or a saved snapshot as rows."""

from __future__ import annotations

from typing import Final

import msgspec

from hashcompat.core.model.plan import Plan
from hashcompat.core.model.rows import SnapshotRows
from hashcompat.sources import snapshots
from hashcompat.sources.files import plans
from hashcompat.sources.files.inputs import called
from hashcompat.sources.files.planrows import PlanRows
from hashcompat.sources.files.saved import opened
from hashcompat.sources.files.snapshotrows import read_rows

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
        return Comparable(file, read_rows(document, file))
