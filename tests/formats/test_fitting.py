"""Text in so many columns: nothing is wider, nothing is lost that fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.output.formats.model import LEAST, cut, ellipsis_in, fitted, shortened, width_of, wrapped

TEXTS = st.text(st.sampled_from("abc xyz中文字-/…"), max_size=60)


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [
        ("web-474k6w5gmh", 14, "web-474k6w5gmh"),
        ("web-474k6w5gmh", 9, "web-…5gmh"),
        ("web-474k6w5gmh", 3, "w…h"),
        ("中中中中", 8, "中中中中"),
        ("中中中中", 6, "中…中"),
        ("中中中中", 4, "中…"),
    ],
)
def test_long_names_lose_their_middle(text: str, room: int, shown: str) -> None:
    assert shortened(text, room, "utf-8") == shown


def test_dots_stand_for_an_ellipsis_that_an_encoding_lacks() -> None:
    assert shortened("web-474k6w5gmh", 9, "ascii") == "web...gmh"
    assert (ellipsis_in("iso8859-1"), ellipsis_in("cp1252")) == ("...", "…")


def test_prose_loses_its_end() -> None:
    assert cut("new field VolumeDevices", 12, "utf-8") == "new field V…"
    assert cut("new field VolumeDevices", 11, "utf-8") == "new field…"
    assert cut("short", 5, "utf-8") == "short"


@given(TEXTS, st.integers(LEAST, 70), st.sampled_from(["utf-8", "ascii"]))
def test_no_text_is_wider_than_its_room(text: str, room: int, encoding: str) -> None:
    for short in (shortened, cut):
        output = short(text, room, encoding)
        assert width_of(output) <= room
        assert output == text or width_of(text) > room


@given(st.lists(st.integers(0, 300), min_size=1, max_size=12), st.integers(0, 400))
def test_columns_give_way_to_each_other(widths: list[int], room: int) -> None:
    columns = fitted(widths, room)
    least = sum(min(width, LEAST) for width in widths)
    assert all(min(old, LEAST) <= new <= old for old, new in zip(widths, columns, strict=True))
    assert sum(columns) <= max(room, least)
    if sum(widths) <= room:
        assert columns == widths
    elif room >= least:
        assert sum(columns) == room


def test_the_widest_give_way_first() -> None:
    assert fitted([10, 40, 50, 5], 65) == [10, 25, 25, 5]


@given(TEXTS, st.integers(8, 70), st.integers(0, 3))
def test_lines_break_where_a_terminal_ends(text: str, room: int, indent: int) -> None:
    ends = list(wrapped(text, room, indent, breaks=True))
    for start, end in ends:
        assert width_of(text[start:end]) <= room - (indent if start else 0)
    pieces = [text[start:end] for start, end in ends]
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


def test_lines_break_at_spaces() -> None:
    text = "one two three fourteen-letters"
    assert [text[start:end] for start, end in wrapped(text, 10, 2, breaks=True)] == [
        "one two",
        "three",
        "fourteen",
        "-letters",
    ]
