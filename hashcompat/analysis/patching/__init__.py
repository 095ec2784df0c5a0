"""Patches of a kubelet's source after which it accepts, or computes, the hashes of another release.

A patch is made of values until it is printed. ``strategies`` chooses one of three ways and refuses what no
patch can do: ``accept`` keeps containers whose hash an older kubelet recorded, ``pin`` hashes as one old
release does, ``strip`` removes the text of new fields from what is hashed. The first two carry the old
release's Go types along: ``gotypes`` writes them as Go source, with the copy from the new types, and
``gosource`` the packages around them. ``steps`` are the edits of Kubernetes' own files: each finds its
place by the function's checksum, so that a patch never lands in another release's source. These
values are here, with what applies them and prints what ``git am`` takes. ``audit`` names the containers that
a stripping patch would miss.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from hashcompat import __version__
from hashcompat.core.catalog.eras import Site
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.errors import ExitCode, HashcompatError
from hashcompat.core.model.escape import count

# A patch as frozen values: the files that it adds, and the steps that change files of Kubernetes.
#
# A strategy is a function from a :class:`Task` to a :class:`Patch`; ``strategies.BY_NAME`` lists them. It
# reads no files: a step finds its place in the text that it is given, or raises an error that explains why
# it cannot. ``mail`` prints an applied patch as ``git format-patch --stdout`` does; the same input gives
# the same bytes.


class MisplacedError(HashcompatError):
    """A file differs from the release's source, so the patch does not apply."""

    exit_code = ExitCode.FINDING


class Task(msgspec.Struct, frozen=True):
    """What a patch is to achieve: kubelet ``new`` accepts the hashes of ``olds``."""

    new: Kubelet
    """The release to patch."""
    olds: tuple[Kubelet, ...]
    """The releases whose hashes it accepts, one for each distinct hash."""
    site: Site
    """What the source of ``new`` looks like where the patch changes it."""
    defaults: tuple[tuple[str, Any], ...] = ()
    """The ``(path, value)`` of defaults that API servers set when they read a pod."""
    accept_new_fields: bool = False
    """Whether an old hash also counts for a container that sets a field which the old release does not
    know."""
    until: str = ""
    """The last release whose kubelet accepts old hashes; empty for no limit."""
    article: bool = False
    """Whether ``strip`` takes the literal, global form in which the method was published."""


class NewFile(msgspec.Struct, frozen=True):
    """A file that the patch adds."""

    path: str
    """Its path in the Kubernetes repository."""
    text: str
    """Its whole content."""


class Step(Protocol):
    """One change of one file."""

    @property
    def hunk(self) -> str:
        """The function or block that it changes, for error messages."""

    @property
    def words(self) -> str:
        """Instructions for making the change by hand."""

    def apply(self, text: str) -> str:
        """Return the file's new text; raise MisplacedError if the text is not as expected."""


class FileEdit(msgspec.Struct, frozen=True):
    """The steps that change one file of the source."""

    path: str
    """Its path in the Kubernetes repository."""
    steps: tuple[Step, ...]
    """The steps, in order; each gets the text that the previous one returned."""


class Patch(msgspec.Struct, frozen=True):
    """A patch before it is applied to the source."""

    subject: str
    """The subject of its commit message."""
    explanation: str
    """The body of its commit message, paragraphs separated by empty lines."""
    new_files: tuple[NewFile, ...]
    """The files that it adds."""
    edits: tuple[FileEdit, ...]
    """The files that it changes."""


class Change(msgspec.Struct, frozen=True):
    """A file before and after the patch."""

    path: str
    """Its path in the Kubernetes repository."""
    before: str
    """Its text before the patch; empty if the patch adds it."""
    after: str
    """Its text after the patch."""


def apply(patch: Patch, files: Mapping[str, str]) -> tuple[Change, ...]:
    """Return the change of every file, sorted by path; ``files`` maps the edited files to their texts.

    Raises MisplacedError, naming file and hunk, for a file that differs from the release's source.
    """
    added = [Change(new.path, "", new.text) for new in patch.new_files]
    edited = [Change(edit.path, files[edit.path], _edited(edit, files[edit.path])) for edit in patch.edits]
    return tuple(sorted([*added, *edited], key=lambda change: change.path))


