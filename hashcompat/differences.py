"""Why two kubelets hash one container differently: the fields behind a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.compile.gojson import at, json_fields, omits
from hashcompat.go.codecs import CODECS
from hashcompat.go.types import GoType, Pointer, Slice, Struct
from hashcompat.kubelet.hashing import compile_hasher
from hashcompat.model import Reason
from hashcompat.reasons import ALGORITHM, FIELD_ADDED, FIELD_DROPPED, FIELD_REMOVED, GO_ESCAPES


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that only one of two releases hashes: its JSON path, its type's name and its own, and on which side it is."""

    path: str
    type: str
    field: str
    added: bool


def difference(spec: Mapping[str, Any], old: Kubelet, new: Kubelet, catalog: Catalog) -> tuple[Reason, ...]:
    """Return why the hash of one container's JSON differs between two kubelets that do hash it differently."""
    if old.era is not new.era:
        return (Reason(ALGORITHM, f"hash algorithm: {old.era.name} -> {new.era.name} ({_era_source(old, new, catalog)})"),)
    changes = field_changes(spec, old, new)
    if not changes:
        return (Reason(GO_ESCAPES, "backspace or form feed: encoding/json of Go 1.22 escapes it differently"),)
    every_field = old.era.steps[0] == "spew"
    return tuple(_reason(change, every_field, catalog) for change in changes)


def _era_source(old: Kubelet, new: Kubelet, catalog: Catalog) -> str:
    newer = max(old, new, key=lambda kubelet: kubelet.release.version)
    rows = [row["pr"] for row in catalog.changes["eras"] if row["to"] == newer.era.name]
    return ", ".join(rows) or newer.era.source


def _reason(change: FieldChange, every_field: bool, catalog: Catalog) -> Reason:
    known = upstream_change(change.type, change.field, catalog)
    since = f" ({known['release']}, {known['pr']})" if known else ""
    if not every_field:
        return Reason(FIELD_DROPPED, f"{change.field} is set, and only one of the kubelets knows it{since}", change.path, change.field)
    if change.added:
        return Reason(FIELD_ADDED, f"new field {change.field}{since}", change.path, change.field)
    return Reason(FIELD_REMOVED, f"field {change.field} is gone{since}", change.path, change.field)


def upstream_change(type_name: str, field: str, catalog: Catalog) -> Mapping[str, Any] | None:
    """Return the row of changes.json that brought a field, or None."""
    for row in catalog.changes["fields"]:
        if (row["type"], row["field"], row["change"]) == (type_name, field, "added"):
            return dict(row)
    return None


def field_changes(spec: Mapping[str, Any], old: Kubelet, new: Kubelet) -> list[FieldChange]:
    """Return the fields of this container that only one side hashes, each path once (list indexes as ``[*]``)."""
    sides = [compile_hasher(kubelet.schema, kubelet.era.steps, kubelet.escapes[0], keep_empty=False) for kubelet in (old, new)]
    values = [hasher.decode(spec) for hasher in sides]
    every_field = old.era.steps[0] == "spew"
    found = _compare(old.schema.container, values[0], new.schema.container, values[1], "", every_field)
    return list(dict.fromkeys(found))


def _compare(old_type: GoType, old: Any, new_type: GoType, new: Any, path: str, every_field: bool) -> Iterator[FieldChange]:
    """Walk two typed values of one JSON value side by side."""
    match old_type, new_type:
        case Struct(name), Struct() if name not in CODECS:
            yield from _compare_structs((old_type, old), (new_type, new), path, every_field)
        case Pointer(_, old_elem), Pointer(_, new_elem) if old is not None and new is not None:
            yield from _compare(old_elem, old[0], new_elem, new[0], path, every_field)
        case Slice(_, old_elem), Slice(_, new_elem):
            for old_item, new_item in zip(old or (), new or (), strict=True):
                yield from _compare(old_elem, old_item, new_elem, new_item, f"{path}[*]", every_field)


def _compare_structs(old: tuple[Struct, Any], new: tuple[Struct, Any], path: str, every_field: bool) -> Iterator[FieldChange]:
    old_fields, new_fields = (
        {field.json: (owner, field, at(side[1], place)) for place, owner, field in json_fields(side[0])} for side in (old, new)
    )
    for key in dict.fromkeys([*new_fields, *old_fields]):
        place = f"{path}.{key}".lstrip(".")
        if key in old_fields and key in new_fields:
            (_, old_field, old_value), (_, new_field, new_value) = old_fields[key], new_fields[key]
            yield from _compare(old_field.type, old_value, new_field.type, new_value, place, every_field)
        else:
            owner, field, value = new_fields.get(key) or old_fields[key]
            if every_field or not omits(field, value):
                yield FieldChange(place, owner.name.rpartition(".")[2], field.name, key in new_fields)
