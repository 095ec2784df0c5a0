"""Filters narrow pods the same way for every command; what is left is never silently nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hashcompat.api.inputs import collect
from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.model.pods import Inventory, Origin, Source
from hashcompat.sources.filters import Filters, select
from tests.helpers.pods import as_json, pod
from tests.helpers.program import SAMPLE, Run

pytestmark = pytest.mark.usefixtures("untraced")

PODS: list[dict[str, Any]] = [
    item for item in json.loads(SAMPLE.read_text())["items"] if item["kind"] == "Pod"
]
COMMANDS = {"plan": ("plan", "--from", "1.9.11", "--to", "1.10.0"), "hash": ("hash", "--kubelet", "1.9.11")}


def owner(item: dict[str, Any]) -> str:
    return next(
        (
            f"{row['kind']}/{row['name']}"
            for row in item["metadata"].get("ownerReferences", [])
            if row.get("controller")
        ),
        "",
    )


FILTERS: list[tuple[tuple[str, ...], Any]] = [
    (("-n", "data"), lambda item: item["metadata"]["namespace"] == "data"),
    (("--namespace", "data", "-n", "shop"), lambda item: item["metadata"]["namespace"] in ("data", "shop")),
    (("--exclude-namespace", "kube-system"), lambda item: item["metadata"]["namespace"] != "kube-system"),
    (("--node", "node-a1"), lambda item: item["spec"].get("nodeName") == "node-a1"),
    (
        ("--node", "node-a1", "--node", "node-c1"),
        lambda item: item["spec"].get("nodeName") in ("node-a1", "node-c1"),
    ),
    (("--owner", "DaemonSet/kube-proxy"), lambda item: owner(item) == "DaemonSet/kube-proxy"),
    (("--owner", "ds/kube-proxy"), lambda item: owner(item) == "DaemonSet/kube-proxy"),
    (("--owner", "deploy/web"), lambda item: owner(item) == "ReplicaSet/web-474k6w5gmh"),
    (("--owner", "Deployment/web"), lambda item: owner(item) == "ReplicaSet/web-474k6w5gmh"),
    (("--owner", "deployments.apps/web"), lambda item: owner(item) == "ReplicaSet/web-474k6w5gmh"),
    (("--owner", "ReplicaSet/web-474k6w5gmh"), lambda item: owner(item) == "ReplicaSet/web-474k6w5gmh"),
    (("--owner", "cj/nightly-report"), lambda item: owner(item) == "Job/nightly-report-28621440"),
    (
        ("--owner", "deploy/web", "--owner", "sts/redis"),
        lambda item: owner(item) in ("ReplicaSet/web-474k6w5gmh", "StatefulSet/redis"),
    ),
    (
        ("-n", "kube-system", "--node", "node-b1", "--owner", "DaemonSet/calico-node"),
        lambda item: item["spec"].get("nodeName") == "node-b1" and owner(item) == "DaemonSet/calico-node",
    ),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("filters", "rule"), FILTERS, ids=[" ".join(filters) for filters, _ in FILTERS])
def test_a_filter_keeps_exactly_the_matching_pods(
    run: Run, command: str, filters: tuple[str, ...], rule: Any
) -> None:
    shown = {item["pod"] for item in run(*COMMANDS[command], "--sample", "-o", "json", *filters).items}
    expected = {item["metadata"]["name"] for item in PODS if rule(item)}
    assert shown == expected
    assert 0 < len(expected) < len(PODS)


def test_a_namespace_of_no_pod_is_named_with_what_is_near(run: Run) -> None:
    error = run(*COMMANDS["plan"], "--sample", "-n", "shopp").err
    assert error == "Error: no pod of the namespace shopp in the input; near it: shop\n"
    error = run(*COMMANDS["plan"], "--sample", "-n", "zzz").err
    assert "no pod of the namespace zzz in the input; it has " in error


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_mistyped_namespace_beside_another_is_a_failure(run: Run, command: tuple[str, ...]) -> None:
    result = run(*command, "--sample", "-n", "shop", "-n", "DATA")
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("Error: no pod of the namespace DATA in the input; near it: data\n")


def test_nor_does_it_pass_beside_another_of_a_plan(run: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert run(*COMMANDS["plan"], "--sample", "--out", plan).code == 0
    argv = ("gate", "--plan", plan, "--fail-on", "kill", "-n", "shop")
    assert run(*argv, "-n", "data").code == 0
    result = run(*argv, "-n", "zzz")
    assert (result.code, result.out) == (1, "")
    assert "Error: no pod of the namespace zzz in the plan; it has " in result.err


def test_namespaces_of_a_cluster_may_have_no_pods() -> None:
    inventory = Inventory(tuple(collect([pod()]).pods), origin=Origin(Source.CLUSTER))
    assert len(list(select(inventory, Filters(namespaces=("ns", "empty"))).pods)) == 1
    with pytest.raises(InputError, match="no pod of the namespace empty in the input"):
        list(select(collect([pod()]), Filters(namespaces=("ns", "empty"))).pods)


def test_a_cluster_without_pods_has_none_that_matches() -> None:
    empty = Inventory((), origin=Origin(Source.CLUSTER))
    with pytest.raises(InputError, match=r"^no pod matches the filters$"):
        list(select(empty, Filters(nodes=("n1",))).pods)


def test_a_namespace_that_is_empty_is_seen_in_the_error() -> None:
    with pytest.raises(InputError, match="no pod of the namespace '' in the input; "):
        list(select(collect([pod()]), Filters(namespaces=("",))).pods)


@pytest.mark.parametrize(
    ("filters", "rule"),
    [
        (Filters(nodes=("",)), lambda item: not item["spec"].get("nodeName")),
        (Filters(owners=("",)), lambda item: not owner(item)),
    ],
    ids=["node", "owner"],
)
def test_python_may_ask_for_the_pods_without_a_node_or_owner(filters: Filters, rule: Any) -> None:
    shown = {subject.name for subject in select(collect(PODS), filters).pods}
    expected = {item["metadata"]["name"] for item in PODS if rule(item)}
    assert shown == expected
    assert 0 < len(expected) < len(PODS)


@pytest.mark.parametrize(
    "command",
    [*COMMANDS.values(), ("explain", "shop/x", "--from", "1.9.11", "--to", "1.10.0")],
    ids=lambda argv: argv[0],
)
def test_a_filter_that_matches_nothing_is_a_failure(run: Run, command: tuple[str, ...]) -> None:
    result = run(*command, "--sample", "-n", "shop", "--exclude-namespace", "shop")
    assert (result.code, result.out, result.err) == (
        1,
        "",
        f"Error: none of the {len(PODS)} pods matches the filters\n",
    )


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (["node-a11"], "Error: no node node-a11 in the input; near it: node-a1, "),
        (["node-a1", "node-zz"], "Error: no node node-zz in the input; near it: "),
        (["mars"], "Error: no node mars in the input; it has 5 nodes, such as node-a1\n"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_node_that_is_not_there_is_a_failure_that_names_near_ones(
    run: Run, command: tuple[str, ...], nodes: list[str], message: str
) -> None:
    result = run(*command, "--sample", *(word for node in nodes for word in ("--node", node)))
    assert (result.code, result.out) == (1, "")
    assert message in result.err


def test_a_mistyped_node_beside_another_takes_no_turn(run: Run, tmp_path: Path) -> None:
    plan, state = tmp_path / "plan.json", tmp_path / "state.json"
    assert run(*COMMANDS["plan"], "--sample", "--out", plan).code == 0
    argv = ("gate", "--plan", plan, "--state", state, "--fail-on", "kill", "--node", "node-a1")
    result = run(*argv, "--node", "nope")
    assert (result.code, result.out) == (1, "")
    assert "Error: no container on the node nope in the plan; near it: " in result.err
    assert not state.exists() or "nope" not in state.read_text()
    result = run(*argv, "--node", "node-a2")
    assert (result.code, "node-a2" in state.read_text()) == (0, True)


def test_a_mistyped_node_comes_before_a_missing_release(run: Run) -> None:
    result = run("plan", "--to", "1.31", "--sample", "--node", "node-a11")
    assert "no node node-a11 in the input; near it: node-a1" in result.err
    assert "--from" not in result.err


def test_a_node_without_pods_is_a_node(run: Run) -> None:
    nodes = [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": name}} for name in ("n1", "n2")]
    argv = ("-f", "-", "--node", "n1", "--node", "n2", "-o", "json")
    assert len(run(*COMMANDS["plan"], *argv, stdin=as_json(*nodes, pod())).items) == 1


def test_nodes_of_a_cluster_that_may_not_be_read_may_have_no_pods() -> None:
    inventory = Inventory(tuple(collect([pod()]).pods), origin=Origin(Source.CLUSTER))
    assert len(list(select(inventory, Filters(nodes=("n1", "n2"))).pods)) == 1


@pytest.mark.parametrize("word", ["-A", "--all-namespaces"])
def test_all_namespaces_are_the_default(run: Run, word: str) -> None:
    plain = run(*COMMANDS["plan"], "--sample", "-o", "json")
    assert run(*COMMANDS["plan"], "--sample", "-o", "json", word).items == plain.items
    assert run(*COMMANDS["plan"], "--sample", "-o", "json", word, "-n", "shop").items == plain.items


@pytest.mark.parametrize(
    ("owners", "message"),
    [
        (["kube-proxy"], "no pod of kube-proxy in the input; near it: DaemonSet/kube-proxy"),
        (["deploy/wbe"], "no pod of deploy/wbe in the input; near it: Deployment/web"),
        (["deploy/web", "sts/rediss"], "no pod of sts/rediss in the input; near it: StatefulSet/redis"),
        (["sts/web"], "no pod of sts/web in the input; near it: Deployment/web, "),
        (
            ["deploy/no-such-thing"],
            "no pod of deploy/no-such-thing in the input; an owner is KIND/NAME, such as",
        ),
    ],
)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_an_owner_of_no_pod_is_a_failure_that_names_near_ones(
    run: Run, command: tuple[str, ...], owners: list[str], message: str
) -> None:
    result = run(*command, "--sample", *(word for owner in owners for word in ("--owner", owner)))
    assert (result.code, result.out) == (1, "")
    assert message in result.err


def test_an_owner_of_another_namespace_matches_nothing(run: Run) -> None:
    result = run(*COMMANDS["plan"], "--sample", "-n", "data", "--owner", "deploy/web")
    assert result.err == f"Error: none of the {len(PODS)} pods matches the filters\n"


def test_explain_looks_among_the_filtered_pods_only(run: Run) -> None:
    argv = ("explain", "data/redis-0", "--from", "1.9.11", "--to", "1.10.0", "--sample")
    assert run(*argv, "-n", "data").code == 0
    assert run(*argv, "-n", "shop").code == 1


def test_only_restarts_leaves_out_what_is_kept_and_nothing_else(run: Run) -> None:
    every, only = (
        run(*COMMANDS["plan"], "--sample", "-o", "json", *more).items for more in ((), ("--only-restarts",))
    )
    assert only == [item for item in every if item["verdict"] != "KEEP"]
    assert {item["verdict"] for item in only} == {"RESTART"}


def test_only_restarts_with_none_is_a_plan_all_the_same(run: Run) -> None:
    result = run(
        "plan",
        "--from",
        "1.10.0",
        "--to",
        "1.11.0",
        "--sample",
        "-n",
        "shop",
        "--only-restarts",
        "-o",
        "json",
    )
    assert (result.code, result.items) == (0, [])
    assert "0 of 10 running containers restart; 10 kept" in result.err


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_run_has_a_number_of_containers_that_fit_into_memory(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Without a filter a file of too many is refused before any pod of it is hashed."""
    path = tmp_path / "pods.json"
    broken = {"name": "c", "image": 1}
    path.write_bytes(as_json(pod(broken, name="a"), pod({"name": "c"}, {"name": "d"}, node="n2")))
    monkeypatch.setattr(allowance, "MOST_CONTAINERS", 2)
    result = run(*command, "-f", path)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: more than 2 containers, the most of one run; narrow it with --n")
    assert len(run(*command, "-f", path, "--node", "n2", "-o", "json").items) == 2
    monkeypatch.setattr(allowance, "MOST_CONTAINERS", 1)
    assert run(*command, "-f", path, "--node", "n2").err.startswith("Error: more than 1 containers")


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_names_that_no_api_server_accepts_have_to_fit_into_memory(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...]
) -> None:
    path, saved = tmp_path / "pods.json", tmp_path / "plan.json"
    long = "\N{GRINNING FACE}" + "a" * 400
    path.write_bytes(as_json(pod({"name": "c"}, name="a" * 253), pod({"name": "c"}, name=long)))
    kept = run(*COMMANDS["plan"], "-f", path, "--out", saved)
    assert kept.code == 0, kept.err
    monkeypatch.setattr(allowance, "MOST_OF_NAMES", 1_000)
    refused = "more than 1,000 bytes of names that are not ASCII, or long"
    for argv in ((*command, "-f", path), ("gate", "--plan", saved)):
        result = run(*argv)
        assert (result.code, result.out) == (1, ""), argv
        assert refused in result.err
