"""Reason ids are stable, each is explained and each can occur."""

from __future__ import annotations

import re
from typing import Any

import pytest

import hashcompat
from hashcompat.core import rules
from hashcompat.core.rules import all_rules
from tests.helpers.pods import mirror_pod, node, pod
from tests.helpers.program import ROOT

SIDECAR = {"name": "s", "image": "i", "restartPolicy": "Always"}
FORM_FEED = {"name": "c", "args": ["\f"]}
CAUSES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "HC001": ("1.15.12", "1.16.0", pod()),
    "HC002": ("1.8.15", "1.9.11", pod(status={"phase": "Failed"})),
    "HC003": ("1.27.15", "1.27.16", pod(FORM_FEED)),
    "HC004": ("1.8.15", "1.9.11", pod()),
    "HC005": ("1.9.11", "1.8.15", pod()),
    "HC006": ("1.22.0", "1.23.0", pod({"name": "c", "livenessProbe": {"grpc": {"port": 1}}})),
    "HC007": ("1.4.0", "1.5.8", mirror_pod()),
    "HC008": ("auto", "1.9.11", pod()),
    "HC009": ("1.8.15", "1.9.11", pod({"name": "c", "args": 1})),
    "HC010": ("1.27.3-gke.1", "1.27.16", pod(FORM_FEED)),
    "HC011": ("1.31.0", "1.32.0", pod(spec={"initContainers": [SIDECAR]})),
}


def constants() -> dict[str, str]:
    return {
        name: value
        for name, value in vars(rules).items()
        if isinstance(value, str) and re.fullmatch(r"HC\d{3}", value)
    }


def test_ids_are_unique_and_each_has_a_meaning() -> None:
    ids = list(constants().values())
    assert len(set(ids)) == len(ids)
    assert [rule.id for rule in all_rules()] == sorted(ids)


def test_ids_never_change_their_meaning() -> None:
    """People write them into exceptions and dashboards."""
    assert (
        constants().items()
        >= {
            "ALGORITHM": "HC001",
            "NOT_COMPARED": "HC002",
            "GO_ESCAPES": "HC003",
            "FIELD_ADDED": "HC004",
            "FIELD_REMOVED": "HC005",
            "FIELD_DROPPED": "HC006",
            "STATIC_POD": "HC007",
            "NODE_RELEASE": "HC008",
            "NOT_DECODED": "HC009",
            "VENDOR_GO": "HC010",
            "NEVER_COMPARED": "HC011",
            "RECORDED": "HC012",
            "NOT_REPRODUCED": "HC013",
            "NOT_CALIBRATED": "HC014",
            "HASH_MISSING": "HC015",
            "RUNTIME_GONE": "HC016",
            "SANDBOX_REPLACED": "HC017",
            "PAUSE_IMAGE": "HC018",
            "RESIZE_POLICY": "HC019",
            "RESIZE_GATE": "HC020",
            "STATIC_REFUSED": "HC021",
            "STATIC_UID": "HC022",
            "API_DEFAULT": "HC023",
            "ADMISSION": "HC024",
            "STARTUP_PROBE": "HC025",
            "FIELD_RETYPED": "HC026",
            "SANDBOX_BROKEN": "HC027",
            "PATCHED": "HC028",
            "NOT_STORED": "HC029",
            "SERVER_GATE": "HC030",
            "OTHER_CREATOR": "HC031",
            "CREATOR": "HC032",
            "OTHER_NODE": "HC033",
            "TAINT": "HC034",
            "SIDECAR_REFUSED": "HC035",
            "STRICT_GROUPS": "HC036",
            "SYSCTL": "HC037",
            "DEVICES": "HC038",
            "QOS": "HC039",
            "CLOSED_BUILD": "HC040",
            "NOT_CREATED": "HC041",
            "NODE_DISPUTED": "HC042",
        }.items()
    )


@pytest.mark.parametrize("reason", CAUSES)
def test_each_reason_can_be_had(reason: str) -> None:
    old, new, given = CAUSES[reason]
    items = hashcompat.plan([given, node("dev")], old, new, keep_going=True).items
    assert reason in {row.id for item in items for row in item.reasons}


def test_only_unknown_and_not_compared_say_so_without_a_field() -> None:
    for reason, (old, new, given) in CAUSES.items():
        for item in hashcompat.plan([given], old, new, keep_going=True).items:
            fields = {bool(row.path and row.field) for row in item.reasons}
            assert fields <= {reason in ("HC004", "HC005", "HC006")}


@pytest.mark.parametrize(
    ("old", "new"), [("1.7.16", "1.9.11"), ("1.9.11", "1.7.16"), ("1.6.13", "1.15.12"), ("1.18.0", "1.30.0")]
)
def test_a_field_and_its_release_come_from_the_table_of_changes(catalog: Any, old: str, new: str) -> None:
    """A reason that names a field cites the release and the pull request that brought it."""
    container = {
        "name": "c",
        "image": "i",
        "volumeMounts": [{"name": "v", "recursiveReadOnly": "Disabled"}],
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "livenessProbe": {"tcpSocket": {"port": 1}, "terminationGracePeriodSeconds": 5},
    }
    (item,) = hashcompat.plan([pod(container)], old, new).items
    known = {(row.field, row.release, row.pr) for row in catalog.changes.fields}
    cited = {re.fullmatch(r".* \((1\.\d+), (kubernetes/kubernetes#\d+)\)", row.text) for row in item.reasons}
    assert None not in cited
    assert {
        (row.field, *row.text.rpartition("(")[2].rstrip(")").split(", ")) for row in item.reasons
    } <= known
    assert len(item.reasons) >= 2


def test_the_same_container_in_both_directions_names_the_same_fields() -> None:
    container = {
        "name": "c",
        "securityContext": {},
        "volumeMounts": [{"name": "v"}, {"name": "w"}],
        "livenessProbe": {"tcpSocket": {"port": 1}},
    }
    ways = [
        hashcompat.plan([pod(container)], *pair).items[0].reasons
        for pair in (("1.6.13", "1.15.12"), ("1.15.12", "1.6.13"))
    ]
    assert {(row.path, row.field) for row in ways[0]} == {(row.path, row.field) for row in ways[1]}
    assert "volumeMounts[*].subPathExpr" in {row.path for row in ways[0]}
    assert len({row.path for row in ways[0]}) == len(ways[0])


def test_documentation_names_no_unknown_id() -> None:
    texts = "".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert set(re.findall(r"\bHC\d{3}\b", texts)) <= {rule.id for rule in all_rules()}
