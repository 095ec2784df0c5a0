"""Completion as kubectl asks for it; that of real shells is a suite of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hashcompat.cli.completion import kubectl_answer
from hashcompat.cli.program import cli
from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.output.formats import FORMATS
from tests.helpers.program import SCRIPTS, Run

PATCHES = range(8)
ANY_1_3 = [
    *(f"v1.3{digit}" for digit in "76543210"),
    "v1.3",
    *(f"v{name}" for name in reversed(default_catalog().releases()) if name.startswith("1.3")),
    ":4",
]
PF_12 = [*(f"PF-102,PF-12{number}" for number in range(10)), ":4"]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("rules", "HC003"), ["HC003\tGo 1.22 escapes", ":4"]),
        (("rules", "pf-103"), ["PF-103\tno dockershim", ":4"]),
        (("preflight", "--ignore-preflight-errors", "PF-102,PF-12"), PF_12),
        (("preflight", "--ignore-preflight-errors", "a"), ["all", ":4"]),
        (("plan", "-o", ""), [*FORMATS, ":4"]),
        (("plan", "--to", "v1.9.1"), ["v1.9.11", "v1.9.10", "v1.9.1", ":4"]),
        (("plan", "--to", "1.30.1"), ["1.30.14", "1.30.13", "1.30.12", "1.30.11", "1.30.10", "1.30.1", ":4"]),
        (("plan", "--to", "v1.3"), ANY_1_3),
        (("plan", "--from", "l"), ["latest", ":4"]),
        (("hash", "--kubelet", "1.9.11,la"), ["1.9.11,latest", ":4"]),
        (
            ("hash", "--kubelet", "1.9.11,1.0"),
            ["1.9.11,1.0", *(f"1.9.11,1.0.{n}" for n in reversed(PATCHES)), ":4"],
        ),
        (("plan", "-f", "x"), [":0"]),
        (("gate", "--plan", ""), [":0"]),
        (("gate", "--to", "v1.9.1"), ["v1.9.11", "v1.9.10", "v1.9.1", ":4"]),
        (("plan", "--schemas", ""), [":16"]),
        (("plan", "--request-timeout", ""), [":4"]),
        (("explain", "ns/p", "--to", "1.9.11", "--from", "au"), ["auto", ":4"]),
        (("nope", "zz"), [":4"]),
    ],
)
def test_kubectl_gets_candidates_and_a_directive(words: tuple[str, ...], answer: list[str]) -> None:
    assert list(kubectl_answer(cli, words)) == answer


def test_kubectl_s_program_answers() -> None:
    done = subprocess.run(
        [SCRIPTS / "kubectl_complete-hashcompat", "matr"], capture_output=True, text=True, check=True
    )
    first, *rest = done.stdout.splitlines()
    assert (first.partition("\t")[0], rest, done.stderr) == ("matrix", [":4"], "")


@pytest.mark.parametrize("instruction", ["bash_source", "bash_complete", "csh_complete", "1"])
def test_the_variable_of_completion_without_its_script_is_a_usage_error(
    run: Run, monkeypatch: pytest.MonkeyPatch, instruction: str
) -> None:
    monkeypatch.setenv("_HASHCOMPAT_COMPLETE", instruction)
    result = run("plan")
    assert (result.code, result.out) == (64, "")
    assert f"_HASHCOMPAT_COMPLETE={instruction} is not what the scripts" in result.err


def test_kubectl_s_program_ends_as_every_other() -> None:
    code = "from hashcompat.__main__ import complete_for_kubectl; complete_for_kubectl()"
    program = [sys.executable, "-c", code]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*program, "pl"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "Error: output: No space left on device\n")


def test_completion_without_a_shell_is_a_usage_error(run: Run) -> None:
    result = run("completion")
    assert (result.code, result.out) == (64, "")
    assert "Choose from: bash, zsh, fish\n" in result.err
