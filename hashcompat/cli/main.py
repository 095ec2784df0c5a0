"""The program's entry, and the one place where what a command returns or raises becomes an exit code.

Imports are most of a short run, so each is made where it is first needed.
"""

from __future__ import annotations

import gc
import os
import sys

from hashcompat import __version__
from hashcompat.cli import drop_unwritable, prepare, signal_behind

TYPE_CHECKING = False  # importing typing takes longer than all of this module
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Action = Callable[[str, Sequence[str]], Any]
    """Does what a program of that name is to do with its arguments; returns an exit code or None for 0."""
    Finder = Callable[[Sequence[str]], Action]
    """Imports and returns what does as the arguments ask."""

_BETWEEN_COLLECTIONS = 100_000
"""New objects between two searches for unreachable cycles. Plans and pods have no cycles, and a search every
700 objects, which is Python's default, takes a third of the time in which a large plan is read."""


def main() -> int:
    """Run the command line and return a documented exit code."""
    is_plugin = sys.argv[0].rpartition(os.sep)[2].startswith("kubectl-")
    return _whole_process("kubectl hashcompat" if is_plugin else "hashcompat")


def complete_for_kubectl() -> int:
    """Print what kubectl asks for with the words of its command line."""
    return _whole_process("kubectl hashcompat", _asked_by_kubectl)


def _whole_process(program: str, find: Finder | None = None) -> int:
    # before the imports, which make most of the objects of a short run
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    prepare()
    try:
        return _run(program, sys.argv[1:], find)
    finally:
        drop_unwritable()


def _run(program: str, arguments: Sequence[str], find: Finder | None = None) -> int:
    """Return the exit code; every failure becomes one message of at most three lines on stderr.

    An interruption while click is imported is left to the caller: nothing can be reported by half of it.
    """
    try:
        return _reported(program, arguments, (find or _asked)(arguments))
    except BrokenPipeError:
        from hashcompat.core.errors import ExitCode

        return ExitCode.CLOSED_PIPE
    except Exception as error:
        if ended := signal_behind(error):
            raise ended from error
        raise


def _reported(program: str, arguments: Sequence[str], action: Action) -> int:
    """Run a command and report its failure; raises BrokenPipeError where nobody reads stdout or stderr."""
    try:
        result = action(program, arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a bug must not pass for a finding
        ended = signal_behind(error)
        if isinstance(ended, SystemExit):
            raise ended from None
        from hashcompat.cli.program import report_failure

        return report_failure(ended or error, program)
    return int(result or 0)


def _asked(arguments: Sequence[str]) -> Action:
    """Return what does as the arguments ask; ``--version`` alone needs no click, which takes longer."""
    if list(arguments) == ["--version"] and "_HASHCOMPAT_COMPLETE" not in os.environ:
        return _version
    from hashcompat.cli.program import called

    return called


def _asked_by_kubectl(_arguments: Sequence[str]) -> Action:
    from hashcompat.cli.program import answered

    return answered


def _version(program: str, _arguments: Sequence[str]) -> None:
    sys.stdout.write(f"{program} {__version__}\n")
