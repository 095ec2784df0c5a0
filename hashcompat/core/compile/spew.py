"""Typed values -> the text of go-spew's ``%#v`` (davecgh/go-spew v1.1.1, spew/format.go).

It follows three rules: a struct field and the top value print ``(Type)``, slice elements and map
keys and values do not; a pointer prints ``(*T)`` and then the bare value; a nil slice or map is ``<nil>``, an
empty one ``[]`` / ``map[]``. An interface always prints its dynamic type, also in a slice.

Each type is compiled into a function ``(value, emit)`` that emits the text in pieces. ``lead`` is constant
text before the value; it is merged into the first piece, so that there are few and mostly constant pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import chain, repeat
from typing import Any, Final

import msgspec

from hashcompat.core.go.types import (
    BYTES,
    FLOATS,
    Array,
    Basic,
    GoType,
    Interface,
    Map,
    Pointer,
    Slice,
    Struct,
    types,
)

Emit = Callable[[str], None]
Printer = Callable[[Any, Emit], object]


def spew(go_type: GoType, value: object) -> str:
    """Return the ``%#v`` text of a typed value."""
    pieces: list[str] = []
    compile_printer(go_type)(value, pieces.append)
    return "".join(pieces)


def compile_printer(go_type: GoType, *, typed: bool = True, lead: str = "") -> Printer:
    """Return the printer of ``go_type``; ``typed``: its type is printed before the value."""
    match go_type:
        case Pointer(_, Pointer() | Interface()):
            return _pointer_chain(go_type, typed, lead)
        case Pointer(_, elem):
            return _pointer(elem, typed, lead)
        case Interface(name):
            return _interface(name, lead)
    head = f"{lead}({go_type.name})" if typed else lead
    match go_type:
        case Struct():
            return _struct(go_type, head)
        case Map():
            return _map(go_type, head)
        case Slice(_, Basic(_, "uint8")):
            return _bytes(head)
        case Slice(_, elem) | Array(_, _, elem):
            return _sequence(elem, head)
        case Basic(_, "string"):
            return _string(head)
        case Basic(_, kind):
            text = _scalar_text(kind)
            return lambda value, emit: emit(head + text(value))
    raise AssertionError(go_type)


def _string(head: str) -> Printer:
    def show(value: Any, emit: Emit) -> None:
        emit(head)
        emit(value)

    return show


def _scalar_text(kind: str) -> Callable[[Any], str]:
    if kind == "bool":
        return lambda value: "true" if value else "false"
    if kind == "uintptr":
        # printHexPtr writes <nil> for 0, as for a pointer
        return lambda value: hex(value) if value else "<nil>"
    if kind in FLOATS:
        from hashcompat.core.go.metav1 import format_float  # noqa: PLC0415 - few types are floats

        bits = 32 if kind in ("float32", "complex64") else 64
        return (
            (lambda value: _complex(value, bits))
            if kind.startswith("complex")
            else (lambda value: format_float(value, bits))
        )
    return str


def _complex(value: complex, bits: int) -> str:
    from hashcompat.core.go.metav1 import format_float  # noqa: PLC0415 - as above

    plus = "+" if value.imag >= 0 else ""  # NaN has no sign here, +Inf has two: spew adds one to Go's own
    return f"({format_float(value.real, bits)}{plus}{format_float(value.imag, bits)}i)"


def _struct(go_type: Struct, head: str) -> Printer:
    # What comes before a value, names and brackets, is put together here, so that printing joins fewer texts.
    leads = [
        f"{before}{field.name}:"
        for before, field in zip(chain([head + "{"], repeat(" ")), go_type.fields, strict=False)
    ]
    places = list(zip(go_type.fields, leads, strict=True))
    shows = [compile_printer(field.type, lead=lead) for field, lead in places]
    end = "}" if shows else head + "{}"
    if any(may_forget(field.type) for field in go_type.fields):
        return _forgetful_struct(
            shows,
            [compile_printer(field.type, typed=False, lead=lead) for field, lead in places],
            end,
        )

    def show(value: Any, emit: Emit) -> None:
        for show_field, item in zip(shows, value, strict=True):
            show_field(item, emit)
        emit(end)

    return show


def _forgetful_struct(shows: list[Printer], bare_shows: list[Printer], end: str) -> Printer:
    """Return the printer of a struct in which go-spew's flag ``ignoreNextType`` may drop a field's type.

    A nil pointer in a list or as a map's value returns before the flag is cleared (format.go ``formatPtr``);
    where it is the last one, the next field prints without its type. A printer returns whether it
    left the flag set.
    """

    def show(value: Any, emit: Emit) -> object:
        forgotten: object = False
        for show_field, show_bare, item in zip(shows, bare_shows, value, strict=True):
            forgotten = (show_bare if forgotten else show_field)(item, emit)
        emit(end)
        return forgotten

    return show


def may_forget(go_type: GoType) -> bool:
    """Return whether printing a value can leave ``ignoreNextType`` set; no Container field can."""
    return any(map(_leaves_flag, types(go_type, coded=True)))


def _leaves_flag(go_type: GoType) -> bool:
    match go_type:
        case Slice(_, elem) | Array(_, _, elem) | Map(_, _, elem):
            return isinstance(elem, Pointer)
    return isinstance(go_type, Interface)


def _when_needed(go_type: GoType, lead: str) -> Callable[[], Printer]:
    """Return a function that compiles an untyped printer once: most of a pod's types are never set."""
    return cache(lambda: compile_printer(go_type, typed=False, lead=lead))


def _sequence(elem: GoType, head: str) -> Printer:
    first, rest = (_when_needed(elem, lead) for lead in (head + "[", " "))

    def show(value: Any, emit: Emit) -> object:
        if not value:
            emit(head + ("<nil>" if value is None else "[]"))
            return False
        forgotten = first()(value[0], emit)
        for item in value[1:]:
            forgotten = rest()(item, emit)
        emit("]")
        return forgotten

    return show


