"""The steps of a whole run: each runs even if another fails, and then the run fails."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.helpers.program import ROOT

STEPS = ROOT / ".ci" / "steps.sh"

SCRIPT = """
set -Eeuo pipefail
. "$0"
reports=$1
begin full
good() { step "good"; echo good >>"$reports/ran"; }
bad() { step "bad"; false; echo "went on"; }
last() { step "last"; echo last >>"$reports/ran"; }
each {steps}
echo "after all"
"""


@pytest.mark.parametrize(
    ("steps", "ran", "fails"),
    [
        ("good last", ["good", "last"], ""),
        ("bad last", ["last"], "bad"),
        ("good bad last bad", ["good", "last"], "bad bad"),
    ],
)
def test_a_step_that_fails_does_not_hide_the_others(
    tmp_path: Path, steps: str, ran: list[str], fails: str
) -> None:
    done = run(tmp_path, steps)
    assert done.returncode == (1 if fails else 0)
    assert done.stderr.rpartition("failed in: ")[2].startswith(f"{fails} (" if fails else "")
    assert ("after all" in done.stdout) is not bool(fails)
    assert "went on" not in done.stdout
    assert finished(tmp_path) == ran


def test_what_passed_is_not_run_again(tmp_path: Path) -> None:
    assert run(tmp_path, "good bad").returncode == 1
    assert run(tmp_path, "good last").returncode == 0
    assert run(tmp_path, "good last bad").returncode == 1
    assert finished(tmp_path) == ["good", "last"]


TOGETHER = """
set -Eeuo pipefail
. "$0"
reports=$1
begin run
good() { step "good"; until [ -e "$reports/other" ]; do sleep 0.01; done; echo "good is done"; }
other() { step "other"; touch "$reports/other"; echo "other is done"; }
bad() { step "bad"; false; echo "went on"; }
together {steps}
echo "after all"
"""


@pytest.mark.parametrize(("steps", "fails"), [("good other", ""), ("bad good other", "bad")])
def test_steps_next_to_each_other(tmp_path: Path, steps: str, fails: str) -> None:
    """One waits for the other here; what they print is not mixed, and one that fails makes the run fail."""
    script = TOGETHER.replace("{steps}", steps)
    done = subprocess.run(
        ["bash", "-c", script, STEPS, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == (1 if fails else 0), done.stderr
    assert [line for line in done.stdout.splitlines() if line.endswith("done")] == [
        "good is done",
        "other is done",
    ]
    assert done.stderr.rpartition("failed in: ")[2].startswith(f"{fails} (" if fails else "")
    assert ("after all" in done.stdout) is not bool(fails)
    assert "went on" not in done.stdout


def run(reports: Path, steps: str) -> subprocess.CompletedProcess[str]:
    script = SCRIPT.replace("{steps}", steps)
    return subprocess.run(["bash", "-c", script, STEPS, reports], capture_output=True, text=True, check=False)


def finished(reports: Path) -> list[str]:
    return (reports / "ran").read_text().splitlines()


def test_what_is_traced_is_there() -> None:
    """A folder that was renamed would no longer be measured."""
    names = STEPS.with_name("traced.txt").read_text().split()
    assert [name for name in names if not (ROOT / name).exists()] == []
    assert names == sorted(set(names))
