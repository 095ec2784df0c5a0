"""Whether an old release knew every field that a container sets: the rule by which an old hash counts.

A field that the old kubelet did not know was dropped by it. Where such a field is set, the spec means
something that the old kubelet never ran, unless it holds what API servers write by themselves (``procMount:
Default``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hashcompat.catalog.lookup import Kubelet
from hashcompat.compile.decode import Decoder, compile_decoder
from hashcompat.compile.gojson import at, json_fields
from hashcompat.go.types import Coded, GoType, Pointer, Slice, Struct

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
