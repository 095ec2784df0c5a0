"""``hashcompat help``: what ``--help`` prints."""

from __future__ import annotations

import click

from hashcompat.cli import output
from hashcompat.cli.args.declare import argument, group
from hashcompat.cli.args.declare import command as declared


@group
class Arguments:
    """What ``help`` is asked."""

    name: str | None = argument(required=False, metavar="[COMMAND]")


@declared("help", Arguments, short_help="Show what a command does, and its options.")
def command(given: Arguments) -> None:
    """Show what a command does, and its options; without COMMAND, list all commands."""
    root = click.get_current_context().find_root()
    if given.name is None:
        output.write([f"{root.get_help()}\n"])
        return
    if not isinstance(root.command, click.Group):
        raise TypeError("help is a command of a group")
    _, found, _ = root.command.resolve_command(root, [given.name])
    if found:
        output.write([f"{found.get_help(click.Context(found, parent=root, info_name=given.name))}\n"])
