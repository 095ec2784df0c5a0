"""``hashcompat help``, ``completion`` and ``collector``: what prints a text of the program's own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from hashcompat.cli import output
from hashcompat.cli.args import argument, group, option
from hashcompat.cli.args import command as declared
from hashcompat.cli.shells import SHELLS, script
from hashcompat.core.errors import UsageError


@group
class HelpArguments:
    """What ``help`` is asked."""

    names: tuple[str, ...] = argument(nargs=-1, metavar="[COMMAND [PART]]")


@declared("help", HelpArguments, short_help="Show what a command does, and its options.")
def help_command(arguments: HelpArguments) -> None:
    """Show what a command does, and its options; without COMMAND, list all commands."""
    context = click.get_current_context().find_root()
    for name in arguments.names:
        if not isinstance(context.command, click.Group):
            raise UsageError(f"{context.info_name} has no parts, such as {name!r}")
        _, target, _ = context.command.resolve_command(context, [name])
        if target:
            context = click.Context(target, parent=context, info_name=name)
    output.write([f"{context.get_help()}\n"])


@group
class CompletionArguments:
    """What ``completion`` is asked."""

    shell: str = argument(type=click.Choice(list(SHELLS)), required=True)


@declared(
    "completion",
    CompletionArguments,
    short_help="Print the completion script for bash, zsh or fish.",
)
def completion_command(arguments: CompletionArguments) -> None:
    """Print the completion script of a shell, for commands, options, releases, rules and formats.

    \b
    bash:  source <(hashcompat completion bash)
    zsh:   source <(hashcompat completion zsh), after compinit
    fish:  hashcompat completion fish | source

    "kubectl hashcompat" completes without it if kubectl's own completion is set up.
    """  # noqa: D301 - click's mark of a paragraph that keeps its lines
    output.write([f"{script(arguments.shell, click.get_current_context().find_root().command)}\n"])


_SWITCH: Final = "\nWANTED=records\n"
"""The line of the script that says how much it reads."""


@group
class CollectorArguments:
    """What ``collector`` is asked."""

    preflight: bool = option(
        "--preflight", is_flag=True, help="Also collect what hashcompat preflight checks."
    )


@declared(
    "collector",
    CollectorArguments,
    short_help="Print a shell script that collects recorded hashes on a node.",
)
def collector_command(arguments: CollectorArguments) -> None:
    """Print a POSIX shell script for nodes without Python; its output is what --recorded reads.

    With --preflight, the output is also what hashcompat preflight --dump reads.

    hashcompat collector | ssh NODE sudo sh > NODE.json
    """
    script = Path(__file__).resolve().parents[2] / "collector" / "collect.sh"
    text = script.read_text(encoding="utf-8")
    output.write([text.replace(_SWITCH, "\nWANTED=preflight\n", 1) if arguments.preflight else text])
