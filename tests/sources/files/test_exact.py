"""What msgspec decodes is what the strict decoder reads: values, lines, and errors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonstream import parts
from hashcompat.sources.files import reading

TEXTS = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)

NUMBERS = ("0", "-0", "-0.0", "1.50", "1e3", "-1", "18446744073709551616", "-9223372036854775809", "9" * 500)
STRINGS = ("\\u0022", "\\u002d-", "\\ud83d\\ude00", "\\ud800", "\\u003c", "\\/", "\x7f", "\u00e9", "- -0")
WRONG = (
    "01",
    "NaN",
    '"\x01"',
    '"\\x"',
    '{"k": 1, "k": 2}',
    '{"k": 1, "\\u006b": "-"}',
    '{"x": 1.5, "k": "", "k": 2}',
    '{"x": 1.5, "y": 2e1, "k": "", "k": "", "k": 2}',
    "[" * 800 + "]" * 800,
)


def read(text: str, size: int, quick: bool) -> list[tuple[Any, ...]] | str:
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    entries = []
    try:
        for part in parts(chunks, quick=reading.decoded if quick else None):
            rows = part.value.get("rows") if isinstance(part.value, dict) else None
            lines = part.lines("rows", rows) if part.lines and isinstance(rows, list) else ()
            entries.append((repr(part.value), part.index, part.kind, list(lines)))
    except InputError as error:
        return f"{entries} {error}"
    return entries


def listed(values: Sequence[str], space: str) -> str:
    """Return a list with objects around some values, on lines of their own."""
    rows = f'"rows": [{{}},{space}  {{"b": {{}}}}]'
    items = f",{space}".join(f'{{"a": {value},{space} {rows}{space}}}' for value in values)
    return f'{{"kind": "L", "items": [{space}{items}{space}]}}'


@given(st.lists(VALUES, max_size=5), st.integers(1, 300), st.sampled_from([None, 1, 4]), st.booleans())
def test_any_values_are_read_alike(
    values: list[Any], size: int, indent: int | None, ascii_only: bool
) -> None:
    items = [{"rows": [{"v": value}, {}], "w": value} for value in values]
    text = json.dumps({"items": items}, indent=indent, ensure_ascii=ascii_only)
    assert read(text, size, quick=True) == read(text, size, quick=False)


@pytest.mark.parametrize("space", ["", "\n", "\r\n\t", "\n\n    "], ids=repr)
@pytest.mark.parametrize(
    "value",
    [
        *(pytest.param(text, id=ascii(text[:20])) for text in (*NUMBERS, *WRONG)),
        *(
            pytest.param(f'"{text}"', id=f"string {text}".encode("unicode_escape").decode())
            for text in STRINGS
        ),
    ],
)
def test_what_may_be_read_differently_is_not(value: str, space: str) -> None:
    text = listed(["1", "2", value, "3", f'{{"-0": {value}}}', "4"], space)
    expected = read(text, 1 << 18, quick=False)
    for size in (1 << 18, 50):
        assert read(text, size, quick=True) == expected


def test_nearly_all_goes_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "DECODER", None)
    values = reading.decoded(listed([f'"{number}-0 \\u003c"' for number in range(50)], "\n")[23:-1])
    assert values is not None
    assert [value["a"] for value, _ in values] == [f"{number}-0 <" for number in range(50)]


@pytest.mark.parametrize("text", ["", "[{}", "{}", '[{"a": "\udcff"}]', "[" * 9999])
def test_what_is_no_list_of_objects_it_leaves(text: str) -> None:
    assert reading.decoded(text) is None
