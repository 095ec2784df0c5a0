"""Patches of a kubelet's source after which it accepts, or computes, the hashes of another release.

A patch is made of values until it is printed. ``strategies`` chooses one of three ways and refuses what no
patch can do: ``accept`` keeps containers whose hash an older kubelet recorded, ``pin`` hashes as one old
release does, ``strip`` removes the text of new fields from what is hashed. The first two carry the old
release's Go types along: ``gotypes`` writes them as Go source, with the copy from the new types, and
``gosource`` the packages around them. ``strip`` also names the containers that such a patch would miss.

Steps are the edits of Kubernetes' own files: each finds its place by the file's content, and rejects a
function that is not upstream's, so that a patch never lands in another release's source. These values are
here, with what applies them and prints what ``git am`` takes.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from hashcompat import __version__
from hashcompat.core.catalog.eras import PatchedSource
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.errors import ExitCode, HashcompatError
from hashcompat.core.model.escape import count

# A patch as frozen values: the files that it adds, and the steps that change files of Kubernetes.
#
# A strategy is a function from a :class:`Goal` to a :class:`Patch`; ``strategies.BY_NAME`` lists them. It
# reads no files: a step finds its place in the text that it is given, or raises an error that explains why
# it cannot. ``mail`` prints an applied patch as ``git format-patch --stdout`` does; the same input gives
# the same bytes.


class MisplacedError(HashcompatError):
    """A file differs from the release's source, so the patch does not apply."""

    exit_code = ExitCode.FINDING


class Goal(msgspec.Struct, frozen=True):
    """What a patch is to achieve: kubelet ``new`` accepts the hashes of ``olds``."""

    new: Kubelet
    """The release to patch."""
    olds: tuple[Kubelet, ...]
    """The releases whose hashes it accepts, one for each distinct hash."""
    site: PatchedSource
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


class FileStep(Protocol):
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
    steps: tuple[FileStep, ...]
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


class PatchedFile(msgspec.Struct, frozen=True):
    """A file before and after the patch."""

    path: str
    """Its path in the Kubernetes repository."""
    before: str
    """Its text before the patch; empty if the patch adds it."""
    after: str
    """Its text after the patch."""


def apply(patch: Patch, files: Mapping[str, str]) -> tuple[PatchedFile, ...]:
    """Return the change of every file, sorted by path; ``files`` maps the edited files to their texts.

    Raises MisplacedError, naming file and hunk, for a file that differs from the release's source.
    """
    added = [PatchedFile(new.path, "", new.text) for new in patch.new_files]
    edited = [
        PatchedFile(edit.path, files[edit.path], _edited(edit, files[edit.path])) for edit in patch.edits
    ]
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


def mail(patch: Patch, changes: Sequence[PatchedFile]) -> str:
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


def _diff(change: PatchedFile) -> str:
    old = f"a/{change.path}" if change.before else "/dev/null"
    head = f"diff --git a/{change.path} b/{change.path}\n"
    mode = "" if change.before else "new file mode 100644\n"
    index = f"index {_blob(change.before)}..{_blob(change.after)}{' 100644' if change.before else ''}\n"
    lines = difflib.unified_diff(_lines(change.before), _lines(change.after), old, f"b/{change.path}")
    ended = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return head + mode + index + "".join(ended)


def _blob(text: str) -> str:
    """Return git's abbreviated name of a file's content; zeros for a file that does not exist."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()[:10] if text else "0" * 10  # noqa: S324 - git's own name for it


def _stat(changes: Sequence[PatchedFile]) -> str:
    counts = [(change.path, *_counts(change)) for change in changes]
    width = max(len(path) for path, _, _ in counts)
    most = max(added + removed for _, added, removed in counts)
    digits = len(str(most))
    rows = [
        f" {path:<{width}} | {added + removed:>{digits}} {_graph(added, removed, most)}\n"
        for path, added, removed in counts
    ]
    created = [f" create mode 100644 {change.path}\n" for change in changes if not change.before]
    added, removed = sum(row[1] for row in counts), sum(row[2] for row in counts)
    parts = [f"{count(len(counts), 'file')} changed"]
    parts += [f"{count(added, 'insertion')}(+)"] if added else []
    parts += [f"{count(removed, 'deletion')}(-)"] if removed else []
    return "".join(rows) + f" {', '.join(parts)}\n" + "".join(created)


def _counts(change: PatchedFile) -> tuple[int, int]:
    """Return the numbers of lines added and removed, without the two header lines of a diff."""
    lines = list(difflib.unified_diff(_lines(change.before), _lines(change.after), n=0))[2:]
    return sum(line[0] == "+" for line in lines), sum(line[0] == "-" for line in lines)


def _graph(added: int, removed: int, most: int) -> str:
    """Return the signs of a file's row, scaled as git does, but at least one of each kind that occurs."""
    scale = min(1.0, _GRAPH_WIDTH / most)
    plus, minus = (max(1, round(number * scale)) if number else 0 for number in (added, removed))
    return "+" * plus + "-" * minus


