"""Random inputs: the same in every run, or those of RANDOM_SEED, the same again for the same seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.program import ROOT

DRAWS = """
from hypothesis import given, strategies
from tests.helpers import randomness
drawn = []

@given(strategies.integers())
def test_draws(value):
    drawn.append(value)

def test_prints():
    print("DRAWN", randomness.SEED, drawn)
"""


def drawn(directory: Path, seed: str | None) -> str:
    """Return what a property test of a fresh process draws, and the seed of all other random inputs."""
    (directory / "test_draws.py").write_text(DRAWS)
    variables = {key: value for key, value in os.environ.items() if key != "RANDOM_SEED"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-s", directory / "test_draws.py"],
        cwd=ROOT,
        env=variables | ({} if seed is None else {"RANDOM_SEED": seed}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"random inputs: {'fixed' if seed is None else 'fresh'}, RANDOM_SEED={seed or 1}" in done.stdout
    (line,) = (line for line in done.stdout.splitlines() if "DRAWN" in line)
    return line.partition("DRAWN")[2]


@pytest.mark.parametrize("seed", [None, "7"])
def test_a_run_can_be_repeated(tmp_path: Path, seed: str | None) -> None:
    assert drawn(tmp_path, seed) == drawn(tmp_path, seed)


def test_another_seed_draws_other_inputs(tmp_path: Path) -> None:
    assert len({drawn(tmp_path, seed) for seed in (None, "7", "8")}) == 3
