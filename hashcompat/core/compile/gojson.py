"""JSON values -> typed values, with Go's rules (encoding/json ``Unmarshal`` into a struct), and back.

Null is the zero value, unknown keys are dropped, and only types are checked. Each type is compiled once into
a function; each level adds its key to an error's path (``.ports[1].containerPort``). The way back makes the
bytes of encoding/json ``Marshal``, as text in pieces.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import is_
from typing import Any, Final

from hashcompat.core.errors import DecodeError, UsageError
from hashcompat.core.go.jsonpath import is_object
from hashcompat.core.go.jsontext import clean, integer, kind_of, no_text, quote
from hashcompat.core.go.types import (
    INT_BITS,
    UINT_BITS,
    Basic,
    Coded,
    Field,
    GoType,
    Map,
    Pointer,
    Slice,
    Struct,
    at,
    json_fields,
    zero_value,
)
from hashcompat.core.regex import regex
from hashcompat.core.shown import name as shown_name

Decoder = Callable[[Any], Any]
_INTEGER: Final = regex(r"[+-]?[0-9]{1,20}", re.ASCII)


def compile_decoder(go_type: GoType, *, keep_empty: bool) -> Decoder:
    """Return the function that decodes one JSON value into a typed value of ``go_type``.

    ``keep_empty`` distinguishes empty lists and maps from nil, as a kubelet does for manifests that it reads;
    API pods reach it as protobuf, in which an empty list or map is nil.
    """
    match go_type:
        case Coded():
            return go_type.decode
        case Struct():
            return _decode_struct(go_type, keep_empty)
        case Pointer(_, elem):
            return _decode_pointer(compile_decoder(elem, keep_empty=keep_empty))
        # before the other slices: encoding/json has []byte as base64, not as a list of numbers
        case Slice(_, Basic(_, "uint8")):
            return _bytes
        case Slice(_, elem):
            return _decode_slice(compile_decoder(elem, keep_empty=keep_empty), keep_empty)
        case Map(_, Basic(_, kind), value) if kind in KEYS:
            return _decode_map(KEYS[kind], compile_decoder(value, keep_empty=keep_empty), keep_empty)
        case Basic(_, "string"):
            return _decode_string
        case Basic(_, "bool"):
            return _bool
        case Basic(_, kind) if kind in INT_BITS or kind in UINT_BITS:
            return _integer(kind)
    raise UsageError(f"no JSON decoding for the Go type {go_type.name}")


def _decode_struct(go_type: Struct, keep_empty: bool) -> Decoder:
    # Nearly all fields of a container are unset, so a value begins as the zero value and is filled.
    zero = tuple(zero_value(field.type) for field in go_type.fields)
    fields = [
        (place, field.json, compile_decoder(field.type, keep_empty=keep_empty))
        for place, field in enumerate(go_type.fields)
    ]
    embedded = [(place, decode_field) for place, key, decode_field in fields if not key]
    places = {key: (place, decode_field) for place, key, decode_field in fields if key}

    def decode(value: Any) -> Any:
        if value is None:
            return zero
        if not is_object(value):
            raise DecodeError(f"want an object, got {kind_of(value)}")
        result = list(zero)
        try:
            # Over the keys, not over the fields: there are fewer, and unknown ones are dropped.
            for key, item in value.items():
                if key in places:
                    place, decode_field = places[key]
                    result[place] = decode_field(item)
            # An embedded struct is inline: its keys are in the same object.
            for place, decode_field in embedded:
                result[place] = decode_field(value)
        except DecodeError:
            # The first problem in the order of the type, whatever order the JSON has: one input, one message.
            problems = [_problem(key, decode_field, value) for _, key, decode_field in fields]
            raise next(filter(None, problems)) from None
        return tuple(result)

    return decode


def _problem(key: str, decode_field: Decoder, value: Mapping[str, Any]) -> DecodeError | None:
    """Return why a field of a value does not decode; None where it does, or is not set."""
    try:
        if not key:
            decode_field(value)
        elif key in value:
            decode_field(value[key])
    except DecodeError as error:
        return error.within(f".{key}") if key else error
    return None


def _decode_pointer(decode_elem: Decoder) -> Decoder:
    return lambda value: None if value is None else (decode_elem(value),)


def _decode_slice(decode_elem: Decoder, keep_empty: bool) -> Decoder:
    def decode(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise DecodeError(f"want a list, got {kind_of(value)}")
        result = []
        for index, item in enumerate(value):
            try:
                result.append(decode_elem(item))
            except DecodeError as error:
                raise error.within(f"[{index}]") from None
        # protobuf cannot tell an empty list from none, so API pods have nil where their JSON has []
        return tuple(result) if result or keep_empty else None

    return decode


def _decode_map(decode_key: Callable[[str], Any], decode_value: Decoder, keep_empty: bool) -> Decoder:
    def decode(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise DecodeError(f"want an object, got {kind_of(value)}")
        result = {}
        for key, item in value.items():
            try:
                result[decode_key(key)] = decode_value(item)
            except DecodeError as error:
                raise error.within(f"[{shown_name(clean(key))!r}]") from None
        # maps travel like lists: an empty one is not sent
        return result if result or keep_empty else None

    return decode


def _integer_key(bits: int) -> Callable[[str], int]:
    def decode(key: str) -> int:
        if not _INTEGER.fullmatch(key):
            raise DecodeError("want an integer as the key")
        return integer(int(key), bits)

    return decode


KEYS: Final[Mapping[str, Callable[[str], Any]]] = {
    "string": clean,
    **{kind: _integer_key(bits) for kind, bits in INT_BITS.items()},
}
"""What decodes the keys of a map, by their Go kind."""


def _bytes(value: Any) -> bytes | None:
    """Decode base64, the form of ``[]byte`` in JSON."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise DecodeError(f"want a string, got {kind_of(value)}")
    # Go's decoder skips line feeds and carriage returns (encoding/base64), and nothing else.
    try:
        return base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        raise DecodeError("want base64") from None


