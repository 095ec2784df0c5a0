"""Where two trees of plain data differ, by deepdiff."""

from __future__ import annotations

from typing import Any, Final

ABSENT: Final = "absent"
"""Stands for a value that only the other tree has."""


def deep_differences(old: Any, new: Any) -> list[tuple[list[Any], Any, Any]]:
    """Return path, old and new value wherever two trees differ, ``absent`` for what one of them lacks."""
    from deepdiff import DeepDiff  # noqa: PLC0415 - a plan does without

    found = DeepDiff(old, new, view="tree", verbose_level=2)
    rows = []
    for kind, changes in found.items():
        for change in changes:
            before = ABSENT if kind.endswith("_added") else change.t1
            after = ABSENT if kind.endswith("_removed") else change.t2
            rows.append((change.path(output_format="list"), before, after))
    return sorted(rows, key=lambda row: [str(step) for step in row[0]])


def dotted(path: list[Any]) -> str:
    """Return a path as people write it: ``ports[0].hostIP``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
