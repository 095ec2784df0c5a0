"""The way in steps and the way back of a plan, and upstream's version skew policy where a plan breaks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import record, recorded

C: Json = {"name": "c", "image": "i"}
SECURED: Json = {**C, "securityContext": {}}
DRAIN = (
    "in-place minor upgrades of a kubelet are not supported: "
    "drain the node first (kubernetes/kubernetes#129385)"
)
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
    ("old", "new", "given", "rollback"),
    [
        ("1.8.15", "1.9.11", pod(C), ("1.9.11", "1.8.15", 1, 0)),
        ("1.10.0", "1.11.0", pod(C), ("1.11.0", "1.10.0", 0, 0)),
        ("1.4.12", "1.5.8", mirror_pod(C), ("1.5.8", "1.4.12", 0, 1)),
        ("1.9.11", "1.8.15", pod(C), ("1.8.15", "1.9.11", 1, 0)),
    ],
)
def test_the_way_back(run: Run, old: str, new: str, given: Json, rollback: tuple[str, str, int, int]) -> None:
    assert steps([spec(run, old, new, given)["rollback"]]) == [rollback]


def test_from_auto_there_is_no_one_way(run: Run) -> None:
    found = spec(run, "auto", "1.12.1", pod(C), node("v1.9.11"))
    assert (found["hops"], found["rollback"]) == ([], None)


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
    assert result.err.splitlines() == [
        "Assumed: 1 container was created by the current release (no start time is known): ns/p/c",
        f"Warning: 1.9.11 -> 1.12.0: {DRAIN}",
        (
            "One minor at a time, it would restart: "
            "1.9.11 -> 1.10.13 1, 1.10.13 -> 1.11.10 0, 1.11.10 -> 1.12.0 1"
        ),
        "The way back, 1.12.0 -> 1.9.11, would restart 1",
        "A patched kubelet would restart 1 fewer: hashcompat patch --kubelet 1.12.0 --like 1.9.11",
        "1.9.11 -> 1.12.0: 1 of 1 container restarts in 1 of 1 pod on 1 node; 0 kept, 0 unknown",
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
        ("1.10.0", "1.9.3", None, [f"1.10.0 -> 1.9.3: {DRAIN}"]),
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
    found = spec(run, "1.22.17", "1.24.0", host, pod(C))
    assert steps(found["hops"]) == [("1.22.17", "1.23.17", 0, 0), ("1.23.17", "1.24.0", 0, 0)]
    assert json.dumps(found["assumptions"]) == "[]"


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
