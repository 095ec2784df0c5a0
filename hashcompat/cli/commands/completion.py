"""``hashcompat completion``: the script by which a shell completes commands, options and values."""

from __future__ import annotations

import click

from hashcompat.cli import output
from hashcompat.cli.args.declare import argument, group
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.shells import SHELLS, script


@group
class Arguments:
    """What ``completion`` is asked."""

    shell: str = argument(type=click.Choice(list(SHELLS)), required=True)


@declared(
    "completion",
    Arguments,
    short_help="Print the completion script for bash, zsh or fish.",
)
def command(given: Arguments) -> None:
    """Print the completion script of a shell, for commands, options, releases, rules and formats.

    \b
    bash:  source <(hashcompat completion bash)
    zsh:   source <(hashcompat completion zsh), after compinit
    fish:  hashcompat completion fish | source

    "kubectl hashcompat" completes without it if kubectl's own completion is set up.
    """  # noqa: D301 - click's mark of a paragraph that keeps its lines
    output.write([f"{script(given.shell, click.get_current_context().find_root().command)}\n"])
