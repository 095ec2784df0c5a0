"""PF-110: an upgrade that upstream's version skew policy does not cover."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.kubelet.alike import servers_of
from tests.helpers.dumps import dump, found, status, unread, upgrade

SERVER = "kube-apiserver"
SHARED = "API servers of several releases share an address, and a kubelet talks to any: "
NEWER = "a kubelet must not be newer than kube-apiserver; it is"
OLDER = "a kubelet may be up to {} minor versions older than kube-apiserver; it is"
WAITS = (
    "in CreateContainerConfigError until kube-apiserver is upgraded: 1.30.4 refuses the list of services "
    "that {} asks for (kubernetes/kubernetes#127316)"
)
CREATED = f"containers that it creates stay {WAITS.format('1.31.14')}"


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
    given = servers_of({server: ()} if server else {}, default_catalog())
    assert status("PF-110", dump(), upgrade(to, current, servers=given)) == expected


def test_pf110_needs_neither_a_node_nor_a_cluster() -> None:
    of: Any = upgrade("1.31.0", "1.30.14")
    assert status("PF-110", unread(), of, needs=frozenset()) == [("WARN", "")]


A, B, C = (f"kube-system/kube-apiserver-{node}" for node in "abc")


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ({"1.31.1": [A]}, [("INFO", f"kube-apiserver is 1.31.1 ({A})")]),
        ({"1.31.1": [A], "1.31.0": [B]}, [("INFO", f"kube-apiserver is 1.31.0 ({B}) and 1.31.1 ({A})")]),
        (
            {"1.32.0": [A, B, C], "1.31.1": ["/version"]},
            [
                (
                    "WARN",
                    f"{SHARED}1.31.1 (/version) and 1.32.0 ({A}, {B}, 1 more)",
                ),
                ("INFO", f"kube-apiserver is 1.31.1 (/version) and 1.32.0 ({A}, {B}, 1 more)"),
            ],
        ),
        (
            {"1.30.4": [B], "1.31.1": [A]},
            [
                (
                    "WARN",
                    f"{SHARED}1.30.4 ({B}) and 1.31.1 ({A})",
                ),
                (
                    "ERROR",
                    f"1.31.14 under an API server 1.30.4: {NEWER} 1.30.4 ({B}); {CREATED}",
                ),
            ],
        ),
        (
            {"1.35.0": [A]},
            [
                (
                    "WARN",
                    f"1.31.14 under an API server 1.35.0: {OLDER.format(3)} 1.35.0 ({A})",
                )
            ],
        ),
        ({"1.99.0": [A]}, [("INFO", "the release of the API server is not known; give it with --apiserver")]),
    ],
)
def test_pf110_what_the_cluster_shows(shown: dict[str, list[str]], expected: list[tuple[str, str]]) -> None:
    given = servers_of(shown, default_catalog())
    rows = found("PF-110", dump(), upgrade("1.31.14", "1.31.0", servers=given))
    assert [(status, text) for status, _, text in rows] == expected


def test_pf110_before_131_no_container_waits_for_services() -> None:
    given = servers_of({"1.29.4": [A]}, default_catalog())
    rows = found("PF-110", dump(), upgrade("1.30.14", "1.30.0", servers=given))
    assert [(row[0], "CreateContainerConfigError" in row[2]) for row in rows] == [("ERROR", False)]
