"""Lines in YAML are those of an editor, whatever YAML takes as the end of a line, and wherever that is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.go import yaml, yamlevents
from hashcompat.go.yamlevents import Breaks

BREAKS = ("\n", "\r\n", "\r", "\x85", "\u2028", "\u2029")

breaks = st.sampled_from(BREAKS)

FILLS = (
    "",
    "# a comment{0}",
    "  # é{0}{0}",
    "    a: 'quoted{0}{0}      on'{0}",
    "    a: plain{0}      on{0}",
    "    a: |{0}      block{0}{0}      of text{0}",
    '    a: "\\N \\L"{0}',
)
"""What may be between two elements, with breaks for {0}."""

rows = st.lists(st.tuples(st.sampled_from(FILLS), breaks, breaks), max_size=12)


def written(filled: list[tuple[str, str, str]]) -> tuple[str, list[int]]:
    """Return a document with a list of mappings, and at which line each of these begins."""
    text, lines = "spec:\n  containers:\n", []
    for fill, one, other in filled:
        lines.append(1 + text.count("\n"))
        text += f"  - n: 1{one}" + fill.format(other)
    return text, lines


def chunked(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


@pytest.mark.parametrize("loader", [yamlevents._LOADER, pyyaml.SafeLoader], ids=["C", "Python"])
@given(filled=rows, size=st.sampled_from([1, 2, 1000]))
def test_only_lf_ends_a_line(loader: Any, filled: list[tuple[str, str, str]], size: int) -> None:
    text, lines = written(filled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yamlevents, "_LOADER", loader)
        patch.setattr(yamlevents, "_MANY", 2)
        (part,) = yaml.parts(chunked(text, size))
        (whole,) = yaml.documents(text)
    for found in (part, whole):
        assert found.lines
        assert list(found.lines("containers", found.value["spec"]["containers"] or [])) == lines


@given(st.lists(st.tuples(breaks, st.text("ab", max_size=2))), st.integers(1, 5))
def test_lines_of_any_place(filled: list[tuple[str, str]], size: int) -> None:
    """Ask for every line of YAML, with what is read so far."""
    text = "".join(one + other for one, other in filled) + "x"
    counted = Breaks()
    for chunk in chunked(text, size):
        counted.add(chunk)
    begins = [1]
    place = 0
    while place < len(text):
        step = 2 if text.startswith("\r\n", place) else 1
        place += step
        if text[place - step : place] in BREAKS:
            begins.append(1 + text.count("\n", 0, place))
    for line, expected in enumerate(begins):
        counted.forget(line)
        assert counted.line(line) == expected


def test_breaks_that_were_passed_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamlevents, "_MANY", 10)
    counted = Breaks()
    for line in range(1000):
        counted.add("\x85\n")
        counted.forget(2 * line + 2)
        assert counted.line(2 * line + 2) == line + 2
        assert len(counted.odd) < 12
