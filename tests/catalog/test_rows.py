"""Tables of what releases do: exactly one row of each respect for each release."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from hashcompat.catalog.files import read_table
from hashcompat.errors import InputError
from hashcompat.release import parse_release


class Decided(msgspec.Struct, frozen=True):
    """What a release does in two respects."""

    one: str
    of_two_words: int


ROW = {"value": 1, "source": "", "about": ""}
FULL: dict[str, list[dict[str, Any]]] = {
    "one": [{**ROW, "releases": ">=1.0", "value": "a"}],
    "ofTwoWords": [{**ROW, "releases": "<1.9"}, {**ROW, "releases": ">=1.9", "value": 2}],
}
RELEASE = parse_release("v1.9.11-vendor")


def test_a_release_has_the_value_of_its_row() -> None:
    table = read_table("t.json", FULL)
    assert table.decide(Decided, RELEASE) == Decided("a", 2)
    assert table.decide(Decided, parse_release("1.8.15")) == Decided("a", 1)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([], 0),
        ([{**ROW, "releases": "<1.9"}], 0),
        ([{**ROW, "releases": ">=1.9"}, {**ROW, "releases": "<1.10"}], 2),
    ],
)
def test_a_release_with_no_value_or_with_two_is_damaged_data(rows: list[dict[str, Any]], found: int) -> None:
    with pytest.raises(InputError, match=rf"^t\.json: one: want one row for 1\.9\.11, found {found}$"):
        read_table("t.json", {**FULL, "one": rows}).decide(Decided, RELEASE)


def test_a_missing_respect_is_damaged_data() -> None:
    with pytest.raises(InputError, match="one: want one row"):
        read_table("t.json", {"ofTwoWords": FULL["ofTwoWords"]}).decide(Decided, RELEASE)
