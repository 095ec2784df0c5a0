"""The columns of the tables of a fleet, in docs/fleet.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hashcompat.fleet.tables import ON_REQUEST, TABLES, Column
from scripts.lib.paths import DOCS

PAGE: Final = DOCS / "fleet.md"
_PLACE: Final = re.compile(r"(?<=<!-- tables: begin -->\n).*(?=<!-- tables: end -->)", re.DOTALL)
_SHARED: Final = ("cluster", "part")


def page() -> str:
    """Return the page with the tables as the package has them."""
    return _PLACE.sub(lambda _: "\n".join(_tables()) + "\n", PAGE.read_text(encoding="utf-8"))


def _tables() -> Iterator[str]:
    yield "| in every table | type | |"
    yield "|---|---|---|"
    shared = [column for column in TABLES["clusters"] if column.name in _SHARED]
    yield from map(_row, (*shared, Column("target", "text", "the target release, from the path of the file")))
    for name, columns in TABLES.items():
        asked = ", with `--items`" if name in ON_REQUEST else ""
        yield f"\n| `{name}`{asked} | type | |"
        yield "|---|---|---|"
        yield from (_row(column) for column in columns if column.name not in _SHARED)


def _row(column: Column) -> str:
    return f"| `{column.name}` | {column.type} | {column.about} |"
