"""Rows are found by their keys, those of one key in the order in which they were given."""

from __future__ import annotations

from hashcompat.core.records.index import Table

ROWS = [("b", 1), ("a", 2), ("b", 3), ("c", 4)]


def by_letter(row: tuple[str, int]) -> tuple[str]:
    return (row[0],)


def test_rows_are_found_by_their_key() -> None:
    table = Table(ROWS, by_letter)
    assert {key: list(table.of((key,))) for key in "abcd"} == {
        "a": [("a", 2)],
        "b": [("b", 1), ("b", 3)],
        "c": [("c", 4)],
        "d": [],
    }
    assert list(table) == sorted(ROWS)


def test_an_empty_table_has_no_rows() -> None:
    assert list(Table[str]()) == []
    assert not Table[str]().of(("a", "b"))
