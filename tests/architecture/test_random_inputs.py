"""Random inputs: the same in every run, or those of RANDOM_SEED, the same again for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.program import run_pytest

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


@pytest.fixture(autouse=True)
def _of_a_run_with_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Workers, coverage and a report, as CI asks for them: a run within this one has none of them."""
    options = f"--numprocesses 2 --cov --cov-report= --junitxml={tmp_path / 'report.xml'}"
    monkeypatch.setenv("PYTEST_ADDOPTS", options)


def drawn(directory: Path, seed: str | None) -> str:
    """Return what a property test of a fresh process draws, and the seed of all other random inputs."""
    (directory / "test_draws.py").write_text(DRAWS)
    variables = {} if seed is None else {"RANDOM_SEED": seed}
    out = run_pytest("-p", "tests.conftest", "-s", directory / "test_draws.py", **variables)
    assert f"random inputs: {'fixed' if seed is None else 'fresh'}, RANDOM_SEED={seed or 1}" in out
    (line,) = (line for line in out.splitlines() if "DRAWN" in line)
    return line.partition("DRAWN")[2]


@pytest.mark.full
@pytest.mark.slow
def test_a_run_can_be_repeated_and_another_seed_draws_other_inputs(tmp_path: Path) -> None:
    first = {seed: drawn(tmp_path, seed) for seed in (None, "7", "8")}
    assert len(set(first.values())) == 3
    assert {seed: drawn(tmp_path, seed) for seed in (None, "7")} == {
        seed: first[seed] for seed in (None, "7")
    }
