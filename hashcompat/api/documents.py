"""Results as the documents that ``-o json`` prints."""

from __future__ import annotations

from typing import Any

from hashcompat.formats.documents import to_json as json_text
from hashcompat.report import document_of


def to_document(result: object) -> dict[str, Any]:
    """Return the document of a result (a plan, explanations, hashes, a matrix, ...) as plain data.

    It is what ``-o json`` prints, as the JSON Schema of its ``kind`` describes it. Raises TypeError for
    anything else.
    """
    return document_of(result)


def to_json(result: object) -> str:
    """Return the document of a result as ``-o json`` prints it, without the last line break."""
    return "".join(json_text(document_of(result)))
