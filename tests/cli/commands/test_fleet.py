"""``hashcompat fleet``: what it asks for, prints and exits with."""

from __future__ import annotations

import importlib.util
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import hashcompat
from tests.cli.test_documents import errors
from tests.fleet.clusters import NEW, OLD, cluster, content, made, save, table
from tests.helpers.program import Run


def words(source: Path, out: Path, *more: str) -> tuple[object, ...]:
    return ("fleet", source, "--to", NEW, "--out", out, "--workers", "0", *more)


def test_a_run_prints_what_it_came_to(run: Run, tmp_path: Path) -> None:
    save(tmp_path / "in", a=cluster(), b=cluster(NEW), bad="{")
    done = run(*words(tmp_path / "in", tmp_path / "out"))
    assert done.code == 2
    assert done.out.splitlines() == [
        f"{NEW}: 3 inputs: 2 planned, 1 unreadable",
        "  2 containers to restart; by the policy: 1 FAIL, 1 PASS",
        "FAIL: 1 of 3 clusters fails the policy; the limit is 0",
        f"Tables: {tmp_path / 'out'}",
    ]
    assert done.err.splitlines() == ["3 inputs, 0 of them answered already", "Writing the tables of 3 inputs"]
    made(tmp_path / "in", tmp_path / "same")
    assert content(tmp_path / "out") == content(tmp_path / "same")


def test_a_run_over_one_cluster_is_told_in_the_singular(run: Run, tmp_path: Path) -> None:
    save(tmp_path / "in", a=cluster())
    done = run(*words(tmp_path / "in", tmp_path / "out"))
    assert "FAIL: 1 of 1 cluster fails the policy; the limit is 0" in done.out.splitlines()
    assert done.err.splitlines() == ["1 input, 0 of them answered already", "Writing the tables of 1 input"]
    passed = run(*words(tmp_path / "in", tmp_path / "again", "--max-restarts", "9")).out.splitlines()
    assert "PASS: 0 of 1 cluster fails the policy, and 0 are undecided" in passed


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ((), 2),
        (("--max-failed-clusters", "1"), 3),
        (("--max-failed-clusters", "1", "--max-undecided", "1"), 0),
        (("--max-restarts", "100%"), 3),
        (("--report-only",), 0),
    ],
)
def test_the_exit_code_follows_policy_and_limits(
    more: tuple[str, ...], code: int, run: Run, tmp_path: Path
) -> None:
    save(tmp_path / "in", a=cluster(), bad="{")
    assert run(*words(tmp_path / "in", tmp_path / "out", "-q", *more)).code == code


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_waves_are_a_document_that_names_who_is_in_none(form: str, run: Run, tmp_path: Path) -> None:
    source = save(
        tmp_path / "in",
        a=cluster(pods=3),
        b=cluster(pods=1),
        c=cluster(pods=2),
        done=cluster(NEW),
        newer=cluster("1.20.0"),
        many=cluster(pods=9),
        bad="{",
    )
    asked = words(source, tmp_path / "out", "--waves", "3", "--max-restarts", "5", "-q", "-o", form)
    done = run(*asked)
    document = done.document
    assert done.code == document["summary"]["exitCode"] == 2
    assert errors("FleetReport", document) == []
    ((waves,), (first, *_)) = document["waves"], document["items"]
    shown = [(wave["number"], wave["canaries"], wave["restarts"]) for wave in waves["waves"]]
    assert shown == [(1, True, 1), (2, False, 2), (3, False, 3)]
    assert [wave["clusters"][0]["cluster"] for wave in waves["waves"]] == ["b", "c", "a"]
    assert {row["cluster"]: row["reason"] for row in waves["leftOut"]} == {
        "bad": "unreadable",
        "done": "upgraded",
        "many": "failed",
        "newer": "not-applicable",
    }
    assert (first["cluster"], first["verdict"], first["restarts"]) == ("a", "PASS", 3)
    restarts = [reason["targets"] for reason in document["reasons"] if reason["verdict"] == "RESTART"]
    assert restarts[0] == [{"target": NEW, "clusters": 4, "containers": 15}]
    assert document["owners"][0]["targets"] == [{"target": NEW, "clusters": 4, "containers": 4}]


