"""The hashes of one API container under many kubelets, each distinct one computed once.

Of two kubelets that hash JSON, the fields that only one of them knows leave no trace where a container sets
none of them; so one hash serves all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final, Generic, TypeVar

from hashcompat.analysis.planning.view import HashOf, Spec
from hashcompat.core.catalog.eras import Schema
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.go.types import ANY, Coded, Map, Member, side_by_side
from hashcompat.core.kubelet.hashing import ContainerHash
from hashcompat.core.model.pods import Container, Pod

_ESCAPED: Final = frozenset("\b\f")
"""What encoding/json of Go 1.22 writes differently (kubernetes/kubernetes#125895 - #125898)."""

Way = tuple[object, ...]
Value = TypeVar("Value")


class WayHashes:
    """Hashes one container of an API pod under any kubelet, by its way of hashing."""

    def __init__(self, pod: Pod, container: Container, hash_of: HashOf) -> None:
        """Take what hashes a container unchanged, of no snapshot and without a patch."""
        self._pod, self._container, self._hash_of = pod, container, hash_of
        self._hashes: dict[Way, ContainerHash] = {}
        self._alike: Alike[ContainerHash] = Alike(container.spec)

    def __call__(self, pod: Pod, container: Container, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        """Return the hash of a spec; that of the container itself is computed once for each way of hashing.

        Raises DecodeError for JSON that does not fit the kubelet's Go types.
        """
        if spec is not self._container.spec:
            return self._hash_of(pod, container, spec, kubelet)
        return self.of(kubelet)

    def of(self, kubelet: Kubelet) -> ContainerHash:
        """Return the hash of the container; errors as above."""
        if kubelet.way not in self._hashes:
            self._hashes[kubelet.way] = self._alike.of(kubelet, self._computed)
        return self._hashes[kubelet.way]

    def _computed(self, kubelet: Kubelet) -> ContainerHash:
        return self._hash_of(self._pod, self._container, self._container.spec, kubelet)


class Alike(Generic[Value]):
    """What is computed of the text of one container, once for all kubelets that surely hash it alike."""

    def __init__(self, spec: Spec) -> None:
        """Take the container's JSON."""
        self._spec = spec
        self._computed: list[tuple[Kubelet, Value]] = []

    def of(self, kubelet: Kubelet, compute: Callable[[Kubelet], Value]) -> Value:
        """Return what is computed for a kubelet; ``compute`` may raise errors."""
        value = next((computed for other, computed in self._computed if self._is_alike(kubelet, other)), None)
        if value is None:
            value = compute(kubelet)
            self._computed.append((kubelet, value))
        return value

    def _is_alike(self, kubelet: Kubelet, other: Kubelet) -> bool:
        """Return whether two kubelets surely hash this container alike."""
        if (
            kubelet.era is not other.era
            or not kubelet.era.hashes_json
            or kubelet.decodes is not other.decodes
        ):
            return False
        keys, is_escaped = self._written
        if is_escaped and kubelet.escapes != other.escapes:
            return False
        return keys.isdisjoint(differing(kubelet.schema, other.schema))

    @cached_property
    def _written(self) -> tuple[set[str], bool]:
        """The keys at any depth of the container, and whether a text of it is not always written alike."""
        keys, texts = set[str](), list[str]()
        _collect(self._spec, keys, texts)
        return keys, any(not _ESCAPED.isdisjoint(text) for text in texts)


@lru_cache(maxsize=4096)
def differing(schema: Schema, other: Schema) -> frozenset[str]:
    """Return the JSON keys of the fields that only one of two trees has, or that are of another type."""
    pairs = side_by_side((schema.container, ANY), (other.container, ANY))
    fields = [[member for member in (pair.old, pair.new) if member is not None] for pair in pairs]
    return frozenset(
        members[0].field.json
        for members in fields
        if len(members) == 1 or len(set(map(_typed, members))) != 1
    )


def _typed(member: Member) -> tuple[object, ...]:
    """Return what decides how a field is decoded and printed, but for what is inside a struct."""
    go_type = member.field.type
    insides = go_type.value if isinstance(go_type, Map) and isinstance(go_type.value, Coded) else None
    return go_type.name, member.field.omitempty, insides


def _collect(value: Any, keys: set[str], texts: list[str]) -> None:
    """Add every key and text of a JSON value, at any depth."""
    if isinstance(value, Mapping):
        keys.update(value)
        texts.extend(value)
        for inner in value.values():
            _collect(inner, keys, texts)
    elif isinstance(value, list | tuple):
        for inner in value:
            _collect(inner, keys, texts)
    elif isinstance(value, str):
        texts.append(value)
