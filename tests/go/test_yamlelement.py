"""Where in its text each scalar of an element is, and which strings need no quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.errors import InputError
from hashcompat.go.tokens import leaves
from hashcompat.go.yaml import element_of, load_all

TEXT = """- name: web
  quoted: "web-1"
  other: 'web-1'
  list:
  - web-2
  - restartCount: 5
  five: "5"
  count: 7
  none: ""
  block: |
    web-1
"""


def tokens(text: str, start: int = 0, end: int | None = None) -> list[tuple[str, str, bool, bool]]:
    """Return the characters of each token, its key, whether it is a number, and whether it is as it is."""
    found = element_of(text).text.tokens(start, len(text) if end is None else end)
    return [(text[one.start : one.end], one.key, one.is_number, one.is_as_is) for one in found]


def test_each_string_and_restart_count_is_a_token() -> None:
    assert tokens(TEXT) == [
        ("web", "name", False, True),
        ("web-1", "quoted", False, True),
        ("web-1", "other", False, True),
        ("web-2", "list", False, True),
        ("5", "restartCount", True, True),
        ("5", "five", False, True),
        ("", "none", False, True),
        (TEXT[TEXT.index("|") :], "block", False, False),
    ]


def test_the_tokens_of_a_part_are_those_that_begin_in_it() -> None:
    start, end = TEXT.index("  other"), TEXT.index("  five")
    assert [one[0] for one in tokens(TEXT, start, end)] == ["web-1", "web-2", "5"]


def test_tokens_are_in_the_order_of_the_value() -> None:
    element = element_of(TEXT)
    found = [str(value) for _, value in leaves(element.value)]
    assert found[:-1] == [one[0] for one in tokens(TEXT)][:-1]
    assert len(found) == len(tokens(TEXT))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param('"\\x77eb"', id="an escape"),
        pytest.param("!!str web", id="a tag"),
        pytest.param('"we\\\n    b"', id="on two lines"),
        pytest.param("\n  restartCount: 0x7", id="a number in another form"),
        pytest.param("\n  restartCount: !!int 7", id="a number with a tag"),
    ],
)
def test_what_is_written_in_another_way_is_not_as_it_is(other: str) -> None:
    *_, last = tokens(f"- a: x\n  again: {other}\n")
    assert not last[3]


def test_characters_beyond_ascii_are_one_each() -> None:
    assert tokens('- a: "\u00e9\U0001f600"\n  b: web\n')[-1] == ("web", "b", False, True)


def is_bare(value: str) -> bool:
    found = element_of("- a\n").text.is_bare
    return found is not None and found(value)


@given(st.text("aeYynoN01x.:/_@+-", min_size=1, max_size=6))
def test_a_string_that_is_bare_is_itself_without_quotes(value: str) -> None:
    """In each place where a slot may have it."""
    bare = is_bare(value)
    for text in (f"- {value}\n", f"a: {value}\nb: c\n", f"[\n{value}\n]\n", f"{{a:\n  {value}\n}}\n"):
        try:
            (document,) = load_all(text)
        except InputError:
            found = False
        else:
            found = value in (document.values() if isinstance(document, dict) else document)
        assert found or not bare, text


@pytest.mark.parametrize("value", ["web-1", "10.0.0.1", "fd00::1", "5e6f-7", "a:b", "/a", "i:v1"])
def test_names_and_addresses_are_bare(value: str) -> None:
    assert is_bare(value)


@pytest.mark.parametrize(
    "value", ["yes", "n", "null", "12", "0x1f", "1e3", "1_000", ".5", ".inf", "a:", "-", "@a", "..."]
)
def test_other_strings_are_not(value: str) -> None:
    assert not is_bare(value)


@pytest.mark.parametrize(
    "text", ["", "a", "a: b\n", "- a\n- b\n", "- a\n---\n", "- &a b\n", "[a]\nb", "- *a\n"]
)
def test_anything_but_one_element_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        element_of(text)
