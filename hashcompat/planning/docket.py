"""Answers that a later record of the same node can still make doubtful."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import msgspec

Answer = TypeVar("Answer")
Doubt = TypeVar("Doubt")


class Found(msgspec.Struct, Generic[Doubt], frozen=True):
    """What a docket knows besides its answers."""

    places: array[int]
    """The places of answers that are doubtful."""
    nodes: list[str]
    """The node of each."""
    doubts: list[Doubt]
    """What the other answer of each has instead."""
    broken: set[str]
    """The nodes with a record that is not reproduced."""


class Docket(Generic[Answer, Doubt]):
    """Keeps what is doubtful about an answer until it is known whether its node's records are reproduced.

    A record that is not reproduced makes the other verdicts on its node doubtful, and pods are read one by
    one: only at the end is it known which answers count.
    """

    def __init__(self, doubted: Callable[[Answer, Doubt], Answer]) -> None:
        """Take the function that makes the other answer of one that is doubtful."""
        self._doubted = doubted
        self._answers: list[Answer] = []
        self._places, self._nodes, self._doubts = array("Q"), list[str](), list[Doubt]()
        self._broken: set[str] = set()

    def add(self, node: str, answer: Answer, doubt: Doubt | None, *, reproduced: bool | None) -> int:
        """Add one container's answer and whether its record was reproduced; return its place.

        ``doubt`` is what the other answer has instead; None where there is no other.
        """
        place = len(self._answers)
        if doubt is not None:
            self._places.append(place)
            self._nodes.append(node)
            self._doubts.append(doubt)
        if reproduced is False:
            self._broken.add(node)
        self._answers.append(answer)
        return place

    @property
    def found(self) -> Found[Doubt]:
        """What is known besides the answers so far."""
        return Found(self._places, self._nodes, self._doubts, self._broken)

    @property
    def answers(self) -> Sequence[Answer]:
        """The answers so far, whatever is doubtful about them."""
        return self._answers

    def merge(self, answers: Iterable[Answer], found: Found[Doubt]) -> None:
        """Add the answers of another docket, and what is known besides."""
        first = len(self._answers)
        self._places.extend(first + place for place in found.places)
        self._nodes += found.nodes
        self._doubts += found.doubts
        self._broken |= found.broken
        self._answers += answers

    def settled(self) -> list[Answer]:
        """Return the answers that count, in the order in which they were added."""
        self._settle()
        return list(self._answers)

    def taken(self) -> list[Answer]:
        """Return the same at the end, and keep none of them."""
        self._settle()
        answers, self._answers = self._answers, []
        return answers

    def _settle(self) -> None:
        for place, node, doubt in zip(self._places, self._nodes, self._doubts, strict=True):
            if node in self._broken:
                self._answers[place] = self._doubted(self._answers[place], doubt)
