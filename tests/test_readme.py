"""README.md is short, its commands are the ones that CI runs, and what the pages show can be typed."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import textwrap
from pathlib import Path
from typing import Final

import click
import pytest

import hashcompat
from hashcompat.cli import program
from tests.helpers.program import ROOT, SAMPLE, SCRIPTS, options_of

README: Final = (ROOT / "README.md").read_text()
PAGES: Final = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
MOST_WORDS: Final = 1400

_BLOCK: Final = re.compile(
    r"^ *(?:<!-- (?P<mark>[^>]+) -->\n *)?```(?P<language>sh|python)\n(?P<text>.*?)^ *```",
    re.DOTALL | re.MULTILINE,
)
"""A block, which may belong to an item of a list."""

RUN: Final = {"run": 0, "command: first": 0, "run: stops": 2}
"""Marks of blocks that run here, and the exit code that they end with; CI runs the commands that set up."""

BLOCKS: Final = [
    pytest.param(
        match["mark"] or "",
        match["language"],
        textwrap.dedent(match["text"]),
        id=f"{page.relative_to(ROOT)}-{number}",
        marks=pytest.mark.slow if match["mark"] in RUN else (),
    )
    for page in PAGES
    for number, match in enumerate(_BLOCK.finditer(page.read_text()), 1)
]


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= MOST_WORDS


def test_every_command_has_a_row() -> None:
    page = (ROOT / "docs" / "commands.md").read_text()
    assert [
        name for name in program.cli.list_commands(click.Context(program.cli)) if f"| `{name}" not in page
    ] == []


@pytest.mark.parametrize("page", ["README.md", "docs/commands.md"])
def test_options_named_in_a_page_exist(page: str) -> None:
    prose = re.sub(r"```.*?```|<!--.*?-->", "", (ROOT / page).read_text(), flags=re.DOTALL)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", prose))
    known = {
        option
        for name in program.cli.list_commands(click.Context(program.cli))
        for parameter in options_of(name).values()
        for option in parameter.opts
    }
    assert named - known - {"--help"} == set()


def test_every_block_of_the_readme_names_what_it_needs() -> None:
    marks = [match["mark"] for match in _BLOCK.finditer(README)]
    assert [mark for mark in marks if mark and mark.startswith("command: ")] == [
        "command: setup",
        "command: first",
        "command: test",
    ]
    assert all(mark and re.match(r"command: |needs: |run$|published: not yet$", mark) for mark in marks)


def test_what_is_not_published_fails() -> None:
    """Its addresses are below .invalid, which nobody can own (RFC 6761), and name this version."""
    (text,) = (match["text"] for match in _BLOCK.finditer(README) if match["mark"] == "published: not yet")
    lines = text.splitlines()
    assert len(lines) == 4
    assert all("releases.hashcompat.invalid/hashcompat" in line for line in lines)
    versions = re.findall(r"hashcompat[-:](\d[\w.]*?)(?:-py3|\s)", text)
    assert versions == [hashcompat.__version__] * 3


def test_the_setup_puts_the_program_on_the_path_and_plans() -> None:
    """CI runs it; what comes after the installation is a command line that the program takes."""
    (setup,) = re.findall(r"<!-- command: setup -->\n```sh\n(.+)\n```", README)
    steps = setup.split(" && ")
    assert steps[1] == ". .venv/bin/activate"
    assert steps[-1].startswith("hashcompat plan ")


def lines(text: str) -> list[list[str]]:
    """Return the words of each call of the program in a block for a shell, without its own name."""
    calls = []
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
        while "hashcompat" in words:
            words = words[words.index("hashcompat") + 1 :]
            end = next(
                (number for number, word in enumerate(words) if word and word[0] in "|&;<>()"), len(words)
            )
            calls.append(words[:end])
    return calls


@pytest.mark.parametrize(("mark", "language", "text"), BLOCKS)
def test_what_a_block_shows_can_be_typed(mark: str, language: str, text: str, tmp_path: Path) -> None:
    """Blocks that need nothing but the sample run as they are printed; the calls in others must parse."""
    if mark in RUN:
        shutil.copy(SAMPLE, tmp_path / "cluster.json")
        path = {"PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
        program_ = ["bash", "-euo", "pipefail", "-c"] if language == "sh" else ["python", "-c"]
        done = subprocess.run(
            [*program_, text],
            cwd=tmp_path,
            env=os.environ | path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == RUN[mark], done.stderr
        assert done.stdout
    elif language == "python":
        names = {
            node.attr
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "hashcompat"
        }
        assert [name for name in sorted(names) if not hasattr(hashcompat, name)] == []
    else:
        for words in lines(text):
            command, rest = called(words)
            with pytest.raises(click.exceptions.Exit) as ended:
                command.make_context(words[0], [*rest, "--help"])
            assert ended.value.exit_code == 0


def called(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that words call, and those that it gets; some have others below them."""
    command: click.Command = program.cli
    while (
        isinstance(command, click.Group)
        and words
        and words[0] in command.list_commands(click.Context(command))
    ):
        below = command.get_command(click.Context(command), words[0])
        assert below
        command, words = below, words[1:]
    assert command is not program.cli, words
    return command, words


def test_a_call_that_the_program_does_not_take_is_noticed() -> None:
    assert lines("kubectl get pods | hashcompat plan --tu 1.31 -f - > x") == [
        ["plan", "--tu", "1.31", "-f", "-"]
    ]
    command = program.cli.get_command(click.Context(program.cli), "plan")
    assert command
    with pytest.raises(click.UsageError):
        command.make_context("plan", ["--tu", "1.31", "--help"])
