"""Files, directories and streams of JSON, JSON lines and YAML -> objects."""

from __future__ import annotations

import codecs
import gzip
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hashcompat.errors import InputError
from hashcompat.go import jsontext
from hashcompat.model import Inventory, Node, Pod, Recorded, Sandbox
from hashcompat.sources.objects import Found, read_object

STDIN: Final = "-"
_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml")
_GZIP_MAGIC: Final = b"\x1f\x8b"
_BINARY: Final = re.compile(r"[\x00-\x08\x0e-\x1f]")


def collect(names: tuple[str, ...], *, recursive: bool = False) -> Inventory:
    """Read every file, directory (``recursive``: and those below), URL, or ``-`` for standard input.

    Raises InputError, naming the file, for what cannot be read and for input without any pod.
    """
    found = [thing for name in names for origin, data in contents(name, recursive) for thing in parse(data, origin)]
    pods = tuple(thing for thing in found if isinstance(thing, Pod))
    if not pods:
        raise InputError(f"{', '.join(_called(name) for name in names)}: no pods in the input; give a file with pods or pod templates")
    records = tuple(thing for thing in found if isinstance(thing, Recorded | Sandbox))
    return Inventory(pods, tuple(thing for thing in found if isinstance(thing, Node)), records)


def _called(name: str) -> str:
    return "standard input" if name == STDIN else name


def contents(name: str, recursive: bool, suffixes: tuple[str, ...] = _SUFFIXES) -> Iterator[tuple[str, bytes]]:
    """Yield the label and the content of each file that a ``-f`` value stands for; in a directory, of those with such a suffix."""
    if name == STDIN:
        yield _called(name), sys.stdin.buffer.read()
    elif name.startswith(("http://", "https://")):
        from hashcompat.sources.http import download, label  # noqa: PLC0415 - only a URL pays for importing requests

        yield label(name), download(name)
    elif Path(name).is_dir():
        for path in _files_in(Path(name), recursive, suffixes):
            yield str(path), _read(path)
    else:
        yield name, _read(Path(name))


def _files_in(directory: Path, recursive: bool, suffixes: tuple[str, ...]) -> list[Path]:
    try:
        entries = directory.rglob("*") if recursive else directory.iterdir()
        paths = sorted(path for path in entries if path.name.removesuffix(".gz").endswith(suffixes) and path.is_file())
    except OSError as error:
        raise InputError(f"{directory}: cannot read: {error.strerror}") from None
    if not paths:
        hint = "" if recursive else "; -R looks below it too"
        raise InputError(f"{directory}: no {', '.join(suffixes)} file in this directory{hint}")
    return paths


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None


def parse(data: bytes, origin: str) -> Iterator[Found]:
    """Yield the pods and nodes in the content of one file; ``origin`` stands in front of every message."""
    text = text_of(data, origin, "Kubernetes objects as JSON or YAML")
    try:
        documents = list(_documents(text))
    except InputError as error:
        raise InputError(f"{origin}: {error}") from None
    if not documents:
        raise InputError(f"{origin}: no Kubernetes object, only comments or empty documents")
    for number, document in documents:
        yield from read_object(document, origin if len(documents) == 1 else f"{origin} (document {number})")


def text_of(data: bytes, origin: str, wanted: str) -> str:
    """Return the text of a file's content, gzipped or not.

    Raises InputError for what is empty, damaged or no text, saying what is ``wanted``.
    """
    text = _decoded(_decompressed(data, origin))
    if not text.strip():
        raise InputError(f"{origin}: empty; want {wanted}")
    if match := _BINARY.search(text):
        raise InputError(f"{origin}: binary data at character {match.start()}; want {wanted}")
    return text


def _decoded(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 where its byte order mark says so, as PowerShell's ``>`` writes."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    return jsontext.decode_text(data).removeprefix("\ufeff")


def _decompressed(data: bytes, origin: str) -> bytes:
    if not data.startswith(_GZIP_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{origin}: damaged gzip data: {error}") from None


def _documents(text: str) -> Iterator[tuple[int, object]]:
    """Number the documents of a text from 1: JSON, also several on end (JSON lines), or else YAML."""
    if text.lstrip().startswith(("{", "[")):
        yield from enumerate(jsontext.load_all(text), 1)
        return
    from hashcompat.go import yaml  # noqa: PLC0415 - JSON input need not import a YAML parser

    for number, document in enumerate(yaml.load_all(text), 1):
        if document is not None:
            yield number, document
