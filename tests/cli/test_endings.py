"""How the program ends when it is interrupted, has a bug, or cannot write."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.helpers.pods import as_json, pod
from tests.helpers.program import SCRIPTS, Run

PLAN = ("plan", "--from", "1.9.11", "--to", "1.10.0")


def test_an_interruption_is_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hashcompat.analysis.planning.make", interrupt)
    result = run(*PLAN, "--sample")
    assert (result.code, result.out, result.err) == (
        130,
        "",
        "\nError: interrupted\n",
    )  # the empty line ends the terminal's ^C


def test_a_bug_is_one_line_and_a_trace_only_on_request(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hashcompat.analysis.planning.make", lambda *_: 1 / 0)
    result = run(*PLAN, "--sample")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert "bug in hashcompat (ZeroDivisionError)" in result.err
    monkeypatch.setenv("HASHCOMPAT_DEBUG", "1")
    assert "Traceback" in run(*PLAN, "--sample").err


def test_a_reader_that_stops_early_sees_no_traceback() -> None:
    releases = ",".join(f"1.{minor}.0" for minor in range(6, 37))
    process = subprocess.Popen(
        [SCRIPTS / "hashcompat", "hash", "--kubelet", releases, "--sample", "-o", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stderr
    with process.stdout, process.stderr:
        assert process.stdout.readline() == b"{\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.wait(30) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_a_full_disk_is_a_failure() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [SCRIPTS / "hashcompat", "releases"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"Error: output: No space left on device\n")


def test_output_that_the_encoding_cannot_hold_is_no_bug() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    argv = [str(SCRIPTS / "hashcompat"), *PLAN, "-f", "-", "-o", "json"]
    done = subprocess.run(
        argv, input=as_json(pod(name="päd")), capture_output=True, check=False, env=environment
    )
    assert (done.returncode, b"bug" in done.stderr) == (0, False)
