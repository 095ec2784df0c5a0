"""Checks over a node: every check has an answer, and what was not read is never in order."""

from __future__ import annotations

import pytest
from msgspec import structs

from hashcompat.analysis.preflight import CHECKS, check_ids, examine, left_out, worst_first
from hashcompat.analysis.preflight.checks import Need
from hashcompat.core.errors import UsageError
from hashcompat.core.model.preflight import Finding, Status
from hashcompat.core.records.probes import Dump
from tests.helpers.dumps import dump, upgrade

NEWEST = "1.37.1"
A_NODE = frozenset({Need.NODE})


def test_a_healthy_node_is_in_order() -> None:
    of = upgrade(NEWEST, NEWEST)
    assert [finding for finding in examine(dump(), of) if finding.status is not Status.OK] == []


@pytest.mark.parametrize(
    ("empty", "why"),
    [
        (Dump("n1", "test", {}), "not in the dump; collect again with --preflight"),
        (Dump("n1", "test", {}, complete=False), "the dump was cut: its last line is missing"),
    ],
    ids=["empty", "cut"],
)
def test_an_empty_dump_is_never_in_order(empty: Dump, why: str) -> None:
    findings = list(examine(empty, upgrade(NEWEST)))
    assert {each.id for each in findings} == {check.rule.id for check in CHECKS if check.is_run(A_NODE)}
    assert any(each.text.endswith(why) for each in findings)
    assert "ERROR" not in {each.status.value for each in findings}
    assert "UNKNOWN" in {each.status.value for each in findings}


@pytest.mark.parametrize("check", ["PF-101", "PF-114", "PF-126", "PF-136", "PF-212"])
def test_what_was_cut_off_may_have_been_one_more(check: str) -> None:
    (finding,) = [each for each in examine(dump(complete=False), upgrade(NEWEST, NEWEST)) if each.id == check]
    assert finding.status is Status.UNKNOWN
    assert finding.text.endswith("the dump was cut: its last line is missing")


def test_what_a_cut_dump_holds_is_found() -> None:
    full = dump({("filesystem", "/var/lib/kubelet"): "/dev/sda 9 9 0 100% /\n/dev/sda 9 9 0 100% /\n"})
    cut = structs.replace(full, complete=False)
    findings = [each for each in examine(cut, upgrade(NEWEST, NEWEST)) if each.id == "PF-212"]
    assert [each.status.value for each in findings] == ["ERROR", "ERROR", "UNKNOWN"]


@pytest.mark.parametrize("ignored", [["PF-102"], ["all"]])
def test_ignored_errors_count_as_warnings(ignored: list[str]) -> None:
    v1 = dump({("file", "/proc/1/mounts"): "tmpfs /sys/fs/cgroup tmpfs ro 0 0\n"})
    assert [each.status.value for each in examine(v1, upgrade("1.35.2")) if each.id == "PF-102"] == ["ERROR"]
    states = [each.status.value for each in examine(v1, upgrade("1.35.2"), ignored) if each.id == "PF-102"]
    assert states == ["WARN"]


def test_the_worst_comes_first() -> None:
    order = [
        Finding("PF-102", "a", Status.ERROR, "", "", ""),
        Finding("PF-000", "a", Status.UNKNOWN, "", "", ""),
        Finding("PF-000", "a", Status.WARN, "x", "", ""),
        Finding("PF-000", "b", Status.WARN, "c", "", ""),
        Finding("PF-001", "a", Status.INFO, "", "", ""),
        Finding("PF-000", "a", Status.OK, "", "", ""),
    ]
    assert list(worst_first(order[::-1])) == order


def test_names_of_checks_are_known() -> None:
    assert check_ids(["pf-102", "ALL"]) == ["PF-102", "all"]
    with pytest.raises(UsageError, match="no check 'PF-12'; near it: PF-"):
        check_ids(["PF-12"])
    with pytest.raises(UsageError, match="no check 'ZZ'; near it: PF-"):
        check_ids(["zz"])


def test_every_check_has_an_id_of_its_own_and_says_what_it_reads() -> None:
    rules = [check.rule for check in CHECKS]
    assert len({rule.id for rule in rules}) == len(rules)
    assert all(rule.name and rule.meaning and rule.source for rule in rules)
    assert all(check.rule.reads for check in CHECKS)


@pytest.mark.parametrize(
    ("given", "check", "needs"),
    [
        (A_NODE, "PF-115", "a plan and the cluster's objects"),
        (A_NODE, "PF-109", "a plan"),
        (A_NODE, "PF-117", "the cluster's objects"),
        (frozenset({Need.OBJECTS}), "PF-219", "the node"),
        (frozenset({Need.PLAN}), "PF-115", "the cluster's objects"),
    ],
)
def test_a_check_without_what_it_needs_is_left_out_and_named(
    given: frozenset[Need], check: str, needs: str
) -> None:
    assert dict(left_out(given))[check] == needs
    assert check not in {each.id for each in examine(dump(), upgrade(NEWEST), inputs=given)}


def test_with_everything_given_no_check_is_left_out() -> None:
    assert list(left_out(frozenset(Need))) == []
    assert "PF-110" not in dict(left_out(frozenset()))


def test_without_a_plan_nothing_is_known_to_restart() -> None:
    assert upgrade(NEWEST).restarts("uid", "container") is None
