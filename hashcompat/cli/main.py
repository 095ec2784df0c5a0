"""The program's entry: the commands by name, and the one place where an error becomes an exit code."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from hashcompat import __version__
from hashcompat.cli import streams
from hashcompat.errors import ExitCode, HashcompatError
from hashcompat.formats.escape import printable

_COMMANDS: Final = (
    "plan",
    "hash",
    "explain",
    "matrix",
    "verify",
    "patch",
    "snapshot",
    "collector",
    "rbac",
    "releases",
    "rules",
    "completion",
    "help",
    "version",
)

_HELP: Final = """Predict which containers a kubelet upgrade kills and recreates, and why.

    hashcompat plan --from 1.7.16 --to 1.9.11 --sample

Exit codes: 0 done, 1 failed, 2 finding, 3 undecided, 64 usage error, 130 interrupted.
"""


class _Commands(click.Group):
    """Loads a command's module when it runs, so that ``--version`` and completion stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"hashcompat.cli.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(args[0], _COMMANDS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The commands are {', '.join(_COMMANDS)}."
            raise click.UsageError(f"No such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=_Commands,
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    no_args_is_help=True,
)
@click.version_option(__version__, "--version", message="%(prog)s %(version)s")
def cli() -> None:
    """Hold the commands together."""


def main() -> NoReturn:
    """Run the command line and leave with a documented exit code."""
    program = "kubectl hashcompat" if Path(sys.argv[0]).name.startswith("kubectl-") else "hashcompat"
    streams.replace_closed()
    code = _run(program, sys.argv[1:])
    streams.drop_unwritable()
    sys.exit(code)


def _run(program: str, arguments: Sequence[str]) -> int:
    """Return the exit code; every failure becomes one message of at most three lines on stderr."""
    try:
        return _reported(program, arguments)
    except BrokenPipeError:
        return ExitCode.CLOSED_PIPE


def _reported(program: str, arguments: Sequence[str]) -> int:
    """Run a command and report its failure; raises BrokenPipeError where nobody reads stdout or stderr."""
    try:
        result = _called(program, arguments)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return ExitCode.USAGE
    except click.UsageError as error:
        return _fail(
            error.format_message(),
            ExitCode.USAGE,
            f"\nSee '{error.ctx.command_path if error.ctx else program} --help'.",
        )
    except HashcompatError as error:
        return _fail(str(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo(err=True)  # ends the line on which the terminal shows ^C
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _fail(f"{error.filename or 'output'}: {error.strerror}", ExitCode.FAILED)
    except Exception as error:  # noqa: BLE001 - a bug must not pass for a finding
        return _bug(error)
    return int(result or ExitCode.OK)


def _called(program: str, arguments: Sequence[str]) -> Any:
    """Return what the command returns; click's own ``main`` would make exit code 1 of a closed pipe."""
    if instruction := os.environ.get("_HASHCOMPAT_COMPLETE"):
        from hashcompat.cli import shells

        click.echo(shells.answer(instruction, cli))
        return ExitCode.OK
    try:
        with cli.make_context(program, list(arguments)) as context:
            return cli.invoke(context)
    except click.exceptions.Exit as end:  # --help and --version
        return end.exit_code


def complete_for_kubectl() -> NoReturn:
    """Answer kubectl, which runs ``kubectl_complete-hashcompat`` with the words of the command line."""
    from hashcompat.cli.shells import kubectl_answer

    click.echo("\n".join(kubectl_answer(cli, sys.argv[1:])))
    sys.exit(0)


def _fail(message: str, code: ExitCode, hint: str = "") -> int:
    click.echo(f"Error: {printable(message)}{hint}", err=True)
    return code


def _bug(error: Exception) -> int:
    if os.environ.get("HASHCOMPAT_DEBUG"):
        traceback.print_exception(error)
    kind = type(error).__name__
    return _fail(
        f"this is a bug in hashcompat ({kind}); HASHCOMPAT_DEBUG=1 prints where it happened", ExitCode.FAILED
    )
