"""Errors, by whose fault they are, and the table of exit codes."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum

from hashcompat.core.shown import urls


class ExitCode(IntEnum):
    """Exit codes of every command; a crash (1) is never mistaken for a finding (2)."""

    OK = 0
    FAILED = 1
    FINDING = 2
    UNDECIDED = 3
    USAGE = 64
    INTERRUPTED = 130
    CLOSED_PIPE = 141
    """What a shell reports of a program that SIGPIPE ended: nobody reads its output any more."""


class HashcompatError(Exception):
    """Base of all errors that are reported as one message, without a traceback."""

    exit_code = ExitCode.FAILED
    """What a command exits with when this error ends it."""

    def __init__(self, message: str) -> None:
        """Keep a message, without user, password and query of the URLs in it."""
        super().__init__(urls(message))


class UsageError(HashcompatError):
    """The command line, or a call of the Python API, asks for something that does not exist."""

    exit_code = ExitCode.USAGE


def unknown_keyword(name: str, keywords: Collection[str]) -> UsageError:
    """Return the error of a keyword that does not exist, with the nearest one or all of them."""
    from difflib import get_close_matches  # noqa: PLC0415 - a message alone needs it

    near = get_close_matches(name, keywords, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(keywords)}"
    return UsageError(f"{name}: no such keyword; {hint}")


class InputError(HashcompatError):
    """A file, a stream or a cluster contains something that cannot be read as pods or golden data."""


class DecodeError(InputError):
    """A JSON value does not fit the Go type that a kubelet would decode it into.

    The path is built from the inside out while the error propagates, so that successful decoding costs
    nothing.
    """

    problem: str
    """What does not fit; never a value from the input, which may be secret."""
    path: str
    """Where it is, such as ``.ports[1].hostPort``, relative to the value that was being decoded."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = ""

    def within(self, step: str) -> DecodeError:
        """Prepend ``step`` (``.ports`` or ``[1]``) to the path and return the error, to be raised again."""
        self.path = step + self.path
        return self

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


class CutError(DecodeError):
    """A pod may be only the first part of one; the problem follows the path of a container of it."""

    def __str__(self) -> str:
        return f": {self.problem}"


class NotStoredError(HashcompatError):
    """A snapshot does not contain the hash that was asked for."""


class UndecidedError(DecodeError):
    """A JSON value fits its Go type, but its hashed text depends on more than the release and the value."""
