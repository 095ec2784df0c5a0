"""All commands of all rows of ``tests/helpers/growing.py``, and the two inputs that cost the most once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.growing import ROWS, Row, containers, manifest, objects, pod, unit, written
from tests.suites.large.measuring import measured
from tests.test_growth import _alone, check_memory, check_work

pytestmark = pytest.mark.large

__all__ = ["_alone"]

SECONDS: Final = 60
"""Of a machine that does several things at once: what took longest took 40 seconds of its processor alone."""

MOST: Final = 500 * 1000 * 1000

CASES: Final = [
    pytest.param(row, command, id=f"{command}: {row.name}") for row in ROWS for command in row.commands
]


@pytest.mark.parametrize(("row", "command"), CASES)
def test_work_and_memory_grow_with_the_input(row: Row, command: str) -> None:
    check_work(row, command)
    check_memory(row, command)


SPEC: Final = {"containers": containers(500), "initContainers": containers(500)}


@pytest.mark.parametrize("given", [pod(spec=SPEC), manifest(500)], ids=["pod", "manifest"])
def test_a_pod_of_the_most_containers_takes_seconds(given: Any, tmp_path: Path) -> None:
    """Over all hops: 500 containers and 500 init containers are 45 KB."""
    written(objects(given), tmp_path)
    argv = ("plan", "--from", "1.9.11", "--to", "1.31.14", "-f", tmp_path / "pods.json")
    run = measured(tmp_path, *argv, seconds=SECONDS)
    assert run.code == 0, run.err
    assert run.peak < MOST


def test_the_variables_of_a_unit_need_little_memory(tmp_path: Path) -> None:
    """A word of 65,000 variables, each of 260,000 characters."""
    written(unit(f"Environment=A={'b' * 260_000}\nExecStart=/k " + "${A}" * 65_000), tmp_path)
    argv = ("preflight", "--to", "1.31.14", "--dump", tmp_path / "dump", "-f", tmp_path / "pods.json")
    run = measured(tmp_path, *argv, "-o", "json", seconds=SECONDS)
    assert run.code == 3, run.err
    assert run.peak < MOST / 2
    assert "Linux starts no program" in json.dumps(json.loads(run.out.read_text()))