def _decode_string(value: Any) -> str:
    if isinstance(value, str):
        return clean(value)
    if value is None:
        return ""
    raise DecodeError(no_text(value))


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value is None:
        return False
    raise DecodeError(f"want true or false, got {kind_of(value)}")


def _integer(kind: str) -> Decoder:
    signed = kind in INT_BITS
    bits = INT_BITS[kind] if signed else UINT_BITS[kind]
    return lambda value: 0 if value is None else integer(value, bits, signed=signed)


def compile_pruner(go_type: GoType) -> Decoder:
    """Return the function that takes out of JSON what the type does not know, as a kubelet of it decodes.

    A value in which nothing is unknown is returned itself.
    """
    match go_type:
        case Coded():
            return _whole
        case Struct():
            return _object_pruner(
                {field.json: compile_pruner(field.type) for _, _, field in json_fields(go_type)}
            )
        case Pointer(_, elem):
            # a nil pointer is null, which passes through the struct's reader unchanged
            return compile_pruner(elem)
        case Slice(_, elem):
            prune_elem = compile_pruner(elem)
            return _whole if prune_elem is _whole else _list_pruner(prune_elem)
    return _whole


def _whole(value: Any) -> Any:
    return value


def _object_pruner(pruners: Mapping[str, Decoder]) -> Decoder:
    inner = {key: prune_value for key, prune_value in pruners.items() if prune_value is not _whole}

    def prune(value: Any) -> Any:
        if not is_object(value):
            return value
        # Nearly always nothing is unknown, and then the value itself is the answer, without a copy.
        new = {key: inner[key](value[key]) for key in inner.keys() & value.keys()}
        if pruners.keys() >= value.keys() and all(item is value[key] for key, item in new.items()):
            return value
        return {key: new.get(key, item) for key, item in value.items() if key in pruners}

    return prune


