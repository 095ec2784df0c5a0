"""The frozen values of a patch: files that it adds, and steps that change a file of Kubernetes' own.

A strategy is a function of :class:`Task` that returns a :class:`Patch`; ``strategies.BY_NAME`` lists them. It
reads no file: a step finds its own place in the text that it is given, or says why it cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.patching import Site
from hashcompat.errors import ExitCode, HashcompatError


class MisplacedError(HashcompatError):
    """A file is not what the release's own source says, so the patch does not apply."""

    exit_code = ExitCode.FINDING


@dataclass(frozen=True, slots=True)
class Task:
    """What a patch is to do: kubelet ``new`` (whose source is ``site``) is to take the hashes of ``olds`` for its own.

    ``olds`` holds one release for each distinct hash; ``defaults`` the ``(path, value)`` that API servers
    write by themselves. ``accept_new_fields``: an old hash counts also for a container that sets a field that
    the old release did not know. ``until``: the last release whose kubelet accepts old hashes, empty for no
    end. ``article``: the literal, global form of strip.
    """

    new: Kubelet
    olds: tuple[Kubelet, ...]
    site: Site
    defaults: tuple[tuple[str, Any], ...] = ()
    accept_new_fields: bool = False
    until: str = ""
    article: bool = False


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that the patch adds."""

    path: str
    text: str


class Step(Protocol):
    """One change of one file."""

    @property
    def hunk(self) -> str:
        """The function or block that it changes, for messages."""

    @property
    def words(self) -> str:
        """What is to be done, for people who have to do it by hand."""

    def apply(self, text: str) -> str:
        """Return the file's new text. Raises MisplacedError, saying what is not as expected."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """The steps that change one file of the source, in order."""

    path: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch before it meets the source: ``subject`` and ``explanation`` are those of its commit message."""

    subject: str
    explanation: str
    new_files: tuple[NewFile, ...]
    edits: tuple[FileEdit, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A file before (empty: it is new) and after."""

    path: str
    before: str
    after: str


def apply(patch: Patch, files: Mapping[str, str]) -> tuple[Change, ...]:
    """Return every file's change, sorted by path; ``files`` holds the text of each file that the patch edits.

    Raises MisplacedError, naming file and hunk, where a file is not what the release's source says.
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
