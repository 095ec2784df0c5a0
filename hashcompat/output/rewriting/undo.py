"""The file with what was there before: every old and every new value, on the disk before the first change."""

from __future__ import annotations

import binascii
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.output.rewriting import files

VERSION: Final = "hashcompat.io/v1"
KIND: Final = "NormalizationUndo"
_OTHERS: Final = 0o077
_LONGEST: Final = 1 << 30


class Entry(msgspec.Struct, frozen=True):
    """One record or manifest: what it was, and what it becomes."""

    kind: str
    """``containerd``, ``docker`` or ``manifest``."""
    name: str
    """The container's id, or the manifest's path."""
    namespace: str
    pod: str
    container: str
    old: bytes
    """The whole value: an extension, or the content of a file."""
    new: bytes
    hashes: tuple[str, str]
    """The old and the new recorded hash as they are written; of a manifest an empty text and its UID."""
    started: str = ""
    """When the container started, as its runtime shows it."""


class _File(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    api_version: str
    kind: str
    digest: str
    node: str
    entries: list[Entry]


def path_of(document: str) -> Path:
    """Return where the undo file of a document is: beside it."""
    return Path(document).absolute().with_name(f"{Path(document).name}.undo")


def load(path: Path, digest: str, node: str) -> dict[tuple[str, str], Entry]:
    """Return the entries of a file by kind and name; none where there is no file.

    Raises InputError, naming it, for one that others can read or write, and one of another document.
    """
    try:
        with open(path, "rb", opener=_opened) as stream:
            seen = os.fstat(stream.fileno())
            if not stat.S_ISREG(seen.st_mode) or seen.st_uid != os.geteuid() or seen.st_mode & _OTHERS:
                raise InputError(f"{path}: not a file that is yours alone")
            if seen.st_size > _LONGEST:
                raise InputError(f"{path}: more than {_LONGEST:,} bytes")
            data = stream.read()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        found = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, binascii.Error, ValueError) as error:
        raise InputError(f"{path}: not what hashcompat normalize apply writes: {error}") from None
    if (found.api_version, found.kind) != (VERSION, KIND):
        raise InputError(f"{path}: not what hashcompat normalize apply writes")
    if (found.digest, found.node) != (digest, node):
        raise InputError(f"{path}: of another document or node; move it away if that is what you want")
    return {(one.kind, one.name): one for one in found.entries}


def save(path: Path, digest: str, node: str, entries: Iterable[Entry]) -> None:
    """Write the file; it is on the disk afterwards. Raises InputError, naming it."""
    content = _File(VERSION, KIND, digest, node, list(entries))
    files.save(path, msgspec.json.encode(content) + b"\n")


def _opened(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


Entries = Mapping[tuple[str, str], Entry]
