"""Standard streams that are closed before the program starts, or while it prints."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.helpers.program import SAMPLE, SCRIPTS

pytestmark = pytest.mark.slow

PLAN = "hashcompat plan --from 1.13.12 --to 1.14.10"


def shell(script: str) -> tuple[int, str, str]:
    """Run a bash script with the installed program on its PATH: exit code, stdout, stderr."""
    path = f"{SCRIPTS}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", [f"{PLAN} --sample -q", "hashcompat --version", "hashcompat rules"])
def test_a_closed_stdout_is_a_failure_and_no_bug(command: str) -> None:
    assert shell(f"{command} >&-") == (1, "", "Error: output: Bad file descriptor\n")


def test_a_document_is_saved_where_stdout_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    assert shell(f"hashcompat snapshot --sample -q --out {path} >&-") == (0, "", "")
    assert path.read_text().startswith("{")


def test_a_closed_stderr_changes_nothing_but_itself() -> None:
    code, out, err = shell(f"{PLAN} --sample -n shop 2>&-")
    assert (code, len(out.splitlines()), err) == (0, 32, "")
    assert shell(f"{PLAN} -f nothing 2>&-") == (1, "", "")


def test_a_full_stderr_changes_nothing_but_itself() -> None:
    code, out, err = shell(f"{PLAN} --sample -n shop 2>/dev/full")
    assert (code, len(out.splitlines()), err) == (0, 32, "")
    assert shell(f"{PLAN} -f nothing 2>/dev/full") == (1, "", "")
    assert shell("hashcompat nothing 2>/dev/full") == (64, "", "")
    assert shell("hashcompat 2>/dev/full") == (64, "", "")


def test_a_closed_stdin_is_unreadable_input_and_otherwise_not_missed() -> None:
    assert shell(f"{PLAN} -f - <&-") == (1, "", "Error: standard input: cannot read: Bad file descriptor\n")
    assert shell(f"{PLAN} -f {SAMPLE} -q -o name <&-")[::2] == (0, "")


def test_all_three_streams_may_be_closed() -> None:
    assert shell(f"{PLAN} --sample <&- >&- 2>&-") == (1, "", "")


@pytest.mark.parametrize(
    "command",
    [
        f"{PLAN} --sample -q -o json",
        f"{PLAN} --sample",
        "hashcompat plan --help",
        "hashcompat",
        "hashcompat hash --kubelet 9.9.9 --sample",
    ],
)
def test_a_pipe_that_nobody_reads_gives_the_exit_code_of_sigpipe(command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    program, *arguments = command.split()
    done = subprocess.run([SCRIPTS / program, *arguments], stdout=writer, stderr=writer, check=False)
    os.close(writer)
    assert done.returncode == 141


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_head_ends_a_large_result_without_a_word(monkeypatch: pytest.MonkeyPatch, unbuffered: str) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    releases = ",".join(f"1.{minor}.0" for minor in range(7, 37))
    script = f"hashcompat hash --sample --kubelet {releases} | head -1"
    code, out, err = shell(f"{script}; exit ${{PIPESTATUS[0]}}")
    assert (code, out.count("\n"), err) == (141, 1, "")
