"""The explanations of a plan's containers, each distinct one once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from hashcompat.model.details import Difference
from hashcompat.model.items import Item
from hashcompat.model.plan import Plan
from hashcompat.model.verdicts import Verdict
from hashcompat.model.words import count
from hashcompat.report.items import item_name, reason_words
from hashcompat.report.page import Fragment, Why

_MOST: Final = 500
"""Explanations of a page."""

_ORDER: Final = {
    verdict: place
    for place, verdict in enumerate((Verdict.KILL, Verdict.RESTART, Verdict.UNKNOWN, Verdict.KEEP))
}

_ASSUMED: Final = (
    "Assumed: which release created it, as the assumptions above say; the hash that its runtime recorded "
    "would confirm it."
)
"""Without the release, which a saved plan has in its assumptions alone."""

Key = tuple[object, ...]


class Whys:
    """Numbers the explanations of some items: those of restarts first, then those of the most rows."""

    def __init__(self, plan: Plan, items: Iterable[Item]) -> None:
        self._plan = plan
        found: dict[Key, tuple[Item, int]] = {}
        for item, rows in _replicas(items):
            if item.reasons or item.difference:
                key = _key(item)
                first, number = found.get(key, (item, 0))
                found[key] = first, number + rows
        ranked = sorted(found.items(), key=lambda pair: (_ORDER[pair[1][0].verdict], -pair[1][1]))
        self._numbers = {key: number for number, (key, _) in enumerate(ranked[:_MOST], 1)}
        self._in_short: dict[int, tuple[int, str]] = {}
        self._left_out = len(ranked[_MOST:])
        self.every = [self._why(*pair[1], number) for number, pair in enumerate(ranked[:_MOST], 1)]

    @property
    def note(self) -> str:
        """What is left out."""
        parts = []
        if self._left_out:
            parts.append(
                f"{count(self._left_out, 'more explanation')} of few containers each: see their rows."
            )
        if self._plan.details and self._plan.details.omitted:
            omitted = count(self._plan.details.omitted, "more container")
            parts.append(f"Where the texts of {omitted} differ was not kept; hashcompat explain shows it.")
        return " ".join(parts)

    def in_short(self, item: Item) -> tuple[int, str]:
        """Return the number of an item's explanation, 0 for none, and a few words; replicas share both."""
        found = self._in_short.get(id(item.prediction))
        if found is None:
            number = self._numbers.get(_key(item), 0) if item.reasons or item.difference else 0
            found = self._in_short[id(item.prediction)] = number, reason_words(item)
        return found

    def _why(self, item: Item, rows: int, number: int) -> Why:
        reasons = [(reason.id, reason.text, reason.path) for reason in item.reasons]
        words = reason_words(item)
        facts, fragments = list(_facts(item)), list(self._fragments(item))
        return Why(number, item.verdict.value, words, rows, item_name(item), reasons, facts, fragments)

    def _fragments(self, item: Item) -> Iterator[Fragment]:
        if item.difference and self._plan.details:
            yield from _fragments(self._plan.details.differences[item.difference - 1])


def _replicas(items: Iterable[Item]) -> Iterator[tuple[Item, int]]:
    """Yield the first item of each prediction, which replicas share, and how many have it."""
    found: dict[int, tuple[Item, int]] = {}
    for item in items:
        first, number = found.get(id(item.prediction), (item, 0))
        found[id(item.prediction)] = first, number + 1
    return iter(found.values())


def _key(item: Item) -> Key:
    """Return what explains an item: of its prediction alone."""
    state = item.pod_recreated, item.calibrated, bool(item.creator)
    return item.verdict, item.from_release, item.reasons, item.difference, *state


def _facts(item: Item) -> Iterator[str]:
    if item.pod_recreated:
        yield "The whole pod is recreated, not only this container."
    if item.creator:
        yield _ASSUMED
    if item.calibrated is not None:
        yield (
            "The recorded hash is one that a known release computes."
            if item.calibrated
            else "The recorded hash is none that a known release computes."
        )


def _fragments(difference: Difference) -> Iterator[Fragment]:
    """Yield where the texts differ; across eras how each of them begins."""
    for release, words, pieces in zip(
        (difference.old, difference.new), difference.hashes, difference.begins, strict=False
    ):
        title = f"{release} hashes {words}; in {difference.example} it begins"
        yield Fragment(title, [(piece.kind.value, piece.text) for piece in pieces])
    if difference.begins:
        return
    title = f"Where the text of {difference.old} and that of {difference.new} differ"
    if not difference.pieces:
        yield Fragment(title, (), "They differ in a masked value.")
        return
    more = "More places differ; hashcompat explain --full shows all." if difference.more else ""
    yield Fragment(title, [(piece.kind.value, piece.text) for piece in difference.pieces], more)
