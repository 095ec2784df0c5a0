"""Where the page of a rule or of a check is."""

from __future__ import annotations

from typing import Final

SITE: Final = ""
"""The address of the source tree: ``Documentation`` of pyproject.toml without ``docs/``; empty for none."""

_PAGES: Final = {"HC": "docs/rules.md", "PF": "docs/preflight-checks.md"}


def link(rule: str) -> str:
    """Return the address of a rule's page by its id; a path in the source tree where ``SITE`` is empty.

    ``docs/rules.md#hc004`` for HC004, ``docs/preflight-checks.md#pf-103`` for PF-103. Raises KeyError for
    anything else.
    """
    return f"{SITE}{_PAGES[rule[:2]]}#{anchor(rule)}"


def anchor(rule: str) -> str:
    """Return the anchor of a rule in its page: ``hc004``."""
    return rule.lower()
