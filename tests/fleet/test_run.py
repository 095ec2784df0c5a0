"""A run over files of clusters: a row for each, nothing twice, and whole tables or none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import hashcompat
from hashcompat.core.errors import ExitCode, InputError, UsageError
from hashcompat.fleet import TABLES, InputStatus, names_of, parts
from hashcompat.fleet import run as fleet
from hashcompat.fleet.engines import Here
from hashcompat.fleet.parts import Question
from hashcompat.fleet.store import Directory, StoreError
from tests.fleet.clusters import NEW, OLD, Dying, asked, cluster, content, made, save, table
from tests.helpers.pods import ARTICLE, listed, node, pod


def statuses(out: Path, target: str = NEW) -> dict[str, str]:
    return {row["cluster"]: row["status"] for row in table(out, "clusters", target)}


def test_every_input_is_a_row_whatever_becomes_of_it(tmp_path: Path) -> None:
    source = save(
        tmp_path / "in",
        good=cluster(),
        cut='{"kind": "List", "items": [',
        empty="",
        newer=cluster("1.20.0"),
        refused=listed(node(f"v{OLD}"), pod({"name": "c", "image": "i", "ports": "none"})),
        silent={"kind": "List", "apiVersion": "v1", "items": [pod(ARTICLE)]},
        killer=cluster(),
    )
    engine = Dying("killer")
    run = fleet.run(asked(source, tmp_path / "out"), lambda: engine, lambda _: None)
    assert run.inputs == 7
    assert statuses(tmp_path / "out") == {
        "cut": "unreadable",
        "empty": "unreadable",
        "good": "planned",
        "killer": "lost",
        "newer": "not-applicable",
        "refused": "refused",
        "silent": "refused",
    }
    assert run.statuses == {
        NEW: {"lost": 1, "not-applicable": 1, "planned": 1, "refused": 2, "unreadable": 2}
    }
    rows = {row["cluster"]: row for row in table(tmp_path / "out", "clusters")}
    assert all(
        bool(row["error"]) == (row["status"] not in {"planned", "not-applicable"}) for row in rows.values()
    )
    assert rows["newer"]["running"] == ["v1.20.0"]
    assert rows["cut"]["restart"] is None


def test_a_target_between_what_nodes_run_decides_nothing(tmp_path: Path) -> None:
    """The older nodes are to be upgraded, and nobody planned them; an unreadable name may be older."""

    def mixed(*releases: str) -> dict[str, Any]:
        return listed(*(node(release, name=f"n{n}") for n, release in enumerate(releases)), pod(ARTICLE))

    source = save(
        tmp_path / "in",
        between=mixed(f"v{OLD}", "v1.20.0"),
        odd=mixed("dev", "v1.20.0"),
        done=mixed(f"v{NEW}+k3s1", "v1.20.0"),
    )
    run = made(source, tmp_path / "out")
    assert statuses(tmp_path / "out") == {"between": "refused", "odd": "refused", "done": "not-applicable"}
    errors = {row["cluster"]: row["error"] for row in table(tmp_path / "out", "clusters")}
    assert errors["between"] == f"v{OLD} runs on a node, and v1.20.0 on another: the target is between them"
    assert run.exit_code(fleet.Limits()) is ExitCode.UNDECIDED


def test_what_is_no_file_is_a_row_and_is_tried_again(tmp_path: Path) -> None:
    """A link to nothing, a named pipe, and a file that goes between the list and the plan."""
    source = save(tmp_path / "in", good=cluster(), goes=cluster())
    (source / "link.json").symlink_to("nothing")
    os.mkfifo(source / "pipe.json")

    class Removing(Here):
        def run(self, function: Any, tasks: Any) -> Any:  # type: ignore[override]
            (source / "goes.json").unlink(missing_ok=True)
            yield from super().run(function, tasks)

    run = fleet.run(asked(source, tmp_path / "out"), Removing, lambda _: None)
    assert run.statuses == {NEW: {"planned": 1, "unreadable": 3}}
    errors = {row["cluster"]: row["error"] for row in table(tmp_path / "out", "clusters")}
    assert errors == {
        "goes": "cannot read: No such file or directory",
        "good": "",
        "link": "cannot read: No such file or directory",
        "pipe": "not a file",
    }
    save(tmp_path, target=cluster())
    (source / "nothing").symlink_to(tmp_path / "target.json")
    (source / "pipe.json").unlink()
    assert made(source, tmp_path / "out").statuses == {NEW: {"planned": 2}}


def test_an_output_below_a_source_is_no_cluster_of_it(tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster())
    save(source / "other", run=cluster())
    made(source, source / "out")
    assert made(source, tmp_path / "out").inputs == made(source, source / "second").inputs == 2
    with pytest.raises(UsageError, match="--out is a source"):
        made(source, source)


def test_a_damaged_part_is_made_again_or_named(tmp_path: Path) -> None:
    source, out = save(tmp_path / "in", a=cluster(), b=cluster()), tmp_path / "out"
    made(source, out)
    before, (part, _) = content(out), sorted((out / "_parts").glob("*.part"))
    part.write_bytes(b"spoilt")
    save(source, c=cluster())
    with pytest.raises(InputError, match=rf"{part}: not a part .*; remove it"):
        made(source, out)
    (out / "_parts" / "index").unlink()
    (source / "c.json").unlink()
    assert made(source, out).answered == 1
    assert content(out) == before


def test_a_table_that_is_missing_is_made_again(tmp_path: Path) -> None:
    source, out = save(tmp_path / "in", a=cluster()), tmp_path / "out"
    made(source, out)
    before = content(out)
    shutil.rmtree(out / "clusters")
    assert made(source, out).answered == 0
    assert content(out) == before


def test_the_counts_are_those_of_the_plan_alone(tmp_path: Path) -> None:
    save(tmp_path / "in", a=cluster(pods=3), b=cluster("1.8.15", pods=1))
    made(tmp_path / "in", tmp_path / "out", NEW, "1.31.14", items=True)
    for name in "ab":
        for target in (NEW, "1.31.14"):
            plan = hashcompat.plan(tmp_path / "in" / f"{name}.json", to=target)
            (row,) = (
                entry for entry in table(tmp_path / "out", "clusters", target) if entry["cluster"] == name
            )
            summary = plan.summary
            assert (row["containers"], row["pods"], row["restart"], row["keep"]) == (
                *(summary.containers, summary.pods),
                *(summary.verdicts[hashcompat.Verdict.RESTART], summary.verdicts[hashcompat.Verdict.KEEP]),
            )
            items = [item for item in table(tmp_path / "out", "items", target) if item["cluster"] == name]
            assert [(item["pod"], item["container"], item["verdict"]) for item in items] == [
                (item.pod.name, item.container.name, item.verdict) for item in plan.items
            ]
            hops = [hop for hop in table(tmp_path / "out", "hops", target) if hop["cluster"] == name]
            assert [(hop["old"], hop["new"], hop["findings"]) for hop in hops if hop["step"]] == [
                (hop.old, hop.new, hop.findings) for hop in plan.hops
            ]
            assert plan.rollback
            assert [hop["findings"] for hop in hops if not hop["step"]] == [plan.rollback.findings]


def test_owners_reasons_and_releases(tmp_path: Path) -> None:
    save(tmp_path / "in", a=cluster(pods=2))
    made(tmp_path / "in", tmp_path / "out")
    owners = table(tmp_path / "out", "owners")
    assert [(owner["owner"], owner["verdict"], owner["containers"], owner["nodes"]) for owner in owners] == [
        ("Pod/p0", "RESTART", 1, 1),
        ("Pod/p1", "RESTART", 1, 1),
    ]
    assert all(
        owner["release"] == f"v{OLD}" and owner["namespace"] == "ns" and owner["rules"] for owner in owners
    )
    reasons = table(tmp_path / "out", "reasons")
    assert {reason["rule"] for reason in reasons} == {rule for owner in owners for rule in owner["rules"]}
    assert all((reason["containers"], reason["pods"], reason["owners"]) == (2, 2, 2) for reason in reasons)
    (release,) = table(tmp_path / "out", "releases")
    assert (release["release"], release["read_as"], release["nodes"], release["findings"]) == (
        *(f"v{OLD}", OLD),
        *(1, 2),
    )


def test_a_snapshot_names_its_cluster(tmp_path: Path) -> None:
    taken = hashcompat.to_document(hashcompat.snapshot(cluster(uid="u1")))
    named = {**taken["spec"], "clusterName": "prod", "clusterLabels": {"tier": "canary", "no label!": "x"}}
    save(tmp_path / "in", a={**taken, "spec": named}, b={**taken, "spec": {**named, "clusterName": "../x"}})
    save(tmp_path / "in", b=cluster())
    made(tmp_path / "in", tmp_path / "out")
    rows = {row["cluster"]: row for row in table(tmp_path / "out", "clusters")}
    assert set(rows) == {"prod", "b"}
    assert rows["prod"]["labels"] == [("tier", "canary")]
    assert rows["prod"]["uid"] == "u1"


def test_pods_and_nodes_of_an_owner_are_counted_once(tmp_path: Path) -> None:
    """Of a Deployment on two nodes, with a pod on none and two containers in each."""
    owner = [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": True, "uid": "u"}]
    places = ("n1", "n2", "n1", "n2", "")
    inside = {**ARTICLE, "ports": []}  # of a host port a node has one
    both = (inside, {**inside, "name": "other"})
    pods = [
        pod(*both, name=f"p{number}", node=place, metadata={"ownerReferences": owner})
        for number, place in enumerate(places)
    ]
    save(tmp_path / "in", a=listed(node(f"v{OLD}", "n1"), node(f"v{OLD}", "n2"), *pods))
    made(tmp_path / "in", tmp_path / "out")
    rows = [row for row in table(tmp_path / "out", "owners") if row["release"]]
    assert [(row["container"], row["containers"], row["pods"], row["nodes"]) for row in rows] == [
        ("other", 4, 4, 2),
        (ARTICLE["name"], 4, 4, 2),
    ]
    restarts = [row for row in table(tmp_path / "out", "reasons") if row["verdict"] == "RESTART"]
    assert {(row["containers"], row["pods"], row["owners"]) for row in restarts} == {(8, 4, 1)}


def test_what_is_answered_is_not_asked_again(tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster(), b=cluster(), bad="{")
    first = made(source, tmp_path / "out")
    engine = Dying()
    again = fleet.run(asked(source, tmp_path / "out"), lambda: engine, lambda _: None)
    assert (first.answered, again, engine.asked) == (3, first, [])
    save(source, b=cluster(pods=5))
    third = fleet.run(asked(source, tmp_path / "out"), lambda: engine, lambda _: None)
    assert engine.asked == ["b", ""]  # the input, and the tables
    assert third.answered == 1
    assert [row["pods"] for row in table(tmp_path / "out", "clusters")] == [2, 5, None]
    (source / "a.json").unlink()
    made(source, tmp_path / "out")
    assert [row["cluster"] for row in table(tmp_path / "out", "clusters")] == ["b", "bad"]


@pytest.mark.parametrize(
    "change", [{"items": True}, {"current": OLD}, {"policy": hashcompat.Policy(max_restarts="5%")}]
)
def test_another_question_has_other_keys(change: dict[str, Any], tmp_path: Path) -> None:
    (entry,) = fleet.entries_of(asked(save(tmp_path, a=cluster()), tmp_path), Directory(str(tmp_path / "o")))
    keys = {parts.key_of(entry, question, "d") for question in (Question((NEW,)), Question((NEW,), **change))}
    assert len(keys) == 2
    assert parts.key_of(entry, Question((NEW,)), "other data") not in keys


def test_what_a_store_failed_to_give_is_tried_again_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> Any:
        raise StoreError("503")

    source = save(tmp_path / "in", a=cluster())
    with monkeypatch.context() as patch:
        patch.setattr(parts, "local_copy", fails)
        made(source, tmp_path / "out")
    assert statuses(tmp_path / "out") == {"a": "unreadable"}
    made(source, tmp_path / "out")
    assert statuses(tmp_path / "out") == {"a": "planned"}


@pytest.mark.parametrize(
    ("error", "says"), [(MemoryError(), "memory"), (KeyError("secret"), "bug in hashcompat (KeyError)")]
)
def test_a_defect_costs_one_row(
    error: Exception, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Any:
        raise error

    monkeypatch.setattr(parts, "answers", fails)
    made(save(tmp_path / "in", a=cluster()), tmp_path / "out")
    (row,) = table(tmp_path / "out", "clusters")
    assert row["status"] == "lost"
    assert says in row["error"]
    assert "secret" not in row["error"]


def test_the_newest_of_two_files_of_a_cluster_counts(tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster(uid="u1"), b=cluster(uid="u1", pods=4), c=cluster(uid="u2"))
    os.utime(source / "a.json", (10**9, 10**9))
    run = made(source, tmp_path / "out")
    rows = {row["cluster"]: row for row in table(tmp_path / "out", "clusters")}
    assert {name: row["status"] for name, row in rows.items()} == {
        "a": "superseded",
        "b": "planned",
        "c": "planned",
    }
    assert rows["a"]["error"].endswith("b.json is newer")
    assert {row["cluster"] for row in table(tmp_path / "out", "owners")} == {"b", "c"}
    assert run.statuses[NEW] == {"planned": 2, "superseded": 1}
    assert run.restarts == {NEW: 6}


def test_shards_answer_and_a_run_without_one_makes_the_tables(tmp_path: Path) -> None:
    source = save(tmp_path / "in", **{f"c{number}": cluster(pods=number) for number in range(1, 8)})
    made(source, tmp_path / "whole")
    counts = []
    for number in range(3):
        request = asked(source, tmp_path / "out")
        request = fleet.RunRequest(
            request.sources, request.out, request.question, shard=fleet.Shard(number, 3)
        )
        counts.append(fleet.answered(request, Here, lambda _: None))
    assert sum(inputs for inputs, _ in counts) == 7
    assert not (tmp_path / "out" / "run.json").exists()
    run = made(source, tmp_path / "out")
    assert run.answered == 0
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_what_kills_unwatched_processes_again_and_again_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a Pod of an Indexed Job that takes too much memory: the kernel ends all of it each time."""
    source = save(tmp_path / "in", **{f"c{number}": cluster(pods=number) for number in range(1, 5)})
    began = list[str]()
    safely = parts._safely

    def dies(task: parts.InputTask, _: object) -> Any:
        began.append(task.entry.name)
        if task.entry.name == "c3":
            raise SystemExit
        return safely(task, None)

    monkeypatch.setattr(parts, "_safely", dies)
    whole = asked(source, tmp_path / "out")
    shard = fleet.RunRequest(whole.sources, whole.out, whole.question, shard=fleet.Shard(0, 1))
    for _ in range(2):
        with pytest.raises(SystemExit):
            fleet.answered(shard, Here, lambda _: None)
    assert fleet.answered(shard, Here, lambda _: None) == (4, 0)
    assert began == ["c4", "c3", "c2", "c1", "c3"]
    made(source, tmp_path / "out")
    rows = {row["cluster"]: row for row in table(tmp_path / "out", "clusters")}
    assert [rows[name]["status"] for name in sorted(rows)] == ["planned", "planned", "lost", "planned"]
    assert rows["c3"]["error"] == "2 processes died that began with it"
    monkeypatch.undo()
    for mark in (tmp_path / "out" / "_parts").glob("*.tried2"):
        mark.unlink()
    assert made(source, tmp_path / "out").statuses == {NEW: {"planned": 4}}
    assert not list((tmp_path / "out").rglob("*.tried*"))