def test_waves_are_a_table_for_people(run: Run, tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster(pods=3), b=cluster(pods=1), bad="{")
    done = run(*words(source, tmp_path / "out", "--waves", "2", "--max-restarts", "100%", "-q"))
    assert [line.split() for line in done.out.splitlines()[4:7]] == [
        ["TARGET", "WAVE", "GROUP", "CLUSTERS", "RESTARTS", "WHICH"],
        [NEW, "1", "canaries", "1", "1", "b"],
        [NEW, "2", "-", "1", "3", "a"],
    ]
    assert f"In no wave to {NEW}: 1 unreadable" in done.out


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--canaries", "a=b"), "--canaries needs --waves N"),
        (("--wave-groups", "a"), "--wave-groups needs --waves N"),
        (("--waves", "2", "--canaries", "a"), "--canaries a: want LABEL=VALUE"),
        (
            ("--waves", "2", "--wave-groups", "a=b,,c"),
            "--wave-groups a=b,,c: want LABEL or LABEL=VALUE,VALUE",
        ),
        (("--waves", "2", "--wave-groups", "=b"), "--wave-groups =b: want LABEL"),
        (("--waves", "1"), "1 is not in the range"),
        (("--waves", "2", "--shard", "0/2"), "--shard makes no tables"),
        (("-o", "json", "--shard", "0/2"), "--shard makes no tables"),
        (("--scheduler", "tcp://a:1", "--shard", "0/2"), "--shard is for runs without one"),
        (("-o", "wide"), "'wide' is not one of"),
    ],
)
def test_wrong_waves_are_refused(more: tuple[str, ...], says: str, run: Run, tmp_path: Path) -> None:
    save(tmp_path / "in", a=cluster())
    done = run(*words(tmp_path / "in", tmp_path / "out", *more))
    assert done.code == 64
    assert says in done.err
    assert not (tmp_path / "out").exists()


def test_a_report_of_a_fleet_says_by_what_it_was_made(run: Run, tmp_path: Path) -> None:
    source = save(tmp_path / "in", a=cluster())
    done = run(*words(source, tmp_path / "out", "-q", "-o", "json"))
    command = done.document["spec"]["tool"]["command"]
    assert command == f"hashcompat fleet {source} --to {NEW} --out {tmp_path / 'out'} --workers 0"


def test_a_policy_file_and_exceptions_count(run: Run, tmp_path: Path) -> None:
    exceptions = {"exceptions": [{"container": "ns/p*/*", "reason": "known", "expires": "2999-01-01"}]}
    (tmp_path / "e.yaml").write_text(json.dumps(exceptions))
    save(tmp_path / "in", a=cluster())
    done = run(*words(tmp_path / "in", tmp_path / "out", "-q", "--exceptions", str(tmp_path / "e.yaml")))
    assert (done.code, table(tmp_path / "out", "clusters")[0]["outcome"]) == (0, "PASS")


def test_exceptions_of_clusters_with_a_label(run: Run, tmp_path: Path) -> None:
    document = hashcompat.to_document(hashcompat.snapshot(cluster()))
    for tier in ("lab", "prod"):
        spec = {**document["spec"], "clusterName": tier, "clusterLabels": {"tier": tier}}
        save(tmp_path / "in", **{tier: {**document, "spec": spec}})
    exception = {"container": "ns/p*/*", "reason": "known", "expires": "2999-01-01", "clusters": "tier=lab"}
    (tmp_path / "e.yaml").write_text(json.dumps({"exceptions": [exception]}))
    run(*words(tmp_path / "in", tmp_path / "out", "-q", "--exceptions", str(tmp_path / "e.yaml")))
    outcomes = {row["cluster"]: row["outcome"] for row in table(tmp_path / "out", "clusters")}
    assert outcomes == {"lab": "PASS", "prod": "FAIL"}
    (tmp_path / "e.yaml").write_text(json.dumps({"exceptions": [{**exception, "clusters": "lab"}]}))
    done = run(*words(tmp_path / "in", tmp_path / "out", "-q", "--exceptions", str(tmp_path / "e.yaml")))
    assert (done.code, "want a label of clusters, KEY=VALUE" in done.err) == (1, True)


def taken(ago: timedelta, release: str = NEW) -> object:
    """Return a snapshot of a cluster of which nothing restarts, taken some time ago."""
    document = hashcompat.to_document(hashcompat.snapshot(cluster(release)))
    time = datetime.now(UTC) - ago
    return {**document, "spec": {**document["spec"], "takenAt": f"{time:%Y-%m-%dT%H:%M:%SZ}"}}


def test_a_snapshot_that_is_too_old_is_undecided(run: Run, tmp_path: Path) -> None:
    save(tmp_path / "in", new=taken(timedelta(hours=1)), old=taken(timedelta(hours=30)), none=cluster(NEW))
    at = words(tmp_path / "in", tmp_path / "out", "-q")
    assert run(*at).code == 0
    done = run(*at, "--max-age", "24h", "-o", "json")
    assert done.code == 3
    items = {item["cluster"]: item for item in done.items}
    assert [items[name]["verdict"] for name in ("new", "none", "old")] == [
        *("PASS", "UNDECIDED", "UNDECIDED")
    ]
    assert run(*at, "--max-age", "24h", "--max-undecided", "2").code == 0
    assert run(*at, "--max-age", "48h", "--max-undecided", "1").code == 0
    assert run(*at, "--max-age", "24h", "--report-only").code == 0
    failing = taken(timedelta(hours=30), OLD)
    save(tmp_path / "in", old=failing)
    assert run(*at, "--max-age", "24h").code == 2  # what fails does not pass by being old


