"""The command line: arguments become values, and results become text and an exit code.

Only this package prints, reads the environment, and exits. ``main`` is the one place where what a command
returns or raises becomes an exit code; ``program`` finds a command's module and imports it when it runs, so
that ``--version`` waits for nothing. A command (``commands/``) is a function of one value, its arguments.
These are declared once, in groups that commands share (``args/``, by ``args/declare``). It makes a question
of them, asks the packages below, and gives the answer to ``output``, which writes each document whole or
not at all.

Imports are most of a short run. What not every command needs is imported by the function that needs it.

Here is what the program is to its process. Its signals: one that ends it unwinds it, so that temporary files
and children go, and it leaves quietly. Its three standard streams: a process may be started without some, and
may lose some while it runs.
"""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_ENCODING = "utf-8"
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SHELL = 128
"""What a shell adds to the number of a signal to make an exit code of it."""


def catch_signals() -> None:
    """Let the signals that end a program raise: KeyboardInterrupt for Ctrl-C, SystemExit for the others.

    A signal that is ignored stays ignored, as ``nohup`` and a shell's ``&`` want it.
    """
    for number in _ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _raise_once)
    sys.unraisablehook = _leave_at_once


def ignore_signals() -> None:
    """Ignore them: the result is there, and only the interpreter has to end."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


def _raise_once(number: int, _frame: FrameType | None) -> None:
    """Raise once; the next signal ends the process where it is, so that nothing can hold it."""
    for signum in _ENDING:
        if signal.getsignal(signum) != signal.SIG_IGN:
            signal.signal(signum, signal.SIG_DFL)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(_SHELL + number)


def signal_behind(error: BaseException) -> KeyboardInterrupt | SystemExit | None:
    """Return what a signal raised where an error came of it, or the error itself if it is that.

    Until Python 3.12, what is raised while a class names its attributes (``__set_name__``) becomes a
    RuntimeError (type_new_set_names in Objects/typeobject.c), and any import may be interrupted there.
    """
    before: BaseException | None = error
    while before is not None and not isinstance(before, KeyboardInterrupt | SystemExit):
        before = before.__cause__ or before.__context__
    return before


def _leave_at_once(lost: sys.UnraisableHookArgs) -> None:
    """Leave where Python would drop the exception: a signal arrived in a destructor or a weak reference."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        os._exit(_SHELL + signal.SIGINT)
    if isinstance(lost.exc_value, SystemExit):
        os._exit(int(str(lost.exc_value)))
    sys.__unraisablehook__(lost)


def prepare() -> None:
    """Make the streams usable whatever the process was started with.

    A character that their encoding lacks (a Latin-1 terminal, the C locale) is escaped, never an error.
    """
    _replace_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def encoding() -> str:
    """Return the encoding of stdout, as ``codecs`` names it."""
    return codecs.lookup(sys.stdout.encoding or _ENCODING).name


def say(text: str) -> None:
    """Print to stderr; what a full one does not take is lost, because nothing could report that.

    A CI runner obeys none of it.
    Raises BrokenPipeError where nobody reads it any more.
    """
    import click  # prepare() comes before everything, --version included, which needs neither of these

    from hashcompat.core.model.escape import disarmed

    try:
        click.echo(disarmed(f"{text}\n"), nl=False, err=True)
    except BrokenPipeError:
        raise
    except OSError:
        pass


def _replace_closed() -> None:
    """Put a stream in the place of each that was closed when the process started.

    So no file that is opened later gets the number of a standard stream. Reading and writing fail as they do
    on a closed stream; what goes to a closed stderr is lost, because nothing could report that.
    PYTHONUNBUFFERED makes stdout a raw stream, which drops what a write leaves over when the reader of a pipe
    goes: a buffered one writes the rest, and so notices.
    """
    if sys.stdin is None:
        _open_null(0, os.O_WRONLY)
        sys.stdin = open(0, encoding=_ENCODING, closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        _open_null(1, os.O_RDONLY)
        sys.stdout = open(1, "w", encoding=_ENCODING, closefd=False)  # noqa: SIM115
    elif isinstance(sys.stdout.buffer, io.RawIOBase):
        sys.stdout = open(  # noqa: SIM115
            1, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, closefd=False
        )
    if sys.stderr is None:
        _open_null(2, os.O_WRONLY)
        sys.stderr = open(2, "w", encoding=_ENCODING, closefd=False)  # noqa: SIM115


def _open_null(number: int, mode: int) -> None:
    descriptor = os.open(os.devnull, mode)
    if descriptor != number:
        os.dup2(descriptor, number)
        os.close(descriptor)


def drop_unwritable() -> None:
    """Drop what stdout and stderr cannot write, so that the last flush by the interpreter succeeds."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            try:  # noqa: SIM105 - contextlib takes longer to import than this module
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            except (OSError, ValueError):
                pass
