"""A text that matches a pattern decodes to the first one's value but for what is in the holes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.go.pattern import Own, is_plain, of_json, pattern_of

PLAIN = st.text("ab09._:/@+-", min_size=1, max_size=4)
LEAVES = PLAIN | st.text(max_size=4) | st.integers(-3, 3) | st.none()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN | st.just("n"), inner, max_size=4),
    max_leaves=16,
)


def leaves(value: Any) -> list[str]:
    """Return the strings that may have holes, in the order of the text."""
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    return [value] if isinstance(value, str) and is_plain(value) else []


def replaced(value: Any, names: list[str], kept: list[int], counter: list[int]) -> Any:
    """Return the value with other strings where there are holes."""
    if isinstance(value, dict):
        return {key: replaced(inner, names, kept, counter) for key, inner in value.items()}
    if isinstance(value, list):
        return [replaced(inner, names, kept, counter) for inner in value]
    if not (isinstance(value, str) and is_plain(value)):
        return value
    number, counter[0] = counter[0], counter[0] + 1
    return names[kept.index(number)] if number in kept else value


@given(VALUES, st.lists(PLAIN, min_size=40, max_size=40), st.sampled_from([None, 1, 4]), st.booleans())
def test_a_text_with_other_strings_in_the_holes_is_that_value(
    value: Any, names: list[str], indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    found = pattern_of(of_json(text, {}), [Own("", leaf) for leaf in leaves(value)])
    if found is None:
        return
    pattern, kept = found
    assert pattern.match(text, 0) == (tuple(leaves(value)[index] for index in kept), len(text))
    other = replaced(value, names, kept, [0])
    written = json.dumps(other, indent=indent, ensure_ascii=ascii_only)
    assert pattern.match(f" {written},", 1) == (tuple(names[: len(kept)]), len(written) + 1)
    assert pattern.lines == written.count("\n")
    assert len(written) <= pattern.size


TEXT = '{"name": "web-1", "restartCount": 0, "ip": "10.0.0.1", "ips": ["10.0.0.1"], "state": "up"}'
OWN = (Own("", "web-1"), Own("restartCount", "0"), Own("", "10.0.0.1"), Own("", "10.0.0.1"))
MATCHING = (
    (TEXT, ("web-1", "0", "10.0.0.1", "10.0.0.1")),
    (TEXT.replace("web-1", "web-22"), ("web-22", "0", "10.0.0.1", "10.0.0.1")),
    (TEXT.replace(" 0,", " 12,"), ("web-1", "12", "10.0.0.1", "10.0.0.1")),
    (TEXT.replace('["10.0.0.1"]', '["::1"]'), ("web-1", "0", "10.0.0.1", "::1")),
)
OTHERS = (
    *(
        TEXT.replace("web-1", name)
        for name in ("", "w b", "a\\\\b", 'a", "b": "c', "\u00e9", "x" * 254, "a\n")
    ),
    *(TEXT.replace(" 0,", f" {number},") for number in ("00", "-1", "1.0", "1e3", '"0"', "null", "9" * 10)),
    TEXT.replace('"up"', '"down"'),
    TEXT.replace('"ip"', '"iP"'),
    TEXT.replace(', "state": "up"', ""),
    TEXT.replace('"state"', '"name": "again", "state"'),
    TEXT[:-1],
    "",
)


@pytest.mark.parametrize(("text", "values"), MATCHING)
def test_texts_of_the_pattern(text: str, values: tuple[str, ...]) -> None:
    pattern, kept = pattern_of(of_json(TEXT, {}), OWN) or pytest.fail("no pattern")
    assert kept == [0, 1, 2, 3]
    assert pattern.match(text, 0) == (values, len(text))


@pytest.mark.parametrize("text", OTHERS, ids=range(len(OTHERS)))
def test_other_texts(text: str) -> None:
    pattern, _ = pattern_of(of_json(TEXT, {}), OWN) or pytest.fail("no pattern")
    assert pattern.match(text, 0) is None


UNCERTAIN: tuple[tuple[str, list[Own]], ...] = (
    ('{"name": "a", "other": "a"}', [Own("", "a")]),
    ('{"name": "a", "a": "b"}', [Own("", "a")]),
    ('{"name": "\\u0061", "other": "a"}', [Own("", "a")]),
    ('{"name": "\\/", "other": "/"}', [Own("", "/")]),
    ('{"name": "\\u002D", "other": "-"}', [Own("", "-")]),
    ('{"restartCount": 1, "restartCount ": 1, "x": {"restartCount": 1}}', [Own("restartCount", "1")]),
    ('{"name": "a"}', []),
)


@pytest.mark.parametrize(("text", "own"), UNCERTAIN, ids=range(len(UNCERTAIN)))
def test_no_hole_where_the_place_is_not_certain(text: str, own: list[Own]) -> None:
    assert pattern_of(of_json(text, {}), own) is None


def test_a_string_that_is_elsewhere_too_stays_as_it_is() -> None:
    text = '{"a": "x", "b": "y", "c": "y"}'
    pattern, kept = pattern_of(of_json(text, {}), [Own("", "x"), Own("", "y")]) or pytest.fail("no pattern")
    assert kept == [0]
    assert pattern.match('{"a": "z", "b": "y", "c": "y"}', 0) == (("z",), len(text))
    assert pattern.match('{"a": "z", "b": "z", "c": "y"}', 0) is None


@pytest.mark.parametrize("number", ["3.5", "3.0"])
def test_a_number_that_goes_on_behind_the_hole_has_no_pattern(number: str) -> None:
    assert pattern_of(of_json(f'{{"n": {number}}}', {}), [Own("n", "3")]) is None
