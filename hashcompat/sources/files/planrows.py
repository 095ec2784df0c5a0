"""Runs of items of a saved plan, by msgspec with the types of their values: plain ones, or nothing.

``plans`` takes one item after the other, checks it key by key, and says what is wrong with it, which takes
ten times as long. So it gets only the runs in which an item is not plain: one with other keys than those that
this version writes, or with values of other types, or too long names, or characters beyond ASCII.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from sys import intern
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from hashcompat.core.go.allowance import ORDINARY_NAME
from hashcompat.core.model.items import ContainerName, Item, Observed, PodName, Prediction, key_of
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.uids import packed
from hashcompat.core.model.verdicts import Reason, Verdict
from hashcompat.sources.documents import time_of

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
_ENCODER: Final = msgspec.json.Encoder()
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
        lines = _ENCODER.encode_lines(rows)
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
        found = self._reasons.get(text)
        if found is None:
            rows = _REASONS.decode(text)
            found = tuple(map(_reason, rows)), Raw(_ENCODER.encode(rows))
            if len(self._reasons) < KEPT:
                self._reasons[text] = found
        return found


def was_compared(reasons: Sequence[Reason]) -> bool:
    """Return whether percentages count a container, for a row of an older version, which does not show it."""
    return all(reason.id != _NOT_COMPARED for reason in reasons)


def _observed(row: _Observed) -> Observed:
    started = None if row.started_at is None else _time(row.started_at)
    return Observed(key_of(row.container_id), started, row.restart_count, row.running)


def _reason(row: _Reason) -> Reason:
    return Reason(intern(row.id), row.text, intern(row.path), intern(row.field))
