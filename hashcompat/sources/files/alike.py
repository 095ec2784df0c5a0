"""Finds pods of one pattern in a text, so that only the first ones of a workload are decoded.

A dump lists the replicas of a workload one after the other, so the latest patterns are enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.go.jsonpath import rows, text
from hashcompat.go.pattern import Text, Values
from hashcompat.sources.shapes import Replica, Shape, shape_of

_TRIED: Final = 16
"""Patterns that a text is compared with; most differ from it in their first few hundred characters."""

_KEPT: Final = 1 << 21
"""Characters of all texts that are remembered; usual pods have 17,000, and take a few times as many bytes."""

_TRUSTED: Final = 64
"""Patterns that are learned before any other pod has one of them: a pod may be the only one of its owner."""

_SHAPES: Final = 4
"""Patterns that are kept of one workload: its pods may have restarted, or not started yet."""

_LARGEST: Final = 1 << 17
"""Characters of a text that can have a pattern."""


class Alike:
    """The latest patterns of one input."""

    def __init__(self) -> None:
        self.longest = 0
        """The most characters that a text of a pattern has."""
        self._latest: list[Shape] = []
        self._learned = self._matched = self._size = 0
        self._workloads: dict[str, _Workload] = {}

    def match(self, whole: str, position: int, line: int) -> tuple[Replica, int, int] | None:
        """Return the pod at a position, which is at a line; the line breaks in it; and its end."""
        for number, shape in enumerate(self._latest):
            found = shape.match(whole, position)
            if found is not None:
                self._matched += 1
                if number:
                    self._put_first(shape)
                values, end = found
                return Replica(shape, values, line), shape.pattern.lines, end
        return None

    def learn(self, found: Text, value: Any, line: int) -> Any:
        """Take one more object, decoded strictly, with its text, that is like none of the latest.

        Return it as one of its pattern; as it is where there is none.
        """
        uid = _owner(value)
        if not uid or len(found.whole) > _LARGEST:
            return value
        known = self._workloads.pop(uid, None) or _Workload()
        self._size -= known.size
        made = known.shape(found, value, first=self._learned <= _TRUSTED + self._matched)
        self._workloads[uid] = known
        self._size += known.size
        self._forget()
        if made is None:
            return value
        shape, values, is_new = made
        self._learned += is_new
        self.longest = max(self.longest, shape.pattern.size)
        self._put_first(shape)
        return Replica(shape, values, line)

    def _forget(self) -> None:
        """Forget the workloads that were seen longest ago, where all of them are too large."""
        while self._size > _KEPT and len(self._workloads) > 1:
            self._size -= self._workloads.pop(next(iter(self._workloads))).size

    def _put_first(self, shape: Shape) -> None:
        latest = [one for one in self._latest if one is not shape]
        self._latest = [shape, *latest[: _TRIED - 1]]


class _Workload:
    """The shapes of one controller's pods."""

    def __init__(self) -> None:
        self._shapes: list[Shape] = []
        self._last: Mapping[str, Any] | None = None
        self._missed = 0
        self.size = 0
        """The characters of the texts that it keeps."""

    def shape(
        self, text: Text, value: Mapping[str, Any], *, first: bool
    ) -> tuple[Shape, Values, bool] | None:
        """Return the shape of a pod, what is its own, and whether the shape is a new one.

        A shape is looked for at the first (``first``), second, fourth, eighth ... of the pods without one.
        """
        whole = text.whole
        for shape in self._shapes:
            if (found := _whole(shape, whole)) is not None:
                return shape, found, False
        self._missed += 1
        last, self._last = self._last, value
        made = None
        if (last is not None or first) and not self._missed & (self._missed - 1):
            made = shape_of(text, value, last)
        values = _whole(made, whole) if made else None
        if made is not None and values is not None:
            self._shapes = [made, *self._shapes[: _SHAPES - 1]]
        self.size = len(whole) + sum(shape.pattern.length for shape in self._shapes if shape is not made)
        return (made, values, True) if made is not None and values is not None else None


def _whole(shape: Shape, text: str) -> Values | None:
    """Return what is the own of a pod with a text; None for a text of another shape."""
    found = shape.match(text, 0)
    return found[0] if found is not None and found[1] == len(text) else None


def _owner(value: Any) -> str:
    """Return the uid of a pod's first owner; empty for none, and for what is not an object."""
    if not isinstance(value, Mapping):
        return ""
    metadata = value.get("metadata")
    references = rows(metadata, "ownerReferences") if isinstance(metadata, Mapping) else ()
    first = references[0] if references else None
    return text(first, "uid") if isinstance(first, Mapping) and value.get("kind") == "Pod" else ""