_BLOCK = re.compile(r"^import \(\n(?P<lines>.*?)^\)\n", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r'\t(?:(?P<alias>[\w.]+) )?"(?P<path>[^"]+)"')


def function_text(text: str, name: str) -> str:
    """Return a top-level function of a gofmt'd file, up to its closing brace; empty if there is none."""
    function = re.search(rf"^func {re.escape(name)}\(.*?^}}\n", text, re.MULTILINE | re.DOTALL)
    return function[0] if function else ""


class _OfFunction(msgspec.Struct, frozen=True):
    """A step that changes one function, which must be upstream's."""

    site: PatchedSource
    """The functions of the release, by checksum."""
    name: str
    """The function's name."""

    @property
    def hunk(self) -> str:
        """The function's name."""
        return self.name

    def _with(self, text: str, mark: str, change: Callable[[str], str]) -> str:
        """Return the file with the function changed; text that contains ``mark`` was already patched."""
        old = checked_function(text, self.name, self.site, mark)
        return text.replace(old, change(old))


class InFunction(_OfFunction, frozen=True):
    """Insert lines into a function."""

    before: str
    """The start of the line before which they are inserted."""
    insert: str
    """The lines."""
    mark: str
    """A text that only a patched file contains."""

    @property
    def words(self) -> str:
        """What to insert, and where."""
        return f"in func {self.name}, before the line `{self.before.strip()} ...`:\n\n{self.insert}"

    def apply(self, text: str) -> str:
        """Insert the lines."""
        return self._with(text, self.mark, lambda old: old.replace(self.before, self.insert + self.before))


class ReplaceLine(_OfFunction, frozen=True):
    """Replace one line of a function."""

    line: str
    instead: str
    """The line that replaces it."""
    mark: str
    """A text that only a patched file contains."""

    @property
    def words(self) -> str:
        """Which line becomes which."""
        return f"in func {self.name} the line `{self.line.strip()}` becomes `{self.instead.strip()}`"

    def apply(self, text: str) -> str:
        """Replace the line."""
        return self._with(text, self.mark, lambda old: old.replace(self.line, self.instead))


class Body(_OfFunction, frozen=True):
    """Replace the body of a function."""

    body: str
    """The new body, up to the closing brace."""
    mark: str
    """A text that only a patched file contains."""

    @property
    def words(self) -> str:
        """The new body."""
        return f"the body of func {self.name} becomes:\n\n{self.body}"

    def apply(self, text: str) -> str:
        """Replace everything between the first line and the closing brace."""
        return self._with(text, self.mark, lambda old: old[: old.index("\n") + 1] + self.body + "}\n")


class RemoveFunction(_OfFunction, frozen=True):
    """Remove a function that is no longer called, with the comment above it."""

    @property
    def words(self) -> str:
        """What to remove."""
        return f"func {self.name} is no longer called: remove it with its comment."

    def apply(self, text: str) -> str:
        """Remove the function, unless something else in the file calls it."""
        old = checked_function(text, self.name, self.site, "")
        if f"{self.name}(" in text.replace(old, ""):
            return text
        return re.sub(r"(?:^//[^\n]*\n)*" + re.escape(old) + r"\n?", "", text, flags=re.MULTILINE)


