"""``hashcompat diff``: two plans, two snapshots, two releases; and what is refused in one line."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import hashcompat
from hashcompat.core.rules import respects
from tests.helpers import randomness
from tests.helpers.pods import as_json, node, pod
from tests.helpers.program import ROOT, Run, ran

SCHEMA = ROOT / "schemas" / "documents" / "DocumentDifference.schema.json"
SAMPLE = ("--sample", "-q", "-o", "json")


@cache
def plan_text(release: str = "1.31.14", *more: str) -> str:
    return ran("plan", "--from", "1.30.14", "--to", release, *SAMPLE, *more).out


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("old.json", "new.json")]
    for path, release in zip(paths, ("1.31.14", "1.32.13"), strict=True):
        path.write_text(plan_text(release))
    return paths


@pytest.mark.usefixtures("untraced")
def test_two_plans_for_people(run: Run, files: list[Path]) -> None:
    result = run("diff", *files)
    assert "1 container from KEEP to RESTART" in result.out
    (row,) = (line for line in result.out.splitlines() if "mesh-proxy" in line)
    assert row.split()[:5] == ["changed", "node-b1", "platform", "portal-nvbmvcj2qz-lfhjc", "mesh-proxy"]
    assert "KEEP -> RESTART" in row
    assert result.err == "Containers: 0 appeared, 0 gone, 5 changed, 70 the same\n"
    assert run("diff", files[0], files[0]).err == "Nothing changed. Containers: 75 the same\n"
    assert run("diff", *files, "-q").err == ""


def test_the_document_is_whole_and_fits_its_schema(run: Run, files: list[Path]) -> None:
    document = run("diff", *files, "-o", "json").document
    assert not list(Draft202012Validator(json.loads(SCHEMA.read_text())).iter_errors(document))
    (changed,) = (item for item in document["items"] if item["container"] == "mesh-proxy")
    assert changed["verdict"] == {"from": "KEEP", "to": "RESTART"}
    path = "$.items[node-b1/platform/portal-nvbmvcj2qz-lfhjc/mesh-proxy].verdict"
    assert {"path": path, "from": "KEEP", "to": "RESTART"} in changed["changes"]
    assert document["summary"]["verdicts"] == [{"from": "KEEP", "to": "RESTART", "containers": 1}]
    same = run("diff", files[0], files[0], "-o", "json").document
    assert (same["items"], same["changes"], same["summary"]["same"]) == ([], [], 75)
    assert {row["path"]: row["to"] for row in document["changes"]}["$.spec.to"] == "1.32.13"


def test_wide_shows_values_and_name_names(run: Run, files: list[Path]) -> None:
    wide = run("diff", *files, "-o", "wide").out
    assert "verdict: KEEP -> RESTART" in wide
    assert "platform/portal-nvbmvcj2qz-lfhjc/mesh-proxy" in run("diff", *files, "-o", "name").out.splitlines()


def test_no_hashes_withholds_them(run: Run, tmp_path: Path) -> None:
    paths = []
    for number, image in enumerate(("a:1", "a:2")):
        paths.append(tmp_path / f"{number}.json")
        stdin = as_json(pod({"name": "c", "image": image}))
        run("plan", "--from", "1.30.14", "--to", "1.31.14", "-f", "-", "--out", paths[-1], stdin=stdin)
    (item,) = run("diff", *paths, "-o", "json").items
    assert {row["path"].rpartition("].")[2] for row in item["changes"]} == {"hash.from", "hash.to"}
    assert all(isinstance(row["from"], int) for row in item["changes"])
    (item,) = run("diff", *paths, "-o", "json", "--no-hashes").items
    assert {(row["from"], row["to"]) for row in item["changes"]} == {(None, None)}


@pytest.mark.usefixtures("untraced")
def test_no_hashes_withholds_those_of_a_snapshots_new_container(run: Run, tmp_path: Path) -> None:
    web: dict[str, Any] = {"name": "web", "args": ["secret"]}
    paths = []
    for name, containers in (("a", [web]), ("b", [web, {**web, "name": "more"}])):
        paths.append(tmp_path / name)
        stdin = as_json(pod(*containers))
        run("snapshot", "-f", "-", "--with-hashes", "--out", paths[-1], stdin=stdin)
    assert "hashcompat.io/hashes" in run("diff", *paths, "-o", "json").out
    assert "hashcompat.io/hashes" not in run("diff", *paths, "-o", "json", "--no-hashes").out


def test_values_of_a_snapshot_that_somebody_edited_are_masked(run: Run, tmp_path: Path) -> None:
    paths = []
    for number, image in enumerate(("a:1", "a:2")):
        container = {"name": "c", "image": image, "args": [f"--token=hunter{number}"]}
        text = run("snapshot", "-f", "-", stdin=as_json(pod(container))).out
        paths.append(tmp_path / str(number))
        paths[-1].write_text(text.replace('"***"', f'"--token=hunter{number}"'))
    for form in ("table", "wide", "json"):
        out = run("diff", *paths, "-o", form).out
        assert "spec.containers[c].image" in out
        assert "hunter" not in out


def test_two_clusters_are_a_warning(run: Run, tmp_path: Path) -> None:
    document = json.loads(plan_text())
    document.pop("digest")
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        document["spec"]["source"]["clusterUID"] = f"uid-{path.name}"
        path.write_text(json.dumps(document))
    result = run("diff", *paths, "--detailed-exitcode")
    assert result.code == 0
    assert "Warning: they are of two clusters, uid-a and uid-b" in result.err


def test_a_terminal_gets_as_many_rows_as_fit(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = [
        hashcompat.plan([pod(name=f"p{number}") for number in range(n)], "1.30.14", "1.31.14")
        for n in (1, 99)
    ]
    paths = [tmp_path / name for name in ("a", "b")]
    for path, plan in zip(paths, plans, strict=True):
        path.write_text(hashcompat.to_json(plan))
    monkeypatch.setattr("hashcompat.cli.output._screen", lambda _: _Screen())
    result = run("diff", *paths)
    assert "more: -o wide shows all of them" in result.out
    assert result.out.count("appeared  ") < 30
    assert run("diff", *paths, "-o", "wide").out.count("appeared  ") == 98


class _Screen:
    width, height = 120, 40


@pytest.mark.parametrize("form", ["table", "json", "yaml", "html"])
def test_two_releases_in_full(run: Run, form: str) -> None:
    result = run("diff", "1.30", "1.31.14", "-o", form)
    driver = (
        "the runtime is asked for the cgroup driver" if form in ("table", "html") else "the runtime's driver"
    )
    for words in ("ImageVolume", driver, "ResourceClaim"):
        assert words in result.out
    assert result.err == "1.30 means 1.30.14, the newest known patch release\n"
    assert result.out == run("explain", "--from", "1.30.14", "--to", "1.31.14", "-o", form).out


@pytest.mark.parametrize(
    ("releases", "code"),
    [(("1.30.14", "1.31.14"), 2), (("1.30.14", "v1.30.14"), 0), (("1.27.15", "1.27.16"), 2)],
)
def test_releases_that_differ_are_an_exit_code(run: Run, releases: tuple[str, str], code: int) -> None:
    assert run("diff", *releases, "--detailed-exitcode").code == code
    assert run("diff", *releases).code == 0


def test_a_release_wins_over_a_file_of_its_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("1.30", "1.31"):
        Path(name).write_text(plan_text())
    assert run("diff", "1.30", "1.31", "-o", "json").document["kind"] == "ReleaseDifference"
    assert run("diff", "./1.30", "./1.31", "-o", "json").document["kind"] == "DocumentDifference"


@cache
def snapshot_text() -> str:
    return ran("snapshot", "--sample", "-n", "shop").out


def odd() -> str:
    return snapshot_text().replace('"kind": "Pod"', '"kind": "Job"', 1)


def preflight_text() -> str:
    return ran("preflight", "--to", "1.31.14", "--no-node", "--sample", "-q", "-o", "json").out


def edited() -> str:
    return plan_text().replace('"keep": 9', '"keep": 8').replace('"RESTART"', '"KEEP"', 1)


def of_version_2(text: str) -> str:
    return text.replace("hashcompat.io/v1", "hashcompat.io/v2")


EMPTY = '{"kind": "ClusterSnapshot", "apiVersion": "hashcompat.io/v1", "items": []}'
REFUSED: tuple[tuple[Callable[[], str], str], ...] = (
    (lambda: "{", "other: "),
    (
        lambda: "",
        "other: empty; want what hashcompat plan --out FILE or hashcompat snapshot --out FILE saves",
    ),
    (lambda: "[]", "other: "),
    (snapshot_text, "old.json is a plan, and "),
    (preflight_text, "other: $.kind: want RestartPlan or ClusterSnapshot"),
    (
        lambda: plan_text("1.31.14", "--only-restarts"),
        "other: a RestartPlan without some of its items; save it without --only-restarts",
    ),
    (edited, "other: $."),
    (lambda: of_version_2(plan_text()), "other: $.apiVersion: want hashcompat.io/v1"),
    (lambda: of_version_2(snapshot_text()), "other: $.apiVersion: want hashcompat.io/v1"),
    (lambda: plan_text() + plan_text("1.32.13"), "other: more than one document"),
    (odd, "].kind: want Pod or Node, as hashcompat snapshot saves them"),
    (lambda: odd().replace('"Job"', "[]", 1), "].kind: want Pod or Node, as hashcompat snapshot saves them"),
    (
        lambda: plan_text().replace('"RestartPlan"', '"ClusterSnapshot"'),
        "other: $.items: want pods and nodes",
    ),
    (
        lambda: snapshot_text().replace('"name": "node-a2"', '"name": 7', 1),
        "].metadata.name: want a string, got",
    ),
    (lambda: EMPTY, "other: $.spec: want"),
)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("text", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused_in_one_line(
    run: Run, files: list[Path], tmp_path: Path, text: Callable[[], str], said: str
) -> None:
    (other := tmp_path / "other").write_text(text())
    result = run("diff", files[0], other)
    assert (result.code, result.out) == (1, "")
    assert said in result.err
    assert result.err.count("\n") == 1


def test_a_release_and_a_file(run: Run, files: list[Path]) -> None:
    result = run("diff", "v1.30", files[0])
    assert (result.code, result.out) == (64, "")
    assert f"v1.30 is a release and {files[0]} is none; give two releases, two plans or two" in result.err
    assert run("diff", "-", "-", stdin=plan_text().encode()).code == 64


def test_one_side_from_standard_input_and_packed(run: Run, tmp_path: Path) -> None:
    packed = tmp_path / "plan.json.gz"
    stdin = as_json(node("v1.30.14"), pod())
    run("plan", "--to", "1.31.14", "-f", "-", "--out", packed, stdin=stdin)
    difference = run("diff", packed, "-", "-o", "json", stdin=plan_text().encode()).document
    assert (difference["from"]["file"], difference["to"]["file"]) == (str(packed), "standard input")


@pytest.mark.usefixtures("untraced")
def test_many_items_of_which_each_changed(run: Run, tmp_path: Path) -> None:
    count = 15_000 if randomness.FRESH else 2_000
    document = json.loads(plan_text())
    row = next(item for item in document["items"] if item["verdict"] == "RESTART")
    paths = []
    for number, verdict in enumerate(("RESTART", "UNKNOWN")):
        items = [
            {**row, "pod": f"p{place:05}", "uid": f"u{place}", "verdict": verdict}
            | {"hash": {"recorded": None, "from": place, "to": place + number}}
            for place in range(count)
        ]
        restart, unknown = ((0, count), (count, 0))[1 - number]
        counts = {"restart": restart, "unknown": unknown, "kill": 0, "keep": 0, "containers": count}
        counts |= {"pods": count, "podsAffected": restart, "nodesAffected": min(restart, 1)}
        counts |= {"compared": count, "notCompared": 0}
        whole = {**document, "summary": {**document["summary"], **counts}, "items": items}
        whole.pop("digest")
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(whole))
    begun = time.process_time()
    result = run("diff", *paths, "-o", "json", "--detailed-exitcode")
    assert time.process_time() - begun < count / 500  # a tenth of that where nothing else runs
    assert result.code == 2, result.err
    assert result.document["summary"]["changed"] == count


def test_what_kubelets_do_is_in_words_and_static_pods_are_named(run: Run) -> None:
    text = run("diff", "1.36.3", "1.37.1").out
    assert "Every static pod without a uid in its manifest restarts: 1.36.3 and 1.37.1" in text
    some = " ".join(run("diff", "1.28.15", "1.29.15").out.split())
    assert "A static pod without a uid in its manifest restarts if it has one of LifecycleHandler, " in some
    rows = [line.split("  ") for line in text.split("What kubelets do")[1].split("\n\n")[0].splitlines()]
    words = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert [
        "1.37",
        "exclusive CPUs at a start",
        "whoever has exclusive CPUs keeps them at a restart",
    ] in words
    assert "alignedCpus" not in text
    back = run("diff", "1.37.1", "1.36.3").out
    there, here = (output.split("What kubelets do")[1].split("\n\n")[0] for output in (text, back))
    assert there == here
    assert "static pod" not in run("diff", "1.16.14", "1.17.17").out


def test_what_began_and_ended_between_two_releases_is_no_difference(run: Run) -> None:
    assert "devices at admission" not in run("diff", "1.24.17", "1.26.4").out
    assert "devices at admission" in run("diff", "1.25.9", "1.25.10").out


def test_every_respect_in_which_kubelets_differ_has_words() -> None:
    table = json.loads((ROOT / "schemas" / "tables" / "behaviour.json").read_bytes())
    assert respects().keys() == table.keys()
    assert all(respects().values())
