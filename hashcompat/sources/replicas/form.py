"""JSON values with slots, where the values that are alike have other strings and numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec


class Form(msgspec.Struct, frozen=True):
    """A JSON value with slots."""

    values: tuple[Any, ...]
    """It, and each object or list in it that has a slot somewhere, as in the first pod."""
    links: tuple[tuple[int, int, Any], ...]
    """The numbers of such a one and of the one that holds it, and its key or index there."""
    texts: tuple[tuple[int, Any, int], ...]
    """Where strings go: the number of the one that holds it, its key or index there, and the slot."""
    integers: tuple[tuple[int, Any, int], ...]
    """The same of integers."""

    def filled(self, values: Sequence[str] | Mapping[int, str]) -> Any:
        """Return the value with others in the slots; the rest is shared."""
        new = [value.copy() for value in self.values]
        for number, holder, step in self.links:
            new[holder][step] = new[number]
        for number, step, slot in self.texts:
            new[number][step] = values[slot]
        for number, step, slot in self.integers:
            new[number][step] = int(values[slot])
        return new[0]


class Places(dict[Any, Any]):
    """Where values go in a JSON value: by keys and indexes, to the numbers of the slots."""

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

    def slots(self) -> Iterator[int]:
        """Yield the numbers."""
        return (slot for _, slot in self.every())

    def every(self) -> Iterator[tuple[tuple[Any, ...], int]]:
        """Yield the keys and indexes of each, and its number."""
        for step, inner in self.items():
            if type(inner) is Places:
                yield from (((step, *steps), slot) for steps, slot in inner.every())
            else:
                yield (step,), inner

    def only(self, slots: Collection[int]) -> Places:
        """Return those of some slots."""
        found = Places()
        for steps, slot in self.every():
            if slot in slots:
                found.put(steps, slot)
        return found

    def put(self, steps: tuple[str | int, ...], slot: int) -> None:
        """Add a place."""
        *above, last = steps
        places = self
        for step in above:
            places = places.setdefault(step, Places())
        places[last] = slot

    def at(self, *steps: str | int) -> Places:
        """Return those in a value; none where none is in it."""
        places = self
        for step in steps:
            places = places.get(step, _NONE)
        return places


_NONE: Final = Places()
