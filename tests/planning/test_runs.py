"""A plan that several processes make is the very one that one process makes."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import hashcompat
from hashcompat.analysis.planning import PlanRun, decided
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.api.inputs import collect
from hashcompat.core import forks, rules
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.forks import FailedError
from hashcompat.core.model.plan import Way
from hashcompat.core.model.pods import Inventory, Pod, PodShare, SharedPods
from hashcompat.sources.files import spans
from scripts.bench import cluster
from scripts.bench.made.shape import Shape
from tests.helpers.pods import node
from tests.helpers.pods import pod as pod_of
from tests.helpers.program import SAMPLE
from tests.helpers.program import Run as Program
from tests.helpers.slices import every, sliced
from tests.helpers.upgrades import record, recorded

Json = dict[str, Any]

C: Json = {"name": "c", "image": "i"}

PODS = 60

SPAN = 1 << 12
"""Bytes of a span here, so that small files are divided."""


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "LEAST", SPAN)
    monkeypatch.setattr(forks, "possible", lambda: True)


def large(path: Path, *, distinct: bool) -> Path:
    given = list(cluster.objects(PODS, Shape(distinct=distinct)))
    random.Random(5).shuffle(given)
    path.write_text(json.dumps({"apiVersion": "v1", "items": given, "kind": "List"}, indent=4))
    return path


def shown(run: Program, *argv: object) -> tuple[Json, list[str]]:
    result = run("plan", *argv, "-o", "json")
    assert result.code == 0, result.err
    document = result.document
    del document["digest"], document["spec"]["createdAt"]
    return document, result.err.splitlines()


WAYS = [("1.7.16", "1.9.11"), ("1.19.16", "1.24.17"), ("1.30.14", "1.31.14"), ("auto", "1.33.13")]


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("distinct", "way"),
    sliced(
        product([False, True], WAYS),
        [(False, WAYS[1]), (False, WAYS[3]), (True, WAYS[0])],
    ),
    ids=str,
)
def test_a_plan_of_several_processes_is_that_of_one(
    way: tuple[str, str],
    distinct: bool,
    run: Program,
    tmp_path: Path,
) -> None:
    given = ("--from", way[0], "--to", way[1], "-f", large(tmp_path / "c.json", distinct=distinct))
    single, several = (shown(run, *given, "--jobs", jobs) for jobs in (1, 4))
    assert single == several


MIXED = ("v1.29.5", "v1.29.5-gke.1", "v1.30.14", "v1.31.14", "v1.28.3", "dev")


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("jobs", sliced([2, 3, 5], [3]))
def test_hops_that_several_releases_share_are_counted_once(jobs: int, run: Program, tmp_path: Path) -> None:
    """Every pod passes the last hops, whatever release it starts from."""
    items = [node(kubelet, f"n{number}") for number, kubelet in enumerate(MIXED)]
    items += [pod_of(C, name=f"p{number}", node=f"n{number * 7 % len(MIXED)}") for number in range(180)]
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4))
    given = ("--from", "auto", "--to", "1.33.13", "-f", path)
    single, several = (shown(run, *given, "--jobs", count) for count in (1, jobs))
    assert single == several
    assert [(hop["to"], hop["findings"], hop["unknown"]) for hop in single[0]["spec"]["hops"]] == [
        ("1.29.15", 0, 30),
        ("1.30.14", 0, 30),
        ("1.31.14", 120, 30),
        ("1.32.13", 0, 30),
        ("1.33.13", 0, 30),
    ]


@pytest.mark.full
@pytest.mark.parametrize(("old", "new"), [("auto", "1.9.11"), ("1.13.12", "1.14.10"), ("1.23.17", "1.24.17")])
def test_static_pods_and_warnings_are_the_same(old: str, new: str, run: Program, tmp_path: Path) -> None:
    """The sample has mirror pods, pods that select nodes, and a mixed cluster."""
    path = tmp_path / "c.json"
    document = json.loads(SAMPLE.read_text())
    random.Random(5).shuffle(document["items"])
    path.write_text(json.dumps(document, indent=4))
    given = ("--from", old, "--to", new, "-f", path)
    single, several = (shown(run, *given, "--jobs", jobs) for jobs in (1, 3))
    assert single == several


def test_warnings_of_two_processes_are_one(run: Program, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    probed = {**C, "livenessProbe": {"exec": {"command": ["true"]}}}
    given = [pod_of(probed, name=f"p{number:02}") for number in range(99)]
    path.write_text(json.dumps({"apiVersion": "v1", "items": given, "kind": "List"}, indent=4))
    way = ("--from", "1.19.16", "--to", "1.20.15", "-f", path)
    single, several = (shown(run, *way, "--jobs", jobs) for jobs in (1, 2))
    assert single == several
    (line,) = [line for line in single[0]["spec"]["warnings"] if "exec probes" in line]
    assert line.endswith("(99 containers: ns/p00/c, ns/p01/c, ns/p02/c, 96 more)")


@pytest.mark.parametrize("value", every(2, [7, None]))
def test_records_are_the_same(value: int | None, run: Program, tmp_path: Path) -> None:
    """A record that is not reproduced makes others on its node doubtful, whoever decides them."""
    path = tmp_path / "c.json"
    given = [pod_of(C, name=f"p{number}", node=f"n{number % 3}") for number in range(99)]
    path.write_text(json.dumps({"apiVersion": "v1", "items": given, "kind": "List"}, indent=4))
    records = recorded(tmp_path, record(value, "p5"), record(7, "p70"), record(8, "p71"))
    for way in (("1.10.13", "1.11.10"), ("1.15.12", "1.16.15")):
        flags = ("--from", way[0], "--to", way[1], "-f", path, *records)
        single, several = (shown(run, *flags, "--jobs", jobs) for jobs in (1, 4))
        assert single == several
        assert single[0]["summary"]["recorded"] == (2 if value is None else 3)


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
def test_an_error_is_that_of_one_process(run: Program, tmp_path: Path) -> None:
    path = large(tmp_path / "c.json", distinct=False)
    text = path.read_text()
    place = text.rindex('"containerPort": ')
    path.write_text(f'{text[:place]}"containerPort": "x", "was": {text[place + 17 :]}')
    given = ("plan", "--override-node-releases", "--from", "1.7.16", "--to", "1.9.11", "-f", path, "--jobs")
    single, several = (run(*given, jobs) for jobs in (1, 4))
    assert (single.code, single.err) == (several.code, several.err)
    assert single.code == 1
    kept = [shown(run, *given[1:], jobs, "--keep-going") for jobs in (1, 4)]
    assert kept[0] == kept[1]
    assert kept[0][0]["summary"]["unknown"]


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
def test_filters_are_applied_by_one_process(run: Program, tmp_path: Path) -> None:
    given = ("--from", "1.7.16", "--to", "1.9.11", "-f", large(tmp_path / "c.json", distinct=False))
    single, several = (shown(run, *given, "--node", "node-0000", "--jobs", jobs) for jobs in (1, 4))
    assert single == several
    assert 0 < single[0]["summary"]["pods"] < PODS


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
def test_limits_are_those_of_all_pods_together(
    run: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = large(tmp_path / "c.json", distinct=False)
    given = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-f", path, "--jobs", 4)
    containers = run(*given, "-o", "json").document["summary"]["containers"]
    monkeypatch.setattr("hashcompat.core.go.allowance.MOST_CONTAINERS", containers - 1)
    assert f"more than {containers - 1} containers" in run(*given).err


class _Given:
    """Pods in shares that are given."""

    def __init__(self, shares: list[list[Pod]], *, right: bool = True) -> None:
        self._shares, self._right = shares, right
        self.iterated = 0

    def __iter__(self) -> Iterator[Pod]:
        self.iterated += 1
        for share in self._shares:
            yield from share

    def shares(self) -> list[PodShare]:
        return list(map(_Share, self._shares))

    def are_right(self, seen: list[int]) -> bool:
        return self._right and seen == list(map(len, self._shares))


class _Share:
    def __init__(self, pods: list[Pod], lines: int = 0) -> None:
        self._pods, self.seen, self.lines = pods, 0, lines

    def __iter__(self) -> Iterator[Pod]:
        for pod in self._pods:
            self.seen += 1
            yield pod


@pytest.mark.parametrize("right", [False, True])
def test_shares_that_do_not_fit_are_decided_again_by_one_process(
    right: bool,
    catalog: Catalog,
) -> None:
    sample = hashcompat.load_sample()
    pods = list(sample.pods)
    given = _Given([pods[:9], pods[9:20], pods[20:]], right=right)
    assert isinstance(given, SharedPods)
    way, view = Way("1.13.12", "1.14.10"), View(catalog)
    run = decided(way, Inventory(given, sample.nodes), view)
    whole = PlanRun(way, sample.nodes, view)
    whole.add(pods)
    assert run.planner.plan() == whole.planner.plan()
    assert run.hops.hops == whole.hops.hops
    assert run.hops.rollback == whole.hops.rollback
    assert given.iterated == (0 if right else 1)


def test_what_another_process_sends_is_merged_in_this_one_too(catalog: Catalog) -> None:
    """The same without another process, for every warning and count that the sample leads to."""
    sample = hashcompat.load_sample()
    pods = list(sample.pods)
    for pair in (("1.19.16", "1.20.15"), ("1.23.17", "1.24.17"), ("1.15.12", "1.16.15"), ("auto", "1.9.11")):
        way, view = Way(*pair), View(catalog)
        run, other, whole = (PlanRun(way, sample.nodes, view) for _ in range(3))
        run.add(pods[:15])
        share = _Share(pods[15:])
        assert run.merge(other.sent(share), 0) == (len(pods) - 15, 0)
        whole.add(pods)
        assert run.planner.plan() == whole.planner.plan()
        assert run.hops.rollback == whole.hops.rollback


def test_deadlines_are_those_of_all_shares(catalog: Catalog) -> None:
    way, view = Way("1.30.14", "1.31.14"), View(catalog)
    status = {"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}
    pods = list(
        collect(
            pod_of(C, name=f"p{end}", spec={"activeDeadlineSeconds": end}, status=status) for end in (60, 90)
        ).pods
    )
    run = PlanRun(way, (), view)
    run.add(pods[:1])
    run.merge(PlanRun(way, (), view).sent(_Share(pods[1:])), 0)
    assert {end for _, end in run.deadlines} == {pod.ends for pod in pods}
    assert len(run.deadlines) == 2


def test_cpus_that_pods_take_anew_are_those_of_all_shares(catalog: Catalog) -> None:
    way, view = Way("1.35.8", "1.36.5"), View(catalog)
    run = PlanRun(way, (), view)
    for number in (4, 2):
        other = PlanRun(way, (), view)
        other.rooms.anew["n1"] = Counter({"then": number})
        run.merge(other.sent(_Share([])), 0)
    assert run.rooms.anew == {"n1": {"then": 6}}


def at_line(line: int, name: str, **fields: object) -> Pod:
    """Return a pod whose container begins at a line of a file; 0 for one without lines."""
    (pod,) = collect([pod_of({"name": "a", "image": "a", **fields}, name=name)]).pods
    return structs.replace(pod, containers=(structs.replace(pod.containers[0], line=line),))


def test_lines_that_a_share_counts_from_its_beginning_are_those_of_the_file(catalog: Catalog) -> None:
    way, view = Way("1.15.12", "1.16.15"), View(catalog)
    run = PlanRun(way, (), view)
    run.add([at_line(7, "a")])
    shares = [[at_line(1, "b"), at_line(5, "c")], [at_line(0, "d"), at_line(2, "e")]]
    lines = 10
    for share in shares:
        seen, passed = run.merge(PlanRun(way, (), view).sent(_Share(share, 20)), lines)
        assert seen == len(share)
        lines += passed
    numbers = {item.pod.name: item.line for item in run.planner.plan().items}
    assert numbers == {"a": 7, "b": 11, "c": 15, "d": 0, "e": 32}


def test_a_place_that_a_share_does_not_know_is_looked_up_by_one_process(catalog: Catalog) -> None:
    way, view = Way("1.15.12", "1.16.15"), View(catalog, Options(keep_going=True))
    share = [at_line(1, "b", ports=7)]
    run = PlanRun(way, (), view)
    assert run.merge(PlanRun(way, (), view).sent(_Share(share)), 0) == (1, 0)
    assert run.planner.plan().items[0].reasons[0].id == rules.NOT_DECODED
    with pytest.raises(FailedError):
        run.merge(PlanRun(way, (), view).sent(_Share(share)), 10)


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
def test_the_default_is_a_process_for_each_processor(
    run: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[int]()

    def guessed(_: object, number: int) -> tuple[()]:
        seen.append(number)
        return ()

    monkeypatch.setattr(forks, "processors", lambda: 5)
    monkeypatch.setattr(spans, "guessed", guessed)
    given = ("plan", "--from", "1.7.16", "--to", "1.9.11", "-f", large(tmp_path / "c.json", distinct=False))
    call = partial(run, *given)
    call()
    call("--jobs", 7)
    monkeypatch.setattr(forks, "possible", lambda: False)
    call()
    assert seen == [4, 7, 1]
    assert call("--jobs", 0).code == 64
