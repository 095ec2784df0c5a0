"""The items of a plan, in the order in which pods pass; how two processes hand them to one another.

Nothing else of a plan is added up while pods pass, so that some of them can be decided again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from sys import intern
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.cautions import Caution
from hashcompat.core.model.items import ContainerName, Item, Observed, PodName, Prediction


class Aside(msgspec.Struct, frozen=True):
    """What else a plan says of the container of an item."""

    caution: Caution = Caution()
    saved: str = ""
    """The current release, where it restarts and a patch that accepts its hash would keep it; else empty."""
    rewritable: bool = False
    """Whether it restarts, and would not with rewritten records."""


class Doubts(msgspec.Struct, frozen=True):
    """What a record that is not reproduced makes of other items of its node."""

    places: array[int]
    """The places of items that are doubtful."""
    predictions: list[Prediction]
    """The prediction that each has where a record of its node is not reproduced."""


class Items:
    """The items of pods that pass one by one.

    Only after the last pod is it known which nodes have a record that is not reproduced, and so which of its
    two predictions an item has.
    """

    def __init__(self) -> None:
        self.added: list[Item] = []
        """The items so far, whatever is doubtful about them."""
        self.asides: list[Aside] = []
        """What else is said of each."""
        self.doubts = Doubts(array("Q"), [])
        """What is doubtful about them."""

    def add(self, item: Item, doubt: Prediction | None, aside: Aside) -> int:
        """Add the item of one container, with its other prediction if it has one; return its place."""
        place = len(self.added)
        if doubt is not None:
            self.doubts.places.append(place)
            self.doubts.predictions.append(doubt)
        self.added.append(item)
        self.asides.append(aside)
        return place

    def merge(self, items: Iterable[tuple[Item, Aside]], doubts: Doubts) -> None:
        """Add the items of pods that come next, and what is doubtful about them."""
        first = len(self.added)
        self.doubts.places.extend(first + place for place in doubts.places)
        self.doubts.predictions.extend(doubts.predictions)
        for item, aside in items:
            self.added.append(item)
            self.asides.append(aside)

    def amend(self, items: Items) -> None:
        """Put the items of pods that were decided again, which have uids, in place of theirs.

        The order is the same.
        """
        keys = {item.pod.key for item in items.added}
        places = [place for place, item in enumerate(self.added) if item.pod.key in keys]
        for place, item, aside in zip(places, items.added, items.asides, strict=True):
            self.added[place], self.asides[place] = item, aside
        there, doubts = set(places), zip(self.doubts.places, self.doubts.predictions, strict=True)
        kept = [doubt for doubt in doubts if doubt[0] not in there]
        amended = zip(items.doubts.places, items.doubts.predictions, strict=True)
        pairs = [*kept, *((places[place], prediction) for place, prediction in amended)]
        self.doubts = Doubts(
            array("Q", [place for place, _ in pairs]), [prediction for _, prediction in pairs]
        )

    def settled(self) -> list[Item]:
        """Return the items with the predictions that count, in the order in which they were added."""
        items, doubts = list(self.added), self.doubts
        broken = (
            {item.pod.node for item in items if item.prediction.calibrated is False} if doubts.places else ()
        )
        for place, prediction in zip(doubts.places, doubts.predictions, strict=True):
            if items[place].pod.node in broken:
                items[place] = structs.replace(items[place], prediction=prediction)
        return items

    def taken(self) -> list[Item]:
        """Return the settled items at the end, and keep none of them."""
        items = self.settled()
        self.added = []
        return items


_BATCH: Final = 4096
"""Items that are sent together: what they share is sent once, and neither side holds all of them twice."""

_Row = tuple[Any, ...]


class ItemTable(msgspec.Struct, frozen=True):
    """Some items."""

    predictions: list[Prediction]
    containers: list[ContainerName]
    asides: list[Aside]
    pods: list[_Row]
    items: list[_Row]
    """The indexes of pod, container, prediction and aside, the hashes, the line, and what was observed."""


def rows_of(items: Items) -> Iterator[ItemTable]:
    """Yield items as plain values."""
    rest = zip(items.added, items.asides, strict=True)
    while batch := list(islice(rest, _BATCH)):
        predictions, containers, asides, pods = (dict[int, Any]() for _ in range(4))
        rows = [
            (
                _index(pods, item.pod),
                _index(containers, item.container),
                _index(predictions, item.prediction),
                _index(asides, aside),
                item.recorded,
                item.from_hash,
                item.to_hash,
                item.line,
                _plain(item.observed) if item.observed else None,
            )
            for item, aside in batch
        ]
        kept = [[value for _, value in seen.values()] for seen in (predictions, containers, asides, pods)]
        yield ItemTable(kept[0], kept[1], kept[2], list(map(_plain, kept[3])), rows)


def _index(seen: dict[int, Any], value: object) -> int:
    """Return the number of a value among those seen, which live as long as their ids are keys."""
    return int(seen.setdefault(id(value), (len(seen), value))[0])


def _plain(value: msgspec.Struct) -> _Row:
    return tuple([getattr(value, name) for name in value.__struct_fields__])


def items_of(batches: Iterable[ItemTable], lines: int = 0) -> Iterator[tuple[Item, Aside]]:
    """Yield the items, each so many lines later; what is equal in two batches is one value again."""
    predictions, containers = dict[Prediction, Prediction](), dict[ContainerName, ContainerName]()
    asides = dict[Aside, Aside]()
    for rows in batches:
        shared_predictions = [
            predictions.setdefault(prediction, prediction) for prediction in rows.predictions
        ]
        names = [containers.setdefault(container, container) for container in rows.containers]
        shared_asides = [asides.setdefault(aside, aside) for aside in rows.asides]
        pods = list(map(_pod, rows.pods))
        for pod, container, prediction, aside, recorded, old, new, line, observed in rows.items:
            seen = Observed(*observed) if observed else None
            place = line and line + lines
            item = Item(
                pods[pod], names[container], shared_predictions[prediction], recorded, old, new, place, seen
            )
            yield item, shared_asides[aside]


def _pod(row: _Row) -> PodName:
    node, namespace, name, key, *shared = row
    return PodName(intern(node), intern(namespace), name, key, *map(intern, shared))
