"""``impact`` as people and programs see it: tables, the runbook, and what is read for it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.disruption.pods import budget, replica
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import Run

UP = ("impact", "--from", "1.8.15", "--to", "1.9.11", "-f", "-")
VOLUME = {"volumes": [{"name": "v", "emptyDir": {}}]}
CLUSTER = (
    node("v1.8.15", "idle"),
    replica("web-0", "n1"),
    replica("web-1", "n2"),
    replica("db-0", "n3", owner="StatefulSet/db"),
    replica("tool", "n3", owner="", spec=VOLUME),
    replica("api-0", "n4", owner="StatefulSet/api"),
    replica("api-1", "n4", owner="StatefulSet/api"),
    budget(minAvailable=1),
    budget("db", "db", minAvailable=1),
)


def commands(text: str) -> list[list[str]]:
    """Return the commands of the code blocks of a page, without comments."""
    parts = text.split("\n```sh\n")[1:]
    lines = [line for part in parts for line in part.partition("\n```\n")[0].splitlines()]
    return [shlex.split(line) for line in lines if not line.startswith("#")]


def test_the_answer_comes_first_then_budgets_owners_and_nodes(run: Run) -> None:
    result = run(*UP, "--batch", "2", stdin=as_json(*CLUSTER))
    sections = [part.splitlines() for part in result.out.split("\n\n")]
    assert sections[0] == [
        "5 nodes in 4 batches: 1 clean, 2 in place, 2 to drain",
        "Restarted in place: 1 of 2 PodDisruptionBudgets breached; 1 owner loses all replicas at once",
        "In these batches, with the drains, no budget is breached and no owner loses all replicas",
    ]
    assert [line.split()[:8] for line in sections[1][1:]] == [
        ["n3", "ns", "db", "yes", "1", "1", "0", "1"],
        ["n4", "ns", "StatefulSet/api", "yes", "2", "2", "0", "-"],
    ]
    assert [line.split()[1] for line in sections[2][1:]] == [
        "Pod/tool",
        "StatefulSet/api",
        "StatefulSet/db",
        "StatefulSet/web",
    ]
    assert [line.split()[:3] for line in sections[3][1:]] == [
        ["1", "idle", "clean"],
        ["2", "n1", "in-place"],
        ["3", "n2", "in-place"],
        ["4", "n3", "drain"],
        ["4", "n4", "drain"],
    ]
    why = "PodDisruptionBudget ns/web lets 1 healthy pod go, and 2 would restart"
    assert sections[4][2].split() == ["3", "2", "n2", "n1", *why.split()]


def test_more_columns_and_names(run: Run) -> None:
    lines = run(*UP, "-o", "wide", stdin=as_json(*CLUSTER)).out.splitlines()
    (drained,) = [line for line in lines if " n3 " in line]
    assert "ns/tool" in drained
    assert "ns/StatefulSet/db" in drained
    assert "--delete-emptydir-data, --force" in drained
    assert run(*UP, "-o", "name", stdin=as_json(*CLUSTER)).out.split() == ["idle", "n1", "n2", "n3", "n4"]


def test_budgets_that_are_missing_are_said_once(run: Run) -> None:
    result = run(*UP, stdin=as_json(*CLUSTER[:3]))
    assert result.out.count("PodDisruptionBudgets UNKNOWN") == 1
    missing = "PodDisruptionBudgets and Services are UNKNOWN: the input has none; kubectl get"
    assert result.err.count(missing) == 1
    known = run(*UP, "--all-budgets", stdin=as_json(*CLUSTER[:3]))
    assert "UNKNOWN:" not in known.out + known.err


def test_an_empty_list_of_budgets_is_one_too(run: Run, tmp_path: Path) -> None:
    empty = {"kind": "PodDisruptionBudgetList", "apiVersion": "policy/v1", "items": []}
    (tmp_path / "budgets.json").write_bytes(as_json(empty))
    result = run(*UP, "-f", tmp_path / "budgets.json", "-o", "json", stdin=as_json(replica("web-0", "n1")))
    assert result.document["spec"]["budgets"] == {"found": 0, "missing": ""}


def test_what_is_left_out_of_the_plan_counts_as_replicas(run: Run) -> None:
    """Of three replicas two have to be healthy; the plan is about one node, the budget about all."""
    spread = [replica(f"web-{number}", f"n{number}") for number in range(3)]
    result = run(*UP, "--node", "n1", "-o", "json", stdin=as_json(*spread, budget(minAvailable=2)))
    (item,) = result.items
    assert (item["node"], item["step"], result.document["owners"][0]["replicas"]) == ("n1", "in-place", 3)


def test_pods_without_a_node_and_warnings_are_told(run: Run) -> None:
    result = run(*UP, stdin=as_json(replica("web-0", "")))
    assert "On no node, and so in no batch: 1 pod that would restart" in result.err
    assert result.out.startswith("No node is upgraded\n")


@pytest.mark.parametrize("name", ["a\n```\n# b", "-x", "$(reboot)", "n; reboot", "`id`", "'", "::error::x"])
def test_a_hostile_name_never_becomes_a_command(run: Run, name: str) -> None:
    objects: list[Json] = [pod(name="p", node=name), replica("web", name, owner=f"Deployment/{name}")]
    text = run(*UP, "-o", "markdown", stdin=as_json(*objects)).out
    batches = text.partition("\n## Batch ")[2]
    assert commands(batches) == []
    assert "# no commands for 1 node: no API server accepts the name\n" in batches
    assert [line for line in text.splitlines() if line.lstrip().startswith(("# b", "::"))] == []


def test_options_that_would_leave_replicas_out_are_refused(run: Run) -> None:
    result = run("impact", "--from", "1.8.15", "--to", "1.9.11", "-l", "a=b")
    assert (result.code, "narrow with -n" in result.err) == (64, True)


def test_quiet_and_the_closing_line(run: Run) -> None:
    given: Any = as_json(*CLUSTER)
    assert run(*UP, "-q", stdin=given).err == ""
    assert run(*UP, stdin=given).err.splitlines()[-1].startswith("1.8.15 -> 1.9.11: 5 nodes in 5 batches: ")