def _bytes(head: str) -> Printer:
    def show(value: Any, emit: Emit) -> None:
        emit(head + ("<nil>" if value is None else f"[{' '.join(map(str, value))}]"))

    return show


def _map(go_type: Map, head: str) -> Printer:
    first = compile_printer(go_type.key, typed=False, lead=head + "map[")
    rest = compile_printer(go_type.key, typed=False, lead=" ")
    show_value = compile_printer(go_type.value, typed=False, lead=":")
    # arrays compare element by element, which tuples do too; complex numbers have no order in either language
    by_value = isinstance(go_type.key, Array) or (
        isinstance(go_type.key, Basic) and not go_type.key.kind.startswith("complex")
    )
    order = None if by_value else lambda value: spew(go_type.key, value)

    def show(value: Any, emit: Emit) -> object:
        if not value:
            emit(head + ("<nil>" if value is None else "map[]"))
            return False
        show_key = first
        forgotten: object = False
        # DeepHashObject sets SortKeys: Go's own order of a map is another one each time.
        for key in sorted(value, key=order):
            show_key(key, emit)
            forgotten = show_value(value[key], emit)
            show_key = rest
        emit("]")
        return forgotten

    return show


def _pointer(elem: GoType, typed: bool, lead: str) -> Printer:
    # A type may point to itself, so that the printer of what it points to has to wait for a value.
    show_elem = _when_needed(elem, lead + (f"(*{elem.name})" if typed else "<*>"))
    nil = f"{lead}(*{elem.name})<nil>" if typed else lead + "<nil>"

    def show(value: Any, emit: Emit) -> object:
        if value is None:
            emit(nil)
            # without a type formatPtr returns before it clears ignoreNextType, so whatever is next prints
            # without one too
            return not typed
        return show_elem()(value[0], emit)

    return show


def _pointer_chain(go_type: Pointer, typed: bool, lead: str) -> Printer:
    """Pointers to pointers or interfaces: the whole chain is printed as one (``formatPtr``)."""

    def show(value: Any, emit: Emit) -> object:
        if value is None and not typed:
            emit(lead + "<nil>")
            return True
        end, last, indirections, nil = _follow(go_type, value)
        if typed:
            head = f"{lead}({'*' * indirections}{end.name})"
        else:
            # only where a nil ends the chain does formatPtr count the stars in the type's own name
            head = f"{lead}<{'*' * (indirections + end.name.count('*') * nil)}>"
        if nil:
            emit(head + "<nil>")
            return not typed
        return _dynamic_printer(end, typed=False, lead=head)(last, emit)

    return show


def _follow(go_type: GoType, value: Any) -> tuple[GoType, Any, int, bool]:
    """Return type and value at the end of a pointer chain, the count of pointers, whether one was nil."""
    indirections = 0
    while isinstance(go_type, Pointer):
        if value is None:
            return go_type, None, indirections, True
        indirections, go_type, value = indirections + 1, go_type.elem, value[0]
        if isinstance(go_type, Interface):
            if value is None:
                return go_type, None, indirections, True
            go_type, value = value
    return go_type, value, indirections, False


def _interface(name: str, lead: str) -> Printer:
    nil = f"{lead}({name})<nil>"

    def show(value: Any, emit: Emit) -> object:
        if value is None:
            emit(nil)
            return False
        return _dynamic_printer(value[0], typed=True, lead=lead)(value[1], emit)

    return show


_dynamic_printer: Final = lru_cache(maxsize=1024)(compile_printer)
_TOKENS: Final = [f" {byte}" for byte in range(256)]
_LONGEST_REMEMBERED: Final = 256
_AT_ONCE: Final = 1 << 16
"""Characters that are printed at once: while they are, each of their bytes takes 8 more."""
_BYTES_HEAD: Final = f"({BYTES.name})["


def byte_slice_pieces(pieces: Iterable[str]) -> list[str]:
    """Return the ``%#v`` text, in pieces, of the non-empty ``[]byte`` that is the UTF-8 of ``pieces``."""
    text: list[str] = []
    for piece in pieces:
        # Keys, names and values of JSON repeat from container to container; long texts hardly ever do.
        if len(piece) <= _LONGEST_REMEMBERED:
            text.append(_tokens(piece))
        else:
            # not cached: one long value would push thousands of short ones out
            starts = range(0, len(piece), _AT_ONCE)
            text += (_tokens.__wrapped__(piece[start : start + _AT_ONCE]) for start in starts)
    # every byte is printed with a space before it, and the first one needs none
    text[0] = _BYTES_HEAD + text[0][1:]
    text.append("]")
    return text


def byte_slice_text(data: bytes) -> str:
    """Return the ``%#v`` text of a non-empty ``[]byte``: but for the commas, a list in JSON."""
    starts = range(0, len(data), _AT_ONCE)
    lists = (_ENCODE(list(data[start : start + _AT_ONCE])).translate(_SPACED)[1:-1] for start in starts)
    return f"{_BYTES_HEAD}{b' '.join(lists).decode()}]"


_ENCODE: Final = msgspec.json.Encoder().encode
_SPACED: Final = bytes.maketrans(b",", b" ")


def in_bytes(text: str) -> str:
    """Return how the ``%#v`` text of a longer ``[]byte`` holds the UTF-8 of a short text within it."""
    # as above
    return _tokens(text) if len(text) <= _LONGEST_REMEMBERED else _tokens.__wrapped__(text)


@lru_cache(maxsize=1 << 15)
def _tokens(piece: str) -> str:
    return "".join(map(_TOKENS.__getitem__, piece.encode()))
