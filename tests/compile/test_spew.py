"""What values.jsonl does not reach: pieces, long text, and properties."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.compile.spew import byte_slice_pieces, compile_printer, spew
from hashcompat.core.go.types import (
    BYTES,
    STRING,
    STRING_MAP,
    Array,
    Basic,
    Field,
    GoType,
    Interface,
    Pointer,
    Slice,
    Struct,
    parse_type,
)

text = st.text(st.characters(exclude_categories=["Cs"]))
INT = Basic("int", "int")


def unnamed(name: str) -> GoType:
    raise LookupError(name)


def test_the_three_rules_of_sharp_v() -> None:
    inner = Struct("v1.Inner", (Field("N", Pointer("*int", INT)), Field("L", Slice("[]string", STRING))))
    outer = Struct(
        "v1.Outer",
        (Field("A", inner), Field("B", Slice("[]v1.Inner", inner)), Field("C", Pointer("*v1.Inner", inner))),
    )
    value = ((None, None), (((1,), ()),), ((None, ("x",)),))
    assert spew(outer, value) == (
        "(v1.Outer){A:(v1.Inner){N:(*int)<nil> L:([]string)<nil>} B:([]v1.Inner)[{N:(*int)1 L:([]string)[]}] "
        "C:(*v1.Inner){N:(*int)<nil> L:([]string)[x]}}"
    )


def test_a_value_with_too_few_fields_is_never_printed() -> None:
    pair = Struct("v1.Pair", (Field("A", INT), Field("B", INT)))
    with pytest.raises(ValueError, match="shorter"):
        spew(pair, (1,))


def test_what_is_no_go_type_is_a_mistake_of_this_program() -> None:
    with pytest.raises(AssertionError):
        compile_printer(cast("GoType", SimpleNamespace(name="chan int")))


@given(text)
def test_a_string_is_printed_as_it_is(value: str) -> None:
    assert spew(STRING, value) == f"(string){value}"


@given(st.lists(text.filter(bool), min_size=1))
def test_pieces_of_bytes_print_as_the_bytes_together(pieces: list[str]) -> None:
    assert "".join(byte_slice_pieces(pieces)) == spew(BYTES, "".join(pieces).encode())


@pytest.mark.parametrize("length", [256, 257, 3000])
def test_long_pieces_print_as_short_ones(length: int) -> None:
    piece = "\u20ac" * length
    assert "".join(byte_slice_pieces([piece, "x"])) == f"([]uint8)[{'226 130 172 ' * length}120]"


def test_a_long_first_piece_begins_without_a_space() -> None:
    assert "".join(byte_slice_pieces(["{", '"'])) == "([]uint8)[123 34]"


values = {
    "[]string": st.none() | st.lists(text).map(tuple),
    "map[string]string": st.none() | st.dictionaries(text, text),
    "*int": st.none() | st.tuples(st.integers(-(2**63), 2**63 - 1)),
    "[2]bool": st.tuples(st.booleans(), st.booleans()),
    "[]uint8": st.none() | st.binary(),
    "float64": st.floats(allow_nan=False),
}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("notation", values)
@given(data=st.data())
def test_equal_values_have_equal_text_and_other_values_another(notation: str, data: st.DataObject) -> None:
    go_type = parse_type(notation, unnamed)
    value, other = data.draw(values[notation]), data.draw(values[notation])
    assert spew(go_type, value) == spew(go_type, _copy(value))
    if notation not in (
        "[]string",
        "map[string]string",
    ):  # strings are not quoted: ["a b"] and ["a", "b"] print alike
        assert (spew(go_type, value) == spew(go_type, other)) == (repr(value) == repr(other))


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: value[key] for key in reversed(list(value))}
    return value


def test_strings_are_not_quoted_so_that_some_values_print_alike() -> None:
    words = Slice("[]string", STRING)
    assert spew(words, ("a b",)) == spew(words, ("a", "b")) == "([]string)[a b]"


@given(st.dictionaries(text, text))
def test_map_keys_print_in_the_order_of_their_bytes(value: dict[str, str]) -> None:
    pairs = [f"{key}:{value[key]}" for key in sorted(value, key=str.encode)]
    assert spew(STRING_MAP, value) == f"(map[string]string)map[{' '.join(pairs)}]"


@pytest.mark.parametrize(
    ("go_type", "value", "printed"),
    [
        (Interface("interface {}"), (INT, 1), "(int)1"),
        (
            Slice("[]interface {}", Interface("interface {}")),
            ((INT, 1), None),
            "([]interface {})[(int)1 (interface {})<nil>]",
        ),
        (Array("[0]int", 0, INT), (), "([0]int)[]"),
    ],
    ids=["interface", "interfaces in a slice keep their types", "empty array"],
)
def test_interfaces_and_arrays(go_type: GoType, value: Any, printed: str) -> None:
    assert spew(go_type, value) == printed


def test_a_long_text_is_printed_in_parts_that_join_between_characters() -> None:
    text = "a\u20ac\U0001f600" * 100_000
    pieces = byte_slice_pieces(["{", text, "}"])
    assert "".join(pieces) == spew(BYTES, f"{{{text}}}".encode())
    assert max(map(len, pieces)) < len("".join(pieces)) / 3
