"""Explanations that differ only in the name of the pod, such as those of replicas, as one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import msgspec

from hashcompat.answers.onecontainer import Explanation, Side


class Group(msgspec.Struct, frozen=True):
    """Containers whose explanations are the same."""

    explanation: Explanation
    """That of the first one."""
    others: tuple[Explanation, ...]
    """Those of the others, in their order."""


def grouped(explanations: Iterable[Explanation]) -> list[Group]:
    """Put explanations together that are alike, in the order of the first ones."""
    groups: dict[Hashable, list[Explanation]] = {}
    for explanation in explanations:
        groups.setdefault(_likeness(explanation), []).append(explanation)
    return [Group(first, tuple(others)) for first, *others in groups.values()]


def _likeness(explanation: Explanation) -> Hashable:
    """Return all that people are shown but names, and what was made of them: drains, logs, events."""
    item, said = explanation.item, explanation.sentences
    return (
        item.container,
        item.from_release,
        item.verdict,
        item.hashes,
        item.reasons,
        (said.what, said.why, said.todo),
        tuple((seen.where, seen.verbosity) for seen in explanation.expect),
        tuple(map(_text, (explanation.old, explanation.new))),
    )


def _text(side: Side | None) -> str | None:
    return side.text if side else None
