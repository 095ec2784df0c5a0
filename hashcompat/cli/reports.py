"""Where results go besides the terminal: each report into its file, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.errors import InputError, UsageError
from hashcompat.formats import FORMATS, chosen
from hashcompat.formats.model import Format
from hashcompat.report.model import Report

STDOUT: Final = "-"
"""The path that stands for standard output."""


class Destination(msgspec.Struct, frozen=True):
    """One report: a format and where it goes."""

    form: str
    """The format, as ``-o`` takes it."""
    path: str
    """A file, or ``-``."""


def destination(text: str) -> Destination:
    """Return what ``FORMAT=PATH`` names; a format that takes something ends at the last ``=``.

    Raises UsageError for an unknown format, and where there is no path.
    """
    name = text.partition("=")[0]
    takes = FORMATS[name].takes if name in FORMATS else ""
    form, _, path = text.rpartition("=") if takes else text.partition("=")
    if name in FORMATS and (not form or not path or (takes and form == name)):
        raise UsageError(f"--report {text!r}: want {name}={f'{takes}=' if takes else ''}PATH")
    chosen(form or name)
    return Destination(form, path)


def check_apart(out: str | None, reports: Iterable[Destination]) -> None:
    """Raise UsageError where two documents go to one place, links and other spellings of it included."""
    seen: dict[str, str] = {}
    for path in [*([out] if out else []), *(report.path for report in reports)]:
        place = STDOUT if path == STDOUT else os.path.realpath(path)
        if place in seen:
            what = "standard output" if path == STDOUT else path
            raise UsageError(f"{what}: two reports cannot go to one place; give each its own")
        seen[place] = path


def check_places(paths: Iterable[str]) -> None:
    """Raise InputError for a place where no file can be written, as far as that is known beforehand."""
    for path in paths:
        if path != STDOUT and (problem := _problem(Path(path))):
            raise InputError(f"{path}: cannot write: {problem}")


def _problem(path: Path) -> str:
    """Return why no file can be there; empty where nothing speaks against it."""
    if path.is_dir():
        return "it is a directory"
    if path.exists() and not path.is_file():
        return ""  # a pipe or device is written to, not replaced
    parent = path.resolve().parent
    if not parent.is_dir():
        return f"{parent} is not a directory"
    return "" if os.access(parent, os.W_OK | os.X_OK) else f"no permission in {parent}"


def add_summaries(forms: Iterable[Format], report: Report[Any], result: Any) -> None:
    """Add the summary of each format that has one to the file that its variable of the environment names.

    The file is replaced whole, with what was in it, so that no half summary is left. Raises InputError.
    """
    for form in dict.fromkeys(forms):
        name = os.environ.get(form.summary_in) if form.summary_in else None
        if name:
            _add(Path(name).resolve(), form.summary(report, result), form.summary_in)


def _add(path: Path, pieces: Iterator[str], variable: str) -> None:
    from hashcompat.sources.replacing import replacing  # for --out and --report

    try:
        before = path.read_bytes() if path.exists() else b""
        with replacing(path) as stream:
            stream.write(before)
            stream.writelines(piece.encode(errors="backslashreplace") for piece in pieces)
    except OSError as error:
        raise InputError(f"{variable}: {path}: cannot write: {error.strerror}") from None