def _list_pruner(prune_elem: Decoder) -> Decoder:
    def prune(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        new = [prune_elem(item) for item in value]
        return value if all(map(is_, new, value)) else new

    return prune


def unknown_fields(go_type: GoType, value: Any) -> Iterator[str]:
    """Yield the paths of JSON keys that the type does not know, which a kubelet of that release drops."""
    match go_type, value:
        case (Struct(), Mapping()) if not isinstance(go_type, Coded):
            types = {field.json: field.type for _, _, field in json_fields(go_type)}
            for key, item in value.items():
                if key not in types:
                    yield f".{shown_name(key)}"
                else:
                    yield from (f".{key}{path}" for path in unknown_fields(types[key], item))
        case (Pointer(_, elem), _):
            yield from unknown_fields(elem, value)
        case (Slice(_, elem), list()):
            for index, item in enumerate(value):
                yield from (f"[{index}]{path}" for path in unknown_fields(elem, item))


# Typed values -> plain data by Go field name, for showing and comparing; nothing is hashed from it.


def view(go_type: GoType, value: Any) -> Any:
    """Return a typed value as dicts, lists and scalars: nil is None, a quantity its JSON form."""
    if value is None:
        return None
    match go_type:
        case Coded():
            return go_type.encode(value)
        case Struct(_, fields):
            return {field.name: view(field.type, item) for field, item in zip(fields, value, strict=True)}
        case Pointer(_, elem):
            return view(elem, value[0])
        case Slice(_, elem):
            return [view(elem, item) for item in value]
        case Map(_, _, item_type):
            return {key: view(item_type, item) for key, item in value.items()}
    return value


# The way back: the bytes of encoding/json ``Marshal``.

Emit = Callable[[str], None]
Encoder = Callable[[Any, Emit], object]
Escapes = dict[int, str]


def compile_encoder(go_type: GoType, escapes: Escapes, lead: str = "") -> Encoder:
    """Return the function that emits a value's JSON; ``lead`` is text that begins its first piece."""
    match go_type:
        case Coded():
            return _coded(go_type, escapes, lead)
        case Struct():
            return _struct(go_type, escapes, lead)
        case Pointer(_, elem):
            return _pointer(elem, escapes, lead)
        case Slice(_, elem):
            return _slice(elem, escapes, lead)
        case Map(_, Basic(_, "string"), value):
            return _map(value, escapes, lead)
        case Basic(_, "string"):
            return _string(escapes, lead)
        case Basic(_, "bool"):
            return lambda value, emit: emit(lead + ("true" if value else "false"))
        case Basic(_, kind) if kind in INT_BITS or kind in UINT_BITS:
            return lambda value, emit: emit(lead + str(value))
    raise UsageError(f"no JSON encoding for the Go type {go_type.name}")


def _string(escapes: Escapes, lead: str) -> Encoder:
    def show(value: Any, emit: Emit) -> None:
        emit(lead)
        emit(quote(value, escapes))

    return show


def _coded(go_type: Coded, escapes: Escapes, lead: str) -> Encoder:
    encode = go_type.encode

    def show(value: Any, emit: Emit) -> None:
        result = encode(value)
        emit(lead + (quote(result, escapes) if isinstance(result, str) else str(result)))

    return show


def _struct(go_type: Struct, escapes: Escapes, lead: str) -> Encoder:
    steps = [
        (path, field, _member(field, escapes, lead + "{"), _member(field, escapes, ","))
        for path, _, field in json_fields(go_type)
    ]

    def show(value: Any, emit: Emit) -> None:
        opened = False
        for path, field, first, rest in steps:
            item = at(value, path)
            if not omits(field, item):
                (rest if opened else first)(item, emit)
                opened = True
        emit("}" if opened else lead + "{}")

    return show


def omits(field: Field, value: Any) -> bool:
    """Return whether omitempty leaves the field out: never a struct, a pointer only when nil."""
    # encoding/json's isEmptyValue has no case for structs, so {} is written for an empty one
    return field.omitempty and not value and not isinstance(field.type, Struct)


def _member(field: Field, escapes: Escapes, before: str) -> Encoder:
    return compile_encoder(field.type, escapes, f"{before}{quote(field.json, escapes)}:")


def _when_needed(go_type: GoType, escapes: Escapes, lead: str) -> Callable[[], Encoder]:
    """Return a function that compiles an encoder once: most of a container's types are never set."""
    return cache(lambda: compile_encoder(go_type, escapes, lead))


def _pointer(elem: GoType, escapes: Escapes, lead: str) -> Encoder:
    encode_elem = _when_needed(elem, escapes, lead)

    def show(value: Any, emit: Emit) -> None:
        if value is None:
            emit(lead + "null")
        else:
            encode_elem()(value[0], emit)

    return show


def _slice(elem: GoType, escapes: Escapes, lead: str) -> Encoder:
    first, rest = (_when_needed(elem, escapes, before) for before in (lead + "[", ","))

    def show(value: Any, emit: Emit) -> None:
        # nil and empty differ: null, and [] or {}
        if not value:
            emit(lead + ("null" if value is None else "[]"))
            return
        first()(value[0], emit)
        for item in value[1:]:
            rest()(item, emit)
        emit("]")

    return show


def _map(value_type: GoType, escapes: Escapes, lead: str) -> Encoder:
    encode_value = compile_encoder(value_type, escapes, ":")

    def show(value: Any, emit: Emit) -> None:
        if not value:
            emit(lead + ("null" if value is None else "{}"))
            return
        before = lead + "{"
        # encoding/json sorts the keys of maps by their bytes, which is Python's order of strings
        for key in sorted(value):
            emit(before + quote(key, escapes))
            encode_value(value[key], emit)
            before = ","
        emit("}")

    return show