def test_a_cluster_that_sent_nothing_is_a_finding(run: Run, tmp_path: Path) -> None:
    save(tmp_path / "in", a=cluster(NEW), b=cluster(NEW), bad="{")
    (tmp_path / "all").write_text("\ufeffa # the first\n\nb\nbad\n", encoding="utf-8")
    at = words(tmp_path / "in", tmp_path / "out", "-q", "--max-undecided", "1")
    assert run(*at, "--require-all", tmp_path / "all").code == 0
    (tmp_path / "all").write_text("a\nc\nd\n")
    done = run(*at, "--require-all", tmp_path / "all")
    assert done.code == 2
    assert "2 required clusters sent nothing: c, d" in done.out
    for content_, says in ((b"# none\n", "names no cluster"), (b"\xff", "not UTF-8")):
        (tmp_path / "all").write_bytes(content_)
        done = run(*at, "--require-all", tmp_path / "all")
        assert (done.code, done.out, says in done.err) == (1, "", True)
    assert run(*at, "--require-all", tmp_path / "gone").code == 1


def test_a_shard_answers_and_makes_no_tables(run: Run, tmp_path: Path) -> None:
    save(tmp_path / "in", a=cluster(), b=cluster(), c=cluster())
    done = [
        run(*words(tmp_path / "in", tmp_path / "out", "-q", "--shard", f"{shard}/2")) for shard in range(2)
    ]
    assert [result.code for result in done] == [0, 0]
    assert sum(int(result.out.split()[0]) for result in done) == 3
    assert not list((tmp_path / "out").rglob("*.parquet"))
    again = run(*words(tmp_path / "in", tmp_path / "out"))
    assert "3 inputs, 3 of them answered already" in again.err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--to", "1.31"), "--out is missing"),
        (("--out", "o"), "--to is missing"),
        (("--out", "o", "--to", "1.99"), "'1.99' is not a known kubelet release"),
        (("--out", "o", "--to", "1.31", "--shard", "2/2"), "--shard 2/2: want I/N"),
        (("--out", "o", "--to", "1.31", "--shard", "one"), "--shard one: want I/N"),
        (("--out", "o", "--to", "1.31", "--plan-max-age", "1h"), "--plan-max-age is about one plan"),
        (("--out", "o", "--to", "1.31", "--fail-on", "pdb"), "--fail-on pdb is judged by gate"),
        (
            ("--out", "o", "--to", "1.31", "--scheduler", "tcp://a:1", "--workers", "2"),
            "has workers of its own",
        ),
        (("--out", "none://o", "--to", "1.31", "--workers", "0"), "Protocol not known: none"),
    ],
)
def test_usage_errors(more: tuple[str, ...], says: str, run: Run, tmp_path: Path) -> None:
    done = run("fleet", save(tmp_path, a=cluster(OLD)), *more)
    assert (done.code, done.out) == (64, "")
    assert says in done.err


@pytest.mark.parametrize("key", ["CLUSTER_UID", "VERIFY_KEY"])
def test_a_variable_that_no_fleet_meets_is_not_ignored(
    key: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"HASHCOMPAT_GATE_{key}", str(save(tmp_path, a=cluster(OLD)) / "a.json"))
    done = run("fleet", tmp_path, "--out", tmp_path / "o", "--to", "1.31")
    assert (done.code, done.out) == (64, "")
    assert f"HASHCOMPAT_GATE_{key} is about one plan; a fleet has many" in done.err


def test_a_source_without_files_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    done = run(*words(tmp_path / "in", tmp_path / "out"))
    assert done.code == 1
    assert "no file of Kubernetes objects (.json, .jsonl, .ndjson, .yaml, .yml) in it" in done.err


@pytest.mark.parametrize("place", ["nodir", "memory://nodir"])
def test_a_source_that_is_not_there_is_an_error_that_says_so(
    place: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("fleet", place, "--to", "1.31", "--out", str(tmp_path / "out"))
    assert done.code == 1
    assert "nodir: " in done.err
    assert done.err.endswith(": No such file or directory\n")


@pytest.mark.parametrize("name", ["fsspec", "pyarrow", "distributed"])
def test_without_the_extra_one_error_names_it(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None if module == name else find(module))
    done = run(*words(tmp_path, tmp_path / "out"))
    assert done.code == 64
    assert done.err == "Error: the extra fleet is not installed: pip install 'hashcompat[fleet]'\n"
