"""JSON into typed values: what encoding/json puts into the struct, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.compile.gojson import compile_decoder, compile_pruner, unknown_fields
from hashcompat.core.errors import DecodeError, UsageError
from hashcompat.core.go import metav1, quantity
from hashcompat.core.go.jsontext import dumps, loads
from hashcompat.core.go.types import STRING as TEXT
from hashcompat.core.go.types import (
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

INT32 = Basic("int32", "int32")
BOOL = Basic("bool", "bool")
PORT = Struct("v1.Port", (Field("Name", TEXT, "name", omitempty=True), Field("Port", INT32, "port")))
HANDLER = Struct(
    "v1.Handler",
    (Field("Exec", Pointer("*string", TEXT), "exec"), Field("Target", metav1.INT_OR_STRING, "target")),
)
PROBE = Struct(
    "v1.Probe",
    (
        Field("Handler", HANDLER, embedded=True),
        Field("Delay", INT32, "delay"),
        Field("Grace", Pointer("*int64", Basic("int64", "int64")), "grace"),
    ),
)
THING = Struct(
    "v1.Thing",
    (
        Field("Name", TEXT, "name"),
        Field("Ports", Slice("[]v1.Port", PORT), "ports"),
        Field("Probe", Pointer("*v1.Probe", PROBE), "probe"),
        Field("Limits", Map("v1.ResourceList", Basic("v1.ResourceName", "string"), quantity.TYPE), "limits"),
        Field("TTY", BOOL, "tty"),
        Field("Labels", Map("map[string]string", TEXT, TEXT), "labels"),
        Field("Mask", Basic("uint8", "uint8"), "mask"),
    ),
)
EMPTY = ("", None, None, None, False, None, 0)


def decode(document: str, *, keep_empty: bool = False, go_type: GoType = THING) -> Any:
    return compile_decoder(go_type, keep_empty=keep_empty)(loads(document))


def test_every_field_is_read_into_its_place() -> None:
    document = """{"mask": 255, "labels": {"k": "v"}, "tty": true, "limits": {"cpu": "100m"},
                  "probe": {"exec": "x", "delay": 5, "grace": 0},
                  "ports": [{"port": 80}, {"name": "b", "port": -1}], "name": "n"}"""
    probe = ((("x",), (0, 0, "")), 5, (0,))
    assert decode(document) == (
        "n",
        (("", 80), ("b", -1)),
        (probe,),
        {"cpu": quantity.parse("100m")},
        True,
        {"k": "v"},
        255,
    )


@pytest.mark.parametrize(
    "document",
    [
        "{}",
        "null",
        '{"name":null,"ports":null,"probe":null,"limits":null,"tty":null,"labels":null,"mask":null}',
    ],
)
@pytest.mark.parametrize("keep_empty", [True, False])
def test_absent_and_null_are_the_zero_value(document: str, *, keep_empty: bool) -> None:
    assert decode(document, keep_empty=keep_empty) == EMPTY == zero_value(THING)


@pytest.mark.parametrize(
    ("document", "kept", "dropped"),
    [
        ('{"ports": []}', ("", (), None, None, False, None, 0), EMPTY),
        ('{"limits": {}}', ("", None, None, {}, False, None, 0), EMPTY),
        ('{"labels": {}}', ("", None, None, None, False, {}, 0), EMPTY),
    ],
)
def test_an_empty_list_or_map_is_nil_only_where_protobuf_carried_it(
    document: str, kept: Any, dropped: Any
) -> None:
    assert decode(document, keep_empty=True) == kept
    assert decode(document, keep_empty=False) == dropped


def test_an_empty_object_is_a_set_pointer_either_way() -> None:
    for keep_empty in (True, False):
        assert decode('{"probe": {}}', keep_empty=keep_empty)[2] == (((None, (0, 0, "")), 0, None),)


def test_a_null_inside_a_list_or_map_is_the_zero_value_of_its_type() -> None:
    assert decode('{"ports": [null], "limits": {"cpu": null}, "labels": {"k": null}}') == (
        "",
        (("", 0),),
        None,
        {"cpu": quantity.ZERO},
        False,
        {"k": ""},
        0,
    )


def test_python_tuples_are_lists() -> None:
    assert compile_decoder(THING, keep_empty=False)({"ports": ({"port": 1},)})[1] == (("", 1),)


def test_lone_surrogates_are_replaced_in_values_and_keys() -> None:
    assert decode(r'{"name": "\ud800", "labels": {"\udfff": "x"}}')[0::5] == ("\ufffd", {"\ufffd": "x"})


def test_keys_are_told_apart_by_case_and_unknown_ones_dropped() -> None:
    assert decode('{"Name": "x", "nope": [1, {"a": 2}]}') == EMPTY


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        pytest.param("[]", "want an object, got a list", id="no object at the top"),
        pytest.param('{"name": 1}', ".name: want a string, got an integer; put it in quotes", id="string"),
        pytest.param(
            '{"name": false}', ".name: want a string, got a boolean; put it in quotes", id="boolean"
        ),
        pytest.param('{"tty": "true"}', ".tty: want true or false, got a string", id="boolean"),
        pytest.param('{"tty": 1}', ".tty: want true or false, got an integer", id="number for a boolean"),
        pytest.param('{"ports": {}}', ".ports: want a list, got an object", id="list"),
        pytest.param(
            '{"ports": [{}, {"port": "80"}]}',
            ".ports[1].port: want an integer, got a string",
            id="second item",
        ),
        pytest.param(
            '{"ports": [{"port": 2147483648}]}',
            ".ports[0].port: an integer out of the range of int32",
            id="range",
        ),
        pytest.param(
            '{"ports": [{"port": 1.0}]}', ".ports[0].port: want an integer, got a number with", id="fraction"
        ),
        pytest.param('{"mask": 256}', ".mask: an integer out of the range of uint8", id="unsigned, above"),
        pytest.param('{"mask": -1}', ".mask: an integer out of the range of uint8", id="unsigned, below"),
        pytest.param('{"probe": "x"}', ".probe: want an object, got a string", id="struct behind a pointer"),
        pytest.param(
            '{"probe": {"target": true}}',
            ".probe.target: want an integer or a string, got a boolean",
            id="field of an embedded struct",
        ),
        pytest.param('{"limits": []}', ".limits: want an object, got a list", id="map"),
        pytest.param('{"limits": {"cpu": "1x"}}', ".limits['cpu']: not a quantity", id="map value"),
        pytest.param(
            '{"labels": {"a.b/c": 1}}',
            ".labels['a.b/c']: want a string, got an integer",
            id="map key in the path",
        ),
        pytest.param(
            '{"labels": {"\\ud800": 1}}', ".labels['\ufffd']: want a string", id="path that can be printed"
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_its_path(document: str, problem: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(document)
    assert str(caught.value).startswith(problem)


def test_an_error_never_shows_a_string_value() -> None:
    with pytest.raises(DecodeError) as caught:
        decode('{"ports": [{"port": "hunter2"}]}')
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "go_type",
    [
        Basic("float64", "float64"),
        Interface("interface {}"),
        Array("[1]int", 1, INT32),
        Map("map[bool]string", BOOL, TEXT),
    ],
    ids=lambda go_type: go_type.name,
)
def test_a_type_that_no_container_has_is_not_guessed_at(go_type: GoType) -> None:
    with pytest.raises(UsageError, match="no JSON decoding for the Go type"):
        compile_decoder(go_type, keep_empty=False)


@pytest.mark.parametrize(
    ("document", "paths"),
    [
        ('{"name": "x", "ports": [{"port": 1}]}', []),
        ('{"nope": {"a": 1}, "Name": "x"}', [".nope", ".Name"]),
        ('{"ports": [{}, {"nope": 1, "port": 2}]}', [".ports[1].nope"]),
        ('{"probe": {"exec": "x", "nope": 1, "Handler": {}}}', [".probe.nope", ".probe.Handler"]),
        ('{"limits": {"any": "1"}, "labels": {"any": "x"}}', []),
        ('{"probe": {"target": {"Type": 1}}}', []),
        ('{"ports": null, "probe": null}', []),
    ],
    ids=[
        "none",
        "at the top",
        "in a list",
        "behind a pointer, inline",
        "map keys are free",
        "types with a decoder",
        "null",
    ],
)
def test_unknown_fields_are_named(document: str, paths: list[str]) -> None:
    value = loads(document)
    assert list(unknown_fields(THING, value)) == paths
    known = compile_pruner(THING)(value)
    assert (known is value) is (not paths)
    assert not list(unknown_fields(THING, known))


@pytest.mark.parametrize(
    ("document", "known"),
    [
        ('{"b": 1, "name": "x", "a": {}}', '{"name": "x"}'),
        ('{"ports": [{"port": 1}, {"port": 2, "nope": 1}]}', '{"ports": [{"port": 1}, {"port": 2}]}'),
        ('{"ports": {"nope": 1}, "probe": [1]}', '{"ports": {"nope": 1}, "probe": [1]}'),
        ('{"name": "x", "probe": {"nope": 1, "exec": "y"}}', '{"name": "x", "probe": {"exec": "y"}}'),
        ('["nope"]', '["nope"]'),
    ],
    ids=["at the top", "in a list", "other forms", "behind a pointer, inline", "no object"],
)
def test_what_is_not_known_is_left_out(document: str, known: str) -> None:
    assert dumps(compile_pruner(THING)(loads(document))) == dumps(loads(known))


def test_of_a_type_without_fields_all_is_known() -> None:
    assert compile_pruner(TEXT)({"a": 1}) == {"a": 1}


def test_the_first_wrong_field_is_named_in_the_order_of_the_type() -> None:
    with pytest.raises(DecodeError, match=r"^\.name: want a string"):
        compile_decoder(THING, keep_empty=False)(loads('{"ports": 1, "name": {}}'))
    with pytest.raises(DecodeError, match=r"^\.probe\.exec: want a string"):
        compile_decoder(THING, keep_empty=False)(loads('{"probe": {"grace": "x", "delay": [], "exec": 1}}'))


strings = st.text(max_size=5)
things = st.fixed_dictionaries(
    {},
    optional={
        "name": strings,
        "ports": st.lists(st.fixed_dictionaries({"port": st.integers(-(2**31), 2**31 - 1)}), max_size=3),
        "labels": st.dictionaries(strings, strings, max_size=3),
        "limits": st.dictionaries(strings, st.sampled_from(["1", "64Mi"]), max_size=2),
    },
)


@given(things)
def test_keeping_empty_ones_makes_a_difference_exactly_where_something_is_empty(
    thing: dict[str, Any],
) -> None:
    kept = compile_decoder(THING, keep_empty=True)(thing)
    dropped = compile_decoder(THING, keep_empty=False)(thing)
    assert (kept == dropped) == all(value or key == "name" for key, value in thing.items())
    assert tuple(item if item not in ((), {}) else None for item in kept) == dropped


def test_keys_of_maps_may_be_integers() -> None:
    decoded = compile_decoder(Map("map[int32]string", INT32, TEXT), keep_empty=True)
    assert decoded({"1": "a", "-2": "b", "+3": "c"}) == {1: "a", -2: "b", 3: "c"}
    for key in ("", "a", "1.0", "0x1", " 1", "2147483648"):
        with pytest.raises(DecodeError):
            decoded({key: "a"})


def test_bytes_are_base64() -> None:
    decoded = compile_decoder(Slice("[]uint8", Basic("uint8", "uint8")), keep_empty=True)
    assert decoded("aGVs\nbG8=") == b"hello"
    assert decoded("") == b""
    assert decoded(None) is None
    for value in ("*", "aGVsbG8", 1):
        with pytest.raises(DecodeError, match=r"^want (base64|a string)"):
            decoded(value)
