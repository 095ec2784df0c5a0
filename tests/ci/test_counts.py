"""Counts of tests: a suite that shrinks or skips fails, and both tiers of CI count all their suites."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.program import ROOT

CI = ROOT / ".ci"


def report(
    path: Path, *, passed: int, skipped: int = 0, compared: int = 0, fuzzed: tuple[int, ...] = ()
) -> Path:
    """Write a JUnit report as pytest does.

    The first test names its random inputs; then there is one for each reader, with its executions, a
    fifth of them guided.
    """
    named = properties(random_containers=compared)
    cases = [f"<testcase>{named if not number else ''}</testcase>" for number in range(passed)]
    cases += [
        f"<testcase>{properties(reader=f'r{number}', guided=guided, mutated=count - guided)}</testcase>"
        for number, count, guided in ((number, count, count // 5) for number, count in enumerate(fuzzed))
    ]
    cases += ["<testcase><skipped/></testcase>"] * skipped
    path.write_text(f'<testsuites><testsuite time="100.4">{"".join(cases)}</testsuite></testsuites>')
    return path


def properties(**values: object) -> str:
    rows = (f'<property name="{name}" value="{value}"/>' for name, value in values.items())
    return f"<properties>{''.join(rows)}</properties>"


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """Return a copy of the program with counts of its own: 5 tests, 70 containers."""
    for name in ("check_counts.py", "reports.py"):
        (tmp_path / name).write_text((CI / name).read_text())
    counts = {
        "run": {
            "oracle": {"tests": 5, "randomContainers": 70},
            "fuzz": {"tests": 2, "readers": 2, "executions": 30, "leastExecutions": 10, "leastGuided": 2},
        }
    }
    (tmp_path / "counts.json").write_text(json.dumps(counts))
    return tmp_path


def check(directory: Path, *flags: str, **made: Any) -> subprocess.CompletedProcess[str]:
    return checked(directory, "oracle", report(directory / "oracle.xml", **made), *flags)


def checked(directory: Path, suite: str, path: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    program: list[str | Path] = [sys.executable, directory / "check_counts.py"]
    return subprocess.run([*program, "run", suite, path, *flags], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("made", [{"passed": 5, "compared": 70}, {"passed": 6, "compared": 71}])
def test_as_much_as_committed_is_enough(counted: Path, made: dict[str, int]) -> None:
    done = check(counted, **made)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"oracle: tests {made['passed']}, randomContainers {made['compared']}\n"


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ({"passed": 4, "compared": 70}, "tests 4, committed 5"),
        ({"passed": 5, "compared": 69}, "randomContainers 69, committed 70"),
        ({"passed": 5, "compared": 70, "skipped": 1}, "skipped 1, and nothing may be"),
    ],
)
def test_less_fails_and_so_does_what_is_skipped(counted: Path, made: dict[str, int], says: str) -> None:
    done = check(counted, **made)
    assert (done.returncode, done.stderr) == (1, f"run, oracle: {says}\n")


@pytest.mark.parametrize(
    ("fuzzed", "says"),
    [
        ((20, 10), ""),
        ((25, 9), "fuzz: leastExecutions 9, committed 10\nrun, fuzz: leastGuided 1, committed 2"),
        ((15, 12), "fuzz: executions 27, committed 30"),
        ((40,), "fuzz: tests 1, committed 2\nrun, fuzz: readers 1, committed 2"),
        ((), "fuzz: tests 0, committed 2\nrun, fuzz: readers 0, committed 2"),
    ],
)
def test_every_reader_is_executed_often_enough(counted: Path, fuzzed: tuple[int, ...], says: str) -> None:
    done = checked(counted, "fuzz", report(counted / "fuzz.xml", passed=0, fuzzed=fuzzed))
    assert done.returncode == (1 if says else 0)
    assert done.stderr.startswith(f"run, {says}\n" if says else "")
    assert bool(done.stderr) == bool(says)


def test_counts_are_raised_by_a_command(counted: Path) -> None:
    assert check(counted, "--raise", passed=9, compared=90).returncode == 0
    assert check(counted, passed=8, compared=90).returncode == 1
    assert check(counted, passed=9, compared=90).returncode == 0


def steps(tier: str) -> list[str]:
    """Return the steps that one tier runs."""
    defined = re.findall(r"^(\w+)\(\) ", (CI / "steps.sh").read_text(), re.MULTILINE)
    lines = [line.strip() for line in (CI / tier).read_text().splitlines()]
    named = [line.split()[1:] if line.startswith("together ") else [line] for line in lines]
    return [name for names in named for name in names if name in defined]


def suites(tier: str) -> set[str]:
    """Return the suites that one tier counts."""
    text = (CI / "steps.sh").read_text()
    bodies = dict(re.findall(r"^(\w+)\(\) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL))
    run = "\n".join(bodies[step] for step in steps(tier))
    return set(re.findall(r"^  (?:suite|counted) (\w+)", run, re.MULTILINE))


def test_the_whole_run_is_more_than_what_lands() -> None:
    run, full = steps("run"), steps("full")
    assert [step for step in run if step not in full] == ["evidence"]
    assert {"large", "benches"} <= set(full) - set(run)


@pytest.mark.parametrize("tier", ["run", "full"])
def test_every_suite_is_counted(tier: str) -> None:
    assert suites(tier) == set(json.loads((CI / "counts.json").read_text())[tier])


def test_every_marker_is_a_suite_of_the_whole_run() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    markers = {line.partition(":")[0] for line in options["markers"]}
    assert markers - {"full"} == suites("full") - {"python"}
