"""No rule goes untested: each has a test of its name."""

from __future__ import annotations

import re

from hashcompat.analysis.preflight import CHECKS
from hashcompat.core.rules import all_rules
from tests.helpers.program import ROOT


def test_every_rule_has_a_test_of_its_name() -> None:
    folders = (ROOT / "tests" / "planning", ROOT / "tests" / "kubelet" / "decide")
    texts = "".join(path.read_text() for folder in folders for path in folder.glob("test_*.py"))
    assert {rule.id.lower() for rule in all_rules()} == set(re.findall(r"(?<=[_ ])hc\d{3}(?=_)", texts))


def test_every_check_has_a_test_of_its_name() -> None:
    files = (ROOT / "tests" / "preflight" / "checks").glob("test_*.py")
    ids = set(re.findall(r"(?<=[_ ])pf\d{3}(?=_)", "".join(path.read_text() for path in files)))
    assert {check.rule.id.lower().replace("-", "") for check in CHECKS} == ids
