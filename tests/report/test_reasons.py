"""Reasons by kind: one of each rule, with the words that its cases share."""

from __future__ import annotations

import pytest

from hashcompat.core import rules
from hashcompat.core.model.verdicts import Reason
from hashcompat.output.report.tally import Kinds


def text_of(*texts: str, rule: str = rules.OTHER_NODE) -> str:
    kinds = Kinds()
    kinds.mask([Reason(rule, text) for text in texts])
    (kind,) = kinds.numbered()
    return kind.text


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (("static pod: it is gone",), "static pod: it is gone"),
        (("its node lacks a=b now", "its node lacks c=d now"), "its node lacks ... now"),
        (
            ("its node lacks a now", "its node lacks b now", "its node lacks a c now"),
            "its node lacks ... now",
        ),
        (("its node lacks a now", "its node lacks now"), "its node lacks ... now"),
        (("its node lacks a b c now", "its node lacks d now"), "node selector not met"),
        (("the pod is Failed, and it still runs", "the last one of it still runs"), "node selector not met"),
        (("one", "two"), "node selector not met"),
        (("a b c", "d b e"), "node selector not met"),
        (("gone",), "gone"),
        (("",), ""),
    ],
)
def test_what_differs_between_cases_is_left_out(texts: tuple[str, ...], text: str) -> None:
    assert text_of(*texts) == text
    assert text_of(*reversed(texts)) == text


def test_a_rule_that_is_not_known_goes_by_its_id() -> None:
    assert text_of("one", "two", rule="HC999") == "HC999"


def test_fields_are_listed_once() -> None:
    kinds = Kinds()
    for names in (("A", "B"), ("B",), ("C",)):
        kinds.mask([Reason(rules.FIELD_ADDED, f"new field {name} (1.9)", name, name) for name in names])
    assert [kind.text for kind in kinds.numbered()] == ["new field A, B, C"]


def test_the_most_frequent_reason_is_the_first() -> None:
    kinds = Kinds()
    masks = [kinds.mask([Reason(rule, "x")]) for rule in ("HC003", "HC001", "HC002")]
    for mask, number, is_finding in zip(masks, (5, 7, 9), (True, True, False), strict=True):
        kinds.count(mask, number, is_finding=is_finding)
    every = [(kind.number, kind.id, kind.containers, kind.findings) for kind in kinds.numbered()]
    assert every == [(1, "HC001", 7, 7), (2, "HC003", 5, 5), (3, "HC002", 9, 0)]


def test_a_container_counts_for_each_of_its_reasons() -> None:
    kinds = Kinds()
    kinds.count(kinds.mask([Reason("HC001", "x"), Reason("HC002", "y")]), 2, is_finding=True)
    assert [kind.containers for kind in kinds.numbered()] == [2, 2]
