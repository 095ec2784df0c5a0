"""A release that a plan is given, against what nodes report: they win, unless they are overridden."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hashcompat
from hashcompat import InputError, Plan, Verdict
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import Result, Run

TOLD, NEW = "1.31.0", "1.33.13"
STATUS: Json = {
    "phase": "Running",
    "containerStatuses": [{"name": "c", "state": {"running": {}}, "restartCount": 0}],
}
PODS = [pod(name="a", status=STATUS), pod(name="b", node="n2", status=STATUS)]
CLUSTER = [node("v1.30.14"), node("v1.31.0", "n2"), *PODS]
WAY = ("--from", TOLD, "--to", NEW)
OVERRIDE = "--override-node-releases"
REPORT = "1 node reports another release than 1.31.0: n1 (v1.30.14)"
REFUSED = "Error: nodes report another release than --from 1.31.0: n1 v1.30.14; "


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.json").write_bytes(as_json(*CLUSTER))


def verdicts(plan: Plan) -> dict[str, str]:
    return {item.pod.name: item.verdict.value for item in plan.items}


@pytest.mark.parametrize(
    ("reported", "told", "verdict"),
    [
        ("v1.30.14", "1.31.0", "UNKNOWN"),
        ("v1.32.0", "1.31.0", "UNKNOWN"),
        ("v1.33.13", "1.31.0", "UNKNOWN"),
        ("v1.30.14-eks-1234567", "1.31.0", "UNKNOWN"),
        ("v1.99.0", "1.31.0", "UNKNOWN"),
        ("v1.31.0-rc.1", "1.31.0", "UNKNOWN"),
        ("v1.35.4", "1.35.3", "UNKNOWN"),
        ("v1.31.0", "1.31.0", "KEEP"),
        ("v1.31.0+k3s1", "1.31.0", "KEEP"),
        ("v1.31.9", "1.31.0", "KEEP"),
        ("v1.31.9-gke.100", "1.31.0", "KEEP"),
        ("dev", "1.31.0", "KEEP"),
        ("", "1.31.0", "KEEP"),
    ],
)
def test_another_release_contradicts_unless_nothing_distinguishes_them(
    reported: str, told: str, verdict: str
) -> None:
    new = "1.36.0" if told == "1.35.3" else NEW
    plan = hashcompat.plan([node(reported), PODS[0]], told, new)
    assert verdicts(plan) == {"a": verdict}
    assert [dispute.node for dispute in plan.disputed] == (["n1"] if verdict == "UNKNOWN" else [])


@pytest.mark.parametrize(
    ("reported", "told"), [("v1.18.2", "1.18.20"), ("v1.25.9", "1.25.16"), ("v1.30.4", "1.30.5")]
)
def test_what_counts_only_when_a_kubelet_starts_contradicts_nothing(reported: str, told: str) -> None:
    """Room, devices and finished pods (behaviour.json): the kubelet that ran before admits nothing."""
    plan = hashcompat.plan([node(reported), PODS[0]], told, NEW)
    assert (verdicts(plan), list(plan.disputed)) == ({"a": "RESTART"}, [])


def test_the_build_of_the_node_is_planned_with_where_it_is_no_contradiction() -> None:
    told = hashcompat.plan([node("v1.31.9"), PODS[0]], TOLD, NEW)
    assert told.items == hashcompat.plan([node("v1.31.9"), PODS[0]], "auto", NEW).items


def test_hc042_only_pods_of_the_nodes_that_contradict_are_unknown() -> None:
    plan = hashcompat.plan(CLUSTER, TOLD, NEW)
    assert verdicts(plan) == {"a": "UNKNOWN", "b": "KEEP"}
    assert [reason.id for reason in plan.items[0].reasons] == ["HC042"]
    assert [(hop.findings, hop.unknown) for hop in (*plan.hops, plan.rollback) if hop] == [(0, 1)] * 3


def test_what_rests_is_kept() -> None:
    rests = pod(name="r", status={"phase": "Succeeded"})
    assert verdicts(hashcompat.plan([node("v1.30.14"), rests], TOLD, NEW)) == {"r": "KEEP"}


def test_filters_name_only_the_nodes_that_are_left(run: Run) -> None:
    assert run("gate", *WAY, "-f", "c.json", "--node", "n2").code == 0
    assert run("gate", *WAY, "-f", "c.json", "--node", "n1").code == 1


@pytest.mark.parametrize("policy", [(), ("--fail-on", "restart"), ("--report-only",), ("--max-restarts=9",)])
def test_a_gate_refuses_them_by_name_whatever_the_policy(run: Run, policy: tuple[str, ...]) -> None:
    result = run("gate", *WAY, "-f", "c.json", *policy)
    assert (result.code, result.out) == (1, "")
    assert result.err.splitlines()[-1].startswith(REFUSED)


def test_a_gate_refuses_a_saved_plan_too(run: Run) -> None:
    run("plan", *WAY, "-f", "c.json", "--out", "p.json")
    result = run("gate", "--plan", "p.json", "--fail-on", "restart")
    assert (result.code, result.out) == (1, "")
    assert REFUSED in result.err
    assert run("gate", "--plan", "p.json", "--node", "n2").code == 0


def test_the_api_does_the_same() -> None:
    with pytest.raises(InputError, match=r"nodes report another release .* n1 v1\.30\.14"):
        hashcompat.gate(hashcompat.plan(CLUSTER, TOLD, NEW))
    plan = hashcompat.plan(CLUSTER, TOLD, NEW, override_node_releases=True)
    assert verdicts(plan) == {"a": "KEEP", "b": "KEEP"}
    assert hashcompat.gate(plan).exit_code == 0


def overridden(result: Result) -> Result:
    assert result.code == 0
    assert f"{REPORT}; planned as 1.31.0 anyway, because of {OVERRIDE}" in result.out + result.err
    return result


@pytest.mark.parametrize("command", ["plan", "gate", "impact", "explain"])
@pytest.mark.parametrize("form", ["table", "json"])
def test_whatever_overrides_them_says_so(run: Run, command: str, form: str) -> None:
    target = ("ns/a",) if command == "explain" else ()
    result = overridden(run(command, *target, *WAY, "-f", "c.json", OVERRIDE, "-o", form))
    if form == "json" and command in {"plan", "gate"}:
        spec = result.document["spec"]
        plan = spec if command == "plan" else spec["plan"]
        assert plan["disputedNodes"] == [{"node": "n1", "kubelet": "v1.30.14"}]
        assert plan["overrideNodeReleases"] is True


def test_a_page_says_so(run: Run) -> None:
    result = run("plan", *WAY, "-f", "c.json", OVERRIDE, "--report", "html=page", "-q", "-o", "name")
    assert result.code == 0
    assert OVERRIDE in Path("page").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["junit", "sarif", "prometheus"])
def test_findings_say_so_in_their_title(run: Run, form: str) -> None:
    result = run("plan", *WAY, "-f", "c.json", OVERRIDE, "-q", "-o", form)
    assert "against what nodes report" in result.out


@pytest.mark.parametrize("form", ["name", "table"])
@pytest.mark.parametrize("command", ["plan", "gate", "impact"])
def test_nobody_is_too_quiet_to_say_so(run: Run, command: str, form: str) -> None:
    result = run(command, *WAY, "-f", "c.json", OVERRIDE, "-q", "-o", form)
    assert "n1 (v1.30.14)" in result.err


@pytest.mark.parametrize("form", ["csv", "markdown", "github", "gitlab", "sarif", "junit", "html", "wide"])
def test_what_is_kept_of_a_gate_names_the_nodes(run: Run, form: str) -> None:
    result = run("gate", *WAY, "-f", "c.json", OVERRIDE, "-q", "--report", f"{form}=kept", "-o", "name")
    assert result.code == 0
    text = Path("kept").read_text(encoding="utf-8")
    assert "n1 (v1.30.14)" in text or "against what nodes report" in text


def test_a_saved_plan_records_it(run: Run) -> None:
    run("plan", *WAY, "-f", "c.json", OVERRIDE, "--out", "p.json")
    overridden(run("gate", "--plan", "p.json"))
    assert overridden(run("convert", "p.json", "-o", "json")).document["spec"]["overrideNodeReleases"] is True


def test_a_plan_of_an_older_version_records_neither(run: Run) -> None:
    run("plan", *WAY, "-f", "c.json", "--node", "n2", "--out", "p.json")
    document = json.loads(Path("p.json").read_text())
    del document["spec"]["disputedNodes"], document["spec"]["overrideNodeReleases"]
    del document["items"][0]["counted"], document["summary"]["compared"], document["summary"]["notCompared"]
    del document["digest"]
    Path("old.json").write_text(json.dumps(document))
    result = run("convert", "old.json", "-o", "json")
    assert (result.code, result.document["summary"]["compared"]) == (0, 1)


def test_a_snapshot_contradicts_as_the_cluster_does(run: Run) -> None:
    assert run("snapshot", "-f", "c.json", "--out", "s.json").code == 0
    assert run("gate", *WAY, "-f", "s.json").code == 1
    overridden(run("gate", *WAY, "-f", "s.json", OVERRIDE))


def test_preflight_takes_the_flag(run: Run) -> None:
    argv = ("preflight", *WAY, "--no-node", "-f", "c.json", "-o", "json")
    assert run(*argv, OVERRIDE).code in (0, 2, 3)


def test_a_matrix_says_where_its_paths_start(run: Run) -> None:
    assert f"{REPORT}; the paths start from 1.31.0" in run("matrix", *WAY, "-f", "c.json").err
    oldest = (
        "Warning: the paths start from 1.0.7, the oldest known one; --from auto takes what nodes report\n"
    )
    assert oldest in run("matrix", "--to", "1.2.7", "-f", "c.json").err
    Path("pods.json").write_bytes(as_json(*PODS))
    assert "the paths start from" not in run("matrix", "--to", "1.2.7", "-f", "pods.json").err
    auto = run("matrix", "--from", "auto", "--to", "1.31.0", "-f", "c.json")
    assert "the paths start from" not in auto.err
    assert auto.err.endswith(": v1.30.14 - v1.31.0 -> 1.31.0\n")
    assert "  v1.30.14 - v1.31.0 -> 1.31.0 [" in auto.out


def test_auto_contradicts_nothing() -> None:
    plan = hashcompat.plan(CLUSTER, "auto", NEW)
    assert (plan.disputed, plan.items[0].verdict) == ((), Verdict.RESTART)


def test_the_sample_runs_whatever_is_asked_for(run: Run) -> None:
    result = run("plan", "--from", "1.13.12", "--to", "1.14.10", "--sample")
    assert "Assumed: the nodes of the sample run 1.13.12, whatever they report" in result.err
    assert result.code == 0
    assert "whatever they report" not in run("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample").err
    assert run("gate", "--from", "1.32.0", "--to", "1.32.0", "--sample").code in (0, 3)
