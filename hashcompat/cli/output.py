"""Printing: results to stdout, everything else to stderr, documents into files whole or not at all.

Beside the result itself, each report goes to its own file, and no two to one place.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol, TypeVar

import click
import msgspec
from msgspec import structs

from hashcompat import cli
from hashcompat.cli import progress
from hashcompat.core.errors import ExitCode, InputError, UsageError
from hashcompat.core.model.escape import is_obeyed_unescaped, printable
from hashcompat.core.shown import urls
from hashcompat.output.formats import FORMATS, chosen, offered
from hashcompat.output.formats.model import Format, Style, plain, width_of
from hashcompat.output.report.model import Report, Screen

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


def places(out: str | None, reports: Iterable[Destination]) -> list[tuple[str, str]]:
    """Return where results go, each with its flag."""
    return [*([("--out", out)] if out else []), *(("--report", report.path) for report in reports)]


def check_apart(out: str | None, reports: Iterable[Destination]) -> None:
    """Raise UsageError where two documents go to one place, links and other spellings of it included."""
    seen: dict[str, str] = {}
    for _, path in places(out, reports):
        place = STDOUT if path == STDOUT else os.path.realpath(path)
        if place in seen:
            what = "standard output" if path == STDOUT else path
            raise UsageError(f"{what}: two reports cannot go to one place; give each its own")
        seen[place] = path


def check_kept(
    written: Iterable[tuple[str, str]], read: Sequence[tuple[str, str]], *, recursive: bool
) -> None:
    """Raise UsageError for a place that is a file which is read, or one of a directory of ``-f``.

    Both are pairs of a flag and what it names. A saved result in such a directory may be made again: it holds
    no pods that are read.
    """
    for flag, place in written:
        path = Path(place)
        if place == STDOUT or not path.is_file():
            continue
        for of, name in read:
            # a URL may be too long for the name of a file
            is_same = name != STDOUT and os.path.exists(name) and path.samefile(name)  # noqa: PTH110
            if is_same or (of == "-f" and _is_in(path, name, recursive=recursive)):
                which = f" ({of})" if of else ""
                raise UsageError(f"{flag} {place}: that is the input{which}; choose another file")


def _is_in(path: Path, directory: str, *, recursive: bool) -> bool:
    """Return whether a file is read as one of a directory's."""
    from hashcompat.sources.content import Plain
    from hashcompat.sources.files.layouts import is_read

    where = path.resolve().parent
    folders = (where, *where.parents) if recursive else (where,)
    if not (is_read(path.name) and os.path.isdir(directory) and Path(directory).resolve() in folders):  # noqa: PTH112
        return False
    with path.open("rb") as stream:
        start = Plain(stream).read(100)  # within which a saved result says what it is
    return b"hashcompat.io/" not in start or b"ClusterSnapshot" in start


def check_places(paths: Iterable[str]) -> None:
    """Raise InputError for a place where no file can be written, as far as that is known beforehand."""
    for path in paths:
        if path != STDOUT and (problem := _problem(path)):
            raise InputError(f"{path}: cannot write: {problem}")


def _problem(name: str) -> str:
    """Return why no file can be there; empty where nothing speaks against it."""
    path = Path(name)
    if name.endswith("/"):  # which a path does not show
        return "it names a directory; add the name of a file"
    if "://" in name and not path.parent.is_dir():
        return "a URL; name a file, which other programs can upload"
    if path.is_dir():
        return "it is a directory"
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return ""  # a pipe or device is written to, not replaced
    except FileNotFoundError:
        pass  # a new file, perhaps behind a link
    except OSError as error:  # links in a circle, a name that is too long
        return str(error.strerror)
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
        if not name:
            continue
        from hashcompat.sources.content import replacing  # for --out and --report

        path = Path(os.path.realpath(name))
        try:
            before = path.read_bytes() if path.exists() else b""
            with replacing(path) as stream:
                stream.write(before)
                pieces = form.summary(report, result)
                stream.writelines(piece.encode(errors=_ERRORS) for piece in pieces)
        except OSError as error:
            raise InputError(f"{form.summary_in}: {path}: cannot write: {error.strerror}") from None


Result = TypeVar("Result")
_PIECES: Final = 1000
_ERRORS: Final = "backslashreplace"
"""How lone surrogates are written, which UTF-8 lacks."""


class Shown(Protocol):
    """How a result is shown: the options of ``args/common.py``."""

    @property
    def format(self) -> str | None:
        """The value of ``-o``; None for what is usual for the result."""

    @property
    def out(self) -> str | None:
        """Where the document is saved."""

    @property
    def reports(self) -> Sequence[Destination]:
        """Which reports are written, each into a file of its own."""

    @property
    def no_headers(self) -> bool:
        """Whether tables go without their header."""

    @property
    def color(self) -> str:
        """``auto``, ``always`` or ``never``."""


