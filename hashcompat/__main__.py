"""The entry of every executable, and of ``python -m hashcompat``.

Imports take most of a short run, so a Ctrl-C is handled before all of them but one. What comes before is the
start of Python itself.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_INTERRUPTED = 130
"""``ExitCode.INTERRUPTED``, which is not imported yet."""


def main() -> NoReturn:
    """Run the command line and leave with a documented exit code."""
    _leave("main")


def complete_for_kubectl() -> NoReturn:
    """Answer kubectl, which runs ``kubectl_complete-hashcompat`` with the words of the command line."""
    _leave("complete_for_kubectl")


def _leave(function: str) -> NoReturn:
    """Exit with what a function of ``cli/main.py`` returns."""
    try:
        from hashcompat import cli  # noqa: PLC0415 - an interruption is caught here

        cli.catch_signals()
        from hashcompat.cli import main as program  # noqa: PLC0415 - see above

        code = getattr(program, function)()
        cli.ignore_signals()
        import gc  # noqa: PLC0415 - see above

        # Python searches all objects for cycles several times while it exits, a fifth of a short run. No file
        # is open any more, and none of these objects has to be taken apart, because the process ends.
        gc.freeze()
    except KeyboardInterrupt:
        _say_interrupted()
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        # exit_sigint in CPython's Modules/main.c raises the signal again where it came during an exec()
        os._exit(code)
    sys.exit(code)


def _say_interrupted() -> None:
    try:  # noqa: SIM105 - contextlib is not imported yet
        os.write(2, b"\nError: interrupted\n")  # sys.stderr may be missing
    except OSError:
        pass


if __name__ == "__main__":
    main()
