"""Whether a patch for one kubelet and some old releases makes sense, and why not where it does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from hashcompat.catalog.lookup import Kubelet
from hashcompat.compile.decode import Decoder, compile_decoder
from hashcompat.compile.gojson import at, json_fields
from hashcompat.go.types import Coded, GoType, Pointer, Slice, Struct


def hash_alike(one: Kubelet, other: Kubelet) -> bool:
    """Tell whether two releases hash every container alike that sets only fields which both know.

    Where JSON is hashed unset fields leave no trace; where ``%#v`` text is, the whole type tree is part of
    it.
    """
    return one.era is other.era and ("json" in one.era.steps or one.schema is other.schema)


def distinct(olds: Iterable[Kubelet], new: Kubelet, *, new_fields: bool) -> tuple[Kubelet, ...]:
    """Return the old releases that ``new`` does not hash like already, one for each distinct hash.

    ``new_fields``: containers that set fields which the old release did not know are to count, so its types
    have to be the same.
    """
    found: list[Kubelet] = []
    for old in olds:
        alike = (
            _same_code(old, new) if new_fields and "pick" not in old.era.steps[0] else hash_alike(old, new)
        )
        if not alike and not any(_same_code(old, known) for known in found):
            found.append(old)
    return tuple(found)


def no_patch_needed(new: str, likes: Iterable[str]) -> str:
    """Say that ``distinct`` found nothing to patch."""
    return f"No patch needed: {new} hashes every container as {', '.join(likes)} does that sets only fields which both know."


def _same_code(one: Kubelet, other: Kubelet) -> bool:
    return (one.schema, one.era, one.escapes) == (other.schema, other.era, other.escapes)


Defaults = Sequence[tuple[str, Any]]


def unknown_to(spec: Mapping[str, Any], new: Kubelet, old: Kubelet, defaults: Defaults) -> list[str]:
    """Return the paths of the set fields that ``new`` decodes and ``old`` does not know, without those that hold a default.

    Raises DecodeError for JSON that does not fit the new release's types.
    """
    container = new.schema.container
    return _unknown(container, old.schema.container, _decoder(container)(spec), "", dict(defaults))


@lru_cache(maxsize=256)
def _decoder(go_type: GoType) -> Decoder:
    return compile_decoder(go_type, keep_empty=True)


def _unknown(new: GoType, old: GoType, value: Any, path: str, defaults: Mapping[str, Any]) -> list[str]:
    match new, old:
        case (Struct(), Struct()) if not isinstance(new, Coded):
            return _unknown_fields(new, old, value, path, defaults)
        case Pointer(_, new_elem), Pointer(_, old_elem) if value is not None:
            return _unknown(new_elem, old_elem, value[0], path, defaults)
        case Slice(_, new_elem), Slice(_, old_elem):
            return [
                found for item in value or () for found in _unknown(new_elem, old_elem, item, path, defaults)
            ]
    return []


def _unknown_fields(
    new: Struct, old: Struct, value: Any, path: str, defaults: Mapping[str, Any]
) -> list[str]:
    known = {field.json: field.type for _, _, field in json_fields(old)}
    found = []
    for index, _, field in json_fields(new):
        item, place = at(value, index), f"{path}.{field.json}".lstrip(".")
        if field.json in known:
            found += _unknown(field.type, known[field.json], item, place, defaults)
        elif item and not (place in defaults and _is_default(field.type, item, defaults[place])):
            found.append(place)
    return found


def _is_default(go_type: GoType, value: Any, default: Any) -> bool:
    """Tell whether a typed value is the default; of a list any elements may be left out."""
    written = _decoder(go_type)(default)
    return set(value) <= set(written) if isinstance(go_type, Slice) else bool(value == written)
