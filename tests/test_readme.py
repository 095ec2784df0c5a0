"""What README.md shows is what the program prints, and its commands are the ones that CI runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
CAPTURES = re.findall(r"<!-- output: (.+?) -->\n```\n(.*?)\n```", README, re.DOTALL)


def hashcompat(arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "hashcompat"]
    return subprocess.run(
        [*program, *arguments.split()], capture_output=True, text=True, check=True, cwd=ROOT
    )


@pytest.mark.parametrize(("arguments", "shown"), CAPTURES, ids=[arguments for arguments, _ in CAPTURES])
def test_captures_are_real(arguments: str, shown: str) -> None:
    assert hashcompat(arguments).stdout.rstrip("\n").splitlines() == shown.splitlines()


def test_there_are_captures() -> None:
    assert {arguments.split()[0] for arguments, _ in CAPTURES} == {"plan", "explain"}


def test_every_command_is_in_the_readme() -> None:
    commands = re.findall(r"^  (\w+) ", hashcompat("--help").stdout.partition("Commands:")[2], re.MULTILINE)
    assert [command for command in commands if f"| `{command}" not in README] == []


def test_options_named_in_the_readme_exist() -> None:
    helps = "".join(
        hashcompat(f"{command} --help").stdout
        for command in (
            "plan",
            "hash",
            "explain",
            "verify",
            "patch",
            "releases",
            "collector",
            "preflight",
            "gate",
            "impact",
        )
    )
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", re.sub(r"```sh.*?```", "", README, flags=re.DOTALL)))
    assert {option for option in named if option not in helps} == set()


@pytest.mark.parametrize("name", ["setup", "test"])
def test_commands_for_ci_are_marked(name: str) -> None:
    assert len(re.findall(rf"<!-- command: {name} -->\n```sh\n.+\n```", README)) == 1
