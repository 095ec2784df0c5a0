"""Whether two kubelets hash containers alike, and which fields of a container one of them does not know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.types import Schema
from hashcompat.compile.decode import Decoder, compile_decoder
from hashcompat.go.types import Slice
from hashcompat.go.walk import ANY, Member, Pair, Walk, compile_walk

Defaults = Sequence[tuple[str, Any]]
"""Paths below a container, without ``[*]``, and the values that API servers write there by themselves."""


def hash_alike(one: Kubelet, other: Kubelet) -> bool:
    """Return whether two releases hash every container alike that sets only fields which both know.

    Where JSON is hashed unset fields leave no trace, but encoding/json does: Go 1.22 escapes a backspace and
    a form feed differently (kubernetes/kubernetes#125895 - #125898). Where ``%#v`` text is hashed, the whole
    type tree is part of it.
    """
    if one.era is not other.era:
        return False
    return one.escapes == other.escapes if one.era.hashes_json else one.schema is other.schema


def never_alike(one: Kubelet, other: Kubelet) -> bool:
    """Return whether two releases hash every container differently: other steps, or other types in text."""
    return one.era is not other.era or (one.era.prints_unset_fields and one.schema is not other.schema)


def distinct(olds: Iterable[Kubelet], new: Kubelet, *, new_fields: bool) -> tuple[Kubelet, ...]:
    """Return the old releases that hash differently from ``new``, one per distinct hash.

    With ``new_fields``, containers count that set fields unknown to the old release, so its types have to be
    the same.
    """
    found: list[Kubelet] = []
    for old in olds:
        alike = _same_code(old, new) if new_fields and old.era.whole else hash_alike(old, new)
        if not alike and not any(_same_code(old, known) for known in found):
            found.append(old)
    return tuple(found)


def no_patch_needed(new: str, likes: Iterable[str]) -> str:
    """Return the message that ``distinct`` found nothing to patch."""
    which = "that sets only fields which both know"
    return f"No patch needed: {new} hashes every container as {', '.join(likes)} does {which}."


def _same_code(one: Kubelet, other: Kubelet) -> bool:
    return (one.schema, one.era, one.escapes) == (other.schema, other.era, other.escapes)


def unknown_to(spec: Mapping[str, Any], new: Kubelet, old: Kubelet, defaults: Defaults) -> list[str]:
    """Return the paths of the set fields that ``new`` knows and ``old`` does not, but for defaults.

    Raises DecodeError for JSON that does not fit the new release's types.
    """
    written = dict(defaults)
    return [
        path
        for path, member in _new_fields(spec, new, old)
        if not (path in written and _is_default(member, written[path]))
    ]


def _new_fields(spec: Mapping[str, Any], new: Kubelet, old: Kubelet) -> Iterator[tuple[str, Member]]:
    value = _decoder(new.schema)(spec)
    for pair in _added(old.schema, new.schema)(ANY, value):
        if pair.new is not None and pair.new.value:
            yield pair.path.replace("[*]", ""), pair.new


@lru_cache(maxsize=256)
def _added(old: Schema, new: Schema) -> Walk:
    """Return the walk of the fields that only the new types have."""
    return compile_walk(old.container, new.container, _is_added)


def _is_added(pair: Pair) -> bool:
    return pair.old is None


@lru_cache(maxsize=256)
def _decoder(schema: Schema) -> Decoder:
    return compile_decoder(schema.container, keep_empty=True)


def _is_default(member: Member, default: Any) -> bool:
    """Return whether a field holds the default; of a list any elements may be left out."""
    go_type = member.field.type
    written = compile_decoder(go_type, keep_empty=True)(default)
    return set(member.value) <= set(written) if isinstance(go_type, Slice) else bool(member.value == written)
