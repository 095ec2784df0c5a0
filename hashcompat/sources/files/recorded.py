"""Read recorded hashes from files and archives: dumps, docker, crictl, rkt's pod manifests, kubelet logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.model.records import Record
from hashcompat.core.records.collected import Keeper, from_documents, from_log
from hashcompat.sources.documents import load_all
from hashcompat.sources.files.archives import members
from hashcompat.sources.files.inputs import Input, inputs, named, require_end
from hashcompat.sources.files.text import chunks, joined, lines

_WANTED: Final = "a dump of the collector, docker inspect or crictl JSON, or a kubelet's log of 1.0 - 1.13"
_TEXTS: Final = (".json", ".jsonl", ".ndjson", ".log", ".txt")
_SUFFIXES: Final = (*_TEXTS, ".tar", ".tgz")


def collect(names: tuple[str, ...]) -> list[Record]:
    """Read every file, and of every directory those that hold records: a node's dump has other files too.

    Raises InputError, naming the file, for what cannot be read and for a file or directory without any
    record.
    """
    keeper = Keeper()
    return [record for name in names for record in _collect(name, keeper)]


def _collect(name: str, keeper: Keeper) -> list[Record]:
    found: list[Record] = []
    several = Path(name).is_dir()
    for source in inputs(name, recursive=True, suffixes=_SUFFIXES):
        records, is_archive = _read(source, keeper)
        several = several or is_archive
        if not (records or several):
            raise InputError(f"{source.origin}: no kubelet's container in it; want {_WANTED}")
        found += records
    if not found:
        raise InputError(f"{name}: no kubelet's container in any file of it; want {_WANTED}")
    return found


def _read(source: Input, keeper: Keeper) -> tuple[list[Record], bool]:
    """Return the records of a file, and whether it is an archive."""
    require_end(source)
    with source.open() as stream, named(source.origin):
        if (archive := members(stream, _is_text)) is not None:
            return [record for one, data in archive for record in _in_member(one, data, keeper)], True
    with source.open() as stream, named(source.origin):
        return _parse(chunks(stream, _WANTED), keeper), False


def _is_text(name: str) -> bool:
    return name.removesuffix(".gz").endswith(_TEXTS)


def _in_member(name: str, data: bytes, keeper: Keeper) -> list[Record]:
    with named(name):
        return _parse(chunks(BufferedReader(BytesIO(data)), _WANTED), keeper)


def _parse(text: Iterator[str], keeper: Keeper) -> list[Record]:
    first = next(text)
    whole = _seen(chain([first], text), keeper)
    is_json = first.lstrip().startswith(("{", "["))
    return [keeper.kept(record) for record in (_from_json(whole) if is_json else from_log(lines(whole)))]


def _seen(text: Iterator[str], keeper: Keeper) -> Iterator[str]:
    for chunk in text:
        keeper.saw(len(chunk))
        yield chunk


def _from_json(chunked: Iterable[str]) -> Iterator[Record]:
    yield from from_documents(load_all(joined(chunked, _WANTED)), "a dump")
