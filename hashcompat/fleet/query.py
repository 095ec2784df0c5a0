"""Questions to the tables of a fleet, in SQL: files of ``queries/``, answered by DuckDB.

They are written so that Athena, BigQuery and Spark take them as they are. The only module that knows DuckDB.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.kinds import near
from hashcompat.core.shown import said, urls
from hashcompat.fleet.run import Run
from hashcompat.fleet.store import RUN, Place, missing_extra

_QUERIES: Final = Path(__file__).parent / "queries"
_COMMENT: Final = "-- "


class Answer(msgspec.Struct, frozen=True):
    """The rows that a question has for an answer."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def names() -> dict[str, str]:
    """Return the questions by their names, each in one sentence or two."""
    return {name: _text(name).partition("\n")[0].removeprefix(_COMMENT) for name in _names()}


def sql(name: str) -> str:
    """Return the SQL of a question; raises UsageError for an unknown one."""
    known = _names()
    if name not in known:
        raise UsageError(f"no query {name!r}; there are {', '.join(near(name, known, most=1) or known)}")
    return _text(name)


def _names() -> list[str]:
    return sorted(path.stem for path in _QUERIES.glob("*.sql"))


def _text(name: str) -> str:
    return (_QUERIES / f"{name}.sql").read_text(encoding="utf-8")


def answer(name: str, out: str) -> Answer:
    """Ask the tables of the last whole run; raises UsageError, InputError where there is none."""
    text = sql(name)
    try:
        import duckdb  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra
    except ImportError:
        raise missing_extra() from None
    place = Place(out)
    try:
        run = msgspec.json.decode(place.read(RUN), type=Run)
    except msgspec.MsgspecError:
        raise InputError(f"{out}: {RUN} is of another version; run fleet again") from None
    with duckdb.connect() as connection:
        if not place.local:
            connection.register_filesystem(place.system)
        try:
            for table in run.columns:
                paths = [place.url_of(file.path) for file in run.files if file.table == table]
                connection.read_parquet(paths, hive_partitioning=True).create_view(table)
            found = connection.execute(text)
            columns = tuple(column[0] for column in found.description)
            return Answer(columns, tuple(found.fetchall()))
        except duckdb.Error as error:
            why = said(str(error).partition("\n")[0])
            raise InputError(f"{urls(out)}: {why}; run fleet again, which makes what is missing") from None
