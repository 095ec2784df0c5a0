"""The way in steps and the way back of a plan, and upstream's version skew policy where a plan breaks it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hashcompat
from hashcompat.core.catalog.releases import same_build
from hashcompat.core.model.plan import Hop
from hashcompat.core.release import parse_release
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run, said_of
from tests.helpers.upgrades import record, recorded

C: Json = {"name": "c", "image": "i"}
SECURED: Json = {**C, "securityContext": {}}
DRAIN = (
    "in-place minor upgrades of a kubelet are not supported: "
    "drain the node first (kubernetes/kubernetes#129385)"
)
TCP: Json = {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_rmem", "value": "1"}]}}
Steps = list[tuple[str, str, int, int]]


def spec(run: Run, old: str, new: str, *objects: Json, more: tuple[object, ...] = ()) -> Any:
    return run(
        "plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *more, stdin=as_json(*objects)
    ).document["spec"]


def steps(rows: list[Any]) -> Steps:
    return [(row["from"], row["to"], row["findings"], row["unknown"]) for row in rows]


@pytest.mark.parametrize(
    ("old", "new", "hops"),
    [
        pytest.param(
            "1.9.3",
            "1.12.1",
            [("1.9.3", "1.10.13", 1, 0), ("1.10.13", "1.11.10", 0, 0), ("1.11.10", "1.12.1", 1, 0)],
            id="three minors",
        ),
        pytest.param(
            "1.12.1",
            "1.9.3",
            [("1.12.1", "1.11.10", 1, 0), ("1.11.10", "1.10.13", 0, 0), ("1.10.13", "1.9.3", 1, 0)],
            id="back",
        ),
        pytest.param("1.9.3", "1.10.1", [], id="one minor is the way itself"),
        pytest.param("1.9.3", "1.9.11", [], id="a patch"),
        pytest.param("1.9.3", "1.9.3", [], id="nothing"),
    ],
)
def test_the_way_one_minor_at_a_time(run: Run, old: str, new: str, hops: Steps) -> None:
    assert steps(spec(run, old, new, pod(SECURED))["hops"]) == hops


@pytest.mark.parametrize(
    ("old", "new", "made", "rollback"),
    [
        ("1.8.15", "1.9.11", pod(C), ("1.9.11", "1.8.15", 1, 0)),
        ("1.10.0", "1.11.0", pod(C), ("1.11.0", "1.10.0", 0, 0)),
        ("1.4.12", "1.5.8", mirror_pod(C), ("1.5.8", "1.4.12", 0, 1)),
        ("1.9.11", "1.8.15", pod(C), ("1.8.15", "1.9.11", 1, 0)),
    ],
)
def test_the_way_back(run: Run, old: str, new: str, made: Json, rollback: tuple[str, str, int, int]) -> None:
    assert steps([spec(run, old, new, made)["rollback"]]) == [rollback]


@pytest.mark.parametrize(
    ("old", "new", "made", "taints", "rollback"),
    [
        # it runs under 1.31 today, which holds this sysctl unsafe: so it is allowed there
        ("1.31.14", "1.32.13", pod(C, spec=TCP), [], (0, 0)),
        ("1.32.13", "1.31.14", pod(C, spec=TCP), [], (0, 0)),
        # what the upgrade ends for good is not there to be killed once more
        ("1.30.14", "1.31.14", pod(C), [{"key": "k", "effect": "NoExecute"}], (0, 0)),
        ("1.30.14", "1.31.14", pod(C), [], (1, 0)),
    ],
)
def test_a_rollback_counts_what_runs_then(
    run: Run, old: str, new: str, made: Json, taints: list[Json], rollback: tuple[int, int]
) -> None:
    machine = {**node(f"v{old}"), "spec": {"taints": taints}}
    (step,) = steps([spec(run, "auto", new, machine, made)["rollback"]])
    assert step[2:] == rollback
    replicas = [pod(C, name=f"p{number}") for number in range(3)]
    if taints:
        (several,) = steps([spec(run, "auto", new, machine, *replicas)["rollback"]])
        assert several[2:] == (0, 0)


CONTAINERS: list[Json] = [
    C,
    SECURED,
    {**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
    {**C, "readinessProbe": {"tcpSocket": {"port": 80}}},
    {**C, "args": ["\b"]},
]
RELEASES = ("v1.7.16", "1.8.0", "v1.9.3-gke.1", "1.10.13", "v1.11.10", "v1.15.1+k3s1", "1.16.15", "1.18.20")
SPREAD = st.lists(
    st.tuples(
        st.sampled_from(RELEASES),
        st.lists(st.sampled_from(CONTAINERS), min_size=1, max_size=2),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


def cluster(spread: list[tuple[str, list[Json], bool]]) -> list[Json]:
    """Return a node and a pod, which may be a static one, for each release with containers."""
    objects = []
    for number, (release, containers, static) in enumerate(spread):
        named = [{**each, "name": f"c{place}"} for place, each in enumerate(containers)]
        made = (mirror_pod if static else pod)(*named, name=f"p{number}", node=f"n{number}")
        objects += [node(release, f"n{number}"), made]
    return objects


@pytest.mark.usefixtures("untraced")
@settings(max_examples=settings().max_examples // 4)
@given(st.sampled_from(RELEASES), SPREAD, st.sampled_from(RELEASES))
def test_where_all_nodes_run_one_release_auto_is_that_release(
    release: str, spread: list[tuple[str, list[Json], bool]], target: str
) -> None:
    objects = cluster([(release, containers, static) for _, containers, static in spread])
    auto, single = (hashcompat.plan(objects, old, target) for old in ("auto", release))
    assert (auto.hops, auto.rollback) == (single.hops, single.rollback)
    assert auto.summary == single.summary


@pytest.mark.usefixtures("untraced")
@settings(max_examples=settings().max_examples // 4)
@given(SPREAD, st.sampled_from(RELEASES))
def test_each_node_goes_on_from_its_own_release(
    spread: list[tuple[str, list[Json], bool]], target: str
) -> None:
    """A plan of each node alone adds up to the plan of all; a node whose kubelet stays takes no hop."""
    objects = cluster(spread)
    whole = hashcompat.plan(objects, "auto", target)
    stops: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    back = [0, 0]
    alone = [
        hashcompat.plan(objects[at : at + 2], release, target)
        for at, (release, _, _) in zip(range(0, len(objects), 2), spread, strict=True)
    ]
    for plan in alone:
        steps = plan.hops
        if not steps and not same_build(parse_release(plan.from_release), parse_release(target)):
            steps = (Hop(plan.from_release, target, plan.summary.findings, plan.summary.unknown, ()),)
        for hop in steps:
            stops[hop.new] += hop.findings
            unknown[hop.new] += hop.unknown
        assert plan.rollback
        back[0] += plan.rollback.findings
        back[1] += plan.rollback.unknown
    if any(plan.hops for plan in alone):
        assert {hop.new: (hop.findings, hop.unknown) for hop in whole.hops} == {
            stop: (stops[stop], unknown[stop]) for stop in stops
        }
        assert whole.hops[-1].new == target or target not in stops
    else:
        assert whole.hops == ()
    assert whole.rollback
    assert (whole.rollback.old, whole.rollback.findings, whole.rollback.unknown) == (target, *back)
    assert (whole.rollback.new == "auto") == (len({release for release, _, _ in spread}) > 1)


def test_a_node_beyond_a_stop_stays_there(run: Run) -> None:
    nodes = [node("v1.9.3", "a"), node("v1.11.10", "b"), node("1.12.1", "c")]
    pods = [pod(SECURED, name=f"p-{name}", node=name) for name in "abc"]
    plan = spec(run, "auto", "1.12.1", *nodes, *pods)
    assert steps(plan["hops"]) == [
        ("v1.9.3", "1.10.13", 1, 0),
        ("1.10.13", "1.11.10", 0, 0),
        ("auto", "1.12.1", 2, 0),
    ]
    assert [part["from"] for part in plan["hops"][2]["parts"]] == ["1.11.10", "v1.11.10"]
    assert steps([plan["rollback"]]) == [("1.12.1", "auto", 2, 0)]
    assert steps(plan["rollback"]["parts"]) == [
        ("1.12.1", "v1.9.3", 1, 0),
        ("1.12.1", "v1.11.10", 1, 0),
        ("1.12.1", "1.12.1", 0, 0),
    ]


def test_nodes_that_are_newer_than_the_target_go_down_a_minor_at_a_time(run: Run) -> None:
    nodes = [node("v1.9.3", "a"), node("v1.13.12", "b")]
    plan = spec(run, "auto", "1.11.0", *nodes, pod(SECURED, node="a"), pod(SECURED, name="q", node="b"))
    assert [(hop["from"], hop["to"]) for hop in plan["hops"]] == [
        ("v1.9.3", "1.10.13"),
        ("v1.13.12", "1.12.10"),
        ("auto", "1.11.0"),
    ]


def test_what_runs_under_an_unknown_release_is_unknown_in_every_hop(run: Run) -> None:
    done = pod(C, name="done", node="x", status={"phase": "Succeeded"})
    lost = (node("v9.9.9", "x"), pod(C, name="px", node="x"), pod(C, name="py", node="gone"), done)
    plan = spec(run, "auto", "1.12.1", node("v1.9.3"), pod(SECURED), *lost)
    assert steps(plan["hops"]) == [
        ("auto", "1.10.13", 1, 2),
        ("auto", "1.11.10", 0, 2),
        ("auto", "1.12.1", 1, 2),
    ]
    assert steps(plan["hops"][0]["parts"]) == [("v1.9.3", "1.10.13", 1, 0)]
    assert steps([plan["rollback"]]) == [("1.12.1", "auto", 1, 2)]


def test_without_any_known_release_there_is_no_way(run: Run) -> None:
    plan = spec(run, "auto", "1.12.1", pod(C), node("v9.9.9"))
    assert (plan["hops"], plan["rollback"]) == ([], None)


def test_nodes_without_pods_take_no_hop(run: Run) -> None:
    plan = spec(run, "auto", "1.12.1", pod(C), node("v1.11.0"), node("v1.9.3", "empty"))
    assert (plan["hops"], steps([plan["rollback"]])) == ([], [("1.12.1", "v1.11.0", 0, 0)])


def test_a_mixed_cluster_s_hops_are_told_on_stderr(run: Run) -> None:
    nodes = [node("v1.9.3", "a"), node("v1.11.10", "b")]
    objects = as_json(*nodes, pod(SECURED, node="a"), pod(SECURED, name="q", node="b"))
    lines = run("plan", "--to", "1.12.1", "-f", "-", stdin=objects).err.splitlines()
    assert "--from is what the nodes report: v1.9.3 (1 node), v1.11.10 (1 node)" in lines
    assert (
        "One minor at a time, it would restart: v1.9.3 -> 1.10.13 1, 1.10.13 -> 1.11.10 0, to 1.12.1 2"
    ) in lines
    assert "Rolling back, 1.12.1 -> what each node runs now, would restart 2" in lines


def test_recorded_hashes_belong_to_the_present_alone(run: Run, tmp_path: Path) -> None:
    document = run(
        "plan",
        "--from",
        "1.9.11",
        "--to",
        "1.11.0",
        "-f",
        "-",
        "-o",
        "json",
        *recorded(tmp_path, record(1)),
        stdin=as_json(pod(C)),
    ).document
    assert document["items"][0]["verdict"] == "RESTART"
    assert steps(document["spec"]["hops"]) == [("1.9.11", "1.10.13", 0, 0), ("1.10.13", "1.11.0", 0, 0)]


def test_they_are_told_on_stderr(run: Run) -> None:
    result = run("plan", "--from", "1.9.11", "--to", "1.12.0", "-f", "-", stdin=as_json(pod(SECURED)))
    assert said_of(result) == [
        "Assumed: 1 container was created by the current release (no start time is known): ns/p/c",
        f"Warning: 1.9.11 -> 1.12.0: {DRAIN}",
        (
            "One minor at a time, it would restart: "
            "1.9.11 -> 1.10.13 1, 1.10.13 -> 1.11.10 0, 1.11.10 -> 1.12.0 1"
        ),
        "Rolling back, 1.12.0 -> 1.9.11, would restart 1",
        "A patched kubelet would restart 1 fewer: hashcompat patch --kubelet 1.12.0 --like 1.9.11",
        "1.9.11 -> 1.12.0: 1 of 1 running container restarts in 1 of 1 pod on 1 node; 0 kept, 0 unknown",
    ]
    quiet = run("plan", "--from", "1.9.11", "--to", "1.12.0", "-f", "-", "-q", stdin=as_json(pod(C)))
    assert quiet.err == ""


def behind(kubelet: str, server: str, minors: int) -> str:
    allowed = f"a kubelet may be up to {minors} minor versions older than kube-apiserver"
    return f"{kubelet} under an API server {server}: {allowed}"


@pytest.mark.parametrize(
    ("old", "new", "server", "warnings"),
    [
        ("1.9.3", "1.9.11", None, []),
        ("1.9.3", "1.10.0", None, [f"1.9.3 -> 1.10.0: {DRAIN}"]),
        ("1.10.0", "1.9.3", None, [f"1.10.0 -> 1.9.3: {DRAIN.replace('upgrades', 'downgrades')}"]),
        ("1.9.3", "1.9.11", "1.11.0", []),
        ("1.9.3", "1.9.11", "1.12.0", [behind("1.9.11", "1.12.0", 2)]),
        ("1.24.0", "1.24.17", "1.26.0", []),
        ("1.24.0", "1.24.17", "1.27.0", [behind("1.24.17", "1.27.0", 2)]),
        ("1.25.0", "1.25.16", "1.28.0", []),
        ("1.25.0", "1.25.16", "1.29.0", [behind("1.25.16", "1.29.0", 3)]),
        ("1.30.0", "1.30.14", "1.30.0", []),
        (
            "1.31.0",
            "1.31.14",
            "1.30.0",
            ["1.31.14 under an API server 1.30.0: a kubelet must not be newer than kube-apiserver"],
        ),
    ],
)
def test_the_version_skew_policy_is_quoted_where_it_is_broken(
    run: Run, old: str, new: str, server: str | None, warnings: list[str]
) -> None:
    more = ("--apiserver-to", server) if server else ()
    assert spec(run, old, new, pod(C), more=more)["warnings"] == warnings


def test_from_auto_each_release_is_warned_of_once(run: Run) -> None:
    nodes = [node(f"v1.{number}.0", f"n{number}") for number in (12, 11, 11)]
    pods = [pod(C, name=f"p{index}", node=f"n{number}") for index, number in enumerate((12, 11, 11, 12))]
    assert spec(run, "auto", "1.12.10", *nodes, *pods)["warnings"] == [f"v1.11.0 -> 1.12.10: {DRAIN}"]


def test_a_node_of_another_release_may_change_its_runtime_first(run: Run) -> None:
    """The runtime is that of today: it shows nothing about a step that starts from another release."""
    host = node("v1.22.17")
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = "docker://20.10.7"
    plan = spec(run, "1.22.17", "1.24.0", host, pod(C))
    assert steps(plan["hops"]) == [("1.22.17", "1.23.17", 0, 0), ("1.23.17", "1.24.0", 0, 0)]
    assert json.dumps(plan["assumptions"]) == "[]"


def test_without_the_node_the_runtime_is_assumed(run: Run) -> None:
    assert spec(run, "1.23.17", "1.24.0", pod(C))["assumptions"][0] == (
        "nodes that are not in the input do not run Docker, which 1.24.0 does not drive"
    )


def test_a_matrix_counts_doubt_as_a_plan_does(run: Run, tmp_path: Path) -> None:
    """A record that is not reproduced makes the other verdicts on its node doubtful, and on no other."""
    records = recorded(tmp_path, record(7))
    objects = (pod(C, {**C, "name": "d"}), pod(C, name="q", node="n2"))
    more = ("--from", "1.10.13", "--to", "1.11.10", "-f", "-", "-o", "json", *records)
    summary = run("plan", *more, stdin=as_json(*objects)).document["summary"]
    rows = run("matrix", *more, stdin=as_json(*objects)).items
    (cell,) = [row for row in rows if (row["from"], row["to"]) == ("1.10.13", "1.11.10")]
    assert (cell["findings"], cell["unknown"]) == (summary["restart"] + summary["kill"], summary["unknown"])
    assert 0 < cell["unknown"] < summary["containers"]
