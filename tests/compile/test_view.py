from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.compile.gojson import view
from hashcompat.core.go import metav1, quantity
from hashcompat.core.go.types import STRING, STRING_MAP, Field, GoType, Pointer, Slice, Struct

PAIR = Struct("v1.Pair", (Field("Name", STRING, "name"), Field("Next", Pointer("*string", STRING), "next")))


@pytest.mark.parametrize(
    ("go_type", "value", "expected"),
    [
        (STRING, "x", "x"),
        (PAIR, ("a", None), {"Name": "a", "Next": None}),
        (PAIR, ("a", ("b",)), {"Name": "a", "Next": "b"}),
        (Slice("[]v1.Pair", PAIR), (("a", None),), [{"Name": "a", "Next": None}]),
        (Slice("[]v1.Pair", PAIR), (), []),
        (Slice("[]v1.Pair", PAIR), None, None),
        (STRING_MAP, {"k": "v"}, {"k": "v"}),
        (quantity.TYPE, quantity.parse("0.1"), "100m"),
        (metav1.INT_OR_STRING, (0, 80, ""), 80),
        (metav1.INT_OR_STRING, (1, 0, "http"), "http"),
    ],
)
def test_a_typed_value_as_plain_data(go_type: GoType, value: Any, expected: Any) -> None:
    assert view(go_type, value) == expected
