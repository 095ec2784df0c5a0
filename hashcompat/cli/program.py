"""The commands by name, how one of them is called, and what of a failure the user sees."""

from __future__ import annotations

import gc
import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from hashcompat import __version__
from hashcompat.cli import say
from hashcompat.core.errors import ExitCode, HashcompatError, UsageError
from hashcompat.core.model.escape import printable
from hashcompat.core.shown import urls

_GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Plan an upgrade": {
        "plan": "",
        "impact": "questions",
        "preflight": "",
        "matrix": "questions",
        "fleet": "",
    },
    "Judge it and carry it out": {"gate": "", "normalize": "", "patch": ""},
    "Look closer": {
        "explain": "questions",
        "diff": "saved",
        "hash": "questions",
        "verify": "questions",
        "rules": "releases",
    },
    "Data and reports": {
        "snapshot": "saved",
        "convert": "saved",
        "report": "saved",
        "collector": "about",
        "rbac": "releases",
        "releases": "",
        "mcp": "about",
    },
    "This program": {"help": "about", "version": "releases", "completion": "about"},
}
"""The commands in the order of ``--help``, each with the module that it shares; empty for one of its own."""
_COMMANDS: Final[Mapping[str, str]] = {
    name: module for commands in _GROUPS.values() for name, module in commands.items()
}
_HELP: Final = """Predict which containers a kubelet upgrade kills and recreates, and why.

    hashcompat plan --from 1.7.16 --to 1.9.11 --sample

Exit codes: 0 done, 1 failed, 2 finding, 3 undecided, 64 usage error, 130 interrupted.
"""


class _Commands(click.Group):
    """Loads a command's module when it runs, so that no command waits for the others'."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        return _loaded(cmd_name) if cmd_name in _COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under what they are for; what each does is in columns of one width."""
        longest = max(map(len, _COMMANDS))
        for title, names in _GROUPS.items():
            loaded = {name: self.get_command(ctx, name) for name in names}
            limit = formatter.width - 6 - longest
            rows = [
                (f"{name:<{longest}}", command.get_short_help_str(limit))
                for name, command in loaded.items()
                if command
            ]
            with formatter.section(title):
                formatter.write_dl(rows)

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
        shared = _COMMANDS[name]
        module = importlib.import_module(f"hashcompat.cli.commands.{shared or name}")
        command: click.Command = getattr(module, f"{name}_command" if shared else "command")
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


def called(program: str, arguments: Sequence[str]) -> Any:
    """Return what the command returns; click's own ``main`` would make exit code 1 of a closed pipe."""
    if instruction := os.environ.get("_HASHCOMPAT_COMPLETE"):
        from hashcompat.cli.completion import answer

        click.echo(answer(instruction, cli))
        return ExitCode.OK
    if any(not _is_passed(argument) for argument in arguments):
        raise UsageError("invalid argument: contains NUL or an unpaired surrogate")
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


def answered(_program: str, arguments: Sequence[str]) -> None:
    """Print what kubectl asks for."""
    from hashcompat.cli.completion import kubectl_answer

    click.echo("\n".join(kubectl_answer(cli, arguments)))


def report_failure(error: BaseException, program: str) -> ExitCode:
    """Report an error in a message of at most three lines, and return the exit code.

    Raises BrokenPipeError where nobody reads stderr.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.format_message())
        return ExitCode.USAGE
    if isinstance(error, click.UsageError):
        return _fail(
            " ".join(error.format_message().split()),  # click lists choices one per line
            ExitCode.USAGE,
            f"\nSee '{error.ctx.command_path if error.ctx else program} --help'.",
        )
    if isinstance(error, HashcompatError):
        return _fail(str(error), error.exit_code)
    if isinstance(error, click.Abort | KeyboardInterrupt):
        say("")  # ends the line on which the terminal shows ^C
        return _fail("interrupted", ExitCode.INTERRUPTED)
    if isinstance(error, MemoryError):
        return _fail("not enough memory for this input; give less of it at once", ExitCode.FAILED)
    if isinstance(error, OSError):
        why = error.strerror or str(error) or type(error).__name__
        return _fail(f"{error.filename or 'output'}: {why}", ExitCode.FAILED)
    if os.environ.get("HASHCOMPAT_DEBUG"):
        say(_trace(error))
    kind = type(error).__name__
    return _fail(
        f"this is a bug in hashcompat ({kind}); HASHCOMPAT_DEBUG=1 prints where it happened", ExitCode.FAILED
    )


def _fail(message: str, code: ExitCode, hint: str = "") -> ExitCode:
    say(f"Error: {printable(urls(message))}{hint}")
    return code


def _trace(error: BaseException) -> str:
    """Return where an error happened, without its message: that may quote what was read."""
    import traceback

    lines = ["Traceback (most recent call last):\n", *traceback.format_tb(error.__traceback__)]
    before = error.__cause__ or error.__context__
    return (f"{_trace(before)}\n\n" if before else "") + "".join(lines) + type(error).__name__
