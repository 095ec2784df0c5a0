"""encoding/json Marshal: the order of fields, omitempty, null and escapes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.compile.gojson import compile_encoder
from hashcompat.core.errors import UsageError
from hashcompat.core.go import metav1, quantity
from hashcompat.core.go.jsontext import ESCAPES
from hashcompat.core.go.types import (
    STRING,
    STRING_MAP,
    Array,
    Basic,
    Field,
    GoType,
    Interface,
    Map,
    Pointer,
    Slice,
    Struct,
    zero_value,
)

INT = Basic("int32", "int32")
BOOL = Basic("bool", "bool")
INNER = Struct("v1.Inner", (Field("A", STRING, "a", omitempty=True), Field("B", INT, "b", omitempty=True)))
FIELDS: dict[str, GoType] = {
    "string": STRING,
    "int": INT,
    "bool": BOOL,
    "slice": Slice("[]string", STRING),
    "map": STRING_MAP,
    "pointer": Pointer("*string", STRING),
    "struct": INNER,
    "quantity": quantity.TYPE,
    "intOrString": metav1.INT_OR_STRING,
}


def marshal(go_type: GoType, value: Any, go: str = "go1.22") -> str:
    pieces: list[str] = []
    compile_encoder(go_type, ESCAPES[go])(value, pieces.append)
    return "".join(pieces)


def one_field(name: str, *, omitempty: bool) -> Struct:
    return Struct("v1.One", (Field("F", FIELDS[name], "f", omitempty=omitempty),))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("string", '""'),
        ("int", "0"),
        ("bool", "false"),
        ("slice", "null"),
        ("map", "null"),
        ("pointer", "null"),
        ("struct", "{}"),
        ("quantity", '"0"'),
        ("intOrString", "0"),
    ],
)
def test_the_zero_value_without_omitempty(name: str, written: str) -> None:
    struct = one_field(name, omitempty=False)
    assert marshal(struct, zero_value(struct)) == f'{{"f":{written}}}'


@pytest.mark.parametrize("name", FIELDS)
def test_omitempty_leaves_out_everything_but_structs(name: str) -> None:
    struct = one_field(name, omitempty=True)
    kept = {"struct": '{"f":{}}', "quantity": '{"f":"0"}', "intOrString": '{"f":0}'}
    assert marshal(struct, zero_value(struct)) == kept.get(name, "{}")


@pytest.mark.parametrize(
    ("name", "value", "omitted", "written"),
    [
        ("slice", (), True, "[]"),
        ("map", {}, True, "{}"),
        ("pointer", ("",), False, '""'),
        ("slice", ("a", "b"), False, '["a","b"]'),
        (
            "map",
            {"b": "2", "a": "1", "\u00e9": "3", "B": "4"},
            False,
            '{"B":"4","a":"1","b":"2","\u00e9":"3"}',
        ),
        ("bool", True, False, "true"),
        ("int", -5, False, "-5"),
        ("struct", ("x", 0), False, '{"a":"x"}'),
        ("struct", ("", 7), False, '{"b":7}'),
        ("struct", ("x", 7), False, '{"a":"x","b":7}'),
        ("quantity", quantity.parse("0.1"), False, '"100m"'),
        ("quantity", quantity.parse("+5Mi"), False, '"+5Mi"'),
        ("intOrString", (0, 8080, ""), False, "8080"),
        ("intOrString", (1, 0, "<http>"), False, r'"\u003chttp\u003e"'),
    ],
)
def test_values(name: str, value: Any, omitted: bool, written: str) -> None:
    assert marshal(one_field(name, omitempty=True), (value,)) == ("{}" if omitted else f'{{"f":{written}}}')
    assert marshal(one_field(name, omitempty=False), (value,)) == f'{{"f":{written}}}'


def test_fields_of_an_embedded_struct_stand_in_its_place() -> None:
    handler = Struct(
        "v1.Handler",
        (Field("Exec", STRING, "exec", omitempty=True), Field("Get", STRING, "get", omitempty=True)),
    )
    probe = Struct(
        "v1.Probe",
        (Field("First", INT, "first"), Field("Handler", handler, embedded=True), Field("Last", INT, "last")),
    )
    assert marshal(probe, (1, ("x", "y"), 2)) == '{"first":1,"exec":"x","get":"y","last":2}'


def test_a_field_without_a_key_that_is_no_struct_is_not_written() -> None:
    hidden = Struct("v1.Hidden", (Field("Secret", STRING), Field("Name", STRING, "name")))
    assert marshal(hidden, ("s", "n")) == '{"name":"n"}'


def test_a_struct_without_fields_is_never_left_out() -> None:
    holder = Struct("v1.Holder", (Field("F", Struct("v1.Nothing", ()), "f", omitempty=True),))
    assert marshal(holder, ((),)) == '{"f":{}}'


def test_an_empty_struct_in_a_list() -> None:
    assert marshal(Slice("[]v1.Inner", INNER), (("", 0), ("x", 0))) == '[{},{"a":"x"}]'


def test_a_pointer_in_a_list() -> None:
    assert marshal(Slice("[]*string", Pointer("*string", STRING)), (None, ("x",), None)) == '[null,"x",null]'


def test_a_nil_list_inside_a_list() -> None:
    assert marshal(Slice("[][]string", Slice("[]string", STRING)), (None, (), ("a",))) == '[null,[],["a"]]'


@pytest.mark.parametrize(
    ("go", "expected"), [("before-go1.22", r'{"\u0008":"\u000c"}'), ("go1.22", r'{"\b":"\f"}')]
)
def test_keys_and_values_are_escaped_as_that_go_does(go: str, expected: str) -> None:
    assert marshal(STRING_MAP, {"\b": "\f"}, go) == expected


@pytest.mark.parametrize(
    "go_type",
    [
        Basic("float64", "float64"),
        Interface("interface {}"),
        Array("[1]int", 1, INT),
        Map("map[int32]string", INT, STRING),
    ],
    ids=lambda go_type: go_type.name,
)
def test_a_type_that_no_container_has_is_not_guessed_at(go_type: GoType) -> None:
    with pytest.raises(UsageError, match="no JSON encoding for the Go type"):
        compile_encoder(go_type, ESCAPES["go1.22"])


text = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("go", ESCAPES)
@given(value=st.dictionaries(text, text))
def test_what_is_written_reads_back(go: str, value: dict[str, str]) -> None:
    assert json.loads(marshal(STRING_MAP, value, go)) == value


@given(st.dictionaries(text, text, min_size=1))
def test_map_keys_are_written_in_the_order_of_their_bytes(value: dict[str, str]) -> None:
    assert list(json.loads(marshal(STRING_MAP, value))) == sorted(value, key=str.encode)
