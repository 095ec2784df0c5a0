"""Open a document that this program saved: its parts, one by one, so that no large one is in memory.

Items of a plan come in runs, by msgspec with the types of their values: plain ones, or nothing. ``plans``
takes one item after the other, checks it key by key, and says what is wrong with it, which takes ten times as
long. So it gets only the runs in which an item is not plain: one with other keys than those that this version
writes, or with values of other types, or too long names, or characters beyond ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from sys import intern
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from hashcompat.core.errors import InputError
from hashcompat.core.go.allowance import ORDINARY_NAME
from hashcompat.core.go.jsonpath import DecodedRun, Part
from hashcompat.core.go.jsonstream import parts
from hashcompat.core.model.documents import API_VERSION
from hashcompat.core.model.items import ContainerName, Item, Observed, PodName, Prediction, key_of
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.results import DIGEST, DocumentDigest, line_of
from hashcompat.core.model.uids import packed
from hashcompat.core.model.verdicts import Reason, Verdict
from hashcompat.sources.content import chunks
from hashcompat.sources.documents import JsonObject, row_of, time_of
from hashcompat.sources.files import inputs, named

_NO_JSON: Final = ": not valid JSON: "
"""Is in the error for a text that nobody took for such a document before."""

_OF_OBJECTS: Final = {"kind", "metadata"}
"""Keys of what kubectl prints, of a list whose own kind follows, and of no item of such a document."""


class Saved:
    """One document, while its file is open."""

    def __init__(
        self, reader: Iterable[Part], kinds: Iterable[str], wanted: str, summed: Summed | None = None
    ) -> None:
        self._kinds, self._wanted = tuple(kinds), wanted
        self._parts = iter(reader)
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
            if isinstance(first.value, dict) and set(first.value) >= _OF_OBJECTS:
                raise InputError(f"$.items[{first.index}]: a Kubernetes object; want {wanted}")
            kind = self._kinds[0]
        self.kind = self._checked(kind)
        """What it is: one of the kinds that are wanted; the first one where that follows the items."""
        self.rest = JsonObject({}, "$")
        """What surrounds the items; complete once all items were taken."""
        self._summed = summed or Summed()

    def items(self) -> Iterator[JsonObject]:
        """Yield the items; raises InputError for what is not one whole document."""
        for run in self.runs():
            if isinstance(run, DecodedRun):
                raise TypeError("a reader that takes rows alone gives no function that makes runs")
            yield run

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
        digest = self.rest.text(DIGEST, "")
        if digest and digest != self._summed.digest.of(self.rest.value):
            raise InputError(
                "$.digest: not that of its content: it was edited since it was saved; make it again"
            )
        return digest

    def _surrounding(self, row: JsonObject) -> JsonObject:
        kind, version = row.value.get("kind"), row.value.get("apiVersion")
        if self._checked(kind) != self.kind:
            raise InputError(f"kind follows the items, and is not {self.kind}; put it first")
        if version != API_VERSION:
            raise InputError(
                f"$.apiVersion: want {API_VERSION}: made by another version of this program; "
                "make it again with this one"
            )
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
    source, *rest = inputs(name, recursive=False, suffixes=(".json",))
    if rest:
        raise InputError(f"{name}: a directory with {1 + len(rest)} files; name one")
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
        parsed = decoded(text)
        if parsed is None:
            return None
        items, lines = parsed
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
        items = _PLAIN.decode(text)
        lines = _ENCODER.encode_lines(items)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return (items, lines) if lines.count(b'"') == text.count('"') else None


def line(value: object) -> bytes:
    """Return the canonical JSON of an item with a line break, as ``line`` of the digest."""
    try:
        return _ENCODER.encode(value) + b"\n"
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return line_of(value)


# Runs of items of a plan.

ASSUMED: Final = "the release that spec.assumptions names"
"""What is known of an assumed creator: the document has its name in a sentence only."""
_NOT_COMPARED: Final = "HC002"
"""The rule of containers that no kubelet compares."""
KEPT: Final = 1 << 12
"""How many names and lists of reasons are compared with the next ones, so that equal ones are one value."""
_Name = Annotated[str, Meta(max_length=ORDINARY_NAME)]
_Number = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
_Hash = Annotated[int, Meta(ge=0, lt=1 << 32)] | None


class _Plain(msgspec.Struct, rename="camel", forbid_unknown_fields=True, gc=False):
    """An object with just these keys, in their order: so it encodes as in the digest's line."""


class _Hashes(_Plain):
    from_: _Hash = msgspec.field(name="from")
    recorded: _Hash
    to: _Hash


