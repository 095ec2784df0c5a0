"""Plans, explanations and matrices ask one judge: none of them contradicts another, whatever the flags."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import hashcompat
from hashcompat.analysis import planning
from hashcompat.analysis.planning.hops import HopTally
from hashcompat.analysis.planning.options import AssumePatch, Options
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import UsageError
from hashcompat.core.model.plan import Way
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import hash_of, record, recorded
from tests.planning.test_mixed_cluster import NODES, PODS, fleet

C: Json = {"name": "c", "image": "i"}
MOUNTED: Json = {**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
BACKSPACE: Json = {**C, "args": ["\b"]}


def plan_of(run: Run, old: str, new: str, source: Any, *more: object) -> Any:
    result = run("plan", "--from", old, "--to", new, "-o", "json", "-q", *source, *more)
    assert result.code == 0, result.err
    return result.document


def mixed(tmp_path: Path) -> tuple[object, ...]:
    """Write a cluster in which records are reproduced on one node and not on another."""
    path = tmp_path / "cluster.json"
    path.write_bytes(as_json(*NODES, *(given for given, _ in PODS), *fleet()))
    return ("-f", path)


def test_explain_says_of_each_container_what_plan_says(run: Run, tmp_path: Path) -> None:
    source = ("-f", tmp_path / "pods.json")
    pods = [pod(MOUNTED, name=f"p{number}", node=f"n{number % 2}") for number in range(4)]
    (tmp_path / "pods.json").write_bytes(as_json(*pods))
    old = hash_of(run, "1.9.11", MOUNTED)
    records = recorded(tmp_path, record(old, "p0"), record(1, "p1"))
    items = plan_of(run, "1.9.11", "1.9.11", source, *records)["items"]
    assert {item["verdict"] for item in items} == {"KEEP", "RESTART", "UNKNOWN"}
    for item in items:
        target = f"{item['namespace']}/{item['pod']}/{item['container']}"
        result = run("explain", target, "--from", "1.9.11", "--to", "1.9.11", *source, *records, "-o", "json")
        told = result.item
        assert {key: told[key] for key in item} == item


@pytest.mark.parametrize(
    "flags",
    [
        ("--apiserver", "1.9.11", "--apiserver-to", "1.12.10"),
        ("--feature-gates", "ProcMountType=true"),
        ("--cri-dockerd",),
        ("--other-runtime",),
        ("--assume-patch", "accept"),
        ("--assume-patch", "pin", "--like", "1.9.11"),
    ],
    ids=" ".join,
)
def test_explain_takes_the_flags_of_plan(run: Run, tmp_path: Path, flags: tuple[str, ...]) -> None:
    source = ("-f", tmp_path / "pods.json")
    (tmp_path / "pods.json").write_bytes(as_json(pod({**MOUNTED, "securityContext": {}})))
    (item,) = plan_of(run, "1.9.11", "1.14.10", source, *flags)["items"]
    told = run("explain", "ns/p", "--from", "1.9.11", "--to", "1.14.10", *source, *flags, "-o", "json").item
    assert {key: told[key] for key in item} == item


@pytest.mark.parametrize("more", [(), ("--with-hashes",)])
def test_explain_of_a_snapshot_with_records_says_what_plan_says(
    run: Run, tmp_path: Path, more: tuple[str, ...]
) -> None:
    pods, path = tmp_path / "pods.json", tmp_path / "snapshot.json"
    pods.write_bytes(as_json(pod(C)))
    told = recorded(tmp_path, record(7))
    assert run("snapshot", "-f", pods, *told, *more, "--out", path).code == 0
    (item,) = plan_of(run, "1.9.11", "1.9.11", ("-f", path))["items"]
    shown = run("explain", "ns/p/c", "--from", "1.9.11", "--to", "1.9.11", "-f", path, "-o", "json").item
    assert item["verdict"] == shown["verdict"] == "RESTART"
    assert ("(7 vs " in shown["logLine"]) if more else shown["logLine"] == ""


def test_a_pod_that_is_recreated_by_its_uid_has_neither_fields_nor_a_log_line(run: Run) -> None:
    static = as_json(mirror_pod(MOUNTED))
    arguments = ("explain", "ns/p-n1", "--from", "1.13.12", "--to", "1.14.10", "-f", "-")
    told = run(*arguments, "-o", "json", stdin=static).item
    assert (told["verdict"], told["podRecreated"], told["compared"]) == ("RESTART", True, False)
    assert (told["fields"], told["upstream"], told["logLine"]) == ([], [], "")
    text = run(*arguments, stdin=static).out
    assert "before any hash is compared" in text
    assert "Container spec hash changed" not in text


def test_one_broken_pod_does_not_keep_others_from_being_explained(run: Run) -> None:
    source = as_json(pod(MOUNTED), pod({"name": "c", "args": 1}, name="broken"))
    arguments = ("--from", "1.13.12", "--to", "1.14.10", "-f", "-")
    assert run("explain", "ns/p", *arguments, stdin=source).code == 0
    broken = run("explain", "ns/broken", *arguments, stdin=source)
    assert (broken.code, "$.items[1].spec.containers[0].args" in broken.err) == (1, True)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("old", ["1.27.4", "auto"])
def test_every_count_of_a_matrix_is_that_of_a_plan(run: Run, tmp_path: Path, old: str) -> None:
    path = tmp_path / "pods.json"
    sidecar = {**C, "name": "s", "restartPolicy": "Always"}
    objects = [
        node("v1.27.4"),
        pod(BACKSPACE),
        pod({**C, "name": "m"}, name="q", spec={"initContainers": [sidecar]}),
    ]
    path.write_bytes(as_json(*objects))
    source = ("-f", path)
    document = run("matrix", "--from", old, "--to", "1.32.13", *source, "-o", "json").document
    assert document["releases"][0] == old
    unknown = 0
    for cell in document["items"]:
        given = (*source, "--override-node-releases") if cell["from"] != "auto" else source
        summary = plan_of(run, cell["from"], cell["to"], given)["summary"]
        assert (cell["findings"], cell["unknown"]) == (
            summary["restart"] + summary["kill"],
            summary["unknown"],
        )
        unknown += cell["unknown"]
    assert unknown


def test_the_releases_of_a_matrix_are_those_that_were_asked_for(run: Run) -> None:
    given = as_json(pod(BACKSPACE))
    arguments = ("matrix", "--from", "1.27.4", "--to", "1.27.16", "-f", "-")
    result = run(*arguments, "-o", "json", stdin=given)
    assert result.document["releases"] == ["1.27.4", "1.27.16"]
    assert result.document["cheapestPath"]["findings"] == [1]
    assert "Cheapest path, 1 restart: 1.27.4 -> 1.27.16" in result.err


def test_what_is_not_decided_is_told_beside_the_restarts(run: Run) -> None:
    sidecar = {**C, "name": "s", "restartPolicy": "Always"}
    given = as_json(pod({**C, "name": "m"}, spec={"initContainers": [sidecar]}))
    result = run("matrix", "--from", "1.31.14", "--to", "1.32.13", "-f", "-", stdin=given)
    assert "Cheapest path, 0 restarts and 1 unknown" in result.err
    assert "0+1?" in result.out


def test_a_matrix_warns_of_steps_that_upstream_does_not_support(run: Run) -> None:
    result = run("matrix", "--from", "1.9.11", "--to", "1.12.10", "-f", "-", stdin=as_json(pod(C)))
    plan = run("plan", "--from", "1.9.11", "--to", "1.10.13", "-f", "-", stdin=as_json(pod(C)))
    (warning,) = [line for line in plan.err.splitlines() if line.startswith("Warning: 1.9.11")]
    step, _, quoted = warning.removeprefix("Warning: ").partition(": ")
    (line,) = [line for line in result.err.splitlines() if line.endswith(quoted)]
    assert line.startswith(f"Warning: {step.split()[0]} -> ")


def test_auto_needs_nodes_that_report_a_known_release(run: Run) -> None:
    assert run("matrix", "--from", "auto", "--to", "1.31.14").code == 64
    missing = run("matrix", "--from", "auto", "--to", "1.31.14", "-f", "-", stdin=as_json(pod(C)))
    assert (missing.code, "--from" in missing.err) == (1, True)


def test_counting_with_a_patch_counts_as_planning_does(catalog: Catalog) -> None:
    inventory = hashcompat.load_sample()
    way = Way("1.9.11", "1.10.13")
    view, _ = planning.bound(way, inventory, View(catalog, Options(patch=AssumePatch("accept", ("1.8.15",)))))
    templates = Templates(view)
    pods = tuple(inventory.pods)
    for _ in range(2):
        tally = HopTally(way, inventory.nodes, view, templates)
        for subject in pods:
            tally.add(subject)
        plan = planning.make(inventory, way.old, way.new, view)
        assert (tally.hop.findings, tally.hop.unknown) == (plan.summary.findings, plan.summary.unknown)


def test_steps_of_a_plan_are_the_pairs_of_a_matrix() -> None:
    inventory = hashcompat.load_sample()
    plan = hashcompat.plan(inventory, "1.7.16", "1.10.13")
    matrix = hashcompat.matrix(inventory, "1.7.16", "1.10.13")
    assert matrix.counts is not None
    assert list(plan.hops) == [matrix.counts[pair] for pair in pairwise(matrix.releases)]


def test_the_api_takes_the_fields_of_options_and_no_others() -> None:
    """And what says which of the pods count."""
    filters = {"namespace", "exclude_namespace", "node", "owner"}
    assert set(hashcompat.OptionFields.__annotations__) == {*Options.__struct_fields__, *filters}
    with pytest.raises(UsageError, match="did you mean keep_going"):
        hashcompat.plan(hashcompat.load_sample(), "1.7.16", "1.9.11", keepgoing=True)  # type: ignore[call-arg]


@pytest.mark.full
@pytest.mark.usefixtures("untraced")
def test_a_mixed_cluster_has_the_same_counts_in_all_three(run: Run, tmp_path: Path) -> None:
    source = mixed(tmp_path)
    document = run("matrix", "--from", "auto", "--to", "1.34.13", *source, "-o", "json").document
    (cell,) = [row for row in document["items"] if (row["from"], row["to"]) == ("auto", "1.34.13")]
    summary = plan_of(run, "auto", "1.34.13", source)["summary"]
    assert (cell["findings"], cell["unknown"]) == (summary["restart"] + summary["kill"], summary["unknown"])


def two_nodes(tmp_path: Path) -> tuple[object, ...]:
    """Write pods on two nodes with different kubelets."""
    path = tmp_path / "pods.json"
    objects = [node("v1.13.12"), node("v1.15.12", "n2"), pod(MOUNTED), pod(MOUNTED, name="q", node="n2")]
    path.write_bytes(as_json(*objects))
    return ("-f", path)


def test_auto_stands_for_every_release_that_nodes_report(run: Run, tmp_path: Path) -> None:
    source = two_nodes(tmp_path)
    arguments = ("matrix", "--from", "auto", *source, "-o", "json")
    up = run(*arguments, "--to", "1.14.10").document
    (cell,) = [row for row in up["items"] if row["from"] == "auto"]
    assert (up["releases"], cell["scope"], cell["era"]) == (["auto", "1.14.10"], "some", "")
    assert (cell["findings"], next(field["field"] for field in cell["fields"])) == (1, "SubPathExpr")
    across = run(*arguments, "--to", "1.16.15").document
    (cell,) = [row for row in across["items"] if (row["from"], row["to"]) == ("auto", "1.16.15")]
    assert (cell["scope"], cell["findings"]) == ("all", 2)
    assert cell["upstream"] == "kubernetes/kubernetes#57741"
    back = run(*arguments, "--to", "1.12.10").document
    assert back["releases"] == ["auto", "1.14.10", "1.13.12", "1.12.10"]


def test_recorded_hashes_count_where_the_way_begins(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pods.json"
    path.write_bytes(as_json(pod(C)))
    records = recorded(tmp_path, record(7))
    document = run(
        "matrix", "--from", "1.10.13", "--to", "1.12.10", "-f", path, *records, "-o", "json"
    ).document
    counts = {(row["from"], row["to"]): row["findings"] for row in document["items"]}
    assert counts["1.11.10", "1.12.10"] == 1, "as plan --from 1.11.10 says of these records"
    assert sum(document["cheapestPath"]["findings"]) == 1, "after the first step they are other records"


def test_a_strategy_that_no_plan_assumes_is_a_usage_error() -> None:
    with pytest.raises(hashcompat.UsageError, match="accept or pin"):
        hashcompat.plan(hashcompat.load_sample(), "1.7.16", "1.9.11", patch=hashcompat.AssumePatch("strip"))


def test_a_patch_is_like_the_releases_that_nodes_report(run: Run, tmp_path: Path) -> None:
    source = two_nodes(tmp_path)
    document = plan_of(run, "auto", "1.16.15", source, "--assume-patch", "accept")
    assert "--like v1.13.12,v1.15.12 " in document["spec"]["assumedPatch"]
    assert {item["verdict"] for item in document["items"]} == {"KEEP"}
