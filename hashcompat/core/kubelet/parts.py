"""The ``%#v`` text of a container, put together from the texts of its parts: each is printed once.

Up to 1.15 that text is hashed, with all that is unset. Containers that differ have much in common: mounts,
ports, probes, resources, most variables. A part is the value of one of the container's fields, or of a list
of structs one element. Its text follows from its JSON alone, so it is remembered by that, for all releases
that have the same type there.

It is what ``compile`` makes of the whole: where that refuses a part, and where JSON is unusual, the whole is
left to it, and it says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from marshal import dumps
from typing import Any, Final

import msgspec

from hashcompat.core.compile.decode import compile_decoder
from hashcompat.core.compile.spew import Printer, compile_printer, may_forget
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.types import Field, GoType, Slice, Struct

Text = Callable[[Any], str]
"""The text of a JSON value."""

Parts = Callable[[Any], "list[str] | None"]
"""The text of a container's JSON in pieces; None where it is left to what prints the whole."""

_LARGEST: Final = 1 << 18
"""Bytes of JSON that are remembered of a field: of most fields, those of a whole cluster."""

_LONGEST: Final = 1 << 14
"""Bytes of JSON that a part may have."""

_BY_VALUE: Final = 0
"""The version of ``marshal`` whose bytes depend on a value alone, not on which of its texts are one object.

They keep 1, 1.0 and true apart, and the order of keys; a number whose text counts has none.
"""


class _Part(msgspec.Struct, frozen=True):
    """A field of the whole."""

    key: str
    """Its key in JSON."""
    unset: str
    """Its text where it is not set."""
    text: Text
    """Its text by its JSON."""
    opening: str
    """Of a list of structs, the text before its first element."""
    element: Text | None
    """The text of an element by its JSON; None for any other field."""


def compile_parts(struct: Struct, *, keep_empty: bool) -> Parts | None:
    """Return what prints a struct part by part; ``keep_empty`` as for ``compile_decoder``.

    None for one with embedded fields, and one in which a field decides how the next one is printed.
    """
    if not all(field.json and not may_forget(field.type) for field in struct.fields):
        return None
    parts = [_part(field, " " if place else "", keep_empty) for place, field in enumerate(struct.fields)]
    head = f"({struct.name}){{"

    def printed(value: Any) -> list[str] | None:
        if type(value) is not dict:
            return None
        texts = [head]
        try:
            for part in parts:
                item = value.get(part.key)
                if item is None:
                    texts.append(part.unset)
                elif part.element is not None and type(item) is list and item:
                    texts += part.opening, " ".join(map(part.element, item)), "]"
                else:
                    texts.append(part.text(item))
        except (DecodeError, ValueError):
            return None
        texts.append("}")
        return texts

    return printed


@lru_cache(maxsize=1 << 12)
def _part(field: Field, before: str, keep_empty: bool, /) -> _Part:
    """Compile a field, once for all types that have it."""
    name, element = f"{before}{field.name}:", None
    text = _text(field.type, compile_printer(field.type, lead=name), keep_empty)
    if isinstance(field.type, Slice) and isinstance(field.type.elem, Struct):
        elem = field.type.elem
        element = _remembered(_text(elem, compile_printer(elem, typed=False), keep_empty))
    return _Part(field.json, text(None), _remembered(text), f"{name}({field.type.name})[", element)


def _text(go_type: GoType, show: Printer, keep_empty: bool) -> Text:
    """Return what decodes JSON and prints it; errors as ``compile_decoder``'s."""
    decode = compile_decoder(go_type, keep_empty=keep_empty)

    def text(value: Any) -> str:
        pieces = list[str]()
        show(decode(value), pieces.append)
        return "".join(pieces)

    return text


def _remembered(text: Text) -> Text:
    """Return a function that remembers the texts of the latest values.

    It raises ValueError for what is not plain JSON, and for a large value: a cluster has few of one kind.
    """
    known, size = dict[bytes, str](), 0

    def found(value: Any) -> str:
        nonlocal size
        key = dumps(value, _BY_VALUE)
        one = known.get(key)
        if one is None:
            if len(key) > _LONGEST:
                raise ValueError("left to the whole")
            one = text(value)
            if size > _LARGEST:
                known.clear()
                size = 0
            size += len(key)
            known[key] = one
        return one

    return found
