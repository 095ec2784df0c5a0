from __future__ import annotations

import subprocess

import pytest

import hashcompat
from tests.helpers.program import SCRIPTS, Run
from tests.helpers.slices import every


def test_version_names_the_program_and_the_known_range(run: Run) -> None:
    lines = run("version").out.splitlines()
    assert lines[0] == f"hashcompat {hashcompat.__version__}"
    known = run("releases", "-o", "name").out.splitlines()
    assert lines[1:] == [f"kubelet releases {known[0]} - {known[-1]}"]


def test_the_name_format_is_the_version_alone(run: Run) -> None:
    assert run("version", "-o", "name").out == f"{hashcompat.__version__}\n"


def test_the_option_needs_no_command(run: Run) -> None:
    assert run("--version").out == f"hashcompat {hashcompat.__version__}\n"


@pytest.mark.parametrize(
    ("script", "name"), every(2, [("kubectl-hashcompat", "kubectl hashcompat"), ("hashcompat", "hashcompat")])
)
def test_each_console_script_calls_itself_by_its_own_name(script: str, name: str) -> None:
    done = subprocess.run([SCRIPTS / script, "plan", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"Usage: {name} plan [OPTIONS]\n")
    failed = subprocess.run(
        [SCRIPTS / script, "plan", "--bogus"], capture_output=True, text=True, check=False
    )
    assert (failed.returncode, failed.stderr.splitlines()[-1]) == (64, f"See '{name} plan --help'.")


def test_a_plugin_prints_the_same_plan() -> None:
    argv = ("plan", "--from", "1.7.16", "--to", "1.9.11", "--sample", "-o", "json")
    outs = [
        subprocess.run([SCRIPTS / script, *argv], capture_output=True, check=True).stdout
        for script in ("hashcompat", "kubectl-hashcompat")
    ]
    assert outs[0] == outs[1] != b""
