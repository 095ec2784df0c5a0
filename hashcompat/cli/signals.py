"""Signals that end the program: it unwinds, so that temporary files and children go, and leaves quietly."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SHELL = 128
"""What a shell adds to the number of a signal to make an exit code of it."""


def catch() -> None:
    """Let the signals that end a program raise: KeyboardInterrupt for Ctrl-C, SystemExit for the others.

    A signal that is ignored stays ignored, as ``nohup`` and a shell's ``&`` want it.
    """
    for number in _ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _raise)
    sys.unraisablehook = _leave_at_once


def ignore() -> None:
    """Ignore these signals: the result is there, and only the interpreter has to end."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


def _raise(number: int, _frame: FrameType | None) -> None:
    """Raise once; the next signal ends the process where it is, so that nothing can hold it."""
    for other in _ENDING:
        if signal.getsignal(other) != signal.SIG_IGN:
            signal.signal(other, signal.SIG_DFL)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(_SHELL + number)


def _leave_at_once(lost: sys.UnraisableHookArgs) -> None:
    """Leave where Python would drop the exception: a signal arrived in a destructor or a weak reference."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        os._exit(_SHELL + signal.SIGINT)
    if isinstance(lost.exc_value, SystemExit):
        os._exit(int(str(lost.exc_value)))
    sys.__unraisablehook__(lost)
