"""Lines of one kind as a single one: what they share once, and the first few names in which they differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hashcompat.regex import regex

_NAMED: Final = 3
"""Names that are shown before the others are counted."""

_ALIKE: Final = 0.6
"""The share of words that two lines of one kind have in common, at the same places."""

_MORE: Final = regex(r"(\d+) more")

_TOKEN: Final = regex(r"[^\s,]+(?:, (?!\d+ more)[^\s,]+)*(?:, \d+ more)?\S*|\S+")
"""A word, or several with commas between them, which may be a list of names."""


def collapsed(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, in place of those of one kind a single one; the order is that of the first ones."""
    kinds: list[list[Sequence[str]]] = []
    for line in dict.fromkeys(lines):
        tokens = _TOKEN.findall(line)
        kind = next((kind for kind in kinds if _are_alike(kind[0], tokens)), None)
        if kind is None:
            kinds.append([tokens])
        else:
            kind.append(tokens)
    yield from (" ".join(map(_joined, zip(*kind, strict=True))) for kind in kinds)


def _are_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    same = sum(left == right for left, right in zip(one, other, strict=False))
    return len(one) == len(other) and same >= _ALIKE * len(one)


def _joined(variants: Sequence[str]) -> str:
    """Return what one place of all lines has in common: a sum of numbers, the longer of two words, a list."""
    distinct = list(dict.fromkeys(variants))
    if len(distinct) == 1:
        return distinct[0]
    if all(word.lstrip("(").isdecimal() for word in variants):
        lead = "(" if variants[0].startswith("(") else ""
        return lead + str(sum(int(word.lstrip("(")) for word in variants))
    if len({word.rstrip(":").removesuffix("s") for word in distinct}) == 1:
        return max(distinct, key=len)
    return _listed(distinct)


def _listed(lists: Sequence[str]) -> str:
    """Return the first names of some lists as one, and how many more there are."""
    end = re.search(r"(?<![):;,])[):;,]*+$", lists[0])
    closing = end[0] if end and all(text.endswith(end[0]) for text in lists) else ""
    names: dict[str, None] = {}
    more = 0
    for text in lists:
        for part in text[: len(text) - len(closing)].split(", "):
            if match := _MORE.fullmatch(part):
                more += int(match[1])
            else:
                names[part] = None
    more += max(len(names) - _NAMED, 0)
    shown = [*list(names)[:_NAMED], *([f"{more} more"] if more else [])]
    return ", ".join(shown) + closing
