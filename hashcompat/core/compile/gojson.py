"""Typed values -> the bytes of encoding/json ``Marshal``, as text in pieces."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from hashcompat.core.errors import UsageError
from hashcompat.core.go.jsontext import quote
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
)
from hashcompat.core.go.walk import at, json_fields

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
