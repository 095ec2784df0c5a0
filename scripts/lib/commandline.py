"""What the scripts share that a person runs: names as arguments, and exit codes as hashcompat has them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Final, NamedTuple, NoReturn

DIFFERENT: Final = 2
"""The exit code of a comparison that found something."""

_FAILED: Final = 1
_USAGE: Final = 64


class Choice(NamedTuple):
    """What one name stands for."""

    module: str
    """The import path of the module that does it; only what is asked for is imported."""

    about: str


class Parser(argparse.ArgumentParser):
    """An argument parser whose usage errors are not mistaken for a difference."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and exit with 64."""
        self.print_usage(sys.stderr)
        self.exit(_USAGE, f"{self.prog}: {message}\n")


def parser(about: str | None, choices: Mapping[str, Choice]) -> Parser:
    """Return a parser of names, by default all of them; the help lists each with what it is."""
    width = max(map(len, choices))
    listed = "\n".join(f"  {name:{width}}  {choice.about}" for name, choice in choices.items())
    made = Parser(
        description=about,
        epilog=f"names:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    return made


def chosen(made: Parser, choices: Mapping[str, Choice], given: list[str]) -> list[str]:
    """Return the given names in the order of the table, all if none is given; exit 64 for an unknown name."""
    unknown = [name for name in given if name not in choices]
    if unknown:
        made.error(f"no such name: {', '.join(unknown)}; there are {', '.join(choices)}")
    return [name for name in choices if name in given or not given]


def failed(program: str, error: Exception) -> int:
    """Report a failure on stderr and return its exit code."""
    print(f"{program}: {error}", file=sys.stderr)
    return _FAILED
