"""Many items at once: what the quick decoder takes is what the strict one reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.go.jsonpath import DecodedRun
from hashcompat.core.go.jsonstream import parts
from hashcompat.sources.files import saved

TEXTS = st.text(max_size=6)
ROWS = st.lists(
    st.dictionaries(TEXTS, st.none() | st.booleans() | st.integers() | TEXTS, max_size=4), max_size=6
)


@pytest.mark.parametrize(
    "text",
    [
        "[{}, 1]",
        "{}",
        "[{}",
        '[{"a": 1, "a": 2}]',
        '[{"a": {"b": 1, "b": "\\""}}]',
        '[{"a": "\\u0022", "a": 1}]',
        '[{"a": "\ud800"}]',
        '[{"a": NaN}]',
        '[{"a": 01}]',
        "[" * 5000,
        "",
    ],
)
def test_what_it_might_read_differently_it_leaves(text: str) -> None:
    assert saved.decoded(text) is None


def read(text: str, size: int, **how: Any) -> list[tuple[Any, ...]]:
    chunks = (text[start : start + size] for start in range(0, len(text), size))
    return [(part.document, part.value, part.index, part.kind) for part in parts(chunks, **how)]


@given(ROWS, st.integers(1, 200), st.sampled_from([None, 1, 2, 4]), st.booleans())
def test_parts_are_the_same_with_it(rows: list[Any], size: int, indent: int | None, ascii_only: bool) -> None:
    document = {"kind": "K", "items": rows, "spec": {"items": rows}}
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    assert read(text, size, quick=saved.Summed().decoded) == read(text, size)


def test_most_of_a_long_list_goes_through_it() -> None:
    taken: list[Any] = []

    def counted(text: str) -> list[tuple[Any, str]] | None:
        values = saved.Summed().decoded(text)
        assert not isinstance(values, DecodedRun)
        taken.extend(values or ())
        return [*values] if values else None

    text = json.dumps({"items": [{"a": number, "b": {"c": "}, {"}} for number in range(1000)]}, indent=2)
    assert [value["a"] for _, value, index, _ in read(text, 4096, quick=counted) if index is not None] == [
        *range(1000)
    ]
    assert len(taken) > 900


def test_an_item_that_it_cannot_encode_has_a_line_too() -> None:
    assert saved.line({"b": "\ud800", "a": 1}) == b'{"a":1,"b":"\xed\xa0\x80"}\n'
