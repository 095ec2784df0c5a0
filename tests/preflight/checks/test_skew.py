"""PF-110: an upgrade that upstream's version skew policy does not cover."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.lookup import default_catalog
from tests.helpers.dumps import dump, status, unread, upgrade

SERVER = "kube-apiserver"


@pytest.mark.parametrize(
    ("current", "to", "server", "expected"),
    [
        ("1.30.14", "1.30.0", "1.30.14", [("OK", "")]),
        ("1.30.14", "1.31.0", "1.31.0", [("WARN", "")]),
        ("1.31.0", "1.31.14", "1.30.14", [("ERROR", SERVER)]),
        ("1.31.0", "1.31.14", "1.34.0", [("OK", "")]),
        ("1.31.0", "1.31.14", "1.35.0", [("WARN", SERVER)]),
        ("1.24.0", "1.24.17", "1.26.0", [("OK", "")]),
        ("1.24.0", "1.24.17", "1.27.0", [("WARN", SERVER)]),
        ("", "1.31.14", "1.31.0", [("UNKNOWN", "")]),
        ("1.31.0", "1.31.14", "", [("INFO", SERVER)]),
    ],
)
def test_pf110_the_policy(current: str, to: str, server: str, expected: list[tuple[str, str]]) -> None:
    given = default_catalog().kubelet(server) if server else None
    assert status("PF-110", dump(), upgrade(to, current, server=given)) == expected


def test_pf110_needs_neither_a_node_nor_a_cluster() -> None:
    of: Any = upgrade("1.31.0", "1.30.14")
    assert status("PF-110", unread(), of, needs=frozenset()) == [("WARN", "")]
