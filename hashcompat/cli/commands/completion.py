"""``hashcompat completion``: the script by which a shell completes commands, options and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import click
from click.shell_completion import get_completion_class

from hashcompat.cli import output
from hashcompat.cli.args.declare import argument
from hashcompat.cli.args.declare import command as declared

_NAME: Final = "hashcompat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What ``completion`` is asked."""

    shell: str = argument(type=click.Choice(["bash", "zsh", "fish"]), required=True)


@declared(
    "completion",
    Arguments,
    short_help="Print the script by which bash, zsh or fish complete commands, options and values.",
)
def command(given: Arguments) -> None:
    """Print the script by which a shell completes commands, options, releases, rules and formats.

    \b
    bash:  source <(hashcompat completion bash)
    zsh:   source <(hashcompat completion zsh), after compinit
    fish:  hashcompat completion fish | source

    kubectl completes "kubectl hashcompat" by itself, where its own completion is set up.
    """  # noqa: D301 - click's mark of a paragraph that keeps its lines
    root = click.get_current_context().find_root().command
    made = get_completion_class(given.shell)
    if made:
        output.write([f"{made(root, {}, _NAME, f'_{_NAME.upper()}_COMPLETE').source()}\n"])
