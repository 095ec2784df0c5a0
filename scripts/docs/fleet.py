"""The columns of the tables of a fleet, in docs/fleet.md and for Athena, which has to be told them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hashcompat.fleet import ON_REQUEST, TABLES, Column, summary
from scripts.lib.paths import DOCS, ROOT

PAGE: Final = DOCS / "fleet.md"
_PLACE: Final = re.compile(r"(?<=<!-- tables: begin -->\n).*(?=<!-- tables: end -->)", re.DOTALL)
_QUERIES: Final = re.compile(r"(?<=<!-- queries: begin -->\n).*(?=<!-- queries: end -->)", re.DOTALL)
_SHARED: Final = ("cluster", "part")


ATHENA: Final = ROOT / "examples" / "fleet" / "sql" / "athena.sql"
_TYPES: Final = {
    "text": "string",
    "integer": "bigint",
    "real": "double",
    "truth": "boolean",
    "time": "timestamp",
    "texts": "array<string>",
    "labels": "map<string,string>",
}
_HEAD: Final = """\
-- The tables of a fleet for Amazon Athena, read where they are; run one statement at a time.
-- MSCK REPAIR TABLE finds new targets. Then hashcompat fleet query NAME --sql prints queries that Athena
-- takes as they are.
"""


def athena() -> str:
    """Return the statements that make the tables known to Athena."""
    made = []
    for name, columns in TABLES.items():
        if name not in ON_REQUEST:
            rows = ",\n".join(f"  `{column.name}` {_TYPES[column.type]}" for column in columns)
            made.append(
                f"CREATE EXTERNAL TABLE IF NOT EXISTS {name} (\n{rows}\n)\nPARTITIONED BY (target string)\n"
                f"STORED AS PARQUET\nLOCATION 's3://BUCKET/fleet/{name}/';\nMSCK REPAIR TABLE {name};\n"
            )
    return _HEAD + "".join(made)


def page() -> str:
    """Return the page with the tables as the package has them."""
    text = _PLACE.sub(lambda _: "\n".join(_tables()) + "\n", PAGE.read_text(encoding="utf-8"))
    return _QUERIES.sub(lambda _: "\n".join(_queries()) + "\n", text)


def _queries() -> Iterator[str]:
    yield "| query | |"
    yield "|---|---|"
    yield from (f"| `{name}` | {about} |" for name, about in summary.questions().items())


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