def checked_function(text: str, name: str, site: PatchedSource, mark: str) -> str:
    """Return a function's text if it is that of the release; raise MisplacedError otherwise."""
    old = function_text(text, name)
    # Before the checksum, by which a function that was patched would be taken for a vendor's.
    if mark and mark in text:
        raise MisplacedError(f"already patched: the file contains {mark}")
    if "\r\n" in text:
        raise MisplacedError(
            "its lines end with CRLF, which git writes by core.autocrlf; check it out without"
        )
    if not old:
        raise MisplacedError(f"there is no func {name}; this is not the source of that release")
    digest = hashlib.sha256(old.encode()).hexdigest()
    expected = site.function(name)
    if expected is not None and digest == expected.sha256:
        return old
    if match := next((function for function in site.other_functions if function.sha256 == digest), None):
        raise MisplacedError(
            f"this is func {name} of Kubernetes {match.releases}, so the tree is of another release"
        )
    raise MisplacedError(
        f"func {name} is not upstream's (SHA-256 {digest[:12]}…) but a vendor's; merge the change by hand"
    )


def import_line(alias: str, path: str) -> str:
    """Return the line that imports a package under another name, or under its own where that is empty."""
    return f'\t{alias} "{path}"\n' if alias else f'\t"{path}"\n'


class AddImport(msgspec.Struct, frozen=True):
    """Import a package of Kubernetes, where gofmt sorts it."""

    path: str
    alias: str = ""
    """The name to import it under; empty for its own."""

    @property
    def hunk(self) -> str:
        """The import block."""
        return "import"

    @property
    def words(self) -> str:
        """What to import."""
        return f"import {self._line.strip()}"

    @property
    def _line(self) -> str:
        return import_line(self.alias, self.path)

    def apply(self, text: str) -> str:
        """Insert the line, in order of import paths, into the last group of the import block."""
        block = _BLOCK.search(text)
        if block is None:
            raise MisplacedError("there is no import block")
        if self._line in block[0]:
            raise MisplacedError(f"already patched: {self.path} is imported")
        lines = block["lines"].splitlines(keepends=True)
        # gofmt sorts by path within a group, whatever the aliases are; blank lines separate groups.
        group = max((index for index, line in enumerate(lines) if not line.strip()), default=-1) + 1
        paths = [(index, match["path"]) for index, line in enumerate(lines) if (match := _IMPORT.match(line))]
        before = [index for index, path in paths if index >= group and path < self.path]
        lines.insert(max(before, default=group - 1) + 1, self._line)
        return text[: block.start("lines")] + "".join(lines) + text[block.end("lines") :]


class DropUnusedImports(msgspec.Struct, frozen=True):
    """Remove imports that the file no longer uses, because Go does not compile them."""

    names: tuple[tuple[str, str], ...]
    """The import path and the package name of each import that may be unused."""

    @property
    def hunk(self) -> str:
        """The import block."""
        return "import"

    @property
    def words(self) -> str:
        """Which imports may have to be removed."""
        paths = ", ".join(path for path, _ in self.names)
        return f"remove those of the imports {paths} that the file no longer uses."

    def apply(self, text: str) -> str:
        """Remove each import whose name is not used outside the import block."""
        for path, name in self.names:
            if not re.search(rf"\b{name}\.", _BLOCK.sub("", text, count=1)):
                text = re.sub(rf'^\t(?:\w+ )?"{re.escape(path)}"\n', "", text, count=1, flags=re.MULTILINE)
        return text


class Literals(msgspec.Struct, frozen=True):
    """Replace the hash literals of a test."""

    pairs: tuple[tuple[int, int], ...]
    """The old and the new hash of each literal, in the order of the file."""

    @property
    def hunk(self) -> str:
        """The asserted hashes."""
        return "asserted hashes"

    @property
    def words(self) -> str:
        """Which literals become which."""
        return "the asserted hashes become, in order: " + ", ".join(
            f"{old:#x} -> {new:#x}" for old, new in self.pairs
        )

    def apply(self, text: str) -> str:
        """Replace them in order; raise MisplacedError, naming the first that is missing."""
        done, rest = "", text
        for old, new in self.pairs:
            # Behind the one before it: a new hash may equal an old one that comes later.
            head, literal, rest = rest.partition(f"{old:#x}")
            if not literal:
                raise MisplacedError(f"{old:#x} is missing where upstream asserts it")
            done += f"{head}{new:#x}"
        return done + rest
