"""Open a document that this program saved: its parts, one by one, so that no large one is in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Final

from hashcompat.errors import InputError
from hashcompat.go.jsonstream import parts
from hashcompat.go.parts import Part, Run
from hashcompat.model.digest import DIGEST
from hashcompat.sources.documents import Row, row_of
from hashcompat.sources.files.inputs import inputs, named
from hashcompat.sources.files.quick import Summed, Typed
from hashcompat.sources.files.text import chunks

VERSION: Final = "hashcompat.io/v1"


class Saved:
    """One document, while its file is open."""

    def __init__(
        self, found: Iterable[Part], kinds: Iterable[str], wanted: str, summed: Summed | None = None
    ) -> None:
        self._kinds, self._wanted = tuple(kinds), wanted
        self._parts = iter(found)
        first = next(self._parts, None)
        if first is None:
            raise InputError(f"empty; want {wanted}")
        self._parts = chain([first], self._parts)
        whole = first.value if first.index is None and isinstance(first.value, dict) else {}
        kind = first.kind if first.index is not None else whole.get("kind")
        if first.index is not None and kind is None:
            kind = self._kinds[0]
        self.kind = self._checked(kind)
        """What it is: one of the kinds that are wanted; the first one where that follows the items."""
        self.rest = Row({}, "$")
        """What surrounds the items; complete once all items were taken."""
        self._summed = summed or Summed()

    def items(self) -> Iterator[Row]:
        """Yield the items; raises InputError for what is not one whole document."""
        for found in self.runs():
            if isinstance(found, Run):
                raise TypeError("a reader that takes rows alone gives no function that makes runs")
            yield found

    def runs(self) -> Iterator[Row | Run]:
        """Yield the items, some of them together as the function made them; errors as ``items``."""
        for part in self._parts:
            if part.document > 1:
                raise InputError(f"more than one document; want {self._wanted}")
            if isinstance(part.value, Run):
                yield part.value
            elif part.index is not None:
                self._summed.add(part.value)
                yield row_of(part.value, f"$.items[{part.index}]")
            else:
                self.rest = self._surrounding(row_of(part.value, "$"))

    def digest(self) -> str:
        """Return the digest that the document has; empty for one without, as older versions save it.

        Raises InputError where it is not that of what was read. All items must have been taken.
        """
        found = self.rest.text(DIGEST, "")
        if found and found != self._summed.digest.of(self.rest.value):
            raise InputError(
                "$.digest: not that of its content: it was edited since it was saved; make it again"
            )
        return found

    def _surrounding(self, row: Row) -> Row:
        kind, version = row.value.get("kind"), row.value.get("apiVersion")
        if self._checked(kind) != self.kind:
            raise InputError(f"kind follows the items, and is not {self.kind}; put it first")
        if version != VERSION:
            raise InputError(f"$.apiVersion: want {VERSION}: made by another version of this program")
        if "items" in row.value:
            raise InputError("$.items: want a list")
        return row

    def _checked(self, kind: object) -> str:
        if kind not in self._kinds:
            raise InputError(f"$.kind: want {' or '.join(self._kinds)}: {self._wanted}")
        return str(kind)


@contextmanager
def opened(name: str, kinds: Iterable[str], wanted: str, typed: Typed | None = None) -> Iterator[Saved]:
    """Open a saved document: a file, compressed or not, a URL or standard input.

    ``typed`` makes values of many items at once, for a reader that takes ``runs``. Raises InputError, naming
    the file, for anything but a document of these kinds; its items are read, and checked, while they are
    taken.
    """
    source = next(iter(inputs(name, recursive=False, suffixes=(".json",))), None)
    if source is None:
        raise InputError(f"{name}: no file in it; want {wanted}")
    with named(source.origin), source.open() as stream:
        summed = Summed(typed)
        yield Saved(parts(chunks(stream, wanted), quick=summed.decoded), kinds, wanted, summed)
