"""Two texts as one, in which the words that only one of them has are marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

_WORDS: Final = re.compile(r"\s?[^\s{}\[\]]+|[{}\[\]]|\s")


_MOST_PAIRS: Final = 10_000_000
"""Pairs of words that are compared, in seconds."""


def mark(old: str, new: str) -> str:
    """Return ``new`` with added words as ``{+…+}`` and removed ones as ``[-…-]``, as wdiff does."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    old_part, new_part = before[start : len(before) - end], after[start : len(after) - end]
    marked = ["".join(after[:start])]
    for tag, *bounds in _changes(old_part, new_part):
        removed = "".join(old_part[bounds[0] : bounds[1]])
        added = "".join(new_part[bounds[2] : bounds[3]])
        marked.append(
            added
            if tag == "equal"
            else (f"[-{removed}-]" if removed else "") + (f"{{+{added}+}}" if added else "")
        )
    return "".join([*marked, *after[len(after) - end :]])


def _changes(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """Return how to change one list of words into the other; of long lists all, for the time is a product."""
    if len(old) * len(new) > _MOST_PAIRS:
        return [("replace", 0, len(old), 0, len(new))]
    return SequenceMatcher(None, old, new).get_opcodes()


def _common(one: list[str], other: list[str]) -> int:
    """Return how many words two lists begin with in common."""
    return next(
        (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
