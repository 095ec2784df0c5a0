"""Completion as kubectl asks for it; that of real shells is a suite of its own."""

from __future__ import annotations

import subprocess

import pytest

from hashcompat.cli.main import cli
from hashcompat.cli.shells import kubectl_answer
from tests.helpers.program import SCRIPTS


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("rules", "HC003"), ["HC003\tGo 1.22 escapes", ":4"]),
        (("plan", "-o", ""), ["table", "wide", "name", "json", "yaml", ":4"]),
        (("plan", "--to", "v1.9.1"), ["v1.9.11", "v1.9.10", "v1.9.1", ":4"]),
        (("plan", "-f", "x"), [":0"]),
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
