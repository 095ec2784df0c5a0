"""No rule goes untested: each has a test of its name."""

from __future__ import annotations

import re
from pathlib import Path

from hashcompat.rules import RULES


def test_every_rule_has_a_test_of_its_name() -> None:
    texts = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*_rules.py"))
    assert {rule.id.lower() for rule in RULES} == set(re.findall(r"(?<=[_ ])hc\d{3}(?=_)", texts))
