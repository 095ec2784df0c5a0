"""kubectl's JSONPath templates: what client-go prints, and where this project differs on purpose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hashcompat.core.errors import InputError, UsageError
from hashcompat.output.formats import FORMATS
from hashcompat.output.formats.jsonpath import render_jsonpath
from hashcompat.output.formats.model import Style
from hashcompat.output.formats.template import parse
from hashcompat.output.report.model import Report, Rows
from tests.helpers.program import ROOT
from tests.helpers.support import rows

DOCUMENT = json.loads((ROOT / "scripts" / "golden" / "values" / "document.json").read_text())
GOLDEN = rows("jsonpath.jsonl")


def shown(template: str, document: dict[str, Any], encoding: str = "utf-8") -> str:
    report: Report[None] = Report("Example", document=lambda _: document)
    return "".join(render_jsonpath(report, None, Style(encoding=encoding, argument=template)))


def streamed(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with its items made one by one, as reports have them."""
    return {**document, "items": Rows(document["items"], lambda item: item)}


@pytest.mark.parametrize("row", GOLDEN, ids=[repr(row["template"])[1:-1] for row in GOLDEN])
def test_a_template_prints_what_client_go_prints(row: dict[str, Any]) -> None:
    for document in (DOCUMENT, streamed(DOCUMENT)):
        if row["fails"]:
            with pytest.raises((UsageError, InputError)):
                shown(row["template"], document)
        else:
            assert shown(row["template"], document) == row["out"]


def test_the_golden_templates_fail_and_succeed() -> None:
    assert sum(row["fails"] for row in GOLDEN) > 15
    assert sum(bool(row["out"]) for row in GOLDEN) > 60


DIFFERENT: list[tuple[str, dict[str, Any], str]] = [
    ("{.items[*].reasons[*]}", {"items": [{"reasons": []}, {"reasons": [1, 2]}]}, "1 2"),
    ('{.items[?(@.a=="x")].b}', {"items": [{"a": None, "b": 1}, {"a": "x", "b": 2}, {"a": 3}]}, "2"),
    ('{.items[?(@.a!="x")].b}', {"items": [{"a": None, "b": 1}, {"a": "x", "b": 2}]}, "1"),
    ("{.items[?(@.a<2)].a}", {"items": [{"a": None}, {"a": 1}, {"a": "1"}, {"a": True}]}, "1"),
    ("{.a.*}", {"a": {"z": 1, "b": 2}}, "1 2"),
    ("{.items[*].a}", {"items": [{"a": "x\ny\\"}]}, "x\\ny\\\\"),
    ("{.a}", {"a": "::error::"}, "\\x3a:error::"),
    ("{.a}", {"a": ["\x1b", "<"]}, '["\\u001b","\\u003c"]'),
    ("\x1b{.a}", {"a": 1}, "\x1b1"),
]


@pytest.mark.parametrize(("template", "document", "out"), DIFFERENT, ids=range(len(DIFFERENT)))
def test_it_differs_from_client_go_on_purpose(template: str, document: dict[str, Any], out: str) -> None:
    assert shown(template, document) == out


def test_what_an_encoding_lacks_is_escaped() -> None:
    assert shown("{.a} {.b}", {"a": "ä", "b": ["ä"]}, "ascii") == '\\xe4 ["\\xe4"]'


def test_the_elements_of_a_list_are_taken_one_by_one() -> None:
    made: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(1000):
            made.append(number)
            yield number

    report: Report[None] = Report(
        "Example", document=lambda _: {"items": Rows(numbers(), lambda number: {"n": number})}
    )
    pieces = render_jsonpath(report, None, Style(argument='{range .items[?(@.n>1)]}{.n}{"\\n"}{end}'))
    assert next(pieces) == ""
    assert next(pieces) == "2"
    assert len(made) == 3


@pytest.mark.parametrize("template", ["{", "{.a", "{.a[}", "{end}", "{range .a[*]}{end}{end}", "{.a[?(@.b]}"])
def test_a_template_that_does_not_parse_is_refused_before_it_is_used(template: str) -> None:
    with pytest.raises(UsageError, match="jsonpath"):
        parse(template)
    with pytest.raises(UsageError, match="jsonpath"):
        FORMATS["jsonpath"].check(template)
