"""Many objects at once, by msgspec: just what the strict decoder reads (``core/go/jsontext.py``), or nothing.

msgspec takes a fifth of its time, but drops a key that is there twice, and the text of numbers. An object in
which that may be, or that may be too large or too deep, goes to the strict decoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypedDict

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.allowance import check_depth, is_small, may_be_deep
from hashcompat.core.go.jsontext import DECODER
from hashcompat.core.regex import regex

_OBJECTS: Final = msgspec.json.Decoder(list[msgspec.Raw])


def _refused(text: str) -> float:
    """Refuse a number with a fraction or an exponent: its text counts, and it would hide a dropped key."""
    raise ValueError(text)


_OBJECT: Final = msgspec.json.Decoder(dict[str, Any], float_hook=_refused)
_ENCODER: Final = msgspec.json.Encoder()
_NARROW: Final = msgspec.msgpack.Encoder()
"""Refuses integers beyond 64 bits: the strict decoder keeps the text of very long ones."""

_ASCII: Final = "\\u00"
_HIDDEN: Final = regex(r"\\u00(22|2[dD])")
"""Escapes of the characters that are counted."""

_MSGSPEC: Final = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)


def decoded(text: str) -> Sequence[tuple[Any, str]] | None:
    """Return the objects of a JSON list, each with its text; None for what the strict decoder refuses."""
    try:
        texts = [bytes(one).decode() for one in _OBJECTS.decode(text)]
        return [(_decoded(one), one) for one in texts]
    except (*_MSGSPEC, InputError):
        return None


def _decoded(text: str) -> Any:
    """Return an object as the strict decoder reads it; errors as that decoder's, and ValueError.

    Each key and string has two quotes: where as many are left once it is written again, no key was dropped.
    ``-0`` loses its sign.
    """
    if not is_small(0, len(text)):
        raise ValueError("left to the strict decoder")
    value = _plain(text) if _ASCII not in text or not _HIDDEN.search(text) else None
    if value is None:
        value = DECODER.decode(text)
    if may_be_deep(text, 0, len(text)):
        check_depth(value)
    return value


def _plain(text: str) -> dict[str, Any] | None:
    """Return an object; None where the strict decoder may read another one, or says what is wrong."""
    try:
        value = _OBJECT.decode(text)
        _NARROW.encode(value)
        written = _ENCODER.encode(value)
    except _MSGSPEC:
        return None
    same = written.count(b'"') == text.count('"') and written.count(b"-") == text.count("-")
    return value if same else None


# Many pods at once, as far as a first look at a file needs them, by msgspec. It reads a pod's owners and
# counts its containers, and skips all else, which is most of a dump.


class _Metadata(TypedDict, total=False):
    name: Any
    namespace: Any
    labels: Any
    annotations: Any
    ownerReferences: Any


class _Spec(TypedDict, total=False):
    containers: list[msgspec.Raw]


class _Pod(TypedDict):
    kind: Literal["Pod"]
    metadata: _Metadata
    spec: _Spec


_PODS: Final = msgspec.json.Decoder(list[_Pod])


def first_look(text: str) -> Sequence[tuple[Any, str]] | None:
    """Return the pods of a JSON list, with what a first look reads of them; None for any other list.

    What is wrong in the rest is found when the pods are read.
    """
    try:
        return [(pod, "") for pod in _PODS.decode(text)]
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
