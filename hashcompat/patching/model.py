"""The frozen values of a patch: the files that it adds, and the steps that change files of Kubernetes.

A strategy is a function from a :class:`Task` to a :class:`Patch`; ``strategies.BY_NAME`` lists them. It reads
no files: a step finds its place in the text that it is given, or raises an error that explains why it cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from hashcompat.catalog.eras import Site
from hashcompat.catalog.lookup import Kubelet
from hashcompat.errors import ExitCode, HashcompatError


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
