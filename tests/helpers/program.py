"""The program as a test sees it: its arguments in, its exit code and both streams out."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from hashcompat.cli import main, program

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden"
CONTAINERS = GOLDEN / "containers"
SAMPLE = ROOT / "hashcompat" / "sample" / "cluster.json"
SCRIPTS = Path(sys.executable).parent
FORMATS = ("table", "wide", "name", "json", "yaml")
"""The formats of results that have a table."""


EXAMPLES = {
    "custom-columns": "custom-columns=KIND:.kind,VERDICT:.verdict",
    "jsonpath": 'jsonpath={range .items[*]}{.verdict}{"\\n"}{end}',
}
"""The formats that take more than their name, each with it."""


def rows_in(text: str) -> list[str]:
    """Return the lines of the table in a plan for people: header and rows, of ``--group-by none``."""
    return text.split("\n\n")[1].splitlines()


def options_of(name: str) -> dict[str | None, click.Parameter]:
    """Return the options and arguments of a command, by their names in Python."""
    command = program.cli.get_command(program.cli.make_context("hashcompat", [name, "--help"]), name)
    assert command
    return {option.name: option for option in command.params}


def formats_of(name: str) -> list[str]:
    """Return the formats that a command's ``-o`` takes, each as an argument that is valid."""
    choice = options_of(name)["format"].type
    assert isinstance(choice, click.Choice)
    return [EXAMPLES.get(str(form), str(form)) for form in choice.choices]


def files_in(directory: Path) -> list[str]:
    """Return the names in a directory, hidden ones too."""
    return [path.name for path in directory.iterdir()]


OUTER = ("PYTEST_ADDOPTS", "RANDOM_SEED")
"""Settings of the outer run that one within it must not take: workers, coverage and reports, and the seed."""


def run_pytest(*arguments: str | Path, **variables: str) -> str:
    """Return what pytest prints in a fresh process, which must succeed."""
    environment = {name: value for name, value in os.environ.items() if name not in OUTER}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=ROOT,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


UNSET = ("NO_COLOR", "FORCE_COLOR", "HASHCOMPAT_DEBUG", "KUBECONFIG", "KUBERNETES_SERVICE_HOST")
"""Variables of whoever runs the tests that the program would read."""


def ran(*argv: object, stdin: bytes = b"") -> Result:
    """Run the command line in this process for several tests: what the fixture ``run`` does for one."""
    out, err = io.BytesIO(), io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        for name in UNSET:
            patch.delenv(name, raising=False)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        for name, stream in (("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, io.TextIOWrapper(stream, "utf-8", newline="", write_through=True))
        code = main._run("hashcompat", [str(argument) for argument in argv])
        return Result(int(code), out.getvalue().decode(), err.getvalue().decode())


def reports(directory: Path, forms: Sequence[str]) -> list[str]:
    """Return a --report for each format, in a file called like it.

    One run so writes what as many runs with -o print; ``cli/test_reports.py`` holds each command to that.
    """
    places = [f"{form}={directory / form.partition('=')[0]}" for form in forms]
    return [word for place in places for word in ("--report", place)]


def unplaced(items: list[Any]) -> list[Any]:
    """Return items of a plan without where they are in the input, to compare inputs of several forms."""
    return [{key: value for key, value in item.items() if key != "source"} for item in items]


def read_yaml(text: str) -> Any:
    """Return what YAML holds, read by libyaml, which is much faster than PyYAML's own reader."""
    return yaml.load(text, yaml.CSafeLoader)


@dataclass(frozen=True)
class Result:
    """What one run left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The document on stdout, JSON or YAML."""
        return json.loads(self.out) if self.out.startswith("{") else read_yaml(self.out)

    @property
    def items(self) -> list[Any]:
        """The items of the document."""
        items: list[Any] = self.document["items"]
        return items

    @property
    def item(self) -> Any:
        """The only item of the document."""
        (item,) = self.items
        return item


def spec_of(plan: Result) -> dict[str, Any]:
    """Return the spec of a plan without its source, nor the command that names it: there may be several."""
    spec: dict[str, Any] = plan.document["spec"]
    assert spec["source"]["kind"]
    tool = {key: value for key, value in spec.get("tool", {}).items() if key != "command"}
    return {**{key: value for key, value in spec.items() if key != "source"}, "tool": tool}


def said_of(plan: Result) -> list[str]:
    """Return the lines on stderr but for the commands to go on with, which name the source."""
    return [line for line in plan.err.splitlines() if not line.startswith(("Next: ", "      hashcompat "))]


Run = Callable[..., Result]
"""``run(*argv, stdin=b"", program="hashcompat")``"""
