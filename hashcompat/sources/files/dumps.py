"""Read dumps of nodes, as the collector prints them: files, directories and archives, by their content."""

from __future__ import annotations

from io import BufferedReader, BytesIO
from itertools import chain
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.records.probes import Dump, dumps
from hashcompat.sources.documents import load_all
from hashcompat.sources.files.archives import members
from hashcompat.sources.files.inputs import Input, inputs, named, require_end
from hashcompat.sources.files.text import chunks, joined

_WANTED: Final = "the output of hashcompat collector"

_EVERY: Final = ("",)
"""The suffixes of files that are read."""


def collect(names: tuple[str, ...]) -> list[Dump]:
    """Read the dumps in files, in all files below directories, and in archives.

    Raises InputError, naming the file, for what cannot be read, for a name without any dump in it, and for
    two dumps of one node.
    """
    found: dict[str, Dump] = {}
    for name in names:
        several = _collect(name)
        if not several:
            raise InputError(f"{name}: no dump of a node in it; want {_WANTED}")
        for dump in several:
            if dump.node in found:
                other = found[dump.node].origin
                raise InputError(f"{dump.origin}: a second dump of node {dump.node}, after {other}; give one")
            found[dump.node] = dump
    return list(found.values())


def _collect(name: str) -> list[Dump]:
    found: list[Dump] = []
    for source in inputs(name, recursive=True, suffixes=_EVERY):
        require_end(source)
        with named(source.origin):
            found += _of_file(source)
    return found


def _of_file(source: Input) -> list[Dump]:
    with source.open() as stream:
        archive = members(stream, lambda _name: True)
        if archive is not None:
            return [dump for name, data in archive for dump in _of_member(f"{source.origin}: {name}", data)]
    with source.open() as stream:
        return _parse(source.origin, stream)


def _of_member(origin: str, data: bytes) -> list[Dump]:
    return _parse(origin, BufferedReader(BytesIO(data)))


def _parse(origin: str, stream: BufferedReader) -> list[Dump]:
    """Return the dumps of a stream of JSON; none where it is something else."""
    text = chunks(stream, _WANTED)
    first = next(text)
    if not first.lstrip().startswith(("{", "[")):
        return []
    return list(dumps(load_all(joined(chain([first], text), _WANTED)), origin))
