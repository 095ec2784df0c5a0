"""Every rule with its page; what only cites ids does not read these."""

from __future__ import annotations

from typing import Final

import msgspec

from hashcompat.core.rules import Rule, admission, hashing, inputs, sandboxes, staticpods

RULES: Final = tuple(
    sorted(
        (*hashing.RULES, *sandboxes.RULES, *inputs.RULES, *staticpods.RULES, *admission.RULES),
        key=lambda rule: rule.id,
    )
)
"""Every rule, by its id."""


class RuleList(msgspec.Struct, frozen=True):
    """Some of the rules, as a result to show."""

    rules: tuple[Rule, ...] = RULES