def _edited(edit: FileEdit, text: str) -> str:
    for step in edit.steps:
        try:
            text = step.apply(text)
        except MisplacedError as error:
            raise MisplacedError(f"{edit.path}: hunk {step.hunk}: {error}") from None
    return text


_NULL: Final = "0" * 40
_DATE: Final = "Mon, 17 Sep 2001 00:00:00 +0000"
_LINES: Final = re.compile(r"[^\n]*\n|[^\n]+")
_GRAPH_WIDTH: Final = 40


def mail(patch: Patch, changes: Sequence[Change]) -> str:
    """Return the patch as a mail that ``git am`` accepts."""
    head = f"From {_NULL} Mon Sep 17 00:00:00 2001\nFrom: hashcompat <hashcompat@localhost>\nDate: {_DATE}\n"
    subject = "\n ".join(textwrap.wrap(f"Subject: [PATCH] {patch.subject}", 76))
    diffs = "".join(_diff(change) for change in changes)
    message = f"{head}{subject}\n\n{wrapped(patch.explanation)}\n"
    return f"{message}---\n{_stat(changes)}\n{diffs}-- \nhashcompat {__version__}\n\n"


def wrapped(explanation: str) -> str:
    """Return the paragraphs, wrapped to the width of commit messages."""
    return "\n\n".join(textwrap.fill(paragraph, 72) for paragraph in explanation.split("\n\n"))


def _lines(text: str) -> list[str]:
    """Split at newlines only: Go source may contain other characters that Python treats as line ends."""
    return _LINES.findall(text)


def _diff(change: Change) -> str:
    old = f"a/{change.path}" if change.before else "/dev/null"
    head = f"diff --git a/{change.path} b/{change.path}\n"
    mode = "" if change.before else "new file mode 100644\n"
    index = f"index {_blob(change.before)}..{_blob(change.after)}{' 100644' if change.before else ''}\n"
    return (
        head
        + mode
        + index
        + "".join(
            _terminated(
                difflib.unified_diff(_lines(change.before), _lines(change.after), old, f"b/{change.path}")
            )
        )
    )


def _terminated(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _blob(text: str) -> str:
    """Return git's abbreviated name of a file's content; zeros for a file that does not exist."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()[:10] if text else "0" * 10  # noqa: S324 - git's own name for it


def _stat(changes: Sequence[Change]) -> str:
    counts = [(change.path, *_counts(change)) for change in changes]
    width = max(len(path) for path, _, _ in counts)
    most = max(added + removed for _, added, removed in counts)
    digits = len(str(most))
    rows = [
        f" {path:<{width}} | {added + removed:>{digits}} {_graph(added, removed, most)}\n"
        for path, added, removed in counts
    ]
    created = [f" create mode 100644 {change.path}\n" for change in changes if not change.before]
    return "".join(rows) + _total(counts) + "".join(created)


def _counts(change: Change) -> tuple[int, int]:
    """Return the numbers of lines added and removed, without the two header lines of a diff."""
    lines = list(difflib.unified_diff(_lines(change.before), _lines(change.after), n=0))[2:]
    return sum(line[0] == "+" for line in lines), sum(line[0] == "-" for line in lines)


def _graph(added: int, removed: int, most: int) -> str:
    """Return the signs of a file's row, scaled as git does, but at least one of each kind that occurs."""
    scale = min(1.0, _GRAPH_WIDTH / most)
    return "+" * (max(1, round(added * scale)) if added else 0) + "-" * (
        max(1, round(removed * scale)) if removed else 0
    )


def _total(counts: Sequence[tuple[str, int, int]]) -> str:
    added, removed = sum(row[1] for row in counts), sum(row[2] for row in counts)
    parts = [f"{count(len(counts), 'file')} changed"]
    parts += [f"{count(added, 'insertion')}(+)"] if added else []
    parts += [f"{count(removed, 'deletion')}(-)"] if removed else []
    return f" {', '.join(parts)}\n"
