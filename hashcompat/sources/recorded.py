"""Files with recorded hashes: ``docker inspect``, ``crictl inspect``, ``crictl ps -o json``, kubelet logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.errors import InputError
from hashcompat.go import jsontext
from hashcompat.kubelet.recorded import from_log, from_runtime
from hashcompat.model import Recorded
from hashcompat.sources.files import contents, text_of

_WANTED: Final = "docker inspect or crictl JSON, or a kubelet's log of 1.7 - 1.13"


def collect(names: tuple[str, ...]) -> list[Recorded]:
    """Read every file or directory.

    Raises InputError, naming the file, for what cannot be read and for a file without any recorded hash.
    """
    return [record for name in names for origin, data in contents(name, recursive=True) for record in _parse(data, origin)]


def _parse(data: bytes, origin: str) -> list[Recorded]:
    text = text_of(data, origin, _WANTED)
    try:
        found = list(_from_json(text) if text.lstrip().startswith(("{", "[")) else from_log(text))
    except InputError as error:
        raise InputError(f"{origin}: {error}") from None
    if not found:
        raise InputError(f"{origin}: no kubelet's container in it; want {_WANTED}")
    return found


def _from_json(text: str) -> Iterator[Recorded]:
    for document in jsontext.load_all(text):
        yield from from_runtime(document)
