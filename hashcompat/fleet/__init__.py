"""One answer over many clusters: a file of each cluster in, tables of names and counts out.

1. ``store`` lists the files of a source, local or behind a URL, and the ``key`` of each says what its rows
   depend on: the file, the program, the release data, what is asked.
2. ``engines`` hands the files whose rows are not there yet to processes, here or on other machines. A
   process that dies is another row, never a missing one.
3. ``parts``: one file becomes the rows of one cluster, and these are written whole or not at
   all. Which engine did that, how often and in which order decides nothing.
4. ``run`` settles what only all parts together show, has them merged into the ``tables`` (``parquet``), and
   writes ``run.json`` last.

Tables hold names and counts. No value of a container is in any of them. ``tables.json`` has their columns,
and what each means; ``docs/fleet.md`` is made of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

VERSION: Final = 1
"""Of the columns; a change that a query notices is another number, and all tables are made again."""

TARGET: Final = "target"
"""The column by whose values the files of a table are kept apart; its value is in their paths alone."""


class InputStatus(StrEnum):
    """What became of an input, for one target release."""

    PLANNED = "planned"
    UNREADABLE = "unreadable"
    """It could not be read: damaged, empty, gone, or its store failed again and again."""
    REFUSED = "refused"
    """It was read, and cannot be planned: no node reports a release, a container does not decode."""
    LOST = "lost"
    """Every process that took it died, also when it was the only one at work."""
    SUPERSEDED = "superseded"
    """A newer input of the same cluster counts."""
    NOT_APPLICABLE = "not-applicable"
    """A node runs a newer release than the target."""


UNDECIDED: Final = frozenset({InputStatus.UNREADABLE, InputStatus.REFUSED, InputStatus.LOST})
"""Where nothing is known about the cluster, and it should be."""


class Column(msgspec.Struct, frozen=True, array_like=True):
    """A column of a table, as ``tables.json`` has it."""

    name: str
    type: str
    """``text``, ``integer``, ``real``, ``truth``, ``time``, ``texts`` (a list), ``labels`` (a map)."""
    about: str


_EVERY_TABLE: Final = "every table"

_COLUMNS: Final = msgspec.json.decode(
    (Path(__file__).parent / "tables.json").read_bytes(), type=dict[str, tuple[Column, ...]]
)

TABLES: Final[Mapping[str, tuple[Column, ...]]] = {
    table: (*_COLUMNS[_EVERY_TABLE], *columns) for table, columns in _COLUMNS.items() if table != _EVERY_TABLE
}
"""The columns of each table, in their order. Every table also has the column ``target``."""

ON_REQUEST: Final = frozenset({"items"})
"""Tables that are made if they are asked for: one row per container."""


def names_of(table: str) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return tuple(column.name for column in TABLES[table])
