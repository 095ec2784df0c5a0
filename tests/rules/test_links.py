"""Each rule and each check has an address, and its page has the anchor."""

from __future__ import annotations

import re
import tomllib

import pytest

from hashcompat.analysis.preflight import CHECKS
from hashcompat.core import rules
from hashcompat.core.rules import all_rules
from tests.helpers.program import ROOT

IDS = [*(rule.id for rule in all_rules()), *(check.rule.id for check in CHECKS)]


@pytest.mark.parametrize(
    ("rule", "address"),
    [("HC004", "docs/rules.md#hc004"), ("PF-103", "docs/preflight-checks.md#pf-103")],
)
def test_a_rule_has_an_address(rule: str, address: str) -> None:
    assert rules.link(rule) == rules.SITE + address


@pytest.mark.parametrize("rule", IDS)
def test_the_page_has_the_anchor_just_once_in_front_of_the_heading(rule: str) -> None:
    path, _, anchor = rules.link(rule).removeprefix(rules.SITE).partition("#")
    page = (ROOT / path).read_text()
    assert re.findall(rf'^<a id="{anchor}"></a>\n\n## (\S+):', page, re.MULTILINE) == [rule]
    assert page.count(f'id="{anchor}"') == 1


def test_what_is_not_an_id_has_no_address() -> None:
    with pytest.raises(KeyError):
        rules.link("XX-001")


def test_the_site_is_the_one_that_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project.get("urls", {}).get("Documentation", "docs/") == f"{rules.SITE}docs/"
