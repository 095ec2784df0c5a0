"""What differs between two releases for any container."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.answers.deep import ABSENT, deep_differences
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.catalog.types import reachable_fields


@dataclass(frozen=True, slots=True)
class TypeDifference:
    """A field of a Go type that only one of two releases has, or has with another type."""

    type: str
    field: str
    old: str
    new: str
    upstream: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class ReleaseDifference:
    """What differs between two releases: the era, the encoding/json, the type trees."""

    old: Kubelet
    new: Kubelet
    types: tuple[TypeDifference, ...]
    upstream: tuple[Mapping[str, Any], ...]


def compare_releases(from_release: str, to_release: str, catalog: Catalog) -> ReleaseDifference:
    """Return the type-tree and era differences between two releases."""
    old, new = catalog.kubelet(from_release), catalog.kubelet(to_release)
    types = tuple(_type_differences(old, new, catalog))
    return ReleaseDifference(old, new, types, tuple(era_changes(old, new, catalog)))


def _type_differences(old: Kubelet, new: Kubelet, catalog: Catalog) -> Iterator[TypeDifference]:
    for (type_name, *rest), before, after in deep_differences(
        reachable_fields(old.schema), reachable_fields(new.schema)
    ):
        rows = [(str(rest[0]), before, after)] if rest else _whole_type(before, after)
        for field, old_type, new_type in rows:
            upstream = next(
                (
                    row
                    for row in catalog.changes["fields"]
                    if (row["type"], row["field"]) == (type_name, field)
                ),
                None,
            )
            yield TypeDifference(str(type_name), field, str(old_type), str(new_type), upstream)


def _whole_type(before: Any, after: Any) -> list[tuple[str, Any, Any]]:
    """Spread a type that only one side has over its fields."""
    fields = after if before == ABSENT else before
    return [
        (field, *((ABSENT, go_type) if before == ABSENT else (go_type, ABSENT)))
        for field, go_type in fields.items()
    ]


def era_changes(old: Kubelet, new: Kubelet, catalog: Catalog) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of changes.json for the changes of the algorithm between two releases."""
    for row in catalog.changes["eras"]:
        if is_between(row["release"], old, new, catalog):
            yield row


def is_between(minor: str, old: Kubelet, new: Kubelet, catalog: Catalog) -> bool:
    """Tell whether a change that came with a minor release lies between two releases, whichever way they go."""
    order = list(catalog.rows)
    first, last = sorted(order.index(kubelet.release.minor) for kubelet in (old, new))
    return minor in order and first < order.index(minor) <= last
