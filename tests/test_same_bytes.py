"""The same input gives the same bytes on every machine: with any ``--jobs``, hash seed and time zone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.everycommand import write_inputs
from tests.helpers.program import ROOT

pytestmark = pytest.mark.slow

MACHINES: Final[tuple[tuple[int, Mapping[str, str]], ...]] = (
    (1, {"PYTHONHASHSEED": "1", "TZ": "EST5EDT", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}),
    (2, {"PYTHONHASHSEED": "2", "TZ": "JST-9", "COLUMNS": "200", "LC_ALL": "C"}),
)
"""How many processes take part, and what differs between machines."""


def outputs(directory: Path, jobs: int, environment: Mapping[str, str]) -> dict[str, Any]:
    """Run every command in a process of its own, on inputs whose place has one name for all of them."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.helpers.everycommand", directory, str(jobs)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    places = [tmp_path_factory.mktemp("machine") for _ in MACHINES]
    write_inputs(places[0])
    for place in places[1:]:
        shutil.copytree(places[0], place, dirs_exist_ok=True)
    with ThreadPoolExecutor(len(MACHINES)) as pool:
        works = [
            pool.submit(outputs, place, *machine) for place, machine in zip(places, MACHINES, strict=True)
        ]
        return [work.result() for work in works]


@pytest.mark.full
def test_every_command_says_and_writes_the_same_bytes(found: list[dict[str, Any]]) -> None:
    first, *others = found
    assert len(first) >= 35
    for other in others:
        assert first.keys() == other.keys()
        differing = [
            (command, part)
            for command, parts in first.items()
            for part in parts.keys() | other[command].keys()
            if parts.get(part) != other[command].get(part)
        ]
        assert sorted(differing) == []