def show(report: Report[Result], result: Result, shown: Shown, below: Iterable[str] = ()) -> None:
    """Print a result in the format that is asked for, and write its reports, the document of ``--out`` first.

    ``below`` is what will be printed after it, on lines of the same screen. A report for ``-`` is what goes
    to stdout, in place of the result. A patch has no document and is saved as it is. Raises errors as
    ``ready``, and InputError once all others are written where one could not be.
    """
    ready(report, shown)
    if sys.stdout.isatty():
        progress.current().end()
    progress.current().stage("Making the report")
    reports = _reports(report, shown)
    style = Style(not shown.no_headers, screen=_screen(below), encoding=cli.encoding())
    _save(report, result, reports, style)
    # a report for - goes to stdout in place of the result, so that a pipe gets one document
    printed = [place.form for place in reports if place.path == STDOUT]
    form, argument = chosen(printed[0] if printed else shown.format or offered(report)[0])
    if report.document or printed or shown.out is None:
        paint = click.style if _has_colours(shown.color) else plain
        put = write if form.for_programs or report.raw else _write_text
        # nothing of an exact text may be escaped, so one that a CI runner would obey is refused
        if form.exact and report.raw and any(map(is_obeyed_unescaped, report.raw(result))):
            raise InputError(
                "a line of the exact text is a command for CI runners (##[...], ##vso[...] or ::...::) "
                f"and is not printed as it is; write it with --report {offered(report)[0]}=FILE, "
                "or escaped with -o json"
            )
        put(form.written(report, result, structs.replace(style, paint=paint, argument=argument)))
    add_summaries([form, *(chosen(place.form)[0] for place in reports)], report, result)


def ready(report: Report[Any], shown: Shown) -> None:
    """Check what can be known before there is a result.

    Raises UsageError where a format cannot show it, and InputError where a report cannot be written.
    """
    names = offered(report)
    asked = [("-o", shown.format or names[0]), *(("--report", place.form) for place in shown.reports)]
    for flag, form in asked:
        if form.partition("=")[0] not in names:
            raise UsageError(f"{flag} {form}: {report.kind} is shown as {', '.join(names)}")
    check_places(place.path for place in _reports(report, shown))


def _reports(report: Report[Any], shown: Shown) -> list[Destination]:
    document = "json" if report.document else offered(report)[0]
    return [*([Destination(document, shown.out)] if shown.out else []), *shown.reports]


def _save(report: Report[Any], result: Any, reports: Iterable[Destination], style: Style) -> None:
    """Write each report for a file; one that fails keeps no other from being written."""
    problems = []
    for place in reports:
        if place.path == STDOUT:
            continue
        form, argument = chosen(place.form)
        in_file = Style(style.headers, argument=argument)
        try:
            write_whole(Path(place.path), form.written(report, result, in_file))
        except InputError as error:
            # the others are still written: an upgrade must not lose its reports to one full disk
            problems.append(str(error))
    if problems:
        raise InputError("; ".join(problems))


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
    with progress.current().aside():
        cli.say(printable(urls(message)))


def notes(report: Report[Result], result: Result, *, quiet: bool = False) -> None:
    """Print to stderr what goes with a result; if quiet, only what lets more pass than the input alone."""
    say_each(report.loosened(result) if quiet else report.notes(result))


def say_each(lines: Iterable[str]) -> None:
    """Print lines for people to stderr."""
    for line in lines:
        note(line)


def _screen(below: Iterable[str]) -> Screen:
    """Return what the terminal has for a result that stdout is; nothing where it is none."""
    if not sys.stdout.isatty():
        return Screen()
    import shutil

    columns, lines = shutil.get_terminal_size()
    return room(columns, lines, below if sys.stderr.isatty() else ())


def room(columns: int, lines: int, below: Iterable[str]) -> Screen:
    """Return what a terminal of a size has for a result, without lines below it and one for a prompt."""
    taken = sum(-(-max(width_of(printable(line)), 1) // columns) for line in below)
    return Screen(columns, lines - taken - 1)


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
    name ends in ``.gz`` or ``.zst`` the content is compressed, without a time, so that the same content gives
    the same bytes.
    """
    from hashcompat.sources.content import replacing  # for --out and --report

    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as stream:
                _write(stream, content, path.suffix)
            return
        with suppress(FileNotFoundError):
            path.stat()  # links in a circle lead to no place that could be written
        path = path.resolve()
        with replacing(path) as stream:
            _write(stream, content, path.suffix)
    except OSError as error:
        raise InputError(f"{path}: cannot write: {error.strerror}") from None


def _write(stream: BinaryIO, content: str | Iterable[str], suffix: str) -> None:
    pieces = (piece.encode(errors=_ERRORS) for piece in ([content] if isinstance(content, str) else content))
    with _packing(stream, suffix) as packed:
        packed.writelines(pieces)


def _packing(stream: BinaryIO, suffix: str) -> AbstractContextManager[Any]:
    if suffix == ".gz":
        import gzip

        return gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)
    if suffix == ".zst":
        from hashcompat.sources.content import python_zstd

        packed: AbstractContextManager[Any] = python_zstd().ZstdFile(stream, "w")
        return packed
    return nullcontext(stream)


def exit_code(*, findings: object, undecided: object = False) -> ExitCode:
    """Return the exit code of a result: what was found counts before what is not decided."""
    return ExitCode.FINDING if findings else ExitCode.UNDECIDED if undecided else ExitCode.OK
