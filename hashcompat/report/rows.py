"""The containers of a plan one by one: as rows, as names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from hashcompat.model.items import Item
from hashcompat.model.plan import Plan
from hashcompat.model.verdicts import Verdict
from hashcompat.report.asked import Excerpt, asked, in_order
from hashcompat.report.items import item_name, reason_words, verdict_cell
from hashcompat.report.model import Prose, Table

_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "FROM", "TO", "REASON")

_MORE_COLUMNS: Final = (
    "TYPE",
    "OWNER",
    "UID",
    "RELEASE",
    "FROM-HEX",
    "TO-HEX",
    "RULES",
    "RECORDED",
    "WORKLOAD",
)

_SHORT_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "VERDICT", "REASON")


def table(shown: Plan | Excerpt) -> Table:
    """Return a row for each item, hashes included."""
    return Table(_COLUMNS, lambda: map(_cells, _items(shown)))


def wide(shown: Plan | Excerpt) -> Table:
    """Return the rows with all that an item shows."""
    rows = lambda: ([*_cells(item), *_more_cells(item)] for item in _items(shown))  # noqa: E731
    return Table((*_COLUMNS, *_MORE_COLUMNS), rows)


def short(shown: Excerpt, *, numbers: bool) -> Table:
    """Return the rows for people, without hashes; ``numbers`` puts those of the reasons for their words."""
    cells = partial(_short_cells, shown, numbers=numbers)
    return Table(_SHORT_COLUMNS, lambda: map(cells, _items(shown)))


def names(shown: Plan | Excerpt) -> Iterator[str]:
    """Yield a name for each container that is killed or UNKNOWN, or for each one if all are asked for."""
    every = isinstance(shown, Excerpt) and shown.every
    return (item_name(item) for item in _items(shown) if every or item.verdict is not Verdict.KEEP)


def _items(shown: Plan | Excerpt) -> tuple[Item, ...]:
    excerpt = asked(shown)
    return in_order(excerpt.items, excerpt.sort_by)


def _names(item: Item) -> list[object]:
    return [item.pod.node, item.pod.namespace, item.pod.name, item.container.name, verdict_cell(item)]


def _cells(item: Item) -> list[object]:
    return [*_names(item), item.hashes.from_, item.hashes.to, Prose(reason_words(item))]


def _more_cells(item: Item) -> list[object]:
    hexes = [None if value is None else f"{value:x}" for value in (item.hashes.from_, item.hashes.to)]
    ids = ",".join(dict.fromkeys(reason.id for reason in item.reasons))
    whose = [item.container.type.value, item.pod.owner, item.pod.uid, item.from_release]
    return [*whose, *hexes, ids, item.hashes.recorded, item.pod.workload]


def _short_cells(shown: Excerpt, item: Item, *, numbers: bool) -> list[object]:
    ids = {reason.id for reason in item.reasons}
    number = ",".join(str(kind.number) for kind in shown.tally.kinds if kind.id in ids)
    kept = item.verdict is Verdict.KEEP
    return [*_names(item), Prose(number if numbers and number and not kept else reason_words(item))]