class _Observed(_Plain):
    container_id: _Name = msgspec.field(name="containerID")
    restart_count: _Number | None
    running: bool | None
    started_at: str | None


class _Reason(_Plain):
    field: str
    id: str
    path: str
    text: str


class _Source(_Plain):
    file: str
    line: _Number | None


class _Row(_Plain, kw_only=True):
    calibrated: bool | None
    container: _Name
    container_type: ContainerType
    counted: bool | UnsetType = UNSET
    creator_assumed: bool
    difference: _Number | UnsetType | None = UNSET
    from_release: _Name
    hash: _Hashes
    namespace: _Name
    node: _Name
    observed: _Observed | None
    owner: _Name
    pod: _Name
    pod_recreated: bool
    reasons: Raw
    source: _Source | None
    uid: _Name
    verdict: Verdict
    workload: _Name


_ROWS: Final = msgspec.json.Decoder(list[_Row])
_REASONS: Final = msgspec.json.Decoder(list[_Reason])
_IN_THEIR_ORDER: Final = msgspec.json.Encoder()
_time = lru_cache(KEPT)(time_of)


class PlanRows:
    """Makes items of runs of rows; equal names and reasons of rows near each other become one value."""

    def __init__(self) -> None:
        self._pod, self._uid = PodName("", "", "", "", ""), ""
        self._name = lru_cache(KEPT)(ContainerName)
        self._prediction = lru_cache(KEPT)(Prediction)
        self._reasons: dict[bytes, tuple[tuple[Reason, ...], Raw]] = {}

    def items(self, text: str) -> tuple[list[Item], bytes] | None:
        """Return the items of a JSON list, and their lines in the digest; None where one is not plain.

        Each key and string has two quotes: where as many are in the lines, no key was there twice.
        """
        if not text.isascii() or ("\\" in text and "\\u" in text):  # to look for one character is far faster
            return None
        try:
            rows = _ROWS.decode(text)
            items = [self._item(row) for row in rows]
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        lines = _IN_THEIR_ORDER.encode_lines(rows)
        return (items, lines) if lines.count(b'"') == text.count('"') else None

    def _item(self, row: _Row) -> Item:
        """Return the item of a row, in which the reasons get the form of the digest."""
        reasons, row.reasons = self._reasons_of(bytes(row.reasons))
        hashes, source, observed = row.hash, row.source, row.observed
        return Item(
            self._pod_of(row),
            self._name(row.container, row.container_type),
            self._prediction(
                intern(row.from_release),
                row.verdict,
                reasons,
                row.pod_recreated,
                row.calibrated,
                creator=ASSUMED if row.creator_assumed else "",
                difference=row.difference or 0,
                compared=was_compared(reasons) if row.counted is UNSET else row.counted,
            ),
            hashes.recorded,
            hashes.from_,
            hashes.to,
            source.line or 0 if source else 0,
            _observed(observed) if observed else None,
        )

    def _pod_of(self, row: _Row) -> PodName:
        """Return the pod of a row; that of the row before, where it is the same one."""
        last, file = self._pod, row.source.file if row.source else ""
        if row.uid != self._uid or (row.pod, row.node, row.namespace, row.owner, row.workload, file) != (
            last.name, last.node, last.namespace, last.owner, last.workload, last.file
        ):  # fmt: skip
            node, namespace, owner = intern(row.node), intern(row.namespace), intern(row.owner)
            shared = intern(row.workload), intern(file)
            self._uid = row.uid
            self._pod = PodName(node, namespace, row.pod, packed(row.uid), owner, *shared)
        return self._pod

    def _reasons_of(self, text: bytes) -> tuple[tuple[Reason, ...], Raw]:
        """Return the reasons in a JSON list, and that list without spaces."""
        entry = self._reasons.get(text)
        if entry is None:
            rows = _REASONS.decode(text)
            entry = tuple(map(_reason, rows)), Raw(_IN_THEIR_ORDER.encode(rows))
            if len(self._reasons) < KEPT:
                self._reasons[text] = entry
        return entry


def was_compared(reasons: Sequence[Reason]) -> bool:
    """Return whether percentages count a container, for a row of an older version, which does not show it."""
    return all(reason.id != _NOT_COMPARED for reason in reasons)


def _observed(row: _Observed) -> Observed:
    started = None if row.started_at is None else _time(row.started_at)
    return Observed(key_of(row.container_id), started, row.restart_count, row.running)


def _reason(row: _Reason) -> Reason:
    return Reason(intern(row.id), row.text, intern(row.path), intern(row.field))
