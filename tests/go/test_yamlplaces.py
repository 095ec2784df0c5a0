"""At which line a key or an element is."""

from __future__ import annotations

import pytest

from hashcompat.core.go.yamlevents import Place, line_of

TEXT = """# a comment
gate:
  a: 1

  b:
  - x
  - {c: 1,
     d: 2}
  &k e: [1,
    2]
? [f]
: 3
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ((), 2),
        (("gate",), 2),
        (("gate", "a"), 3),
        (("gate", "b"), 5),
        (("gate", "b", 0), 6),
        (("gate", "b", 1), 7),
        (("gate", "b", 1, "d"), 8),
        (("gate", "e", 1), 10),
        (("gate", "none"), 2),
        (("none", "none"), 2),
        (("gate", "b", 7, "x"), 5),
    ],
)
def test_a_place_has_its_line_or_that_of_what_is_around_it(place: Place, line: int) -> None:
    assert line_of(TEXT, place) == line


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_text_has_one_line(text: str) -> None:
    assert line_of(text, ("gate",)) == 1
