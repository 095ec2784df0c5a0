"""Read recorded hashes from files and archives: docker, crictl, rkt's pod manifests, kubelet logs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hashcompat.errors import InputError
from hashcompat.go import jsontext
from hashcompat.model.records import Record
from hashcompat.records.documents import from_node
from hashcompat.records.log import from_log
from hashcompat.sources.files.archives import members
from hashcompat.sources.files.collect import contents, text_of

_WANTED: Final = "docker inspect or crictl JSON, or a kubelet's log of 1.0 - 1.13"

_TEXTS: Final = (".json", ".jsonl", ".ndjson", ".log", ".txt")

_SUFFIXES: Final = (*_TEXTS, ".tar", ".tgz")


def collect(names: tuple[str, ...]) -> list[Record]:
    """Read every file, and of every directory those that hold records: a node's dump has other files too.

    Raises InputError, naming the file, for what cannot be read and for a file or directory without any
    record.
    """
    return [record for name in names for record in _collect(name)]


def _collect(name: str) -> list[Record]:
    found: list[Record] = []
    several = Path(name).is_dir()
    for origin, data in contents(name, recursive=True, suffixes=_SUFFIXES):
        archive = members(origin, data)
        several = several or archive is not None
        files = (
            [(origin, data)]
            if archive is None
            else [row for row in archive if row[0].removesuffix(".gz").endswith(_TEXTS)]
        )
        records = [record for label, content in files for record in _parse(content, label)]
        if not (records or several):
            raise InputError(f"{origin}: no kubelet's container in it; want {_WANTED}")
        found += records
    if not found:
        raise InputError(f"{name}: no kubelet's container in any file of it; want {_WANTED}")
    return found


def _parse(data: bytes, origin: str) -> list[Record]:
    text = text_of(data, origin, _WANTED)
    try:
        return list(_from_json(text) if text.lstrip().startswith(("{", "[")) else from_log(text))
    except InputError as error:
        raise InputError(f"{origin}: {error}") from None


def _from_json(text: str) -> Iterator[Record]:
    for document in jsontext.load_all(text):
        yield from from_node(document)
