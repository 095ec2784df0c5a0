"""A stencil matches the texts that equal it but for strings in its slots, and gives these."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.go.jsonpath import leaves, of_json
from hashcompat.sources.replicas.stencil import PLAIN, QUOTED, Alphabet, Cut, Stencil

FIRST: dict[str, Any] = {"a": "one", "b": {"c": ["two", "x"], "restartCount": 3}, "d": 'q"\\', "e": "\u00e9"}


def text_of(value: Any, indent: int | None = 1) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False) + "\n"


def cut(value: Any, alphabet: Alphabet = QUOTED, indent: int | None = 1) -> Cut:
    text = text_of(value, indent)
    return Cut(text, of_json(text, value).tokens(0, len(text)), 0, len(text), alphabet)


def stencil(value: Any, slots: list[int], alphabet: Alphabet = QUOTED, indent: int | None = 1) -> Stencil:
    return Stencil(cut(value, alphabet, indent), slots, [steps for steps, _ in leaves(value)], None)


def changed(**others: Any) -> dict[str, Any]:
    return {**FIRST, **others}


def test_places_of_slots_and_what_is_in_them() -> None:
    pattern = stencil(FIRST, [0, 1, 3])
    assert pattern.paths == (("a",), ("b", "c", 0), ("b", "restartCount"))
    text = text_of(changed(a="1 x", b={"c": ["{}", "x"], "restartCount": 0}))
    assert pattern.match(text, 0) == (["1 x", "{}", "0"], len(text))
    assert pattern.match("  " + text, 2) == (["1 x", "{}", "0"], len(text) + 2)
    assert pattern.lines == text.count("\n")


@pytest.mark.parametrize(
    "other",
    [
        changed(d="other"),
        changed(a=""),
        changed(a=7),
        changed(a="x" * 20_000),
        changed(a="\u00e9"),
        changed(a="a\bb"),
        changed(a="\u007f"),
        changed(b={"c": ["two", "x"], "restartCount": 10**10}),
        changed(b={"c": ["two", "x"], "restartCount": -1}),
        changed(b={"c": ["two", "x", "y"], "restartCount": 3}),
        changed(b={"c": ["two", "y"], "restartCount": 3}),
    ],
)
def test_other_texts_do_not_match(other: dict[str, Any]) -> None:
    assert stencil(FIRST, [0, 1, 3]).match(text_of(other), 0) is None


def test_values_are_what_the_decoder_reads() -> None:
    value = 'x"\\ &<>\n'
    for other in (text_of(changed(a=value)), text_of(changed(a=value)).replace("&<>", r"\u0026\u003C\u003e")):
        assert stencil(FIRST, [0]).match(other, 0) == ([value], len(other))
    assert stencil(FIRST, [0], QUOTED).match(text_of(changed(a="x\n\u0001")), 0) is None
    assert stencil(FIRST, [0], PLAIN).match(text_of(changed(a="a b")), 0) is None


def test_texts_of_one_structure_have_one_skeleton() -> None:
    other = cut(changed(a="other", b={"c": ["two", "y"], "restartCount": 4}))
    assert cut(FIRST).skeleton == other.skeleton
    assert stencil(FIRST, [0]).differences(other) == [2, 3]
    assert cut(FIRST).skeleton != cut(changed(d="")).skeleton


TEXTS = st.text('ab"\\\\ ,:{}<\n\u00e9', max_size=4)


@given(st.lists(TEXTS, min_size=3, max_size=3), st.lists(TEXTS, min_size=3, max_size=3), st.booleans())
def test_a_text_that_matches_decodes_to_the_first_with_other_strings(
    first: list[str], other: list[str], compact: bool
) -> None:
    values: list[dict[str, Any]] = [
        {key: each[place] for place, key in enumerate("abc")} for each in (first, other)
    ]
    indent = None if compact else 1
    for alphabet in (PLAIN, QUOTED):
        whole = cut(values[0], alphabet, indent)
        pattern = stencil(values[0], list(range(len(whole.values))), alphabet, indent)
        matched = pattern.match(text_of(values[1], indent), 0)
        if matched is not None:
            strings: dict[Any, str] = {
                path[0]: value for path, value in zip(pattern.paths, matched[0], strict=True)
            }
            assert {**values[0], **strings} == values[1]
