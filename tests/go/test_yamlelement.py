"""Where in its text each scalar of an element is, and which strings need no quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.errors import InputError
from hashcompat.go.pattern import Own
from hashcompat.go.yaml import load_all
from hashcompat.go.yamlelement import element_of

TEXT = """- name: web
  quoted: "web-1"
  other: 'web-1'
  list:
  - web-1
  - count: 5
  count: 5
  five: "5"
  block: |
    web-1
"""


def places(text: str, own: Own) -> list[str]:
    """Return the lines on which a string or integer is, up to it."""
    return [text[text.rfind("\n", 0, place) + 1 : place] for place in element_of(text).text.places(own)]


def test_each_place_of_a_string_is_found() -> None:
    assert places(TEXT, Own("", "web")) == ["- name: "]
    assert places(TEXT, Own("", "web-1")) == ['  quoted: "', "  other: '", "  - "]
    assert places(TEXT, Own("", "name")) == []


def test_each_place_of_an_integer_with_its_key_is_found() -> None:
    assert places(TEXT, Own("count", "5")) == ["  - count: ", "  count: "]
    assert places(TEXT, Own("", "5")) == ['  five: "']
    assert places(TEXT, Own("list", "5")) == []


@pytest.mark.parametrize(
    ("other", "own"),
    [
        pytest.param('"\\x77eb"', Own("", "web"), id="an escape"),
        pytest.param("!!str web", Own("", "web"), id="a tag"),
        pytest.param('"we\\\n    b"', Own("", "web"), id="on two lines"),
        pytest.param("0x7", Own("again", "7"), id="a number in another form"),
        pytest.param("7.0", Own("again", "7"), id="a number with a point"),
        pytest.param("!!int 7", Own("again", "7"), id="a number with a tag"),
    ],
)
def test_no_place_is_certain_where_one_is_written_in_another_way(other: str, own: Own) -> None:
    text = f"- a:\n    again: {other}\n  again: {own.value}\n"
    assert places(text, own) == []
    assert len(places(text.replace(other, own.value), own)) == 2


def test_characters_beyond_ascii_are_one_each() -> None:
    assert places('- a: "\u00e9\U0001f600"\n  b: web\n', Own("", "web")) == ["  b: "]


@given(st.text("aeYynoN01x.:/_@+-", min_size=1, max_size=6))
def test_a_string_that_is_bare_is_itself_without_quotes(value: str) -> None:
    """In each place where a pattern may have it."""
    is_bare = element_of("- a\n").text.is_bare(value)
    for text in (f"- {value}\n", f"a: {value}\nb: c\n", f"[\n{value}\n]\n", f"{{a:\n  {value}\n}}\n"):
        try:
            (document,) = load_all(text)
        except InputError:
            found = False
        else:
            found = value in (document.values() if isinstance(document, dict) else document)
        assert found or not is_bare, text


@pytest.mark.parametrize("value", ["web-1", "10.0.0.1", "fd00::1", "5e6f-7", "a:b", "/a", "i:v1"])
def test_names_and_addresses_are_bare(value: str) -> None:
    assert element_of("- a\n").text.is_bare(value)


@pytest.mark.parametrize(
    "value", ["yes", "n", "null", "12", "0x1f", "1e3", "1_000", ".5", ".inf", "a:", "-", "@a", "..."]
)
def test_other_strings_are_not(value: str) -> None:
    assert not element_of("- a\n").text.is_bare(value)


@pytest.mark.parametrize(
    "text", ["", "a", "a: b\n", "- a\n- b\n", "- a\n---\n", "- &a b\n", "[a]\nb", "- *a\n"]
)
def test_anything_but_one_element_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        element_of(text)
