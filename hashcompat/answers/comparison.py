"""What differs between two releases for any container."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from hashcompat.answers.deep import ABSENT, differences
from hashcompat.answers.sentences.situation import hashed
from hashcompat.catalog.behaviour import Change, EraChange
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.catalog.types import reachable_fields


class TypeDifference(msgspec.Struct, frozen=True):
    """A field of a Go type that only one of two releases has, or has with another type."""

    type: str
    """The type's Go name without the package."""
    field: str
    """The field's Go name; empty for a type that is not a struct."""
    old: str
    """The field's Go type in the first release, or ``absent``."""
    new: str
    """The field's Go type in the second release, or ``absent``."""
    upstream: Change | None
    """What is known about the change."""


class ReleaseDifference(msgspec.Struct, frozen=True):
    """What differs between two releases: the era, the encoding/json, the type trees."""

    old: Kubelet
    """The first release."""
    new: Kubelet
    """The second release."""
    types: tuple[TypeDifference, ...]
    """Where the type trees differ, in the order of types and fields."""
    upstream: tuple[EraChange, ...]
    """The changes of era between the two."""


def compare_releases(from_release: str, to_release: str, catalog: Catalog) -> ReleaseDifference:
    """Return the type-tree and era differences between two releases.

    Raises UsageError for unknown releases.
    """
    old, new = catalog.kubelet(from_release), catalog.kubelet(to_release)
    eras = catalog.changes.eras_in(catalog.known.minors_between(old.release, new.release))
    return ReleaseDifference(old, new, tuple(_type_differences(old, new, catalog)), eras)


def restarts(difference: ReleaseDifference) -> str:
    """Say in a sentence which containers have another hash, and why."""
    old, new = difference.old, difference.new
    names = f"{old.release} and {new.release}"
    if old.era is not new.era:
        one, other = hashed(old.era, new.era), hashed(new.era, old.era)
        return f"Every container restarts: {old.release} hashes {one}, {new.release} {other}."
    if not old.era.whole:
        return f"No container restarts for its hash: {names} both hash {hashed(old.era)}."
    go = " or contains a backspace or form feed" if old.escapes != new.escapes and old.era.hashes_json else ""
    if not difference.types and not go:
        return f"No container restarts for its hash: {names} hash {hashed(old.era)} over the same types."
    if not old.era.prints_unset_fields:
        return (
            f"A container restarts if it sets a field that only one of {names} knows{go}: JSON omits others."
        )
    if any(row.type == "Container" for row in difference.types):
        return f"Every container restarts: {names} have other fields in Container, and hash unset fields too."
    return (
        f"A container restarts if it has a value of one of the types below: {names} have other fields in "
        "them, and hash unset fields too."
    )


def _type_differences(old: Kubelet, new: Kubelet, catalog: Catalog) -> Iterator[TypeDifference]:
    for found in differences(reachable_fields(old.schema), reachable_fields(new.schema)):
        type_name, *rest = map(str, found.path)
        rows = {rest[0]: (found.old, found.new)} if rest else _whole_type(found.old, found.new)
        for field, (old_type, new_type) in rows.items():
            upstream = catalog.changes.of_field(type_name, field)
            yield TypeDifference(type_name, field, old_type, new_type, upstream)


def _whole_type(old: Mapping[str, str] | str, new: Mapping[str, str] | str) -> dict[str, tuple[str, str]]:
    """Spread a type that only one side has over its fields."""
    if isinstance(new, Mapping):
        return {field: (ABSENT, go_type) for field, go_type in new.items()}
    return {field: (go_type, ABSENT) for field, go_type in old.items()} if isinstance(old, Mapping) else {}
