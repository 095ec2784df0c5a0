"""A value that is empty, as of a variable that is not set, is refused, and so is a second one."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from hashcompat.cli import program
from tests.helpers.program import Run

EMPTY = "--allowed-unsafe-sysctls"
"""The option whose empty value means something."""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield the commands with the words that name them, those below others included."""
    for name in program._COMMANDS:
        command = program._loaded(name)
        yield name, command
        yield from ((f"{name} {part}", below) for part, below in getattr(command, "parts", {}).items())


COMMANDS = dict(commands())


def with_value(command: click.Command) -> Iterator[click.Option]:
    """Yield the options of a command that take a value."""
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_flag:
            yield parameter


@pytest.mark.parametrize("name", COMMANDS)
def test_an_empty_value_of_an_option_is_refused(run: Run, name: str) -> None:
    for option in with_value(COMMANDS[name]):
        flag = option.opts[0]
        for words in ((flag, ""), (option.opts[-1] + "=",)) if flag.startswith("--") else ((flag, ""),):
            result = run(*name.split(), *words)
            if flag == EMPTY:
                assert "the value is empty" not in result.err
                continue
            assert (result.code, result.out) == (64, ""), words
            assert result.err.startswith(f"Error: {flag}: the value is empty; "), words
            assert ", or leave the option out\n" in result.err, words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("gate", "--plan", ""), "--plan: the value is empty; name a file, or leave the option out"),
        (("gate", "--node", "n", "--node", ""), "--node: the value is empty; name a node, or leave"),
        (("plan", "--from", ""), "--from: the value is empty; name a release, or leave the option out"),
        (("plan", "-f", ""), "-f: the value is empty; name a file, or leave the option out"),
        (("plan", "--filename="), "-f: the value is empty; name a file, or leave the option out"),
        (("plan", "--static-pod-dir", ""), "--static-pod-dir: the value is empty; name a directory, or"),
        (("plan", "--owner", ""), "--owner: the value is empty; give one, or leave the option out"),
        (("convert", ""), "FILE: the value is empty; name a file\n"),
        (("diff", "1.31", ""), "FILE|RELEASE: the value is empty; name a file\n"),
        (("report", ""), "DIR: the value is empty; name a directory\n"),
        (("fleet", "", "--to", "1.31"), "SOURCE...: the value is empty; give one\n"),
        (("normalize", "apply", ""), "FILE: the value is empty; name a file\n"),
        (("rules", "HC001", ""), "RULE...: the value is empty; give one, or leave it out"),
        (("verify", ""), "PATH...: the value is empty; give one, or leave it out"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_the_error_of_an_empty_value_says_what_to_do(run: Run, words: tuple[str, ...], says: str) -> None:
    result = run(*words)
    assert (result.code, result.out) == (64, "")
    assert says in result.err


def test_an_empty_list_of_sysctls_means_none(run: Run) -> None:
    assert run("plan", "--from", "1.30", "--to", "1.31", "--sample", EMPTY, "").code == 0


def test_help_comes_before_an_empty_value(run: Run) -> None:
    result = run("plan", "--out", "", "--help")
    assert (result.code, result.err) == (0, "")


def value_of(option: click.Option) -> str:
    """Return a value that the option's type takes."""
    if isinstance(option.type, click.Choice):
        return str(option.type.choices[0])
    return "2" if isinstance(option.type, click.IntRange) else "x"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_second_value_of_an_option_that_takes_one_is_refused(run: Run, name: str) -> None:
    command = COMMANDS[name]
    required = [
        "x" for parameter in command.params if isinstance(parameter, click.Argument) and parameter.required
    ]
    for option in with_value(command):
        if option.multiple:
            continue
        flag, value = option.opts[0], value_of(option)
        result = run(*name.split(), *required, flag, value, option.opts[-1], value)
        assert (result.code, result.out) == (64, ""), flag
        assert result.err == f"Error: {flag} is given twice; give it once\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("gate", "--plan", "x", "--plan=y"), "--plan is given twice; give it once"),
        (("plan", "--from", "1", "--to", "1.9", "--to", "1.10", "--to=1.11"), "--to is given 3 times; give"),
        (("plan", "-o", "json", "-oyaml"), "-o is given twice; give it once"),
        (("plan", "-o", "json", "--output=yaml"), "-o is given twice; give it once"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_the_error_of_a_second_value_names_the_option(run: Run, words: tuple[str, ...], says: str) -> None:
    result = run(*words)
    assert (result.code, result.out) == (64, "")
    assert says in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("--sample", "--sample", "-q", "-q", "--no-headers", "--no-headers"),
        ("--sample", "-n", "shop", "-n", "data", "-n", "data"),
        ("--sample", "--feature-gates", "SidecarContainers=true", "--feature-gates", "AppArmor=true"),
    ],
    ids=["flags", "scope", "gates"],
)
def test_flags_and_repeatable_options_may_be_given_again(run: Run, words: tuple[str, ...]) -> None:
    assert run("plan", "--from", "1.30", "--to", "1.31", *words).code == 0


def test_help_comes_before_a_second_value(run: Run) -> None:
    result = run("plan", "--out", "x", "--out", "y", "--help")
    assert (result.code, result.err) == (0, "")


def test_the_command_line_overrides_a_variable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HASHCOMPAT_GATE_MAX_RESTARTS", "0")
    argv = ("gate", "--from", "1.30", "--to", "1.31", "--sample", "--fail-on", "restart", "-q")
    assert run(*argv).code == 2
    assert run(*argv, "--max-restarts", "99").code == 0
