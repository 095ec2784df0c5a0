"""The quick ways to the text that is hashed; ``gojson.py`` and ``spew.py`` are the definition.

Each returns what they make of usual JSON, and None for anything else, which is left to them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from marshal import dumps
from typing import Annotated, Any, Final, Optional

import msgspec

from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.compile.spew import Printer, compile_printer, may_forget
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import HTML_SAFE
from hashcompat.core.go.types import (
    INT_BITS,
    UINT8,
    Basic,
    Coded,
    Field,
    GoType,
    Map,
    Pointer,
    Slice,
    Struct,
    json_fields,
    zero_value,
)

# JSON that Go decodes into a struct and encodes again (encoding/json), by msgspec: in a tenth of the time.
#
# None for a null where no pointer is, a missing key that is always written, an empty list that is, a
# character that Go and msgspec escape otherwise, a value that does not fit.


class UnsupportedError(ValueError):
    """Containers have no such field."""


_REFUSED: Final = (DecodeError, msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError)

_FEW: Final = 16
"""Values that are left to the definition before a struct is compiled, which takes as long."""


class Remarshal:
    """A struct as msgspec decodes and encodes it."""

    def __init__(self, struct: Struct, *, strict: bool = False) -> None:
        """``strict``: JSON with a key that the struct does not know does not fit."""
        self._struct, self._strict = struct, strict
        self._left = _FEW

    @cached_property
    def _type(self) -> Any:
        try:
            return _struct(self._struct, self._strict)
        except UnsupportedError:
            return None

    def _decode(self, value: Any) -> Any:
        """Decode JSON; errors as _REFUSED for what is left to the definition."""
        if self._left:
            self._left -= 1
        elif self._type is not None:
            return msgspec.convert(value, self._type, dec_hook=_DECODED)
        raise UnsupportedError

    def fits(self, value: Any) -> bool:
        """Return whether JSON decodes into the struct; False also where that is left to the definition."""
        try:
            self._decode(value)
        except _REFUSED:
            return False
        return True

    def text(self, value: Any) -> str | None:
        """Return the JSON that Go makes of JSON; None where that is left to the definition.

        An empty list may be nil or not: it is only taken where neither is written.
        """
        try:
            text = _ENCODE(self._decode(value)).decode()
        except _REFUSED:
            return None
        if "\\" in text and any(escape in text for escape in _ESCAPES):
            return None
        for char, escaped in _HTML if text.isascii() else _HTML_AND_BREAKS:
            text = text.replace(char, escaped)
        return text


_ESCAPES: Final = ("\\b", "\\f", "\\u")
"""What may be an escape that Go writes otherwise; it may be an escaped backslash too."""

_HTML_AND_BREAKS: Final = tuple((chr(code), escaped) for code, escaped in HTML_SAFE.items())
_HTML: Final = tuple(pair for pair in _HTML_AND_BREAKS if pair[0].isascii())


class _CodedValue:
    """A value with JSON methods of its own; each such type is a class."""

    __slots__ = ("json",)
    of: Coded

    def __init__(self, json: str | int) -> None:
        self.json = json


@lru_cache(maxsize=1 << 12, typed=True)
def _decoded(kind: Any, value: Any) -> _CodedValue:
    coded: _CodedValue = kind(kind.of.encode(kind.of.decode(value)))
    return coded


_DECODED: Final[Any] = _decoded


_ENCODE: Final = msgspec.json.Encoder(order="deterministic", enc_hook=lambda value: value.json).encode


def _struct(struct: Struct, strict: bool) -> Any:
    fields = [field for _, _, field in json_fields(struct)]
    names = {field.json: f"field{number}" for number, field in enumerate(fields)}
    if len(names) < len(fields):
        raise UnsupportedError
    return msgspec.defstruct(
        "Value",
        [(names[field.json], *_member(field, strict)) for field in fields],
        rename={name: key for key, name in names.items()},
        omit_defaults=True,
        forbid_unknown_fields=strict,
        kw_only=True,
        gc=False,
    )


def _member(field: Field, strict: bool) -> tuple[Any, ...]:
    """Return the Python type of a field, and its default where that is not written."""
    python_type: Any
    match field.type:
        case Coded():
            return (type("CodedValue", (_CodedValue,), {"__slots__": (), "of": field.type}),)
        case Struct():
            python_type = _struct(field.type, strict)
            return python_type, msgspec.field(default_factory=python_type)  # written whatever is in it
        case Pointer(_, elem) if field.omitempty:
            return Optional[_type(elem, strict)], None  # noqa: UP045 - of a value
        case Slice() | Map():
            python_type = _type(field.type, strict)
            if field.omitempty:
                return python_type, msgspec.field(
                    default_factory=list if isinstance(field.type, Slice) else dict
                )
            return (Annotated[python_type, msgspec.Meta(min_length=1)],)
    python_type = _type(field.type, strict)
    return (python_type, zero_value(field.type)) if field.omitempty else (python_type,)


def _type(go_type: GoType, strict: bool) -> Any:
    """Return the Python type of what JSON has of a Go type that is not nil."""
    match go_type:
        case Coded():
            return type("CodedValue", (_CodedValue,), {"__slots__": (), "of": go_type})
        case Struct():
            return _struct(go_type, strict)
        case Pointer(_, elem):
            return _type(elem, strict)
        case Slice(_, elem) if elem != UINT8:
            return list[_type(elem, strict)]  # type: ignore[misc]
        case Map(_, Basic(_, "string"), elem):
            return dict[str, _type(elem, strict)]  # type: ignore[misc]
        case Basic(_, "string"):
            return str
        case Basic(_, "bool"):
            return bool
        case Basic(_, kind) if kind in INT_BITS:
            most = (1 << INT_BITS[kind] - 1) - 1
            return Annotated[int, msgspec.Meta(ge=-most - 1, le=most)]
    raise UnsupportedError


# The ``%#v`` text of a container, put together from the texts of its parts: each is printed once.
#
# Up to 1.15 that text is hashed, with all that is unset. Containers that differ have much in common:
# mounts, ports, probes, resources, most variables. A part is the value of one of the container's fields, or
# of a list of structs one element. Its text follows from its JSON alone, so it is remembered by that, for
# all releases that have the same type there.
#
# It is what ``compile`` makes of the whole: where that refuses a part, and where JSON is unusual, the whole
# is left to it, and it says what is wrong.

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
    texts, size = dict[bytes, str](), 0

    def cached_text(value: Any) -> str:
        nonlocal size
        key = dumps(value, _BY_VALUE)
        cached = texts.get(key)
        if cached is None:
            if len(key) > _LONGEST:
                raise ValueError("left to the whole")
            cached = text(value)
            if size > _LARGEST:
                texts.clear()
                size = 0
            size += len(key)
            texts[key] = cached
        return cached

    return cached_text
