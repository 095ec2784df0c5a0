"""Hashed texts put together of sections: what each field of a container prints.

Some fifty type trees hash one container, in several forms, and most of their fields are of equal types in
many trees. A field's section depends on its own type and value alone, so it is decoded and printed once for
all trees that have it so, and for other containers with the same value; a whole text is then a matter of
putting some twenty strings together. The texts are exactly those of ``hashing.Hasher``, which is how tests
check them.

An era that hashes some fields only (1.31) gets its text from the hasher: it is short. So does a tree in which
a field is embedded or decides how the next one is printed; no release has one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.eras import Era, Schema
from hashcompat.core.compile.gojson import compile_decoder, compile_encoder, compile_pruner, omits
from hashcompat.core.compile.spew import byte_slice_pieces, compile_printer, may_forget
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import ESCAPES
from hashcompat.core.go.types import BYTES, Field, zero_value
from hashcompat.core.kubelet.hashing import Hasher, compile_hasher

Spec = Mapping[str, Any]

_OPEN: Final = f"({BYTES.name})["
"""What precedes the first byte in the text of a ``[]byte``."""


class Frame(msgspec.Struct, frozen=True):
    """What is around the sections of a text."""

    before: str
    between: str
    after: str


class Sections(msgspec.Struct, frozen=True):
    """A hashed text as its sections."""

    frame: Frame
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        frame = self.frame
        return f"{frame.before}{frame.between.join(self.parts)}{frame.after}"


_WHOLE: Final = Frame("", "", "")
"""Around a text of one section."""


def whole(text: str) -> Sections:
    """Return a text as one section."""
    return Sections(_WHOLE, (text,))


class _Member(msgspec.Struct, frozen=True, eq=False):
    """A field of a container as some trees have it: equal fields of several trees are one object."""

    key: str
    """Its key in JSON."""
    zero: Any
    """The typed value of an unset field."""
    decode: Callable[[Any], Any]
    prune: Callable[[Any], Any]
    """Takes out of a JSON value what the type does not know."""


class _Printed(msgspec.Struct, frozen=True, eq=False):
    """How some eras print a field."""

    member: _Member
    show: Callable[[Any], str]
    """A typed value -> its section; empty for one that is left out."""
    unset: str
    """The section of an unset field."""


@lru_cache(maxsize=1 << 11)
def _member(field: Field) -> _Member:
    go_type = field.type
    decode = compile_decoder(go_type, keep_empty=False)
    return _Member(field.json, zero_value(go_type), decode, compile_pruner(go_type))


@lru_cache(maxsize=1 << 12)
def _printed(field: Field, escapes: str) -> _Printed:
    """Return how a field is printed as JSON with these escapes, or without any as Go's value."""
    member = _member(field)
    show = _as_json(field, escapes) if escapes else _as_value(field)
    return _Printed(member, show, show(member.zero))


def _as_value(field: Field) -> Callable[[Any], str]:
    printer = compile_printer(field.type, lead=f"{field.name}:")

    def show(value: Any) -> str:
        pieces: list[str] = []
        printer(value, pieces.append)
        return "".join(pieces)

    return show


def _as_json(field: Field, escapes: str) -> Callable[[Any], str]:
    encode = compile_encoder(field.type, ESCAPES[escapes], f'"{field.json}":')

    def show(value: Any) -> str:
        if omits(field, value):
            return ""
        pieces: list[str] = []
        encode(value, pieces.append)
        return _in_bytes(pieces)

    return show


def _in_bytes(pieces: list[str]) -> str:
    """Return how a text within the JSON is printed: each of its bytes as a number, after a space."""
    return f" {''.join(byte_slice_pieces(pieces))[len(_OPEN) : -1]}"


def keys_of(value: Any) -> set[str]:
    """Return the keys of a JSON value, at any depth."""
    keys, left = set[str](), [value]
    while left:
        child = left.pop()
        if isinstance(child, Mapping):
            keys.update(child)
            left += child.values()
        elif isinstance(child, list | tuple):
            left += child
    return keys


