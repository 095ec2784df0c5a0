"""Releases on the command line: short names are read aloud once, and nodes stand for ``--from``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import default_catalog
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import Run
from tests.report.test_report import lasting

NEWEST = default_catalog().known.newest
READ = "1.31 means 1.31.14, the newest known patch release\n"
CLUSTER = as_json(node("v1.30.4+k3s1"), node("v1.27.3-gke.100", "n2"), pod(), pod(name="q", node="n2"))


def spec(run: Run, *argv: str, stdin: bytes = CLUSTER) -> Any:
    return run("plan", *argv, "-f", "-", "-o", "json", stdin=stdin).document["spec"]


def test_documents_name_releases_in_full(run: Run) -> None:
    plan_spec = spec(run, "--from", "v1.30", "--to", "latest", stdin=as_json(pod()))
    assert (plan_spec["from"], plan_spec["to"], list(plan_spec["releases"])) == (
        "1.30.14",
        NEWEST,
        ["1.30.14", NEWEST],
    )
    row = run("hash", "--kubelet", "1.31,v1.9,latest", "-f", "-", "-o", "json", stdin=as_json(pod())).item
    assert list(row["hashes"]) == ["1.31.14", "1.9.11", NEWEST]
    matrix = run("matrix", "--from", "1.30", "--to", "1.31", "-o", "json").document
    assert matrix["releases"] == ["1.30.14", "1.31.14"]
    rollback = run("explain", "--from", "1.31", "--to", "1.30", "-o", "json").document
    assert (rollback["from"]["release"], rollback["to"]["release"]) == ("1.31.14", "1.30.14")


@pytest.mark.parametrize(
    "argv",
    [
        ("plan", "--from", "1.31", "--to", "1.31", "--apiserver", "1.31", "--apiserver-to", "1.31"),
        ("plan", "--from", "1.30.0", "--to", "1.31.14", "--assume-patch", "accept", "--like", "1.31"),
        ("explain", "ns/p", "--from", "1.30.0", "--to", "1.31"),
        ("hash", "--kubelet", "1.31,1.30.0,1.31"),
        ("matrix", "--from", "1.30.0", "--to", "1.31"),
        ("preflight", "--no-node", "--to", "1.31", "--apiserver", "1.31"),
    ],
    ids=" ".join,
)
def test_a_short_name_is_read_aloud_once(run: Run, argv: tuple[str, ...]) -> None:
    result = run(*argv, "-f", "-", stdin=as_json(pod(), node("v1.30.0")))
    assert result.code in (0, 2, 3), result.err
    assert result.err.count(READ) == 1
    quiet = run(*argv, "-q", "-f", "-", stdin=as_json(pod(), node("v1.30.0")))
    assert (quiet.code, quiet.out, quiet.err) == (result.code, result.out, "")


def test_each_short_name_is_read_aloud(run: Run) -> None:
    lines = run("explain", "--from", "v1.30", "--to", "latest").err.splitlines()
    assert lines == [
        "v1.30 means 1.30.14, the newest known patch release",
        f"latest means {NEWEST}, the newest known patch release",
    ]
    assert run("explain", "--from", "v1.30.14", "--to", NEWEST).err == ""


def test_verify_and_patch_read_short_names(run: Run, tmp_path: Path) -> None:
    given = run("patch", "--kubelet", "1.11", "--like", "1.10", "--source-url", "http://127.0.0.1:1/{path}")
    assert "1.11 means 1.11.10" in given.err
    assert run("patch", "--kubelet", "1.11", "--like", "1.10", "-q").err == ""
    (tmp_path / "r.json").write_text(json.dumps({"containers": []}))
    told = run("verify", "--recorded", tmp_path / "r.json", "--from", "1.99", "-f", "-", stdin=as_json(pod()))
    assert (told.code, "the nearest known releases are" in told.err) == (64, True)


@pytest.mark.parametrize("command", [("plan",), ("explain", "ns/p")], ids=" ".join)
def test_the_nodes_are_what_runs_now(run: Run, command: tuple[str, ...]) -> None:
    argv = (*command, "--to", "1.31.14", "-f", "-", "-o", "json")
    result, auto = (run(*argv, *more, stdin=CLUSTER) for more in ((), ("--from", "auto")))
    assert result.code == 0, result.err
    assert lasting(result.document) == lasting(auto.document)
    said = "--from is what the nodes report: v1.27.3-gke.100 (1 node), v1.30.4+k3s1 (1 node)\n"
    assert said in result.err
    assert "--from is" not in auto.err
    assert run(*argv, "-q", stdin=CLUSTER).err == ""


@pytest.mark.usefixtures("untraced")
def test_the_sample_and_snapshots_have_nodes(run: Run, tmp_path: Path) -> None:
    said = "--from is what the nodes report: v1.7.16 (5 nodes)\n"
    assert run("plan", "--to", "1.9.11", "--sample").err.startswith(said)
    path = tmp_path / "snapshot.json"
    assert run("snapshot", "--sample", "--out", path).code == 0
    assert said in run("plan", "--to", "1.9.11", "-f", path).err
    assert run("plan", "--to", "1.9.11", "--sample", "--node", "node-a1").err.startswith(
        "--from is what the nodes report: v1.7.16 (1 node)\n"
    )


def test_many_releases_are_counted(run: Run) -> None:
    nodes = [node(f"v1.{20 + number}.0", f"n{number}") for number in range(9)]
    result = run(
        "plan", "--to", "1.31.14", "-f", "-", stdin=as_json(pod(node="n0"), *nodes, node("v9.9.9", "x"))
    )
    assert result.err.startswith("--from is what the nodes report: v1.20.0 (1 node), v1.21.0 (1 node), ")
    assert result.err.partition("\n")[0].endswith("v1.25.0 (1 node), and 4 other releases")


SILENT: Json = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}


@pytest.mark.parametrize(
    ("objects", "why"),
    [
        ([pod()], ": the input has pods and no nodes, which kubectl get nodes,pods -A -o json saves too"),
        ([pod(), SILENT], ", and no node in the input reports a release"),
        ([pod(node=""), node("v1.30.0")], ", and no pod in the input runs on a node that reports a release"),
        (
            [pod(node="n2"), node("v1.30.0")],
            ": no pod runs on a node of the input (pods on n2, nodes n1)",
        ),
        (
            [pod(), SILENT, node("v1.30.0", "n2")],
            ", and no pod in the input runs on a node that reports a release",
        ),
    ],
    ids=[
        "no node",
        "a node without a release",
        "a pod without a node",
        "a pod of another node",
        "a pod of a node without a release",
    ],
)
def test_where_no_node_shows_it_a_release_must_be_named(run: Run, objects: list[Json], why: str) -> None:
    result = run("plan", "--to", "1.31.14", "-f", "-", stdin=as_json(*objects))
    assert (result.code, result.out) == (64, "")
    assert result.err.endswith(
        f"Error: --from is missing{why}; name the kubelet release that runs now, such as --from 1.9.11\n"
    )
    named = run("plan", "--from", "auto", "--to", "1.31.14", "-f", "-", stdin=as_json(*objects))
    assert named.code == 0


def test_some_pods_on_unknown_nodes_are_unknown(run: Run) -> None:
    objects = as_json(pod(), node("v1.30.0"), pod(name="q", node=""), pod(name="r", node="n9"))
    items = run("plan", "--to", "1.31.14", "-f", "-", "-o", "json", stdin=objects).items
    assert [item["verdict"] for item in items] == ["RESTART", "UNKNOWN", "UNKNOWN"]
