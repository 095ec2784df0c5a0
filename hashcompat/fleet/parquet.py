"""Parts -> Parquet files of the tables, some clusters at a time, and back. Only this module knows pyarrow."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

import hashcompat
from hashcompat.core.errors import InputError
from hashcompat.fleet import ON_REQUEST, TABLES, TARGET, VERSION, InputStatus, names_of
from hashcompat.fleet.parts import InputResult, file_of, unpacked
from hashcompat.fleet.store import Directory

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped,import-not-found,unused-ignore]

_ROWS: Final = 1 << 13
"""Rows of a file that are held before they are written: about 1 kB each, in five files for each target."""


class Bucket(msgspec.Struct, frozen=True):
    """Some inputs whose rows are in the same files."""

    number: int
    of: int
    out: str
    targets: tuple[str, ...]
    keys: tuple[str, ...]
    """Of the inputs whose parts are written."""
    loose: tuple[InputResult, ...] = ()
    """The parts of the others."""
    superseded: dict[str, str] = {}
    """The inputs that do not count, each with the one that does instead."""
    items: bool = False

    @property
    def file(self) -> str:
        """What its files are called."""
        return f"{self.number:05}-of-{self.of:05}.parquet"


class TableFile(msgspec.Struct, frozen=True):
    """A file of a table."""

    table: str
    target: str
    path: str
    """Below the output."""
    rows: int


def schema_of(table: str) -> pa.Schema:
    """Return the schema of a table's files."""
    import pyarrow as pa  # noqa: PLC0415 - of the extra

    text = pa.string()
    types = {
        "text": text,
        "integer": pa.int64(),
        "real": pa.float64(),
        "truth": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
        "texts": pa.list_(text),
        "labels": pa.map_(text, text),
    }
    fields = [
        pa.field(column.name, types[column.type], metadata={"about": column.about})
        for column in TABLES[table]
    ]
    about = {
        "hashcompat.table": table,
        "hashcompat.schema": str(VERSION),
        "hashcompat": hashcompat.__version__,
    }
    return pa.schema(fields, metadata=about)


def merge(bucket: Bucket) -> list[TableFile]:
    """Write the files of a bucket, one for each table and target; return them.

    Raises StoreError, and InputError for a part that another version wrote.
    """
    place = Directory(bucket.out)
    tables = [table for table in TABLES if bucket.items or table not in ON_REQUEST]
    with tempfile.TemporaryDirectory(prefix="hashcompat-") as folder, ExitStack() as stack:
        files = {
            (table, target): stack.enter_context(_File(Path(folder), table, target))
            for table in tables
            for target in bucket.targets
        }
        for part in _parts(place, bucket):
            _add(part, files, bucket.superseded.get(part.head.key, ""))
        merged = []
        for (table, target), file in files.items():
            path = f"{table}/{TARGET}={target}/{bucket.file}"
            place.write_file(path, file.closed())
            merged.append(TableFile(table, target, path, file.rows))
    return merged


def _parts(place: Directory, bucket: Bucket) -> Iterator[InputResult]:
    files = [file_of(key) for key in bucket.keys]
    for file, content in zip(files, place.read_each(files), strict=True):
        try:
            yield unpacked(content, InputResult)
        except InputError as error:
            raise InputError(f"{place.url_of(file)}: {error}; remove it, and run fleet again") from None
    yield from bucket.loose


def _add(part: InputResult, files: dict[tuple[str, str], _File], by: str) -> None:
    head = part.head
    shared = head.cluster, head.key
    for answer in part.answers:
        values: dict[str, Any] = {
            "cluster": head.cluster,
            "part": head.key,
            "source": head.entry.url,
            "uid": head.uid,
            "taken": head.taken,
            "labels": sorted(head.labels.items()),
            "size": head.entry.size,
            "status": str(answer.status),
            "error": answer.error,
            "running": [],
            "program": hashcompat.__version__,
        }
        if by:
            values |= {"status": str(InputStatus.SUPERSEDED), "error": f"{by} is newer"}
        else:
            values |= {key: value for key, value in answer.counts.items() if key != "taken"}
        files["clusters", answer.target].add(tuple(values.get(name) for name in names_of("clusters")))
        for table, rows in ({} if by else answer.rows).items():
            if (table, answer.target) in files:
                for row in rows:
                    files[table, answer.target].add((*shared, *row))


class _File:
    """A Parquet file that grows."""

    def __init__(self, folder: Path, table: str, target: str) -> None:
        import pyarrow.parquet as pq  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra

        self._path = folder / f"{table}-{target}"
        self._schema = schema_of(table)
        self._writer = pq.ParquetWriter(self._path, self._schema, compression="zstd")
        self._waiting: list[Sequence[Any]] = []
        self.rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, row: Sequence[Any]) -> None:
        self._waiting.append(row)
        self.rows += 1
        if len(self._waiting) == _ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa  # noqa: PLC0415 - of the extra

        columns = zip(*self._waiting, strict=True) if self._waiting else ([] for _ in self._schema)
        arrays = [
            pa.array(list(column), field.type) for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._waiting.clear()

    def closed(self) -> Path:
        """Return its path once all of it is written."""
        self._flush()
        self._writer.close()
        return self._path


def rows_in(place: Directory, file: TableFile, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return some columns of a file, by their names; raises StoreError."""
    rows: list[dict[str, Any]] = _read(place, file, columns).to_pylist()
    return rows


def shared_in(
    place: Directory, file: TableFile, keys: Sequence[str], verdicts: Collection[str]
) -> Iterable[tuple[Any, ...]]:
    """Yield the keys of each group of rows, with its containers and its clusters; raises StoreError.

    ``verdicts`` are those of the rows that count; empty for all.
    """
    import pyarrow as pa  # noqa: PLC0415 - of the extra
    import pyarrow.compute as pc  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - of the extra

    table = _read(place, file, (*keys, "part", "verdict", "containers"))
    if verdicts:
        table = table.filter(pc.is_in(table["verdict"], value_set=pa.array(sorted(verdicts))))
    grouped = table.group_by(list(keys)).aggregate([("containers", "sum"), ("part", "count_distinct")])
    columns = [grouped[name].to_pylist() for name in (*keys, "containers_sum", "part_count_distinct")]
    return zip(*columns, strict=True)


def _read(place: Directory, file: TableFile, columns: Sequence[str]) -> pa.Table:
    import pyarrow.parquet as pq  # noqa: PLC0415 - of the extra

    stream = pq.ParquetFile(io.BytesIO(place.read(file.path)))
    return stream.read(columns=list(dict.fromkeys(columns)))
