"""``hashcompat matrix``: every pair of releases, and with pods the cheapest path between two of them."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, node, pod, same_uid
from tests.helpers.program import Run

SECURED: Json = {"name": "c", "image": "i", "securityContext": {}}
GO = "those with a backspace or form feed (another Go)"
STDIN = ("-f", "-")


def cells(document: Any) -> dict[tuple[str, str], Any]:
    return {(cell["from"], cell["to"]): cell for cell in document["items"]}


def test_the_grid_reads_from_the_left_to_the_top(run: Run) -> None:
    result = run("matrix", "--from", "1.7.16", "--to", "1.11.10")
    grid, legend = result.out.split("\n\n")
    assert [line.split() for line in grid.splitlines()] == [
        ["FROM/TO", "1.7", "1.8", "1.9", "1.10-1.11"],
        ["1.7", "=", "some", "all", "all"],
        ["1.8", "some", "=", "all", "all"],
        ["1.9", "all", "all", "=", "some"],
        ["1.10-1.11", "all", "all", "some", "="],
    ]
    assert "some: those with certain fields" in legend
    assert "1.7 is its newest known patch release, 1.7.16." in legend
    assert result.err == ""


def test_releases_that_are_not_the_newest_have_their_whole_names(run: Run) -> None:
    lines = run("matrix", "--from", "1.9.3", "--to", "1.10.1").out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["FROM/TO", "1.9.3", "1.10.1"]


def test_patch_releases_that_hash_alike_are_one_row(run: Run) -> None:
    lines = run("matrix", "--from", "1.27.14", "--to", "1.28.2", "--every-patch").out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["1.27.14-1.27.15", "1.27", "1.28.0-1.28.2"]


def test_wide_lists_neighbours_both_ways_with_what_is_behind_them(run: Run) -> None:
    lines = run("matrix", "--from", "1.8.15", "--to", "1.9.11", "-o", "wide", "--no-headers").out.splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "1.8.15 1.9.11 all all every container: VolumeDevices kubernetes/kubernetes#50457",
        "1.9.11 1.8.15 all all every container: VolumeDevices kubernetes/kubernetes#50457",
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1.10.13", "1.11.10", "none none -"),
        (
            "1.15.12",
            "1.16.15",
            (
                "all every container: 1.15.12 hashes the Go text of the whole container, "
                "1.16.15 the JSON of the whole container kubernetes/kubernetes#57741"
            ),
        ),
        (
            "1.18.20",
            "1.19.16",
            "some those that set securityContext.seccompProfile kubernetes/kubernetes#91381",
        ),
        ("1.13.12", "1.14.10", "some those with volumeMounts[*] (SubPathExpr) kubernetes/kubernetes#71351"),
        (
            "1.26.15",
            "1.27.16",
            (
                f"some those that set resizePolicy; {GO} "
                "kubernetes/kubernetes#102884, kubernetes/kubernetes#125701"
            ),
        ),
        ("1.35.10", "1.36.6", "none none -"),
        ("1.36.6", "1.37.2", "none none -"),
    ],
)
def test_who_restarts_and_why(run: Run, old: str, new: str, words: str) -> None:
    first = run("matrix", "--from", old, "--to", new, "-o", "wide", "--no-headers").out.splitlines()[0]
    _, _, scope, static, *cells_ = first.split()
    assert " ".join([scope, *cells_]) == words
    assert static == ("." if same_uid(old, new) else "all")


def test_every_patch_shows_where_go_changed_within_a_minor(run: Run) -> None:
    matrix = cells(
        run("matrix", "--from", "1.27.14", "--to", "1.27.16", "--every-patch", "-o", "json").document
    )
    assert {pair: (cell["scope"], cell["go"]) for pair, cell in matrix.items()} == {
        ("1.27.14", "1.27.15"): ("none", False),
        ("1.27.15", "1.27.14"): ("none", False),
        ("1.27.14", "1.27.16"): ("some", True),
        ("1.27.16", "1.27.14"): ("some", True),
        ("1.27.15", "1.27.16"): ("some", True),
        ("1.27.16", "1.27.15"): ("some", True),
    }


def test_a_field_with_another_type_counts_too(run: Run) -> None:
    matrix = cells(run("matrix", "--from", "1.2.7", "--to", "1.3.10", "-o", "json").document)
    fields = {field["path"]: field["added"] for field in matrix["1.2.7", "1.3.10"]["fields"]}
    assert (fields["ports[*].hostPort"], fields["volumeMounts[*].subPath"]) == (None, True)
    back = {field["path"]: field["added"] for field in matrix["1.3.10", "1.2.7"]["fields"]}
    assert (back["ports[*].hostPort"], back["volumeMounts[*].subPath"]) == (None, False)


def test_equal_resource_lists_are_none_between_1_1_and_1_2(run: Run) -> None:
    matrix = cells(run("matrix", "--from", "1.1.8", "--to", "1.2.7", "-o", "json").document)
    assert "resources.limits" not in {field["path"] for field in matrix["1.1.8", "1.2.7"]["fields"]}


@pytest.mark.usefixtures("untraced")
def test_without_limits_every_minor_is_there(run: Run) -> None:
    document = run("matrix", "-o", "json").document
    assert [release.rpartition(".")[0] for release in document["releases"]] == [
        f"1.{minor}" for minor in range(38)
    ]
    assert len(document["items"]) == 38 * 37
    assert document["cheapestPath"] is None


def test_the_way_may_lead_back(run: Run) -> None:
    assert run("matrix", "--from", "1.9.0", "--to", "1.7.0", "-o", "json").document["releases"] == [
        "1.9.0",
        "1.8.15",
        "1.7.0",
    ]
    assert run("matrix", "--from", "1.9.1", "--to", "1.9.0", "--every-patch", "-o", "name").out.split() == [
        "1.9.1",
        "1.9.0",
    ]


def test_with_pods_the_grid_counts_them_and_the_cheapest_path_is_told(run: Run) -> None:
    result = run("matrix", "--from", "1.9.11", "--to", "1.12.10", *STDIN, stdin=as_json(pod(SECURED)))
    grid, legend, paths = result.out.split("\n\n")
    assert [line.split() for line in grid.splitlines()][1:] == [
        ["1.9", "=", "1", "1"],
        ["1.10-1.11", "1", "=", "1"],
        ["1.12", "1", "1", "="],
    ]
    assert "1.10-1.11: alike for these pods" in legend
    assert paths.splitlines() == [
        "Fewest steps inside the version skew policy: 2 steps, 2 restarts",
        "  1.9.11 -> 1.10.13 [1] -> 1.12.10 [1]",
        "Fewest restarts: 1 step, 1 restart",
        "  1.9.11 -> 1.12.10 [1]",
    ]
    assert result.err.splitlines()[-1] == "Cheapest path, 1 restart: 1.9.11 -> 1.12.10"


def test_the_document_holds_counts_and_path(run: Run) -> None:
    document = run(
        "matrix",
        "--from",
        "1.10.13",
        "--to",
        "1.12.10",
        *STDIN,
        "-o",
        "json",
        "-q",
        stdin=as_json(pod(SECURED)),
    ).document
    # the way over 1.11 would restart as many
    assert document["cheapestPath"] == document["shortestPath"]
    assert document["shortestPath"] == {"releases": ["1.10.13", "1.12.10"], "findings": [1], "unknown": [0]}
    assert document["groups"] == [["1.10.13", "1.11.10"], ["1.12.10"]]
    assert {pair: cell["findings"] for pair, cell in cells(document).items()} == {
        ("1.10.13", "1.11.10"): 0,
        ("1.10.13", "1.12.10"): 1,
        ("1.11.10", "1.10.13"): 0,
        ("1.11.10", "1.12.10"): 1,
        ("1.12.10", "1.10.13"): 1,
        ("1.12.10", "1.11.10"): 1,
    }


def test_a_list_of_steps_has_the_counts_of_the_grid(run: Run) -> None:
    argv = ("matrix", "--from", "1.11.10", "--to", "1.12.10", *STDIN, "-q", "-o", "csv")
    rows = list(csv.DictReader(run(*argv, stdin=as_json(pod(SECURED))).out.splitlines()))
    assert [(row["FROM"], row["TO"], row["RESTARTS"], row["UNKNOWN"]) for row in rows] == [
        ("1.11.10", "1.12.10", "1", "0"),
        ("1.12.10", "1.11.10", "1", "0"),
    ]


def test_quiet_tells_no_path(run: Run) -> None:
    assert (
        run("matrix", "--from", "1.10.13", "--to", "1.11.10", *STDIN, "-q", stdin=as_json(pod(SECURED))).err
        == ""
    )


def test_the_counts_are_those_of_plan(run: Run) -> None:
    matrix = cells(run("matrix", "--from", "1.7.16", "--to", "1.9.11", "--sample", "-o", "json").document)
    summary = run("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample", "-o", "json").document["summary"]
    assert matrix["1.7.16", "1.9.11"]["findings"] == summary["restart"] + summary["kill"]


@pytest.mark.parametrize(
    "arguments",
    [("--from", "1.9.x"), ("--to", "1.99"), ("--to", "9.9.9"), ("--from", "auto"), ("--to", "1.17.10")],
)
def test_a_release_that_is_none_is_a_usage_error(run: Run, arguments: tuple[str, str]) -> None:
    assert run("matrix", *arguments).code == 64


def test_static_pods_are_named_where_their_uid_changes(run: Run) -> None:
    result = run("matrix", "--from", "1.26", "--to", "1.37")
    assert "restarts nothing but static pods without a uid in their manifest" in result.out
    assert (
        "Besides, static pods without a uid in their manifest restart at every step, except 1.28 -> 1.29"
        in result.out
    )
    document = run("matrix", "--from", "1.26", "--to", "1.37", "-o", "json").document
    assert {pair: cell["staticPods"] for pair, cell in cells(document).items()} == {
        pair: not same_uid(*pair) for pair in cells(document)
    }
    some = "Some static pods without a uid in their manifest restart at {} (HC022)"
    assert some.format("1.28 -> 1.29") in result.out
    wide = run("matrix", "--from", "1.28", "--to", "1.29", "-o", "wide", "--no-headers").out
    assert [line.split()[3] for line in wide.splitlines()] == ["some", "some"]
    alone = run("matrix", "--from", "1.28", "--to", "1.29")
    assert some.format("1.28 -> 1.29") in alone.out
    assert "restart at every step" not in alone.out
    assert some.format("1.21 -> 1.22") in run("matrix", "--from", "1.19", "--to", "1.22").out
    assert "static" not in run("matrix", "--from", "1.16", "--to", "1.17").out


def test_containers_are_named_that_restart_for_resources_not_recorded(run: Run) -> None:
    """1.33 to 1.36 resize what has no record, which no older kubelet wrote; 1.37 takes it for applied."""
    named = "containers with resources and the resizePolicy RestartContainer"
    result = run("matrix", "--from", "1.31", "--to", "1.34")
    assert f"nothing but static pods without a uid in their manifest and {named}." in result.out
    assert f"Besides, {named} for these restart at 1.32 -> 1.33 (HC019)." in result.out
    assert named not in run("matrix", "--from", "1.33", "--to", "1.37").out
    document = run("matrix", "--from", "1.32", "--to", "1.37", "-o", "json").document
    pairs = {pair for pair, cell in cells(document).items() if cell["resized"]}
    assert {old.rpartition(".")[0] for old, _ in pairs} == {"1.32"}
    assert [new.rpartition(".")[0] for _, new in sorted(pairs)] == ["1.33", "1.34", "1.35", "1.36"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1.32", "1.33", "those with resources and the resizePolicy RestartContainer"),
        ("1.29", "1.33", "every container"),
        ("1.33", "1.34", "none"),
    ],
)
def test_the_list_names_those_that_restart_for_resources(run: Run, old: str, new: str, said: str) -> None:
    rows = run("matrix", "--from", old, "--to", new, "-o", "json").document["items"]
    assert len(rows) > 1
    lines = run("matrix", "--from", old, "--to", new, "-o", "wide").out.splitlines()
    assert any(said in line for line in lines[1:])


def test_host_ports_are_looked_at_as_each_target_does(run: Run) -> None:
    """Those of sidecars count from 1.33.6 on (kubernetes/kubernetes#133390)."""
    sidecar = {"name": "s", "image": "i", "restartPolicy": "Always", "ports": [{"hostPort": 9}]}
    pods = [pod({"name": "c", "image": "i"}, name=name, spec={"initContainers": [sidecar]}) for name in "ab"]
    cluster = as_json(node("v1.33.4"), *pods)

    def refused(to: str) -> int:
        result = run(
            "matrix", "--from", "1.33.4", "--to", to, "--every-patch", "-f", "-", "-o", "json", stdin=cluster
        )
        return sum(cell["unknown"] for cell in result.items if (cell["from"], cell["to"]) == ("1.33.4", to))

    assert refused("1.33.6") > refused("1.33.5") == 0
