"""Where two pieces of plain data differ, by deepdiff: type trees, containers, what is hashed of them."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from hashcompat.go.jsonpath import dotted

ABSENT: Final = "absent"
"""Stands for a value that one side lacks."""

_ALIGNED: Final = 200
"""Elements of the longest list in which what was inserted is looked for, which takes their square; those of
longer ones are compared by their indexes."""


class Difference(msgspec.Struct, frozen=True):
    """One place where two pieces of data differ."""

    path: tuple[str | int, ...]
    """The keys and indexes that lead there."""
    old: Any
    """The first side's value, or ABSENT."""
    new: Any
    """The second side's value, or ABSENT."""

    @property
    def place(self) -> str:
        """The path in one text: ``ports[0].name``."""
        return dotted(self.path)


def differences(old: Any, new: Any) -> list[Difference]:
    """Return the places where two pieces of plain data (dicts, lists, scalars) differ, sorted by path.

    Objects are compared key by key however little they have in common (``threshold_to_diff_deeper``).
    """
    from deepdiff import DeepDiff  # noqa: PLC0415 - plans need no deepdiff

    found = DeepDiff(
        old,
        new,
        view="tree",
        verbose_level=2,
        threshold_to_diff_deeper=0,
        zip_ordered_iterables=_has_long_list([old, new]),
        custom_operators=[_EqualLists()],
    )
    rows = []
    for kind, changes in found.items():
        for change in changes:
            before = ABSENT if kind.endswith("_added") else change.t1
            after = ABSENT if kind.endswith("_removed") else change.t2
            rows.append(Difference(tuple(change.path(output_format="list")), before, after))
    return sorted(rows, key=lambda row: [str(step) for step in row.path])


class _EqualLists:
    """Spares deepdiff the elements of long lists that do not differ, each of which it takes 20 µs for."""

    def match(self, level: Any) -> bool:
        return _is_long(level.t1) and _is_long(level.t2)

    def give_up_diffing(self, level: Any, diff_instance: object) -> bool:  # noqa: ARG002 - deepdiff names it
        """Return whether the lists are the same, 1 and true being different."""
        return repr(level.t1) == repr(level.t2)


def _has_long_list(values: list[Any]) -> bool:
    left = values
    while left:
        value = left.pop()
        if _is_long(value):
            return True
        if isinstance(value, dict | list):
            left += value.values() if isinstance(value, dict) else value
    return False


def _is_long(value: object) -> bool:
    return isinstance(value, list) and len(value) > _ALIGNED
