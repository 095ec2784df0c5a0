"""Options as fields of classes, and the help that shows them in groups."""

from __future__ import annotations

from typing import Annotated, ClassVar

import click
import pytest
from click.testing import CliRunner

from hashcompat.cli.args import (
    Changed,
    argument,
    changed,
    command,
    flag,
    given_flags,
    given_words,
    group,
    option,
    values_of,
)
from tests.helpers.program import Run


@group
class Below:
    HEADING: ClassVar = "Group"

    names: tuple[str, ...] = option("-n", "--name", multiple=True, help="Names.")
    level: str | None = option("--level", help="Level.")


@group
class Arguments:
    target: str | None = argument(required=False, metavar="[TARGET]")
    flag: bool = flag("--flag", help="Flag.")
    below: Annotated[Below, Changed("level", {"type": click.Choice(["a", "b"]), "default": "b"})]


def called(*argv: str) -> tuple[int, str, list[Arguments]]:
    given: list[Arguments] = []

    @command("example", Arguments, short_help="Example.")
    def example(arguments: Arguments) -> None:
        """Do it."""
        given.append(arguments)

    result = CliRunner().invoke(example, list(argv))
    return result.exit_code, result.output, given


def test_a_command_gets_one_typed_value() -> None:
    code, output, (given,) = called()
    assert (code, output, given.target, given.flag, values_of(given.below)) == (
        0,
        "",
        None,
        False,
        {"names": (), "level": "b"},
    )
    _, _, (given,) = called("t", "--flag", "-n", "x", "--name", "y", "--level", "a")
    assert (given.target, given.flag, values_of(given.below)) == (
        "t",
        True,
        {"names": ("x", "y"), "level": "a"},
    )


def test_a_value_does_not_change_but_another_can_be_made_of_it() -> None:
    given = Below(names=("x",))
    with pytest.raises(AttributeError, match="level does not change"):
        given.level = "a"  # type: ignore[misc]
    assert values_of(changed(given, level="a")) == {"names": ("x",), "level": "a"}
    assert values_of(given) == {"names": ("x",), "level": None}


def test_a_value_takes_its_own_fields_alone() -> None:
    with pytest.raises(TypeError, match="Below has no other"):
        Below(other=1)  # type: ignore[call-arg]


def test_settings_that_a_command_changes_hold() -> None:
    code, output, given = called("--level", "c")
    assert (code, given) == (2, [])
    assert "'c' is not one of 'a', 'b'" in output


def test_help_shows_groups_under_their_headings() -> None:
    _, output, _ = called("--help")
    assert [line for line in output.splitlines() if line.endswith(":")] == ["Options:", "Group:"]
    assert output.index("--flag") < output.index("Group:") < output.index("--name") < output.index("--level")


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        (
            "plan",
            "Options Releases Source Static_pods Live_cluster Scope Facts_about_the_cluster Output",
        ),
        ("hash", "Options Releases Source Static_pods Live_cluster Scope Output"),
        ("version", "Options Releases Output"),
    ],
)
def test_every_command_groups_its_options(run: Run, name: str, headings: str) -> None:
    lines = run(name, "--help").out.splitlines()
    groups = [line[:-1].replace(" ", "_") for line in lines if line.endswith(":") and line[0] != " "]
    assert groups == headings.split()


def test_the_flags_that_were_given_are_known() -> None:
    assert list(given_flags(Arguments(target="x", below=Below()))) == []
    assert list(given_flags(Arguments(flag=True, below=Below(names=("a",), level="a")))) == [
        "--flag",
        "-n",
        "--level",
    ]


def test_the_words_that_were_given_are_known() -> None:
    assert list(given_words(Arguments(target="x", below=Below()))) == []
    given = Arguments(flag=True, below=Below(names=("a b", "-c"), level="a"))
    assert list(given_words(given)) == ["--flag", "-n", "a b", "-n", "-c", "--level", "a"]
