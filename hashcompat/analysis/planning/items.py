"""The items of a plan, in the order in which pods pass; how two processes hand them to one another."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from sys import intern
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.model.items import ContainerName, Item, Observed, PodName, Prediction


class Doubts(msgspec.Struct, frozen=True):
    """What a record that is not reproduced makes of other items of its node."""

    places: array[int]
    """The places of items that are doubtful."""
    nodes: list[str]
    """The node of each."""
    predictions: list[Prediction]
    """The prediction that each has where a record of its node is not reproduced."""
    broken: set[str]
    """The nodes with such a record."""


class Items:
    """The items of pods that pass one by one.

    Only after the last pod is it known which nodes have a record that is not reproduced, and so which of its
    two predictions an item has.
    """

    def __init__(self) -> None:
        self.added: list[Item] = []
        """The items so far, whatever is doubtful about them."""
        self.doubts = Doubts(array("Q"), [], [], set())
        """What is doubtful about them."""

    def add(self, item: Item, doubt: Prediction | None) -> int:
        """Add the item of one container, with its other prediction if it has one; return its place."""
        place, node = len(self.added), item.pod.node
        if doubt is not None:
            self.doubts.places.append(place)
            self.doubts.nodes.append(node)
            self.doubts.predictions.append(doubt)
        if item.prediction.calibrated is False:
            self.doubts.broken.add(node)
        self.added.append(item)
        return place

    def merge(self, items: Iterable[Item], doubts: Doubts) -> None:
        """Add the items of pods that come next, and what is doubtful about them."""
        first = len(self.added)
        self.doubts.places.extend(first + place for place in doubts.places)
        self.doubts.nodes.extend(doubts.nodes)
        self.doubts.predictions.extend(doubts.predictions)
        self.doubts.broken.update(doubts.broken)
        self.added += items

    def settled(self) -> list[Item]:
        """Return the items with the predictions that count, in the order in which they were added."""
        doubts = self.doubts
        for place, node, prediction in zip(doubts.places, doubts.nodes, doubts.predictions, strict=True):
            if node in doubts.broken:
                self.added[place] = structs.replace(self.added[place], prediction=prediction)
        return list(self.added)

    def taken(self) -> list[Item]:
        """Return the same at the end, and keep none of them."""
        items = self.settled()
        self.added = []
        return items


_TOGETHER: Final = 4096
"""Items that are sent together: what they share is sent once, and neither side holds all of them twice."""

_Row = tuple[Any, ...]


class Rows(msgspec.Struct, frozen=True):
    """Some items."""

    predictions: list[Prediction]
    containers: list[ContainerName]
    pods: list[_Row]
    items: list[_Row]
    """The indexes of pod, container and prediction, the hashes, the line, and what was observed."""


def rows_of(items: Sequence[Item]) -> Iterator[Rows]:
    """Yield items as plain values."""
    rest = iter(items)
    while some := list(islice(rest, _TOGETHER)):
        predictions, containers, pods = (dict[int, Any]() for _ in range(3))
        found = [
            (
                _index(pods, item.pod),
                _index(containers, item.container),
                _index(predictions, item.prediction),
                item.recorded,
                item.from_hash,
                item.to_hash,
                item.line,
                _plain(item.observed) if item.observed else None,
            )
            for item in some
        ]
        kept = [[one for _, one in seen.values()] for seen in (predictions, containers, pods)]
        yield Rows(kept[0], kept[1], list(map(_plain, kept[2])), found)


def _index(seen: dict[int, Any], value: object) -> int:
    """Return the number of a value among those seen, which live as long as their ids are keys."""
    return int(seen.setdefault(id(value), (len(seen), value))[0])


def _plain(value: msgspec.Struct) -> _Row:
    return tuple([getattr(value, name) for name in value.__struct_fields__])


def items_of(batches: Iterable[Rows], lines: int = 0) -> Iterator[Item]:
    """Yield the items, each so many lines later; what is equal in two batches is one value again."""
    predictions, containers = dict[Prediction, Prediction](), dict[ContainerName, ContainerName]()
    for rows in batches:
        known = [predictions.setdefault(one, one) for one in rows.predictions]
        names = [containers.setdefault(one, one) for one in rows.containers]
        pods = list(map(_pod, rows.pods))
        for pod, container, prediction, recorded, old, new, line, observed in rows.items:
            seen = Observed(*observed) if observed else None
            place = line and line + lines
            yield Item(pods[pod], names[container], known[prediction], recorded, old, new, place, seen)


def _pod(row: _Row) -> PodName:
    node, namespace, name, key, *shared = row
    return PodName(intern(node), intern(namespace), name, key, *map(intern, shared))
