"""A patch as text, and one without the source it belongs to: the new files in full, the edits in words."""

from __future__ import annotations

from typing import Final

from hashcompat.patching.model import Patch
from hashcompat.patching.unified import wrapped
from hashcompat.report.model import Report


def in_words(patch: Patch) -> str:
    """Return all that a person needs to make the change by hand."""
    new = [f"=== new file {file.path}\n\n{file.text}" for file in patch.new_files]
    edits = [
        f"=== edit {edit.path}\n\n" + "\n\n".join(step.words for step in edit.steps) for edit in patch.edits
    ]
    return "\n".join([f"{patch.subject}\n\n{wrapped(patch.explanation)}\n", *new, *edits])


PATCH: Final[Report[str]] = Report("a patch", raw=lambda text: (text,))
"""The text of a patch, as ``git am`` takes it."""
