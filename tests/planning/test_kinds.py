"""A plan of pods that share their shapes is that of the same pods one by one."""

from __future__ import annotations

import copy
import random
from pathlib import Path

import pytest

from hashcompat import planning
from hashcompat.catalog.lookup import Catalog
from hashcompat.model.plan import Plan
from hashcompat.model.records import Recorded
from hashcompat.planning.options import AssumePatch, Options
from hashcompat.planning.view import View
from hashcompat.records.index import index
from hashcompat.sources.files import collect, survey
from scripts.bench import cluster
from tests.helpers import randomness
from tests.helpers.unlike import Unlike
from tests.planning.test_rulings import WAYS
from tests.sources.files.test_alike import CHANGES, dumped, read

STARTS = ("2018-01-01T00:00:00Z", "2024-09-01T00:00:00Z", "2026-03-02T08:15:00Z")


def objects(chance: random.Random, path: Path, *, distinct: bool) -> str:
    """Write a dump of replicas that started at other times; some differ in more."""
    found = [copy.deepcopy(one) for one in cluster.objects(200, cluster.Shape("1.30.14", distinct, False))]
    for one in found:
        if one["kind"] == "Node" and chance.random() < 0.5:
            one["status"]["nodeInfo"]["kubeletVersion"] = chance.choice(["v1.28.15", "v1.9.11", "odd"])
    changes = [change for what, change in CHANGES.items() if what != "the uid of a static pod"]
    pods = [one for one in found if one["kind"] == "Pod"]
    for pod in pods:
        for status in pod["status"]["containerStatuses"]:
            status["state"]["running"]["startedAt"] = chance.choice(STARTS)
    for pod in chance.sample(pods, 40):
        before = copy.deepcopy(pod)
        try:
            chance.choice(changes)(pod)
        except (KeyError, IndexError, TypeError):
            pod.clear()
            pod.update(before)
        if read(dumped([pod], path / "one.json"))[1]:
            pod.clear()
            pod.update(before)
    return dumped(found, path / "pods.json")


def plans(name: str, catalog: Catalog, options: Options) -> list[Plan]:
    inventory = collect.collect((name,))
    view = View(catalog, options)
    return [planning.make(inventory, way.old, way.new, view) for way in WAYS]


@pytest.mark.parametrize("distinct", [False, True])
def test_plans_are_those_of_each_pod_by_itself(
    distinct: bool, tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = objects(random.Random(f"{randomness.SEED} {distinct}"), tmp_path, distinct=distinct)
    shapes = [pod.shape for pod in collect.collect((name,)).pods]
    assert len(shapes) - shapes.count(None) > 150
    assert len(set(shapes)) < 40
    found = plans(name, catalog, Options())
    monkeypatch.setattr(survey, "Alike", Unlike)
    assert found == plans(name, catalog, Options())


@pytest.mark.parametrize("patched", [False, True], ids=["records", "a patch"])
def test_records_and_patches_are_those_of_each_pod(
    patched: bool, tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = objects(random.Random(randomness.SEED), tmp_path, distinct=False)
    if patched:
        view = View(catalog, Options(patch=AssumePatch("accept", ("1.30.14",))))
        ways = [("1.30.14", "1.31.14")]
    else:
        some = list(collect.collect((name,)).pods)[::3]
        records = index(
            Recorded(pod.uid, pod.namespace, pod.name, one.name, 7, running=True)
            for pod in some
            for one in pod.containers
        )
        view = View(catalog, Options(records=records))
        ways = [("1.30.14", "1.31.14"), ("1.15.12", "1.16.15")]
    found = [planning.make(collect.collect((name,)), *way, view) for way in ways]
    monkeypatch.setattr(survey, "Alike", Unlike)
    assert found == [planning.make(collect.collect((name,)), *way, view) for way in ways]
