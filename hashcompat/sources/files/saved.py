"""Open a document that this program saved: its parts, one by one, so that no large one is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import DecodedRun, Part
from hashcompat.core.go.jsonstream import parts
from hashcompat.core.model.documents import API_VERSION
from hashcompat.core.model.results import DIGEST, DocumentDigest, line_of
from hashcompat.sources.content import chunks
from hashcompat.sources.documents import JsonObject, row_of
from hashcompat.sources.files import inputs, named

_NO_JSON: Final = ": not valid JSON: "
"""Is in the error for a text that nobody took for such a document before."""


class Saved:
    """One document, while its file is open."""

    def __init__(
        self, found: Iterable[Part], kinds: Iterable[str], wanted: str, summed: Summed | None = None
    ) -> None:
        self._kinds, self._wanted = tuple(kinds), wanted
        self._parts = iter(found)
        try:
            first = next(self._parts, None)
        except InputError as error:
            if _NO_JSON not in str(error):
                raise
            raise InputError(f"{error}; want {wanted}") from None
        if first is None:
            raise InputError(f"empty; want {wanted}")
        self._parts = chain([first], self._parts)
        whole = first.value if first.index is None and isinstance(first.value, dict) else {}
        kind = first.kind if first.index is not None else whole.get("kind")
        if first.index is not None and kind is None:
            kind = self._kinds[0]
        self.kind = self._checked(kind)
        """What it is: one of the kinds that are wanted; the first one where that follows the items."""
        self.rest = JsonObject({}, "$")
        """What surrounds the items; complete once all items were taken."""
        self._summed = summed or Summed()

    def items(self) -> Iterator[JsonObject]:
        """Yield the items; raises InputError for what is not one whole document."""
        for found in self.runs():
            if isinstance(found, DecodedRun):
                raise TypeError("a reader that takes rows alone gives no function that makes runs")
            yield found

    def runs(self) -> Iterator[JsonObject | DecodedRun]:
        """Yield the items, some of them together as the function made them; errors as ``items``."""
        for part in self._parts:
            if part.document > 1:
                raise InputError(f"more than one document; want {self._wanted}")
            if isinstance(part.value, DecodedRun):
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

    def _surrounding(self, row: JsonObject) -> JsonObject:
        kind, version = row.value.get("kind"), row.value.get("apiVersion")
        if self._checked(kind) != self.kind:
            raise InputError(f"kind follows the items, and is not {self.kind}; put it first")
        if version != API_VERSION:
            raise InputError(f"$.apiVersion: want {API_VERSION}: made by another version of this program")
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
    taken. A directory may hold one file.
    """
    source, *others = inputs(name, recursive=False, suffixes=(".json",))
    if others:
        raise InputError(f"{name}: a directory with {1 + len(others)} files; name one")
    with named(source.origin), source.open() as stream:
        summed = Summed(typed)
        yield Saved(parts(chunks(stream, wanted), quick=summed.decoded), kinds, wanted, summed)


_PLAIN: Final = msgspec.json.Decoder(list[dict[str, Any]])
_ENCODER: Final = msgspec.json.Encoder(order="sorted")
Typed = Callable[[str], tuple[Sequence[Any], bytes] | None]
"""Makes values of a whole JSON list of items, and the lines of these; None for a list that it leaves."""


class Summed:
    """Adds up the digest of a document while its items are decoded."""

    def __init__(self, typed: Typed | None = None) -> None:
        """``typed`` is asked first."""
        self.digest = DocumentDigest()
        self._typed = typed
        self._ahead = 0  # items that were added when they were decoded

    def decoded(self, text: str) -> list[tuple[dict[str, Any], str]] | DecodedRun | None:
        """Return a JSON list of objects, as ``decoded``; whoever takes the items adds them in their order.

        Those that ``typed`` took are a run, and are added.
        """
        if self._typed and (taken := self._typed(text)) is not None:
            self.digest.add(taken[1])
            return DecodedRun(taken[0])
        found = decoded(text)
        if found is None:
            return None
        items, lines = found
        self._ahead += len(items)
        self.digest.add(lines)
        return [(item, "") for item in items]

    def add(self, item: object) -> None:
        """Add the next item."""
        if self._ahead:
            self._ahead -= 1
        else:
            self.digest.add(line(item))


def decoded(text: str) -> tuple[list[dict[str, Any]], bytes] | None:
    """Return the objects of a JSON list, and their lines; None where a key may be there twice.

    Each key and string has two quotes: where as many are left once it is written again, no key was dropped.
    None too for what is not plain.
    """
    if "\\u" in text:
        return None
    try:
        found = _PLAIN.decode(text)
        lines = _ENCODER.encode_lines(found)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return (found, lines) if lines.count(b'"') == text.count('"') else None


def line(value: object) -> bytes:
    """Return the canonical JSON of an item with a line break, as ``line`` of the digest."""
    try:
        return _ENCODER.encode(value) + b"\n"
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return line_of(value)
