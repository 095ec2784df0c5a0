"""A file's text -> its documents and the elements of its lists, one by one, whatever its form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from hashcompat.go import jsonstream
from hashcompat.go.parts import Part
from hashcompat.sources.files import exact, firstlook
from hashcompat.sources.files.inputs import Input, named
from hashcompat.sources.files.text import chunks

_WANTED: Final = "Kubernetes objects as JSON or YAML"


def parts(source: Input, *, strict: bool = True) -> Iterator[Part]:
    """Yield the parts of a file: JSON, also several documents one after another (JSON lines), or else YAML.

    Raises InputError, naming the file, for what cannot be read to its end.
    """
    with source.open() as stream, named(source.origin):
        text = chunks(stream, _WANTED)
        first = next(text)
        yield from _read(first, chain([first], text), strict=strict)


def is_yaml(source: Input) -> bool:
    """Return whether a file is read as YAML; errors as ``parts``."""
    with source.open() as stream, named(source.origin):
        return not _is_json(next(chunks(stream, _WANTED)))


def _is_json(first: str) -> bool:
    return first.lstrip().startswith(("{", "["))


def _read(first: str, text: Iterable[str], *, strict: bool) -> Iterator[Part]:
    if _is_json(first):
        return jsonstream.parts(text, strict=strict, quick=exact.decoded if strict else firstlook.decoded)
    from hashcompat.go import yaml  # noqa: PLC0415 - JSON input need not import a YAML parser

    return yaml.parts(text)
