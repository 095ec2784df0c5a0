"""Printing: results to stdout, everything else to stderr, documents into files whole or not at all."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, TypeVar

import click

from hashcompat.cli import streams
from hashcompat.errors import InputError, UsageError
from hashcompat.formats import FORMATS, offered
from hashcompat.formats.json import JSON
from hashcompat.formats.model import Style, plain
from hashcompat.model.escape import printable
from hashcompat.report.model import Report
from hashcompat.sources.replacing import replacing

Result = TypeVar("Result")

STDOUT: Final = "-"
"""The value of ``--out`` that stands for standard output."""

_PIECES: Final = 1000

_ERRORS: Final = "backslashreplace"
"""How lone surrogates are written, which UTF-8 lacks."""


class Shown(Protocol):
    """How a result is shown: the options of ``args/output.py``."""

    @property
    def format(self) -> str | None:
        """The value of ``-o``; None for what is usual for the result."""

    @property
    def out(self) -> str | None:
        """Where the document is saved."""

    @property
    def no_headers(self) -> bool:
        """Whether tables go without their header."""

    @property
    def color(self) -> str:
        """``auto``, ``always`` or ``never``."""


def show(report: Report[Result], result: Result, shown: Shown) -> None:
    """Print a result in the format that is asked for, and save its document where ``--out`` says.

    With ``--out -`` the document is what goes to stdout, in place of the result. A patch has no document and
    is saved as it is. Raises UsageError for a format that cannot show it.
    """
    form = FORMATS[format_of(report, shown)]
    document = JSON if report.document else form
    paint = _paint if _has_colours(shown.color) else plain
    style = Style(not shown.no_headers, paint, streams.encoding())
    if shown.out not in (None, STDOUT):
        write_whole(Path(shown.out), document.render(report, result, Style()))
    elif shown.out == STDOUT:
        form = document
    if report.document or shown.out in (None, STDOUT):
        put = write if form.for_programs or report.raw else _write_text
        put(form.render(report, result, style))


def format_of(report: Report[Any], shown: Shown) -> str:
    """Return the name of the format that shows a result; raises UsageError where the one asked for cannot."""
    names = offered(report)
    if shown.format and shown.format not in names:
        raise UsageError(f"-o {shown.format}: {report.kind} is shown as {', '.join(names)}")
    return shown.format or names[0]


def _paint(text: str, colour: str) -> str:
    return click.style(text, fg=colour)


def _has_colours(color: str) -> bool:
    """Return whether colour is wanted: on a terminal, unless the flag or the environment says otherwise."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def write(pieces: Iterable[str]) -> None:
    """Print exact text unchanged, as UTF-8 whatever the terminal: a hashed text may hold anything."""
    for block in _blocks(pieces):
        click.echo(block.encode(errors=_ERRORS), nl=False)


def _write_text(pieces: Iterable[str]) -> None:
    """Print what people read, in the encoding of their terminal."""
    for block in _blocks(pieces):
        click.echo(block, nl=False, color=True)


def _blocks(pieces: Iterable[str]) -> Iterator[str]:
    """Yield some pieces at a time."""
    pieces = iter(pieces)
    while block := "".join(islice(pieces, _PIECES)):
        yield block


def note(message: str) -> None:
    """Print a line for people to stderr."""
    streams.say(printable(message))


def notes(report: Report[Result], result: Result, *, quiet: bool = False) -> None:
    """Print to stderr what goes with a result."""
    if not quiet:
        for line in report.notes(result):
            note(line)


def note_dropped(lines: Iterable[str]) -> None:
    """Report each dropped field once."""
    for line in dict.fromkeys(lines):
        note(f"Dropped: {line}")


def write_whole(path: Path, content: str | Iterable[str]) -> None:
    """Write a file by rename, so that a failure leaves no half of it and an old one as it was.

    A new file is for its owner alone (0600); one that replaces another keeps that one's permissions, and a
    link leads to it as before. The content is on the disk before the name is, so that a crash leaves the
    one or the other.

    Anything but a regular file (``/dev/null``, a pipe) is written to, never replaced. Where the
    name ends in ``.gz`` the content is gzipped, without a time, so that the same content gives the same
    bytes.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as stream:
                _write(stream, content, packed=path.suffix == ".gz")
            return
        path = path.resolve()
        with replacing(path) as stream:
            _write(stream, content, packed=path.suffix == ".gz")
    except OSError as error:
        raise InputError(f"{path}: cannot write: {error.strerror}") from None


def _write(stream: BinaryIO, content: str | Iterable[str], *, packed: bool) -> None:
    pieces = (piece.encode(errors=_ERRORS) for piece in ([content] if isinstance(content, str) else content))
    if not packed:
        stream.writelines(pieces)
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as archive:
        archive.writelines(pieces)
