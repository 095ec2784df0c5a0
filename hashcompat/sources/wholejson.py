"""JSON that is in memory as one text: an answer of a server, the output of a program, the file of a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.go import jsontext
from hashcompat.go.limits import values_in
from hashcompat.sources.limits import RefusedError

MOST_VALUES: Final = 2_000_000
"""Values of one such text, each of about 100 bytes in memory; a page of 500 pods has 200,000."""


def loads(text: str) -> Any:
    """Return the one document of a text; errors as ``load_all``, also for other than one document."""
    check_values(text)
    return jsontext.loads(text)


def load_all(text: str) -> Iterator[Any]:
    """Return the documents of a text.

    Raises RefusedError for so many values that they would not fit into memory; the iterator raises InputError
    for what is not JSON.
    """
    check_values(text)
    return jsontext.load_all(text)


def check_values(text: str) -> None:
    """Raise RefusedError for a text of so many values that they would not fit into memory."""
    if values_in(text) > MOST_VALUES:
        raise RefusedError(f"JSON of more than {MOST_VALUES:,} values, the most that is read at once")
