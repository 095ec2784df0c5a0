"""The program's entry: the commands by name, and the one place where an error becomes an exit code."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from hashcompat import __version__
from hashcompat.cli import streams
from hashcompat.errors import ExitCode, HashcompatError, UsageError

_COMMANDS: Final = (
    "plan",
    "gate",
    "hash",
    "explain",
    "matrix",
    "verify",
    "patch",
    "preflight",
    "impact",
    "snapshot",
    "convert",
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

_BETWEEN_COLLECTIONS: Final = 100_000
"""New objects between two searches for unreachable cycles. Plans and pods have no cycles, and a search every
700 objects, which is Python's default, takes a third of the time in which a large plan is read."""

Action = Callable[[str, Sequence[str]], Any]
"""Does what a program of that name is to do with its arguments, and returns an exit code or None for 0."""


class _Commands(click.Group):
    """Loads a command's module when it runs, so that ``--version`` and completion stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        return _loaded(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(args[0], _COMMANDS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The commands are {', '.join(_COMMANDS)}."
            raise click.UsageError(f"No such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)


def _loaded(name: str) -> click.Command:
    """Import a command; what that makes stays until the end, so there is no garbage to look for."""
    gc.disable()
    try:
        command: click.Command = importlib.import_module(f"hashcompat.cli.commands.{name}").command
    finally:
        gc.enable()
    return command


@click.command(
    cls=_Commands,
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    no_args_is_help=True,
)
@click.version_option(__version__, "--version", message="%(prog)s %(version)s")
def cli() -> None:
    """Hold the commands together."""


def main() -> int:
    """Run the command line and return a documented exit code."""
    is_plugin = sys.argv[0].rpartition(os.sep)[2].startswith("kubectl-")
    program = "kubectl hashcompat" if is_plugin else "hashcompat"
    return _whole_process(program, _called)


def complete_for_kubectl() -> int:
    """Print what kubectl asks for with the words of its command line."""
    return _whole_process("kubectl hashcompat", _answered)


def _whole_process(program: str, action: Action) -> int:
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    streams.prepare()
    try:
        return _run(program, sys.argv[1:], action)
    finally:
        streams.drop_unwritable()


def _run(program: str, arguments: Sequence[str], action: Action | None = None) -> int:
    """Return the exit code; every failure becomes one message of at most three lines on stderr."""
    try:
        return _reported(program, arguments, action or _called)
    except BrokenPipeError:
        return ExitCode.CLOSED_PIPE


def _reported(program: str, arguments: Sequence[str], action: Action) -> int:
    """Run a command and report its failure; raises BrokenPipeError where nobody reads stdout or stderr."""
    try:
        result = action(program, arguments)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        streams.say(error.format_message())
        return ExitCode.USAGE
    except click.UsageError as error:
        return _fail(
            " ".join(error.format_message().split()),  # click lists choices one per line
            ExitCode.USAGE,
            f"\nSee '{error.ctx.command_path if error.ctx else program} --help'.",
        )
    except HashcompatError as error:
        return _fail(str(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        streams.say("")  # ends the line on which the terminal shows ^C
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        raise
    except MemoryError:
        return _fail("not enough memory for this input; give less of it at once", ExitCode.FAILED)
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
    if any(not _is_passed(argument) for argument in arguments):
        raise UsageError("an argument holds a character that no system passes: NUL, or half of a pair")
    try:
        with cli.make_context(program, list(arguments)) as context:
            return cli.invoke(context)
    except click.exceptions.Exit as end:  # --help and --version
        return end.exit_code


def _is_passed(argument: str) -> bool:
    """Return whether a process can be started with an argument, and so a file may be called like it."""
    try:
        return b"\0" not in os.fsencode(argument)
    except UnicodeEncodeError:
        return False


def _answered(_program: str, arguments: Sequence[str]) -> None:
    """Print what kubectl asks for."""
    from hashcompat.cli.shells import kubectl_answer

    click.echo("\n".join(kubectl_answer(cli, arguments)))


def _fail(message: str, code: ExitCode, hint: str = "") -> int:
    from hashcompat.model.escape import printable
    from hashcompat.shown import urls

    streams.say(f"Error: {printable(urls(message))}{hint}")
    return code


def _trace(error: BaseException) -> str:
    """Return where an error happened, without its message: that may quote what was read."""
    import traceback

    lines = ["Traceback (most recent call last):\n", *traceback.format_tb(error.__traceback__)]
    before = error.__cause__ or error.__context__
    return (f"{_trace(before)}\n\n" if before else "") + "".join(lines) + type(error).__name__


def _bug(error: Exception) -> int:
    if os.environ.get("HASHCOMPAT_DEBUG"):
        streams.say(_trace(error))
    kind = type(error).__name__
    return _fail(
        f"this is a bug in hashcompat ({kind}); HASHCOMPAT_DEBUG=1 prints where it happened", ExitCode.FAILED
    )
