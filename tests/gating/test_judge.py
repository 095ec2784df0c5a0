"""What a policy makes of a plan: the lines, which one decides, and how each container counts."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from msgspec import structs

from hashcompat.analysis.gating import GateResult, Outcome, Standing
from hashcompat.analysis.gating.judge import CHECKS, ExtraInputs, judge
from hashcompat.core.errors import ExitCode
from hashcompat.core.model.impact import BudgetImpact, Certainty, Effect, Impact, NodeImpact, Pods, Step
from hashcompat.core.model.items import Item
from hashcompat.core.model.preflight import Finding, Preflight, Status
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies import FailOn, Limit, Policy, fail_on_of
from hashcompat.core.policies.exceptions import Exemption, Names, baseline_of
from tests.helpers.plans import item, plan

DAY = date(2026, 1, 31)
KEEP, KILL, UNKNOWN = Verdict.KEEP, Verdict.KILL, Verdict.UNKNOWN
WEB = [item(pod=f"web-{number}", node=f"n{number}") for number in range(3)]
API = [item(owner="Deployment/api", pod="api-1", node="n1"), item(KEEP, "Deployment/api", "api-2", node="n2")]
STATIC = item(owner="Node/n1", pod="etcd-n1", namespace="kube-system")
NOTHING = ExtraInputs()
OPEN = item(UNKNOWN, "Deployment/odd", "odd-1")


def not_compared(original: Item) -> Item:
    return structs.replace(original, prediction=structs.replace(original.prediction, compared=False))


def judged(*items: Item, besides: ExtraInputs = NOTHING, **policy: Any) -> GateResult:
    limits = {key: Limit(value) for key, value in policy.items() if key.startswith("max_per")}
    if "max_restarts" in policy:
        limits["max_restarts"] = Limit(policy["max_restarts"])
    if "fail_on" in policy:
        policy["fail_on"] = fail_on_of(policy["fail_on"], "here")
    return judge(plan(*items), Policy(**{**policy, **limits}), besides, DAY)


def preflight(*states: Status) -> Preflight:
    return Preflight("1.9.11", {}, tuple(Finding("PF-000", "n", state, "", "x", "") for state in states))


CASES: dict[str, tuple[GateResult, Outcome, str]] = {
    "nothing": (judged(item(KEEP)), Outcome.PASS, "fail-on restart: 0 containers, allowed 0"),
    "a restart": (judged(*WEB), Outcome.FAIL, "fail-on restart: 3 containers, allowed 0"),
    "a kill": (judged(item(KILL)), Outcome.FAIL, "fail-on kill: 1 container, allowed 0"),
    "UNKNOWN": (judged(OPEN), Outcome.UNDECIDED, "fail-on unknown: 1 container, allowed 0"),
    "both": (judged(OPEN, item(KILL)), Outcome.FAIL, "fail-on kill: 1 container, allowed 0"),
    "only kills": (judged(*WEB, fail_on="kill"), Outcome.PASS, "fail-on kill: 0 containers, allowed 0"),
    "at the limit": (judged(*WEB, max_restarts="3"), Outcome.PASS, "max-restarts: 3 findings, allowed 3"),
    "above it": (judged(*WEB, max_restarts="2"), Outcome.FAIL, "max-restarts: 3 findings, allowed 2"),
    "a part": (
        judged(*WEB, *API, max_restarts="79%"),
        Outcome.FAIL,
        "max-restarts: 4 findings, allowed 3 (79% of 5 running containers)",
    ),
    "a limit and UNKNOWN": (
        judged(*WEB, OPEN, max_restarts="3"),
        Outcome.UNDECIDED,
        "fail-on unknown: 1 container, allowed 0",
    ),
    "a limit, UNKNOWN aside": (
        judged(*WEB, OPEN, max_restarts="3", fail_on="restart"),
        Outcome.PASS,
        "max-restarts: 3 findings, allowed 3",
    ),
    "an owner": (
        judged(*WEB, *API, max_per_owner="2"),
        Outcome.FAIL,
        "max-per-owner: shop/Deployment/web: 3 findings, allowed 2",
    ),
    "a part of an owner": (
        judged(*WEB, *API, max_per_owner="50%"),
        Outcome.FAIL,
        "max-per-owner: shop/Deployment/web: 3 findings, allowed 1 (50% of 3 running containers)",
    ),
    "the fullest owner": (
        judged(*WEB, *API, max_per_owner="9"),
        Outcome.PASS,
        "max-per-owner: shop/Deployment/web: 3 findings, allowed 9",
    ),
    "restarts count towards a limit, whatever fail-on names": (
        judged(*WEB, max_restarts="0", fail_on="kill,unknown"),
        Outcome.FAIL,
        "max-restarts: 3 findings, allowed 0",
    ),
    "kills named alone are not what a limit allows": (
        judged(item(KILL), max_restarts="9", fail_on="kill"),
        Outcome.FAIL,
        "fail-on kill: 1 container, allowed 0",
    ),
    "kills named beside restarts are what a limit allows": (
        judged(item(KILL), max_restarts="9", fail_on="restart,kill"),
        Outcome.PASS,
        "max-restarts: 1 finding, allowed 9",
    ),
    "kills are part of what a limit of restarts allows": (
        judged(item(KILL), max_restarts="0", fail_on="unknown"),
        Outcome.FAIL,
        "max-restarts: 1 finding, allowed 0",
    ),
    "no owner": (
        judged(OPEN, max_per_owner="1", fail_on="kill"),
        Outcome.PASS,
        "max-per-owner: 0 findings, allowed 0",
    ),
    "a node": (
        judged(*WEB, *API, max_per_node="1"),
        Outcome.FAIL,
        "max-per-node: n1: 2 findings, allowed 1",
    ),
    "no node": (
        judged(item(node=""), max_per_node="0"),
        Outcome.FAIL,
        "max-per-node: no node: 1 finding, allowed 0",
    ),
    "a static pod": (
        judged(STATIC, max_restarts="9", fail_on="restart,static"),
        Outcome.FAIL,
        "fail-on static: 1 container of static pods, allowed 0",
    ),
    "no static pod": (
        judged(*WEB, fail_on="static"),
        Outcome.PASS,
        "fail-on static: 0 containers of static pods, allowed 0",
    ),
    "an error on a node": (
        judged(fail_on="preflight", besides=ExtraInputs(preflight=preflight(Status.ERROR, Status.UNKNOWN))),
        Outcome.FAIL,
        "fail-on preflight: 1 error, allowed 0",
    ),
    "an open check": (
        judged(fail_on="preflight", besides=ExtraInputs(preflight=preflight(Status.WARN, Status.UNKNOWN))),
        Outcome.UNDECIDED,
        "fail-on preflight: 1 check UNKNOWN, allowed 0",
    ),
    "errors that a preflight was told to ignore": (
        judged(
            fail_on="preflight",
            besides=ExtraInputs(
                preflight=structs.replace(preflight(Status.WARN), ignored=("PF-101", "PF-102"))
            ),
        ),
        Outcome.PASS,
        "fail-on preflight: 0 errors, allowed 0; errors of PF-101, PF-102 are warnings in the report",
    ),
    "a node that a preflight left out": (
        judged(
            item(KEEP),
            item(KEEP, node="n2"),
            item(KEEP, node=""),
            fail_on="preflight",
            besides=ExtraInputs(preflight=preflight(Status.OK)),
        ),
        Outcome.UNDECIDED,
        "fail-on preflight: no check of 2 nodes in the report: n1, n2",
    ),
    "a preflight of every node": (
        judged(
            item(KEEP, node="n"), fail_on="preflight", besides=ExtraInputs(preflight=preflight(Status.OK))
        ),
        Outcome.PASS,
        "fail-on preflight: 0 errors, allowed 0",
    ),
    "no preflight": (judged(fail_on="preflight"), Outcome.PASS, "fail-on preflight: 0 errors, allowed 0"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_worst_line_decides(name: str) -> None:
    result, outcome, line = CASES[name]
    assert (result.outcome, str(result.deciding)) == (outcome, line)


CODES = {
    Outcome.FAIL: ExitCode.FINDING,
    Outcome.UNDECIDED: ExitCode.UNDECIDED,
    Outcome.PASS: ExitCode.OK,
}


@pytest.mark.parametrize("name", CASES)
def test_the_exit_code_is_that_of_the_outcome(name: str) -> None:
    result, outcome, _ = CASES[name]
    assert result.exit_code == CODES[outcome]


def test_what_is_only_reported_exits_0() -> None:
    result = judged(*WEB, report_only=True)
    assert (result.outcome, result.exit_code) == (Outcome.FAIL, ExitCode.OK)


def standings(result: GateResult) -> list[tuple[str, str]]:
    return [(row.item.pod.name, row.standing.value) for row in result.judged]


def test_a_container_counts_as_what_its_owner_and_node_do() -> None:
    assert standings(judged(*WEB, *API, max_per_owner="2")) == [
        ("web-0", "VIOLATION"),
        ("api-1", "ALLOWED"),
        ("web-1", "VIOLATION"),
        ("web-2", "VIOLATION"),
    ]
    assert standings(judged(*WEB, *API, max_per_node="1")) == [
        ("web-0", "ALLOWED"),
        ("api-1", "VIOLATION"),
        ("web-1", "VIOLATION"),
        ("web-2", "ALLOWED"),
    ]
    assert standings(judged(STATIC, OPEN, max_restarts="9", fail_on="kill,static")) == [
        ("etcd-n1", "VIOLATION"),
        ("odd-1", "ALLOWED"),
    ]
    assert standings(judged(item(KILL), *WEB[:1], max_restarts="9", fail_on="kill")) == [
        ("web-0", "ALLOWED"),
        ("web-1", "VIOLATION"),
    ]
    assert standings(judged(*WEB[:1], OPEN, fail_on="kill,unknown")) == [
        ("web-0", "ALLOWED"),
        ("odd-1", "UNDECIDED"),
    ]


def exemption(pattern: str, expires: date = DAY, place: str = "") -> Exemption:
    return Exemption(Names.OWNER, pattern, "known", expires, place)


def test_what_an_exception_or_the_baseline_covers_does_not_count() -> None:
    besides = ExtraInputs((exemption("shop/Deployment/web"),), baseline_of(API))
    result = judged(*WEB, *API, besides=besides)
    assert result.outcome is Outcome.PASS
    assert [row.standing for row in result.judged].count(Standing.EXCEPTED) == 3
    assert [row.standing for row in result.judged].count(Standing.BASELINE) == 1
    assert result.warnings == ()


def test_strict_ignores_exceptions_and_not_the_baseline() -> None:
    besides = ExtraInputs((exemption("shop/Deployment/web"), exemption("no/such/one")), baseline_of(API))
    result = judged(*WEB, *API, besides=besides, strict=True)
    assert str(result.deciding) == "fail-on restart: 3 containers, allowed 0"
    assert result.warnings == ()


EXPIRED = "x.yaml: line 2: owner shop/Deployment/web: this exception expired on 2026-01-30"


def test_exceptions_that_expired_or_match_nothing_are_warnings() -> None:
    old = date(2026, 1, 30)
    rows = (
        exemption("shop/Deployment/web", old, "x.yaml: line 2"),
        exemption("a/b/c", old),
        exemption("no/such/one"),
    )
    result = judged(*WEB[:1], besides=ExtraInputs(rows))
    assert result.outcome is Outcome.FAIL
    assert result.warnings == (
        f"{EXPIRED}; 1 container that it matches counts",
        "owner a/b/c: this exception expired on 2026-01-30",
        "owner no/such/one: this exception matches no owner of a finding; remove it",
    )
    assert "3 containers that it matches count" in judged(*WEB, besides=ExtraInputs(rows)).warnings[0]


def test_checks_that_a_preflight_did_not_make_are_warnings() -> None:
    left_out = (("PF-101", "the node"), ("PF-110", "its object"), ("PF-102", "the node"))
    report = structs.replace(preflight(Status.OK), left_out=left_out)
    result = judged(item(KEEP, node="n"), fail_on="preflight", besides=ExtraInputs(preflight=report))
    assert result.warnings == (
        "not checked by the preflight without the node: PF-101, PF-102",
        "not checked by the preflight without its object: PF-110",
    )


@pytest.mark.parametrize(
    ("items", "warning"),
    [
        ([], ""),
        ([item(KEEP), not_compared(item(KEEP))], ""),
        ([not_compared(OPEN)], ""),
        ([not_compared(item(KEEP))], "the only container"),
        ([not_compared(item(KEEP))] * 2, "any of the 2 containers"),
    ],
)
def test_a_plan_of_which_nothing_is_compared_is_a_warning(items: list[Item], warning: str) -> None:
    said = (f"nothing was judged: no kubelet compares {warning} of the plan",) if warning else ()
    assert judged(*items).warnings == said


def test_every_word_has_a_check() -> None:
    assert CHECKS.keys() == {*FailOn}


def impact(
    *budgets: BudgetImpact, missing: str = "", restarted: int = 1, unplaced: int = 0, unseen: int = 0
) -> Impact:
    node = NodeImpact("n1", Step.IN_PLACE, 1, restarted, 0, Effect(budgets), Pods())
    nodes, number = (node,) if not (unplaced or unseen) else (), len(budgets)
    return Impact("1.8.15", "1.9.11", 1, nodes, (), (), number, missing, unplaced=unplaced, unseen=unseen)


def budget(sure: Certainty, name: str = "web", problem: str = "") -> BudgetImpact:
    return BudgetImpact("shop", name, sure, None if problem else 2, None if problem else 2, 1, 0, problem)


YES, MAYBE = Certainty.YES, Certainty.UNKNOWN
BUDGETS: dict[str, tuple[Impact | None, Outcome, str]] = {
    "none": (impact(), Outcome.PASS, "fail-on pdb: 0 budgets breached, allowed 0"),
    "not read": (None, Outcome.UNDECIDED, "fail-on pdb: budgets were not read"),
    "a breach": (
        impact(budget(MAYBE), budget(YES)),
        Outcome.FAIL,
        "fail-on pdb: shop/web: 1 healthy left, and 2 demanded",
    ),
    "a possible one": (
        impact(budget(MAYBE)),
        Outcome.UNDECIDED,
        "fail-on pdb: shop/web: may be breached: 1 healthy left, and 2 demanded",
    ),
    "one that cannot be evaluated": (
        impact(budget(MAYBE, problem="no scale")),
        Outcome.UNDECIDED,
        "fail-on pdb: shop/web: no scale",
    ),
    "not listed": (
        impact(missing="not allowed"),
        Outcome.UNDECIDED,
        "fail-on pdb: budgets are UNKNOWN: not allowed",
    ),
    "not listed, and what restarts is on no node": (
        impact(missing="not allowed", unplaced=1),
        Outcome.UNDECIDED,
        "fail-on pdb: budgets are UNKNOWN: not allowed",
    ),
    "not listed, and what restarts is not among the pods": (
        impact(missing="not allowed", unseen=1),
        Outcome.UNDECIDED,
        "fail-on pdb: budgets are UNKNOWN: not allowed",
    ),
    "listed, and what restarts is on no node": (
        impact(unplaced=1),
        Outcome.PASS,
        "fail-on pdb: 0 budgets breached, allowed 0",
    ),
    "listed, and what restarts is not among the pods": (
        structs.replace(impact(unseen=2), budgets=1),
        Outcome.UNDECIDED,
        "fail-on pdb: 2 pods of the plan are not among those read now; give a plan and pods of one time",
    ),
    "listed, and one that is breached besides": (
        structs.replace(impact(budget(YES)), unseen=1),
        Outcome.FAIL,
        "fail-on pdb: shop/web: 1 healthy left, and 2 demanded",
    ),
    "none, and what restarts is not among the pods": (
        impact(unseen=1),
        Outcome.PASS,
        "fail-on pdb: 0 budgets breached, allowed 0",
    ),
    "one of what restarts on no node": (
        structs.replace(impact(unplaced=1), unplaced_effect=Effect((budget(MAYBE),))),
        Outcome.UNDECIDED,
        "fail-on pdb: shop/web: may be breached: 1 healthy left, and 2 demanded",
    ),
    "not listed, and nothing restarts": (
        impact(missing="not allowed", restarted=0),
        Outcome.PASS,
        "fail-on pdb: 0 budgets breached, allowed 0",
    ),
}


@pytest.mark.parametrize("how", BUDGETS)
def test_budgets_that_restarts_breach(how: str) -> None:
    impacts, outcome, line = BUDGETS[how]
    result = judged(*WEB, fail_on="pdb", besides=ExtraInputs(impact=impacts))
    assert (result.outcome, str(result.deciding)) == (outcome, line)
