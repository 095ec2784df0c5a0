"""Items as plain values, for another process: what many of them share is sent once for some thousands.

So neither side needs much memory besides the items themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from sys import intern
from typing import Any, Final

import msgspec

from hashcompat.model.items import ContainerName, Item, Observed, PodName, Prediction

_TOGETHER: Final = 4096
"""Items of one batch."""

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
