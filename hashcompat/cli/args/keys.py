"""The file with the key by which plans are signed and verified."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hashcompat.errors import InputError

_LONGEST: Final = 1 << 16
_SHORTEST: Final = 16
"""Bytes of a key: fewer can be guessed."""


def key_of(name: str | None) -> bytes:
    """Return the key in a file; empty where none is named.

    A line break at its end is not part of it. Raises InputError, naming the file, for what holds no key.
    """
    if name is None:
        return b""
    from hashcompat.sources.files.inputs import inputs, named

    if Path(name).is_dir():
        raise InputError(f"{name}: is a directory, expected a file with a key")
    (source,) = inputs(name, recursive=False, suffixes=())
    with named(source.origin), source.open() as stream:
        key = stream.read(_LONGEST + 1).rstrip(b"\r\n")
        if not _SHORTEST <= len(key) <= _LONGEST:
            raise InputError(f"want a key of {_SHORTEST} to {_LONGEST:,} bytes")
        return key
