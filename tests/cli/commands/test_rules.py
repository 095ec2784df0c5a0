"""``hashcompat rules``: the stable ids and what they mean."""

from __future__ import annotations

from hashcompat.preflight.registry import CHECKS
from hashcompat.report.checks import checks_markdown
from hashcompat.rules import RULES
from tests.helpers.program import Run

REASONS = [f"HC{number:03}" for number in range(1, 41)]
IDS = [*REASONS, *(check.rule.id for check in CHECKS)]


def test_names_are_the_ids(run: Run) -> None:
    assert run("rules", "-o", "name").out.split() == IDS
    assert [rule.id for rule in RULES] == REASONS


def test_the_document_has_an_item_for_each_rule(run: Run) -> None:
    document = run("rules", "-o", "json").document
    assert document["kind"] == "RuleList"
    assert [item["id"] for item in document["items"]] == IDS
    assert document["items"][0] == {
        "id": "HC001",
        "name": "hash algorithm changed",
        "meaning": "The steps of the hash differ between the two releases, so every hash differs.",
        "source": "kubernetes/kubernetes#40297 (1.6), #57741 (1.16), #124220 and #129385 (1.31)",
    }


def test_the_table_is_one_line_a_rule_and_wide_adds_the_source(run: Run) -> None:
    table, wide = (run("rules", "-o", form).out.splitlines() for form in ("table", "wide"))
    assert (table[0].split(), wide[0].split()) == (
        ["ID", "RULE", "MEANING"],
        ["ID", "RULE", "MEANING", "SOURCE"],
    )
    assert len(table) == len(wide) == len(IDS) + 1
    assert "kubernetes/kubernetes#40297" in wide[1]
    assert "kubernetes/kubernetes" not in table[1]
    assert len(run("rules", "--no-headers").out.splitlines()) == len(IDS)


def test_every_rule_that_kubernetes_decides_has_a_source() -> None:
    assert {rule.id for rule in RULES if not rule.source} == {"HC008", "HC009", "HC014", "HC029"}


def test_a_check_is_one_of_them(run: Run) -> None:
    (item,) = run("rules", "pf-103", "-o", "json").document["items"]
    assert (item["id"], item["name"]) == ("PF-103", "no dockershim")
    assert run("rules", "PF-999").code == 64


def test_the_page_of_checks_has_each_with_what_it_reads() -> None:
    page = checks_markdown()
    for check in CHECKS:
        assert f"## {check.rule.id}: {check.rule.name}\n\n{check.rule.meaning}\n" in page
        assert all(part in page for part in (*check.reads, check.rule.source))
