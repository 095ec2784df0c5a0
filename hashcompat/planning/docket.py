"""Answers that a later record of the same node can still make doubtful."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Docket(Generic[T]):
    """Keeps both answers for a container until it is known whether all records of its node are reproduced.

    A record that is not reproduced makes the other verdicts on its node doubtful, and pods are read one by
    one: only at the end is it known which answer counts.
    """

    def __init__(self) -> None:
        self._answers: list[T] = []
        self._doubtful: list[tuple[int, str, T]] = []
        self._broken: set[str] = set()

    def add(self, node: str, answer: T, doubtful: T, *, reproduced: bool | None) -> int:
        """Add one container's answers and whether its record was reproduced; return its place."""
        place = len(self._answers)
        if doubtful != answer:
            self._doubtful.append((place, node, doubtful))
        if reproduced is False:
            self._broken.add(node)
        self._answers.append(answer)
        return place

    def settled(self) -> list[T]:
        """Return the answers that count, in the order in which they were added."""
        answers = list(self._answers)
        for place, node, doubtful in self._doubtful:
            if node in self._broken:
                answers[place] = doubtful
        return answers
