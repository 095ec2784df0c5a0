"""Answers that a later record of the same node may still make doubtful."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Docket(Generic[T]):
    """Keeps each answer as if its node's records were all reproduced and, where that differs, as if they were not.

    A node whose records are not all reproduced makes other verdicts on it doubtful, but pods pass one by one: only
    at the end is it known which answer counts.
    """

    def __init__(self) -> None:
        self._answers: list[T] = []
        self._doubtful: list[tuple[int, str, T]] = []
        self._broken: set[str] = set()

    def add(self, node: str, answer: T, doubtful: T, *, reproduced: bool | None) -> int:
        """Take in one container's answers and whether its record was reproduced; return its place."""
        place = len(self._answers)
        if doubtful != answer:
            self._doubtful.append((place, node, doubtful))
        if reproduced is False:
            self._broken.add(node)
        self._answers.append(answer)
        return place

    def settled(self) -> list[T]:
        """Return the answers that count now, in the order in which they came."""
        answers = list(self._answers)
        for place, node, doubtful in self._doubtful:
            if node in self._broken:
                answers[place] = doubtful
        return answers
