"""What of a failure the user sees: one message on stderr, and an exit code."""

from __future__ import annotations

import os

import click

from hashcompat.cli import streams
from hashcompat.errors import ExitCode, HashcompatError
from hashcompat.model.escape import printable
from hashcompat.shown import urls


def report(error: BaseException, program: str) -> ExitCode:
    """Report an error in a message of at most three lines, and return the exit code.

    Raises BrokenPipeError where nobody reads stderr.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        streams.say(error.format_message())
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
        streams.say("")  # ends the line on which the terminal shows ^C
        return _fail("interrupted", ExitCode.INTERRUPTED)
    if isinstance(error, MemoryError):
        return _fail("not enough memory for this input; give less of it at once", ExitCode.FAILED)
    if isinstance(error, OSError):
        return _fail(f"{error.filename or 'output'}: {error.strerror}", ExitCode.FAILED)
    return _bug(error)


def _fail(message: str, code: ExitCode, hint: str = "") -> ExitCode:
    streams.say(f"Error: {printable(urls(message))}{hint}")
    return code


def _trace(error: BaseException) -> str:
    """Return where an error happened, without its message: that may quote what was read."""
    import traceback

    lines = ["Traceback (most recent call last):\n", *traceback.format_tb(error.__traceback__)]
    before = error.__cause__ or error.__context__
    return (f"{_trace(before)}\n\n" if before else "") + "".join(lines) + type(error).__name__


def _bug(error: BaseException) -> ExitCode:
    if os.environ.get("HASHCOMPAT_DEBUG"):
        streams.say(_trace(error))
    kind = type(error).__name__
    return _fail(
        f"this is a bug in hashcompat ({kind}); HASHCOMPAT_DEBUG=1 prints where it happened", ExitCode.FAILED
    )
