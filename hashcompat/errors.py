"""Errors by whose fault they are, and the one table of exit codes."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every command; a crash (1) can never pass for a finding (2)."""

    OK = 0
    FAILED = 1
    FINDING = 2
    UNDECIDED = 3
    USAGE = 64
    INTERRUPTED = 130


class HashcompatError(Exception):
    """Base of all errors that are reported as one clear message, without a traceback."""

    exit_code = ExitCode.FAILED


class UsageError(HashcompatError):
    """The command line or a call of the Python API asks for something that does not exist."""

    exit_code = ExitCode.USAGE


class InputError(HashcompatError):
    """A file, a stream or a cluster holds something that cannot be read as pods or golden data."""


class DecodeError(InputError):
    """A JSON value does not fit the Go type that a kubelet would decode it into.

    ``path`` is grown from the inside out while the error travels up, so that decoding pays nothing for it.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = ""

    def within(self, step: str) -> DecodeError:
        """Put ``step`` (``.ports`` or ``[1]``) before the path and return the error for re-raising."""
        self.path = step + self.path
        return self

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


class NotStoredError(HashcompatError):
    """A snapshot was asked for a hash that it does not hold."""


class UndecidedError(DecodeError):
    """A JSON value fits its Go type, but what the kubelet prints of it depends on more than the release and the value."""
