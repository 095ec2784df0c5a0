"""The page of a rule: what a terminal of 80 columns shows, and the releases that the data give."""

from __future__ import annotations

import pytest

from hashcompat.analysis.preflight import CHECKS
from hashcompat.core.rules import DataRows, Rule, RuleList, Since, all_rules
from hashcompat.output.formats.model import Style, render_text
from hashcompat.output.report.rules import PAGES, command_lines, document_of, paged, released, sections

EVERY = [*all_rules(), *(paged(check) for check in CHECKS)]
LONG = "hashcompat hash --kubelet OLD,NEW --node-name NODE --static-pod-dir MANIFESTS -o json"


def shown(*rules: Rule) -> str:
    return "".join(render_text(PAGES, RuleList(rules), Style()))


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.id)
def test_a_page_fits_80_columns_but_for_addresses(rule: Rule) -> None:
    wide = [line for line in shown(rule).splitlines() if len(line) > 80]
    assert [line for line in wide if not line.startswith("  https://")] == []


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.id)
def test_a_command_is_whole_when_it_is_pasted(rule: Rule) -> None:
    page = shown(rule).replace(" \\\n", "\n")
    for step in (*rule.confirm, *rule.avoid):
        assert " ".join(step.command.split()) in " ".join(page.split())


def test_a_long_command_is_broken_before_a_pipe_and_only_then_before_an_option() -> None:
    assert list(command_lines("one two | three -f x", 80)) == ["one two | three -f x"]
    assert list(command_lines("one two | three -f 'x | y'", 22)) == ["one two \\", "  | three -f 'x | y'"]
    assert list(command_lines(LONG, 60)) == [
        "hashcompat hash --kubelet OLD,NEW --node-name NODE \\",
        "  --static-pod-dir MANIFESTS -o json",
    ]


def test_the_parts_of_a_page_are_in_order() -> None:
    titles = [section.title for section in sections(all_rules()[0])]
    assert titles == [
        "",
        "What it means",
        "Confirm it on a node",
        "Avoid it",
        "Since which release",
        "Upstream",
        "This page",
    ]


def test_what_a_rule_does_not_have_is_left_out() -> None:
    assert [section.title for section in sections(Rule("HC999", "n", "M.", ""))] == [
        "",
        "What it means",
        "This page",
    ]


@pytest.mark.parametrize(
    ("rule", "releases"),
    [
        ("HC001", "1.6, 1.16 and 1.31"),
        ("HC003", "1.27.16, 1.28.12 and 1.29.7"),
        ("HC004", "up to 1.15"),
        ("HC006", "1.16 - 1.30"),
        ("HC011", "1.32 and later"),
        ("HC015", "1.6 and later"),
        ("HC016", "1.24 and later"),
        ("HC017", "1.6"),
        ("HC018", "up to 1.5"),
        ("HC019", "1.33 - 1.36"),
        ("HC020", "1.27 - 1.30"),
        ("HC021", "1.34"),
        ("HC026", "1.2 and 1.3"),
        ("HC027", "every release"),
        ("HC028", "1.8 and later"),
        ("HC034", "1.24 and later"),
        ("HC035", "1.28"),
        ("HC036", "1.33 and later"),
        ("HC038", "1.25.10 - 1.25, 1.26.5 - 1.26 and 1.27.2 and later"),
        ("HC039", "1.16, 1.32, 1.36 and 1.37"),
    ],
)
def test_releases_come_from_the_release_data(rule: str, releases: str) -> None:
    (since,) = (entry.since for entry in all_rules() if entry.id == rule)
    assert since
    assert since.rows
    assert released(since) == releases


def test_every_rule_has_releases() -> None:
    assert [rule.id for rule in all_rules() if not rule.since or not released(rule.since)] == []


def test_releases_that_no_data_decide_are_as_written() -> None:
    assert released(Since("n", releases="every release")) == "every release"
    other = Since("n", (DataRows("behaviour", ("pauseImage",), "value", unlike=True),))
    assert released(other) == "up to 1.5"


def test_the_document_has_the_page_too() -> None:
    (rule,) = (entry for entry in all_rules() if entry.id == "HC016")
    item = document_of(rule)
    assert item["page"].endswith("docs/rules.md#hc016")
    assert item["since"] == {"releases": "1.24 and later", "note": rule.since and rule.since.note}
    assert item["confirm"][0] == {
        "text": "The kubelet (VERSION) and the runtime (CONTAINER-RUNTIME) of each node:",
        "command": "kubectl get nodes -o wide",
    }
    assert {step["command"] for step in item["avoid"]} >= {"kubectl drain NODE --ignore-daemonsets"}
    assert all(step["text"] for step in item["confirm"])
