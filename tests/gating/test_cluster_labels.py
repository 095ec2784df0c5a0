"""Exceptions that count in clusters with a label alone."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec import structs

import hashcompat
from hashcompat.core.policies.exceptions import Names
from tests.helpers.pods import ARTICLE, node, pod

OLD, NEW = "1.7.16", "1.9.11"


@pytest.mark.parametrize(
    ("clusters", "labels", "outcome", "warned"),
    [
        ("", (), "PASS", False),
        ("tier=lab", (("tier", "lab"),), "PASS", False),
        ("tier=lab", (("tier", "prod"),), "FAIL", False),
        ("tier=lab", (("team", "a"), ("tier", "lab")), "PASS", False),
        ("tier=lab", (), "FAIL", False),
    ],
)
def test_an_exception_counts_where_the_cluster_has_its_label(
    clusters: str, labels: tuple[tuple[str, str], ...], outcome: str, warned: bool
) -> None:
    inventory = hashcompat.load([node(f"v{OLD}"), pod(ARTICLE)])
    inventory = structs.replace(inventory, origin=structs.replace(inventory.origin, labels=labels))
    exemption = hashcompat.Exemption(Names.CONTAINER, "ns/p/*", "known", date(2999, 1, 1), clusters=clusters)
    result = hashcompat.gate(hashcompat.plan(inventory, to=NEW), exemptions=[exemption])
    assert (str(result.outcome), bool(result.warnings)) == (outcome, warned)
