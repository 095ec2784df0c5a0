"""``hashcompat rules``: the stable ids and what they mean."""

from __future__ import annotations

import pytest

from hashcompat.analysis.preflight import CHECKS
from hashcompat.core.rules import all_rules
from scripts.docs.rules import checks_markdown, rules_markdown
from tests.helpers.program import Run

REASONS = [f"HC{number:03}" for number in range(1, 58)]
IDS = [*REASONS, *(check.rule.id for check in CHECKS)]


def test_names_are_the_ids(run: Run) -> None:
    assert run("rules", "-o", "name").out.split() == IDS
    assert [rule.id for rule in all_rules()] == REASONS


def test_the_document_has_an_item_for_each_rule(run: Run) -> None:
    document = run("rules", "-o", "json").document
    assert document["kind"] == "RuleList"
    assert [item["id"] for item in document["items"]] == IDS
    assert (
        document["items"][0].items()
        >= {
            "id": "HC001",
            "name": "hash algorithm changed",
            "meaning": "The steps of the hash differ between the two releases, so every hash differs.",
            "source": "kubernetes/kubernetes#40297 (1.6), #57741 (1.16), #124220 and #129385 (1.31)",
        }.items()
    )
    assert document["items"][0]["since"]["releases"] == "1.6, 1.16 and 1.31"


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


def test_a_rule_that_is_named_is_shown_with_its_page(run: Run) -> None:
    page = run("rules", "HC016").out
    assert page.splitlines()[:4] == [
        "HC016: dockershim removed",
        "",
        "What it means",
        "  The new kubelet has no dockershim. It creates everything again in another",
    ]
    assert "      kubectl get nodes -o wide\n" in page
    assert "Since which release\n  1.24 and later: the target kubelet" in page
    assert "\n  https://github.com/kubernetes/kubernetes/pull/97252\n" in page
    assert "docs/rules.md#hc016\n" in page
    assert page == run("rules", "hc16", "-o", "table").out


def test_several_pages_come_in_the_order_of_their_ids_each_once(run: Run) -> None:
    lines = run("rules", "pf103", "HC012", "hc-004", "HC004").out.splitlines()
    assert [line.partition(":")[0] for line in lines if line[:2] in ("HC", "PF")] == [
        "HC004",
        "HC012",
        "PF-103",
    ]
    assert sum(line.startswith("Words in capitals") for line in lines) == 1


def test_wide_and_names_of_one_rule_are_rows(run: Run) -> None:
    assert len(run("rules", "HC004", "-o", "wide").out.splitlines()) == 2
    assert run("rules", "HC004", "-o", "name").out == "HC004\n"


@pytest.mark.parametrize("name", ["HC004", "hc004", "hc4", "HC-4", "Hc 04", "hc_004"])
def test_an_id_is_read_as_people_write_it(run: Run, name: str) -> None:
    assert run("rules", name, "-o", "name").out == "HC004\n"


@pytest.mark.parametrize("name", ["PF-103", "pf103", "Pf_103"])
def test_the_id_of_a_check_too(run: Run, name: str) -> None:
    assert run("rules", name, "-o", "name").out == "PF-103\n"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("HC094", "HC0"),
        ("HC0004", "HC0"),
        ("PF-104x", "PF-104"),
        ("dockershim", "HC016, PF-103"),
        ("hc", "HC001, PF-513"),
        ("x", "HC001, PF-513"),
    ],
)
def test_a_name_that_is_not_an_id_gets_the_nearest_ones(run: Run, name: str, near: str) -> None:
    result = run("rules", name)
    assert (result.code, result.out) == (64, "")
    assert f"no rule {name!r}; near it: {near}" in result.err


def test_every_rule_that_kubernetes_decides_has_a_source() -> None:
    assert {rule.id for rule in all_rules() if not rule.source} == {
        "HC008",
        "HC009",
        "HC014",
        "HC029",
        "HC042",
    }


def test_a_check_is_one_of_them(run: Run) -> None:
    (item,) = run("rules", "pf-103", "-o", "json").document["items"]
    assert (item["id"], item["name"], item["since"]) == ("PF-103", "no dockershim", None)
    assert item["links"] == ["https://github.com/kubernetes/kubernetes/issues/97252"]
    assert {step["command"] for step in item["avoid"]} == {
        None,
        "hashcompat preflight --to NEW --ignore-preflight-errors PF-103",
    }
    assert run("rules", "PF-999").code == 64


def test_the_page_of_a_check_names_what_is_read_and_how_to_make_it(run: Run) -> None:
    for name, command in (
        ("PF-000", "hashcompat preflight --to NEW --dump NODE.json"),
        ("PF-110", "hashcompat preflight --to NEW"),
        ("PF-117", "hashcompat preflight --to NEW --no-node"),
        ("PF-109", "hashcompat preflight --to NEW --from OLD --no-node"),
        ("PF-219", "hashcompat preflight --to NEW --dump NODE.json -f CLUSTER.json"),
    ):
        page = run("rules", name).out
        (check,) = (check for check in CHECKS if check.rule.id == name)
        assert f"      {command}\n" in page
        assert "; ".join(check.rule.reads) in " ".join(page.split())


def test_the_page_of_checks_has_each_with_what_it_reads() -> None:
    page = checks_markdown()
    for check in CHECKS:
        assert f"## {check.rule.id}: {check.rule.name}\n\n{check.rule.meaning}\n" in page
        assert all(part in page for part in (*check.rule.reads, check.rule.source))
        assert f"| [{check.rule.id}](#{check.rule.id.lower()}) | {check.rule.name} |" in page


def test_the_page_of_rules_has_each_with_its_steps() -> None:
    page = rules_markdown()
    for rule in all_rules():
        assert f"| [{rule.id}](#{rule.id.lower()}) | {rule.name} |" in page
        assert f"## {rule.id}: {rule.name}\n\n{rule.meaning} {rule.effect}\n" in page
        for step in (*rule.confirm, *rule.avoid):
            assert f"- {step.text}\n" in page
            assert step.command in page
        assert all(f"<{address}>" in page for address in rule.links)
