"""JSON values with holes, where the values that are alike have other texts and integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from hashcompat.go.pattern import Values


class Form(msgspec.Struct, frozen=True):
    """A JSON value with holes."""

    values: tuple[Any, ...]
    """It, and each object or list in it that has a hole somewhere, as in the first pod."""
    links: tuple[tuple[int, int, Any], ...]
    """The numbers of such a one and of the one that holds it, and its key or index there."""
    texts: tuple[tuple[int, Any, int], ...]
    """Where texts go: the number of the one that holds it, its key or index there, and the hole."""
    integers: tuple[tuple[int, Any, int], ...]
    """The same of integers."""

    def filled(self, values: Values | Mapping[int, str]) -> Any:
        """Return the value with others in the holes; the rest is shared."""
        new = [value.copy() for value in self.values]
        for number, holder, step in self.links:
            new[holder][step] = new[number]
        for number, step, hole in self.texts:
            new[number][step] = values[hole]
        for number, step, hole in self.integers:
            new[number][step] = int(values[hole])
        return new[0]


class Places(dict[Any, Any]):
    """Where values go in a JSON value: by keys and indexes, to the numbers of the holes."""

    def form(self, value: Any) -> Form:
        """Return the form of a value."""
        values, links = [value], list[tuple[int, int, Any]]()
        texts, integers = list[tuple[int, Any, int]](), list[tuple[int, Any, int]]()
        todo = [(0, self)]
        for holder, places in todo:  # grows meanwhile
            for step, inner in places.items():
                there = values[holder][step]
                if type(inner) is Places:
                    links.append((len(values), holder, step))
                    todo.append((len(values), inner))
                    values.append(there)
                else:
                    (texts if type(there) is str else integers).append((holder, step, inner))
        return Form(tuple(values), tuple(links), tuple(texts), tuple(integers))

    def holes(self) -> Iterator[int]:
        """Yield the numbers."""
        for inner in self.values():
            yield from inner.holes() if type(inner) is Places else (inner,)

    def put(self, steps: tuple[str | int, ...], hole: int) -> None:
        """Add a place."""
        *above, last = steps
        places = self
        for step in above:
            places = places.setdefault(step, Places())
        places[last] = hole

    def at(self, *steps: str | int) -> Places:
        """Return those in a value; none where none is in it."""
        places = self
        for step in steps:
            places = places.get(step, _NONE)
        return places


_NONE: Final = Places()