class Printing:
    """How one schema, era and encoding/json variant prints containers, in sections."""

    def __init__(self, schema: Schema, era: Era, escapes: str) -> None:
        self.hasher: Hasher = compile_hasher(schema, era, escapes, False)
        """The hasher whose texts these are."""
        self.places: Mapping[str, tuple[int, _Printed]] | None = None
        """The fields by their keys, with their places in the text; None where the hasher prints it."""
        if era.whole and _is_plain(schema):
            style = escapes if era.hashes_json else ""
            fields = [_printed(field, style) for field in schema.container.fields]
            self.places = {field.member.key: (place, field) for place, field in enumerate(fields)}
            self.unset = [field.unset for field in fields]
            name = schema.container.name
            self.frame = (
                Frame(f"{_OPEN}{_in_bytes(['{'])[1:]}", _in_bytes([","]), f"{_in_bytes(['}'])}]")
                if style
                else Frame(f"({name}){{", " ", "}")
            )


@lru_cache(maxsize=256)
def printing_of(schema: Schema, era: Era, escapes: str) -> Printing:
    """Return how containers are printed; once for all, as for ``compile_hasher``."""
    return Printing(schema, era, escapes)


@lru_cache(maxsize=256)
def _is_plain(schema: Schema) -> bool:
    """Return whether the text of each field depends on its own value alone."""
    return all(field.json and not may_forget(field.type) for field in schema.container.fields)


@lru_cache(maxsize=256)
def _members_of(schema: Schema) -> Mapping[str, _Member]:
    return {field.json: _member(field) for field in schema.container.fields}


_Value = tuple[Any, Any]
"""A JSON value, which is kept so that nothing else gets its id, and what was made of it."""


class SectionPrinter:
    """Prints the forms of containers; equal values of a field are one object in most of them."""

    def __init__(self) -> None:
        self._decoded: dict[tuple[int, int], _Value] = {}
        self._shown: dict[tuple[int, int], _Value] = {}
        self._pruned: dict[tuple[int, int], _Value] = {}
        self._keys: dict[int, _Value] = {}
        self._values: dict[str, Any] = {}
        self.size = 0
        """The characters of all sections so far."""

    def sections(self, printing: Printing, form: Spec) -> Sections:
        """Return the text of a container's JSON, in sections.

        Raises DecodeError, without a path, for JSON that does not fit the Go types.
        """
        places = printing.places
        if places is None:
            return whole(printing.hasher.text(form))
        parts, shown = printing.unset.copy(), self._shown
        # looked up here rather than by a method: a snapshot of 1,500 pods does so a million times
        for key, value in form.items():
            if (at := places.get(key)) is not None:
                place, field = at
                cached = shown.get((id(field), id(value)))
                parts[place] = cached[1] if cached is not None else self._section(field, value)
        return Sections(printing.frame, tuple(filter(None, parts)))

    def pruned(self, schema: Schema, form: Spec) -> Spec:
        """Return a container's JSON without what a schema does not know; itself if there is no such thing."""
        if not _is_plain(schema):
            pruned_form: Spec = compile_pruner(schema.container)(form)
            return pruned_form
        members, cache, new, same = _members_of(schema), self._pruned, dict[str, Any](), True
        for key, original in form.items():
            if (member := members.get(key)) is None:
                same = False
                continue
            cached = cache.get((id(member), id(original)))
            value = cached[1] if cached is not None else self._prune(member, original)
            same = same and value is original
            new[key] = value
        return form if same else new

    def shared(self, form: Spec, before: Spec) -> Spec:
        """Return a container's JSON in which each value is the first one like it that this printer was given.

        Those are that it shares with the JSON ``before`` it, which is one of these.
        """
        values = self._values
        return {
            key: value if value is before.get(key) else values.setdefault(repr(value), value)
            for key, value in form.items()
        }

    def keys(self, form: Spec) -> frozenset[str]:
        """Return the keys of a container's JSON, at any depth."""
        keys = set(form)
        for value in form.values():
            if isinstance(value, Mapping | list):
                below = self._keys.get(id(value))
                if below is None:
                    below = self._keys[id(value)] = value, frozenset(keys_of(value))
                keys |= below[1]
        return frozenset(keys)

    def _section(self, field: _Printed, value: Any) -> str:
        text: str = field.show(self._typed(field.member, value))
        self._shown[id(field), id(value)] = value, text
        self.size += len(text)
        return text

    def _typed(self, member: _Member, value: Any) -> Any:
        key = id(member), id(value)
        cached = self._decoded.get(key)
        if cached is None:
            try:
                cached = value, member.decode(value)
            except DecodeError as error:
                cached = value, error
            self._decoded[key] = cached
        if isinstance(cached[1], DecodeError):
            raise cached[1]
        return cached[1]

    def _prune(self, member: _Member, value: Any) -> Any:
        cached = self._pruned[id(member), id(value)] = value, member.prune(value)
        return cached[1]
