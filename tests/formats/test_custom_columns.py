"""Columns as kubectl takes them."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.errors import UsageError
from hashcompat.output.formats import FORMATS, chosen
from hashcompat.output.formats.model import Style
from hashcompat.output.report.model import Report

ITEMS = {"items": [{"a": "x", "b": [1, 2], "c": {"d": None}}, {"a": "y  z", "b": [3]}]}


def shown(spec: str, document: dict[str, Any], *, headers: bool = True) -> list[str]:
    report: Report[None] = Report("Example", document=lambda _: document)
    style = Style(headers=headers, argument=spec)
    return "".join(FORMATS["custom-columns"].render(report, None, style)).splitlines()


@pytest.mark.parametrize("path", [".a", "a", "{.a}", "{a}"])
def test_a_path_is_written_as_kubectl_takes_it(path: str) -> None:
    assert shown(f"A:{path}", ITEMS) == ["A", "x", "y\\x20 z"]


def test_several_values_have_commas_and_none_has_a_word() -> None:
    lines = shown("B:.b[*],FIRST:.b[0:1],LIST:.b,NULL:.c.d,NONE:.nothing", ITEMS)
    assert [line.split() for line in lines] == [
        ["B", "FIRST", "LIST", "NULL", "NONE"],
        ["1,2", "1", "[1,2]", "<none>", "<none>"],
        ["3", "3", "[3]", "<none>", "<none>"],
    ]


def test_commas_in_brackets_end_no_column() -> None:
    lines = shown("U:.x['a','b'],A:.x.a", {"x": {"a": 1, "b": 2}})
    assert [line.split() for line in lines] == [["U", "A"], ["1,2", "1"]]


def test_a_document_without_items_is_one_row_and_headers_can_be_left_out() -> None:
    assert shown("A:.a", {"a": 1}, headers=False) == ["1"]


@pytest.mark.parametrize("spec", ["A", "A:", ":.a", "A:.a,", "A:{.a", "A:{.a}{.b}", "A:.a[", ","])
def test_columns_that_do_not_parse_are_usage_errors(spec: str) -> None:
    with pytest.raises(UsageError):
        chosen(f"custom-columns={spec}")
