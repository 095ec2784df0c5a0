"""``hashcompat help``."""

from __future__ import annotations

from hashcompat.cli.program import cli
from tests.helpers.program import Run


def test_help_is_what_the_flag_prints(run: Run) -> None:
    assert run("help") == run("--help")
    for name in cli.list_commands(cli.make_context("hashcompat", ["help"])):
        assert run("help", name) == run(name, "--help")


def test_help_of_a_part_of_a_command(run: Run) -> None:
    assert run("help", "normalize", "apply") == run("normalize", "apply", "--help")
    result = run("help", "plan", "apply")
    assert (result.code, "plan has no parts, such as 'apply'" in result.err) == (64, True)


def test_help_of_an_unknown_command_is_a_usage_error(run: Run) -> None:
    result = run("help", "expl")
    assert (result.code, result.out) == (64, "")
    assert "No such command 'expl'. Did you mean explain?" in result.err
