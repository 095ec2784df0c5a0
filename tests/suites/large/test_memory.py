"""Files far larger than the memory that reading them takes, measured by the operating system."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from scripts.bench import cluster
from scripts.bench.made.chance import Json
from scripts.bench.made.shape import Shape
from scripts.bench.made.texts import FORMS, pods_of
from tests.suites.large.measuring import measured

pytestmark = pytest.mark.large

MOST = 200 * 1000 * 1000
"""Bytes of memory, at the most, that any of these commands may have had at once."""


def written(path: Path, size: float, form: str, *, nodes_last: bool = False) -> int:
    """Write a cluster; return how many containers its plans have."""
    containers = 0

    def counted(objects: Iterable[Json]) -> Iterator[Json]:
        nonlocal containers
        for manifest in objects:
            containers += sum(len(manifest["spec"].get(key, ())) for key in ("initContainers", "containers"))
            yield manifest

    objects = cluster.objects(pods_of(size, form), Shape("1.13.12"))
    if nodes_last:
        objects = _nodes_last(objects)
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(FORMS[form](counted(objects)))
    return containers


def _nodes_last(objects: Iterator[Json]) -> Iterator[Json]:
    """Yield objects that begin with the nodes in another order."""
    nodes = list[Json]()
    for manifest in objects:
        if manifest["kind"] == "Pod":
            yield from chain([manifest], objects, nodes)
            return
        nodes.append(manifest)


@pytest.mark.parametrize(
    ("size", "form", "old"),
    [
        pytest.param(1e9, "json", "auto", id="1 GB as kubectl get -o json prints it"),
        pytest.param(1e8, "yaml", "auto", id="100 MB of YAML in one document"),
        pytest.param(1e8, "compact", "auto", id="100 MB of JSON on one line"),
        pytest.param(1e8, "lines", "1.13.12", id="100 MB of JSON lines, nodes not needed"),
    ],
)
def test_a_plan_of_a_large_file_needs_little_memory(tmp_path: Path, size: float, form: str, old: str) -> None:
    """With ``auto`` every verdict depends on nodes that come after all pods."""
    path = tmp_path / "pods"
    containers = written(path, size, form, nodes_last=True)
    run = measured(tmp_path, "plan", "--from", old, "--to", "1.14.10", "-f", path, "-o", "wide")
    assert run.code == 0, run.err
    with run.out.open() as lines:
        assert sum(1 for _ in lines) == 1 + containers  # a row each below the heads
    assert "its kubelet release is not in the input" not in run.err
    assert run.peak < MOST, f"{run.peak / 1e6:.0f} MB"


def test_the_groups_of_a_large_plan_need_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "pods"
    containers = written(path, 1e8, "lines")
    run = measured(tmp_path, "plan", "--from", "1.13.12", "--to", "1.14.10", "-f", path)
    assert run.code == 0, run.err
    answer = run.out.read_text().splitlines()[0]
    match = re.search(r"of (\d+) running containers .*; (\d+) more are never compared", answer)
    assert match, answer
    assert int(match[1]) + int(match[2]) == containers, answer
    assert run.peak < MOST, f"{run.peak / 1e6:.0f} MB"


def test_a_document_and_a_report_of_a_large_plan_need_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "pods"
    containers = written(path, 2e8, "json")
    run = measured(
        tmp_path,
        "plan",
        "--from",
        "1.13.12",
        "--to",
        "1.14.10",
        "-f",
        path,
        "-o",
        "json",
        "--out",
        tmp_path / "plan.json",
    )
    assert run.code == 0, run.err
    assert run.peak < MOST / 2
    assert run.out.read_bytes() == (tmp_path / "plan.json").read_bytes()
    assert len(json.loads(run.out.read_bytes())["items"]) == containers
