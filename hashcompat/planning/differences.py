"""Why two kubelets hash one container differently: the fields behind a difference."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.compile.gojson import at, json_fields, omits
from hashcompat.go.types import Coded, GoType, Map, Pointer, Slice, Struct
from hashcompat.kubelet.hashing import compile_hasher
from hashcompat.model.plan import Reason
from hashcompat.rules import ALGORITHM, FIELD_ADDED, FIELD_DROPPED, FIELD_REMOVED, FIELD_RETYPED, GO_ESCAPES


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that two releases hash differently: its JSON path, its type's name and its own.

    ``added`` says on which side it is; None: on both, with another Go type.
    """

    path: str
    type: str
    field: str
    added: bool | None


def difference(spec: Mapping[str, Any], old: Kubelet, new: Kubelet, catalog: Catalog) -> tuple[Reason, ...]:
    """Return why the hash of one container's JSON differs between two kubelets that do hash it differently."""
    if old.era is not new.era:
        return (
            Reason(
                ALGORITHM,
                f"hash algorithm: {old.era.name} -> {new.era.name} ({_era_source(old, new, catalog)})",
            ),
        )
    changes = field_changes(spec, old, new)
    if not changes:
        return (
            Reason(GO_ESCAPES, "backspace or form feed: encoding/json of Go 1.22 escapes it differently"),
        )
    every_field = old.era.steps[0] == "spew"
    return tuple(_reason(change, every_field, (old, new), catalog) for change in changes)


def _span(kubelets: tuple[Kubelet, Kubelet], catalog: Catalog) -> frozenset[str]:
    """Return the minors after the older kubelet's, up to the newer one's: a field may change its type more than once."""
    minors = list(catalog.rows)
    first, last = sorted(minors.index(kubelet.release.minor) for kubelet in kubelets)
    return frozenset(minors[first + 1 : last + 1])


def _era_source(old: Kubelet, new: Kubelet, catalog: Catalog) -> str:
    newer = max(old, new, key=lambda kubelet: kubelet.release.version)
    rows = [row["pr"] for row in catalog.changes["eras"] if row["to"] == newer.era.name]
    return ", ".join(rows) or newer.era.source


def _reason(
    change: FieldChange, every_field: bool, kubelets: tuple[Kubelet, Kubelet], catalog: Catalog
) -> Reason:
    if change.added is None:
        known = upstream_change(change.type, change.field, catalog, "retyped", _span(kubelets, catalog))
    else:
        known = upstream_change(change.type, change.field, catalog)
    since = f" ({', '.join(filter(None, (known['release'], known['pr'])))})" if known else ""
    if not every_field:
        return Reason(
            FIELD_DROPPED,
            f"{change.field} is set, and only one of the kubelets knows it{since}",
            change.path,
            change.field,
        )
    if change.added is None:
        return Reason(
            FIELD_RETYPED, f"another Go type of field {change.field}{since}", change.path, change.field
        )
    if change.added:
        return Reason(FIELD_ADDED, f"new field {change.field}{since}", change.path, change.field)
    return Reason(FIELD_REMOVED, f"field {change.field} is gone{since}", change.path, change.field)


def upstream_change(
    type_name: str, field: str, catalog: Catalog, change: str = "added", span: Collection[str] | None = None
) -> Mapping[str, Any] | None:
    """Return the row of changes.json that brought a field, or changed it in another way (in one of the minors of ``span``), or None."""
    for row in catalog.changes["fields"]:
        if (row["type"], row["field"], row["change"]) == (type_name, field, change) and (
            span is None or row["release"] in span
        ):
            return dict(row)
    return None


def field_changes(spec: Mapping[str, Any], old: Kubelet, new: Kubelet) -> list[FieldChange]:
    """Return the fields of this container that only one side hashes, each path once (list indexes as ``[*]``)."""
    sides = [
        compile_hasher(kubelet.schema, kubelet.era.steps, kubelet.escapes[0], keep_empty=False)
        for kubelet in (old, new)
    ]
    values = [hasher.decode(spec) for hasher in sides]
    every_field = old.era.steps[0] == "spew"
    found = _compare(old.schema.container, values[0], new.schema.container, values[1], "", every_field)
    return list(dict.fromkeys(found))


def _compare(
    old_type: GoType, old: Any, new_type: GoType, new: Any, path: str, every_field: bool
) -> Iterator[FieldChange]:
    """Walk two typed values of one JSON value side by side."""
    match old_type, new_type:
        case (Struct(), Struct()) if not isinstance(old_type, Coded):
            yield from _compare_structs((old_type, old), (new_type, new), path, every_field)
        case Pointer(_, old_elem), Pointer(_, new_elem) if old is not None and new is not None:
            yield from _compare(old_elem, old[0], new_elem, new[0], path, every_field)
        case Slice(_, old_elem), Slice(_, new_elem):
            for old_item, new_item in zip(old or (), new or (), strict=True):
                yield from _compare(old_elem, old_item, new_elem, new_item, f"{path}[*]", every_field)


def _compare_structs(
    old: tuple[Struct, Any], new: tuple[Struct, Any], path: str, every_field: bool
) -> Iterator[FieldChange]:
    old_fields, new_fields = (
        {field.json: (owner, field, at(side[1], place)) for place, owner, field in json_fields(side[0])}
        for side in (old, new)
    )
    for key in dict.fromkeys([*new_fields, *old_fields]):
        place = f"{path}.{key}".lstrip(".")
        if key in old_fields and key in new_fields:
            (owner, old_field, old_value), (_, new_field, new_value) = old_fields[key], new_fields[key]
            if every_field and _retyped((old_field.type, old_value), (new_field.type, new_value)):
                yield FieldChange(place, owner.name.rpartition(".")[2], old_field.name, None)
            yield from _compare(old_field.type, old_value, new_field.type, new_value, place, every_field)
        else:
            owner, field, value = new_fields.get(key) or old_fields[key]
            if every_field or not omits(field, value):
                yield FieldChange(place, owner.name.rpartition(".")[2], field.name, key in new_fields)


def _retyped(old: tuple[GoType, Any], new: tuple[GoType, Any]) -> bool:
    """Tell whether a field that both sides know prints differently: another type name, or quantities with other insides."""
    if isinstance(old[0], Map) and isinstance(new[0], Map) and isinstance(old[0].value, Coded):
        return bool(old[1] != new[1])
    return old[0].name != new[0].name
