"""Fields are taken as what they have to be, or refused with their place."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.errors import InputError
from hashcompat.sources.documents import Fields

OBJECT = Fields(
    {
        "null": None,
        "text": "x\ud800",
        "object": {"a": "b"},
        "list": [{"a": "b"}],
        "odd": [1],
        "empty": {},
        "zero": 0,
    },
    "f",
    "$",
)


def test_what_is_null_or_missing_is_empty() -> None:
    for key in ("null", "missing"):
        assert (OBJECT.string(key), OBJECT.object(key).value, OBJECT.objects(key)) == ("", {}, [])


def test_what_is_below_knows_its_place() -> None:
    assert OBJECT.object("object") == Fields({"a": "b"}, "f", "$.object")
    assert OBJECT.objects("list") == [Fields({"a": "b"}, "f", "$.list[0]")]


def test_half_of_a_character_is_what_go_makes_of_it() -> None:
    assert OBJECT.string("text") == "x\ufffd"


@pytest.mark.parametrize(
    ("take", "key", "says"),
    [
        (Fields.string, "object", "f: $.object: want a string, got an object"),
        (Fields.object, "text", "f: $.text: want an object, got a string"),
        (Fields.object, "list", "f: $.list: want an object, got a list"),
        (Fields.objects, "object", "f: $.object: want a list, got an object"),
        (Fields.objects, "empty", "f: $.empty: want a list, got an object"),
        (Fields.objects, "zero", "f: $.zero: want a list, got an integer"),
        (Fields.objects, "odd", "f: $.odd[0]: want an object, got an integer"),
    ],
)
def test_what_is_of_another_type_is_refused(take: Any, key: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        take(OBJECT, key)
    assert str(caught.value) == says
