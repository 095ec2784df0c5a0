"""Rows that several processes write in turn are those that one writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from hashcompat.analysis import planning
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.output.formats.documents import to_json
from hashcompat.output.report import rowtexts
from hashcompat.output.report.plan import PLAN
from hashcompat.output.report.planview import Excerpt
from hashcompat.output.report.rowtexts import Texts, in_turn
from hashcompat.sources.files.collect import collect
from scripts.bench import cluster
from scripts.bench.made import texts as made
from scripts.bench.made.shape import Shape

pytestmark = pytest.mark.slow

NUMBERS = tuple(range(3000))


def texts(values: Iterable[int]) -> Iterator[Texts]:
    return ((str(value), f"{value:x}") for value in values)


def own(values: Iterable[int]) -> Iterator[Texts]:
    """Yield texts that show which process made them."""
    return ((str(value), str(os.getpid())) for value in values)


EXPECTED = list(map(list, texts(NUMBERS)))


@pytest.mark.parametrize("jobs", [1, 2, 3, 20])
def test_the_order_is_that_of_one_process(jobs: int) -> None:
    assert list(map(list, in_turn(NUMBERS, texts, jobs))) == EXPECTED
    assert len({pid for _, pid in in_turn(NUMBERS, own, jobs)}) == min(jobs, 6)


def test_what_another_process_does_not_make_this_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    this = os.getpid()

    def failing(values: Iterable[int]) -> Iterator[Texts]:
        for value, number in texts(values):
            if os.getpid() != this and int(value) > 1000:
                raise ValueError(value)
            yield value, number

    assert list(map(list, in_turn(NUMBERS, failing, 2))) == EXPECTED

    def refused() -> int:
        raise OSError("no more processes")

    monkeypatch.setattr(os, "fork", refused)
    assert list(map(list, in_turn(NUMBERS, texts, 2))) == EXPECTED


def test_other_processes_end_with_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    fork, started = os.fork, list[int]()

    def noted() -> int:
        started.append(fork())
        return started[-1]

    monkeypatch.setattr(os, "fork", noted)
    written = in_turn(NUMBERS, texts, 2)
    next(written)
    written.close()
    assert started
    for process in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


def test_a_plan_that_two_processes_write_is_that_of_one(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pods.json"
    path.write_text("".join(made.kubectl(cluster.objects(400, Shape("1.7.16")))))
    plan = planning.make(collect((str(path),)), "1.7.16", "1.9.11", View(catalog))
    assert PLAN.sealed is not None
    monkeypatch.setattr(rowtexts, "_BATCH", 64)
    monkeypatch.setattr("hashcompat.output.report.rowtexts.WORTH_FORKING", 1)
    documents = []
    for jobs in (1, 2):
        content, seals = PLAN.sealed(Excerpt(plan, plan.items, jobs=jobs))
        documents.append("".join(to_json(content, seals=seals)))
    assert documents[0] == documents[1]
