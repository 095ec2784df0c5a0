"""What was collected on nodes, in files, directories and tar archives, compressed or not, by its content.

``dumps_in`` reads the dumps of nodes as the collector prints them, ``records_in`` recorded hashes: of dumps,
docker, crictl, rkt's pod manifests and kubelet logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from sys import getsizeof
from typing import Any, Final

from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.model.verdicts import Applied, Files, Record
from hashcompat.core.records.collected import from_documents, from_log
from hashcompat.core.records.probes import Dump, dumps
from hashcompat.sources.content import chunks, joined, lines
from hashcompat.sources.documents import load_all
from hashcompat.sources.files import Input, inputs, is_archive, named, packed, require_end
from hashcompat.sources.files.archives import members

_WANTED: Final = "the output of hashcompat collector"
_ANY_SUFFIX: Final = ("",)
"""The suffixes of files that are read."""


def dumps_in(names: tuple[str, ...]) -> list[Dump]:
    """Read the dumps in files, in all files below directories, and in archives.

    Raises InputError, naming the file, for what cannot be read, for a name without any dump in it, and for
    two dumps of one node.
    """
    by_node: dict[str, Dump] = {}
    for name in names:
        several: list[Dump] = []
        for source in inputs(name, recursive=True, suffixes=_ANY_SUFFIX):
            require_end(source)
            with named(source.origin):
                several += _of_file(source)
        if not several:
            raise InputError(f"{name}: no dump of a node in it; want {_WANTED}")
        for dump in several:
            if dump.node in by_node:
                first = by_node[dump.node].origin
                raise InputError(f"{dump.origin}: a second dump of node {dump.node}, after {first}; give one")
            by_node[dump.node] = dump
    return list(by_node.values())


def _of_file(source: Input) -> list[Dump]:
    with source.open() as stream:
        archive = members(stream, lambda _name: True)
        if archive is not None:
            return [
                dump for name, data in archive for dump in _of_member(f"{source.origin}: {name}", name, data)
            ]
    with source.open() as stream:
        return _parse(source.origin, stream)


def _of_member(origin: str, name: str, data: bytes) -> list[Dump]:
    if is_archive(name):  # there may be other nodes in it
        raise InputError(packed([name]))
    return _parse(origin, BufferedReader(BytesIO(data)))


def _parse(origin: str, stream: BufferedReader) -> list[Dump]:
    """Return the dumps of a stream of JSON; none where it is something else."""
    text = chunks(stream, _WANTED)
    first = next(text)
    if not first.lstrip().startswith(("{", "[")):
        return []
    return list(dumps(load_all(joined(chain([first], text), _WANTED)), origin))


_WANTED_RECORDS: Final = (
    "a dump of the collector, docker inspect or crictl JSON, or a kubelet's log of 1.0 - 1.13"
)
_TEXTS: Final = (".json", ".jsonl", ".ndjson", ".log", ".txt")


def records_in(names: tuple[str, ...]) -> list[Record]:
    """Read every file, and of every directory those that hold records: a node's dump has other files too.

    Raises InputError, naming the file, for what cannot be read and for a file or directory without any
    record.
    """
    keeper = Keeper()
    return [record for name in names for record in _records_of(name, keeper)]


def _records_of(name: str, keeper: Keeper) -> list[Record]:
    collected: list[Record] = []
    several = Path(name).is_dir()
    for source in inputs(name, recursive=True, suffixes=(*_TEXTS, ".tar", ".tgz")):
        records, is_archive = _records_read(source, keeper)
        several = several or is_archive
        if not (records or several):
            raise InputError(f"{source.origin}: no kubelet's container in it; want {_WANTED_RECORDS}")
        collected += records
    if not collected:
        raise InputError(f"{name}: no kubelet's container in any of its files; want {_WANTED_RECORDS}")
    return collected


def _records_read(source: Input, keeper: Keeper) -> tuple[list[Record], bool]:
    """Return the records of a file, and whether it is an archive."""
    require_end(source)
    with source.open() as stream, named(source.origin):
        archive = members(stream, lambda name: name.removesuffix(".gz").endswith(_TEXTS))
        if archive is not None:
            return [record for name, data in archive for record in _in_member(name, data, keeper)], True
    with source.open() as stream, named(source.origin):
        return _records_in(chunks(stream, _WANTED_RECORDS), keeper), False


def _in_member(name: str, data: bytes, keeper: Keeper) -> list[Record]:
    with named(name):
        return _records_in(chunks(BufferedReader(BytesIO(data)), _WANTED_RECORDS), keeper)


def _records_in(text: Iterator[str], keeper: Keeper) -> list[Record]:
    first = next(text)
    whole = _counted(chain([first], text), keeper)
    is_json = first.lstrip().startswith(("{", "["))
    records = from_documents(load_all(joined(whole, _WANTED_RECORDS))) if is_json else from_log(lines(whole))
    return [keeper.kept(record) for record in records]


def _counted(text: Iterator[str], keeper: Keeper) -> Iterator[str]:
    for chunk in text:
        keeper.saw(len(chunk))
        yield chunk


# Keep records in little memory: equal texts once, and no more in all than one run may have.

_ROW: Final = 300
"""Bytes in memory of a record besides its texts: the row, its numbers and times, its places in tables."""
_TEXT: Final = 100
"""Bytes in memory of the place of a text that may come again."""
_SHARED: Final = frozenset({"uid", "namespace", "pod", "container", "hash_version"})
"""What all containers of a pod, or of many pods, have in common."""


class Keeper:
    """Gives equal texts of all records one place in memory, and counts what the records take."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._allowance = allowance.of_records()

    def saw(self, characters: int) -> None:
        """Note that so much more was read: records may take what their files have, if that is more."""
        self._allowance.extend(characters)

    def kept(self, record: Record) -> Record:
        """Return an equal record that shares its names with those before it.

        Raises InputError where all records take more memory than those of one run may.
        """
        if isinstance(record, Applied):
            self._allowance.take(_ROW + _bytes_of([record.uid, record.container, record.resources]))
            return record
        if isinstance(record, Files):
            self._allowance.take(_ROW + _bytes_of([*record.uids, *map(list, record.probes)]))
            return record
        texts = {
            name: text for name in record.__struct_fields__ if isinstance(text := getattr(record, name), str)
        }
        own = sum(getsizeof(text) for name, text in texts.items() if text and name not in _SHARED)
        new = {texts[name] for name in _SHARED & texts.keys() if texts[name] not in self._texts}
        self._allowance.take(_ROW + own + sum(getsizeof(text) + _TEXT for text in new))
        shared: dict[str, Any] = {
            name: self._texts.setdefault(texts[name], texts[name]) for name in _SHARED & texts.keys()
        }
        return structs.replace(record, **shared)


def _bytes_of(values: Iterable[Any]) -> int:
    """Return about how much memory values of JSON take, whatever they nest."""
    left, size = list(values), 0
    while left:
        value = left.pop()
        size += getsizeof(value)
        if isinstance(value, Mapping):
            left += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            left += value
    return size
