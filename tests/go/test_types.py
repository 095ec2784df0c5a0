from __future__ import annotations

from typing import NoReturn

import pytest

from hashcompat.core.errors import UsageError
from hashcompat.core.go.types import (
    BYTES,
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
    parse_type,
    renamed,
    zero_value,
)

INT = Basic("int", "int")
POINT = Struct("v1.Point", (Field("X", INT), Field("Name", STRING), Field("Next", Pointer("*int", INT))))


def resolve(name: str) -> GoType:
    known: dict[str, GoType] = {"Point": POINT, "Mode": Basic("v1.Mode", "string")}
    return known[name]


def unknown(name: str) -> NoReturn:
    raise LookupError(name)


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("bool", Basic("bool", "bool")),
        ("uintptr", Basic("uintptr", "uintptr")),
        ("complex128", Basic("complex128", "complex128")),
        ("byte", Basic("uint8", "uint8")),
        ("rune", Basic("int32", "int32")),
        ("any", Interface("interface {}")),
        ("interface{}", Interface("interface {}")),
        ("interface {}", Interface("interface {}")),
        ("*int", Pointer("*int", INT)),
        ("**int", Pointer("**int", Pointer("*int", INT))),
        ("[]byte", BYTES),
        ("[][]int", Slice("[][]int", Slice("[]int", INT))),
        ("[]*Point", Slice("[]*v1.Point", Pointer("*v1.Point", POINT))),
        ("[3]int", Array("[3]int", 3, INT)),
        ("[2][3]Mode", Array("[2][3]v1.Mode", 2, Array("[3]v1.Mode", 3, Basic("v1.Mode", "string")))),
        ("map[string]string", STRING_MAP),
        ("map[Mode][]int", Map("map[v1.Mode][]int", Basic("v1.Mode", "string"), Slice("[]int", INT))),
        (
            "map[[2]string]map[string]int",
            Map(
                "map[[2]string]map[string]int",
                Array("[2]string", 2, STRING),
                Map("map[string]int", STRING, INT),
            ),
        ),
        ("Point", POINT),
    ],
)
def test_go_notation_is_read(notation: str, expected: GoType) -> None:
    assert parse_type(notation, resolve) == expected


def test_a_name_that_is_not_built_in_goes_to_the_resolver() -> None:
    with pytest.raises(LookupError, match=r"^resource\.Quantity$"):
        parse_type("[]*resource.Quantity", unknown)


def test_an_unclosed_map_key_is_refused() -> None:
    with pytest.raises(UsageError, match="not a Go type"):
        parse_type("map[[2]string", unknown)


@pytest.mark.parametrize(
    "go_type",
    [INT, BYTES, Array("[1]int", 1, INT), STRING_MAP, Pointer("*int", INT), POINT, Interface("interface {}")],
    ids=lambda go_type: type(go_type).__name__,
)
def test_a_new_name_changes_the_name_alone(go_type: GoType) -> None:
    other = renamed(go_type, "v1.Other")
    assert other.name == "v1.Other"
    assert renamed(other, go_type.name) == go_type


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("bool", False),
        ("string", ""),
        ("int64", 0),
        ("uint8", 0),
        ("float32", 0.0),
        ("complex64", 0j),
        ("[2]int", (0, 0)),
        ("[]int", None),
        ("map[string]int", None),
        ("*int", None),
        ("any", None),
        ("Point", (0, "", None)),
    ],
)
def test_the_zero_value_is_gos(notation: str, expected: object) -> None:
    value = zero_value(parse_type(notation, resolve))
    assert value == expected
    assert type(value) is type(expected)