def test_an_interrupted_run_is_continued(tmp_path: Path) -> None:
    class Stopped(Dying):
        def run(self, function: Any, tasks: Any) -> Any:
            for number, result in enumerate(super().run(function, tasks)):
                if number == 2:
                    raise KeyboardInterrupt
                yield result

    source = save(tmp_path / "in", **{f"c{number}": cluster(pods=number) for number in range(1, 6)})
    with pytest.raises(KeyboardInterrupt):
        fleet.run(asked(source, tmp_path / "out"), Stopped, lambda _: None)
    assert not (tmp_path / "out" / "run.json").exists()
    assert made(source, tmp_path / "out").answered in (2, 3)
    assert len(table(tmp_path / "out", "clusters")) == 5


def test_many_inputs_are_in_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "_BUCKET", 2)
    source = save(tmp_path / "in", **{f"c{number}": cluster(pods=1) for number in range(7)})
    run = made(source, tmp_path / "out")
    assert len(run.buckets) == 4
    assert len(table(tmp_path / "out", "clusters")) == 7
    save(source, c3=cluster(pods=2))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.parquet")}
    made(source, tmp_path / "out")
    changed = {path.name for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert len(changed) == 1
    monkeypatch.setattr(fleet, "_BUCKET", 512)
    made(source, tmp_path / "out")
    assert len(list((tmp_path / "out" / "clusters").rglob("*.parquet"))) == 1


def test_parts_of_two_runs_are_kept(tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster())
    for pods in (1, 2, 3, 4):
        save(source, a=cluster(pods=pods))
        made(source, tmp_path / "out")
    assert len(list((tmp_path / "out" / "_parts").glob("*.part"))) == 2


def test_the_largest_inputs_come_first(tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster(pods=1), b=cluster(pods=9), c=cluster(pods=4))
    engine = Dying()
    fleet.run(asked(source, tmp_path / "out"), lambda: engine, lambda _: None)
    assert engine.asked[:3] == ["b", "c", "a"]


def test_the_columns_are_those_that_are_declared(tmp_path: Path) -> None:
    run = made(save(tmp_path / "in", a=cluster()), tmp_path / "out", items=True)
    assert {name: tuple(columns) for name, columns in run.columns.items()} == {
        name: names_of(name) for name in TABLES
    }
    for name in TABLES:
        assert {tuple(row) for row in table(tmp_path / "out", name)} == {names_of(name)}
    (statuses,) = (column.about for column in TABLES["clusters"] if column.name == "status")
    assert statuses == ", ".join(InputStatus)


@pytest.fixture(scope="module")
def some_run(tmp_path_factory: pytest.TempPathFactory) -> fleet.Run:
    at = tmp_path_factory.mktemp("fleet")
    return made(save(at / "in", a=cluster()), at / "out")


@pytest.mark.parametrize(
    ("outcomes", "statuses_", "limits", "code"),
    [
        ({"PASS": 3}, {"planned": 3}, fleet.Limits(), ExitCode.OK),
        ({"PASS": 2, "FAIL": 1}, {"planned": 3}, fleet.Limits(), ExitCode.FINDING),
        ({"PASS": 2, "FAIL": 1}, {"planned": 3}, fleet.Limits(failed=1), ExitCode.OK),
        ({"PASS": 2, "FAIL": 1}, {"planned": 3}, fleet.Limits(report_only=True), ExitCode.OK),
        ({"PASS": 2}, {"planned": 2, "lost": 1}, fleet.Limits(), ExitCode.UNDECIDED),
        ({"PASS": 2}, {"planned": 2, "superseded": 1, "not-applicable": 1}, fleet.Limits(), ExitCode.OK),
        ({}, {"superseded": 1, "not-applicable": 1}, fleet.Limits(undecided=9), ExitCode.UNDECIDED),
        ({"UNDECIDED": 1}, {"planned": 1, "refused": 1}, fleet.Limits(undecided=1), ExitCode.UNDECIDED),
        ({"UNDECIDED": 1}, {"planned": 1, "refused": 1}, fleet.Limits(undecided=2), ExitCode.OK),
        ({"FAIL": 1}, {"planned": 1, "lost": 1}, fleet.Limits(), ExitCode.FINDING),
    ],
)
def test_exit_codes(
    outcomes: dict[str, int],
    statuses_: dict[str, int],
    limits: fleet.Limits,
    code: ExitCode,
    some_run: fleet.Run,
) -> None:
    run = structs.replace(some_run, outcomes={NEW: outcomes}, statuses={NEW: statuses_})
    assert run.exit_code(limits) is code


def test_a_target_that_nothing_was_planned_for_is_undecided_beside_one_that_passes(
    some_run: fleet.Run,
) -> None:
    run = structs.replace(
        some_run,
        targets=(OLD, NEW),
        outcomes={OLD: {}, NEW: {"PASS": 1}},
        statuses={OLD: {"not-applicable": 1}, NEW: {"planned": 1}},
    )
    assert run.unplanned == [OLD]
    assert run.exit_code(fleet.Limits(undecided=9)) is ExitCode.UNDECIDED
