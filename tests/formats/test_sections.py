"""Sections that fit a terminal: broken between words, and within one only where nothing may be longer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.output.formats.model import Style, render_text, width_of
from hashcompat.output.report.model import Coloured, Line, Report, Screen, Section

WORDS = st.text(alphabet="ab 界é", max_size=30)
LINES = st.lists(st.one_of(WORDS, WORDS.map(lambda word: Coloured(word, "red"))), max_size=8)
ESCAPES = r"\x1b" * 6
NARROWEST = 40


def red(shown: str, colour: str) -> str:
    return f"<{shown}>" if colour == "red" else shown


def lines(section: Section, width: int | None, style: Style | None = None) -> list[str]:
    report: Report[None] = Report("Thing", text=lambda _: [section])
    made = style or Style(screen=Screen(width))
    return "".join(render_text(report, None, made)).removesuffix("\n").split("\n")


@given(LINES, st.integers(NARROWEST, 60))
def test_parts_fit_and_hold_every_word(line: Line, width: int) -> None:
    whole = "".join(map(str, line))
    parts = lines(Section([line], wraps=True), width)
    assert [word for part in parts for word in part.split()] == whole.split()
    assert all(width_of(part) <= width or len(part.split()) == 1 for part in parts)
    painted = "".join(lines(Section([line], wraps=True), width, Style(paint=red, screen=Screen(width))))
    coloured = "".join(str(piece) for piece in line if isinstance(piece, Coloured))
    shown = "".join(re.findall("<([^>]*)>", painted))
    assert shown.replace(" ", "") == coloured.replace(" ", "")


@given(LINES, st.integers(NARROWEST, 60))
def test_nothing_is_wider_where_all_has_to_fit(line: Line, width: int) -> None:
    parts = lines(Section([line], fits=True, hanging=3), width)
    assert all(width_of(part) <= width for part in parts)
    whole = "".join(map(str, line))
    assert "".join(parts).replace(" ", "") == whole.replace(" ", "")


@pytest.mark.parametrize("section", [Section([["word " * 50]], wraps=True), Section([["word " * 50]])])
def test_a_line_that_nothing_limits_is_not_broken(section: Section) -> None:
    assert lines(section, None) == ["word " * 50]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["0123456789 " * 4], ["0123456789 0123456789 0123456789", "0123456789 "]),
        (["0" * 30, Coloured("+0123456789 x", "red")], ["0" * 30 + "+0123456789", "x"]),
        (["x" * 50, " y"], ["x" * 50, "y"]),
        (["x" * 50], ["x" * 50]),
        (["  two  spaces"], ["  two  spaces"]),
        ([], [""]),
    ],
)
def test_where_a_line_is_broken(line: Line, expected: list[str]) -> None:
    assert lines(Section([line], wraps=True), NARROWEST) == expected


def test_escapes_count_as_they_are_printed_and_a_title_indents() -> None:
    body = ["0123456789 " * 5, "\x1b" * 6]
    assert lines(Section([[line] for line in body], "T", wraps=True), NARROWEST) == [
        "T",
        "  0123456789 0123456789 0123456789",
        "  0123456789 0123456789 ",
        f"  {ESCAPES}",
    ]
    assert len(lines(Section([body]), NARROWEST)) == 1
