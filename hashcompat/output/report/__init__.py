"""Results as documents, columns and rows, names, texts and notes.

A command computes a value and decides nothing about how it is shown. For each type of result this package
has one :class:`~hashcompat.output.report.model.Report`, a set of functions that turn the value into what
a reader may want of it: its document, a table, an overview for a terminal, findings for a pipeline, names
for the next command. The formats take from a report what they need, so that a new result works in each
format, and a new format for each result. A function that a report lacks is something that the result cannot
be shown as.

Read ``model`` first, then a small result (``releases``, ``preflight``). A plan is the large one:

- ``items`` and ``tally``: one container in words, and all of them counted in one pass.
- ``planview``: what of a plan is shown, in which groups and order, and where it was read.
- ``plan`` and ``notes``: what a terminal shows. They import nothing that other formats need.
- ``restartplan`` and ``planpage``: a plan for programs, and as a page.
- ``rowtexts``: how the rows of a large document are written fast.

``registry`` lists every result; it imports what computes them, so only those who take any result read it.
"""

from __future__ import annotations

from hashcompat.core.errors import UsageError
from hashcompat.output.report.model import Document, Rows


class NoResultError(UsageError, TypeError):
    """What has no document, for it is no result."""


def document_of(result: object) -> Document:
    """Return the JSON document of a result, the one that the command line prints, as plain data.

    Raises NoResultError for anything but a result.
    """
    from hashcompat.output.report.registry import REPORTS  # noqa: PLC0415 - it imports all that has results

    report = REPORTS.get(type(result))
    if report is None or report.document is None:
        raise NoResultError(f"result: want the result of a command, got {type(result).__name__}")
    content = report.document(result)
    return {key: list(value) if isinstance(value, Rows) else value for key, value in content.items()}
