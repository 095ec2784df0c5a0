"""Printing: results to stdout, everything else to stderr, documents into files whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from hashcompat.errors import InputError
from hashcompat.report.formats import printable, to_json, to_yaml

STDOUT: Final = "-"
"""The value of ``--out`` that stands for standard output."""

_PIECES: Final = 1000


@dataclass(frozen=True, slots=True)
class Output:
    """How a command's result is shown, as given on the command line."""

    format: str
    out: str | None
    no_headers: bool
    color: str

    def paint(self, text: str, colour: str) -> str:
        """Colour a text where colour is wanted: on a terminal, unless the flag or the environment says otherwise."""
        return click.style(text, fg=colour) if self._colours else text

    @property
    def _colours(self) -> bool:
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR"):
            return False
        return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()

    def show(
        self, document: Callable[[], dict[str, Any]], text: Callable[[str], str | Iterable[str]]
    ) -> None:
        """Print the result in the format asked for, and save the document where ``--out`` says.

        With ``--out -`` the document is what goes to stdout, in the result's place.

        ``text`` makes the text of the formats ``table``, ``wide`` and ``name``, or its lines.
        """
        if self.out not in (None, STDOUT):
            write_whole(Path(self.out), chain(to_json(document()), "\n"))
        if self.format == "json" or self.out == STDOUT:
            _print(chain(to_json(document()), "\n"))
        elif self.format == "yaml":
            _print(to_yaml(document()))
        else:
            lines = text(self.format)
            _print(
                f"{line}\n"
                for line in ([lines] if isinstance(lines, str) else lines)
                if line or not isinstance(lines, str)
            )


def _print(pieces: Iterable[str]) -> None:
    """Print as it is, some pieces at a time: colour was decided before, and a hashed text may hold escape sequences."""
    pieces = iter(pieces)
    while block := "".join(islice(pieces, _PIECES)):
        click.echo(block, nl=False, color=True)


def note(message: str) -> None:
    """Print a line for people to stderr."""
    click.echo(printable(message), err=True)


def note_dropped(lines: Iterable[str]) -> None:
    """Report each dropped field once."""
    for line in dict.fromkeys(lines):
        note(f"Dropped: {line}")


def write_whole(path: Path, content: str | Iterable[str]) -> None:
    """Write a file by rename, so that a failure leaves no half of it and an old one as it was.

    What is no regular file (``/dev/null``, a pipe) must not be replaced by one and is written to. Where the
    name ends in ``.gz`` the content is gzipped, without a time, so that the same content gives the same
    bytes.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as stream:
                _write(stream, content, packed=path.suffix == ".gz")
            return
        path = path.resolve()
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                _write(stream, content, packed=path.suffix == ".gz")
            Path(temporary).chmod(0o666 & ~_umask())
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot write: {error.strerror}") from None


def _write(stream: BinaryIO, content: str | Iterable[str], *, packed: bool) -> None:
    pieces = (piece.encode() for piece in ([content] if isinstance(content, str) else content))
    if not packed:
        stream.writelines(pieces)
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as archive:
        archive.writelines(pieces)


def _umask() -> int:
    """Return the process's umask, which can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
