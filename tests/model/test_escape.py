"""What no name can fake, character by character."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.model.escape import is_visible, name_path, printable, prose, some, word
from tests.helpers.hostile import HIDDEN, name_of

VISIBLE = "aZ09-_.~ äßłЖ中あ한😀→"

text = st.text(st.characters(codec=None) | st.sampled_from("".join(HIDDEN.values()) + ' "\\-/x20'))


@pytest.mark.parametrize("char", HIDDEN.values(), ids=HIDDEN)
def test_what_nobody_sees_is_escaped(char: str) -> None:
    escaped = char.encode("unicode_escape").decode()
    assert (is_visible(char), printable(f"a{char}b")) == (False, f"a{escaped}b")


def test_what_people_see_is_left_alone() -> None:
    assert printable(VISIBLE) == VISIBLE


@pytest.mark.usefixtures("untraced")
def test_no_character_that_is_ignored_or_moves_others_is_visible() -> None:
    """UAX #9 and the categories of Unicode, over all code points."""
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        if is_visible(char):
            assert char == " " or unicodedata.category(char)[0] in "LNPS"
            assert unicodedata.bidirectional(char) not in ("R", "AL", "AN", "RLO", "LRO", "B")


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", r"\xe4\u4e2d"), ("iso8859-1", r"ä\u4e2d")])
def test_what_the_encoding_lacks_is_escaped(encoding: str, shown: str) -> None:
    assert printable("ä中", encoding) == shown
    assert word("ä中", encoding) == f'"{shown}"'


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("web-1.x_y:8080/tcp", "web-1.x_y:8080/tcp"),
        ("中", "中"),
        ("", '""'),
        ("-", '"-"'),
        ("x  KEEP", r'"x\x20\x20KEEP"'),
        (" x", r'"\x20x"'),
        ('"x"', r'"\"x\""'),
        (r"x\x1b", r'"x\\x1b"'),
        ("x\x1b", r'"x\x1b"'),
        ("e\u0301", r'"e\u0301"'),
    ],
)
def test_a_name_is_one_word(name: str, shown: str) -> None:
    assert word(name) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [("two words", "two words"), ("a  b   c", r"a\x20 b\x20\x20 c"), (" a ", r"\x20a\x20"), (" ", r"\x20")],
)
def test_prose_has_no_gap_of_a_column(said: str, shown: str) -> None:
    assert prose(said) == shown


def test_a_path_has_as_many_parts_as_names() -> None:
    assert name_path("shop", "web", "app") == "shop/web/app"
    assert name_path("shop", "web/app", "") == 'shop/"web/app"/'
    assert name_path("a/b", "c", "-", "d e", "f\n") == r'"a/b"/c/"-"/"d\x20e"/"f\n"'


@given(text, st.sampled_from(["utf-8", "ascii", "cp1252", "iso8859-1", "utf-16", "koi8-r"]))
def test_a_word_is_visible_whole_and_reads_back(name: str, encoding: str) -> None:
    shown = word(name, encoding)
    shown.encode(encoding)
    assert len(shown.split()) == 1
    assert all(map(is_visible, shown))
    assert name_of(shown) == name


@given(text, st.sampled_from(["utf-8", "ascii"]))
def test_prose_is_visible_and_closed(said: str, encoding: str) -> None:
    shown = prose(said, encoding)
    assert all(map(is_visible, shown))
    assert "  " not in shown
    assert shown == shown.strip()


@pytest.mark.parametrize(
    ("names", "shown"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c"], "a, b and 1 more")],
)
def test_some_names_and_how_many_more_there_are(names: list[str], shown: str) -> None:
    assert some(iter(names), 2) == shown
