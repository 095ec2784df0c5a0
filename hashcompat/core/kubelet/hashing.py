"""The container hash of a kubelet release: an era's chain of steps over the release's types.

Source of the chains: pkg/kubelet/container/helpers.go ``HashContainer`` and pkg/util/hash/hash.go
``DeepHashObject``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import structs

from hashcompat.core.catalog.eras import Era, Schema
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.compile.gojson import compile_decoder, compile_encoder, view
from hashcompat.core.compile.quick import Remarshal, compile_parts
from hashcompat.core.compile.spew import byte_slice_pieces, byte_slice_text, compile_printer
from hashcompat.core.errors import NotStoredError, UsageError
from hashcompat.core.go.digest import BY_NAME, IS_COMPILED, Digest
from hashcompat.core.go.jsontext import ESCAPES, loads
from hashcompat.core.go.types import BYTES, STRING, STRING_MAP, GoType, Struct
from hashcompat.core.model.verdicts import Hash, StoredHashes, number_of

Step = Callable[[Any], Any]

Quick = Callable[[Any], "list[str] | None"]
"""JSON -> the pieces of the hashed text; None for unusual JSON, which is left to the steps."""


class Hasher(msgspec.Struct, frozen=True, eq=False):
    """The compiled hash of one schema, era and encoding/json variant."""

    container: Struct
    """The hashed type."""
    decode: Step
    """JSON -> a typed value."""
    stages: tuple[Step, ...]
    """A typed value -> the pieces of the hashed text; the last one is spew."""
    digest: Digest
    """Pieces of text -> an unsigned 32-bit number."""
    quick: Quick | None
    """JSON -> the same pieces, in less time; None where there is no such way."""

    def pieces_of(self, container: Mapping[str, Any]) -> list[str]:
        """Return the hashed text of a container's JSON in pieces; errors as ``hash``."""
        pieces = self.quick(container) if self.quick is not None else None
        return self.pieces(self.decode(container)) if pieces is None else pieces

    def pieces(self, value: Any) -> list[str]:
        """Return the hashed text of a typed value in pieces."""
        for stage in self.stages:
            value = stage(value)
        pieces: list[str] = value
        return pieces

    def hash(self, container: Mapping[str, Any]) -> int:
        """Return the unsigned 32-bit hash of a container's JSON.

        Raises DecodeError, with the path inside the container, for JSON that does not fit the Go types.
        """
        return self.digest(self.pieces_of(container))

    def text(self, container: Mapping[str, Any]) -> str:
        """Return the exact text that is hashed."""
        return "".join(self.pieces_of(container))

    def readable(self, container: Mapping[str, Any]) -> str:
        """Return the hashed text as people can read it: the JSON, where its bytes are printed as numbers."""
        *before_spew, spew = self.stages
        value = self.decode(container)
        for stage in before_spew:
            value = stage(value)
        return "".join(value if before_spew else spew(value))

    def tree(self, container: Mapping[str, Any]) -> Any:
        """Return what is hashed as plain data: the fields by Go name, or the JSON document."""
        if len(self.stages) > 1:
            return loads(self.readable(container))
        return view(self.container, self.decode(container))


class ContainerHash(msgspec.Struct, frozen=True):
    """A container's hash under one kubelet: two candidates if it depends on the Go of a vendor's build."""

    candidates: frozenset[Hash]
    """The possible hashes; empty where nothing can be computed."""
    era: str

    def with_candidates(self, more: frozenset[Hash]) -> ContainerHash:
        """Return the same hash with further candidates."""
        return ContainerHash(self.candidates | more, self.era) if more else self

    @property
    def is_certain(self) -> bool:
        """Whether there is exactly one candidate."""
        return len(self.candidates) == 1

    @property
    def value(self) -> int | None:
        """The unsigned 32-bit hash; None unless there is exactly one candidate, and for a hidden one."""
        return number_of(next(iter(self.candidates))) if self.is_certain else None

    @property
    def hex(self) -> str | None:
        """The hash as labels and annotations hold it: lower case, not zero-padded."""
        return None if self.value is None else f"{self.value:x}"


def container_hash(
    container: Mapping[str, Any],
    kubelet: Kubelet,
    *,
    keep_empty: bool = False,
    stored: StoredHashes | None = None,
) -> ContainerHash:
    """Hash one container's JSON as ``kubelet`` does.

    ``stored`` is what a snapshot stores of the container's hashes. Errors as Hasher.hash and true_hash.
    """
    candidates = frozenset(
        true_hash(stored, hasher.hash(container)) for hasher in hashers(kubelet, keep_empty=keep_empty)
    )
    return ContainerHash(candidates, kubelet.era.name)


def hashers(kubelet: Kubelet, *, keep_empty: bool = False) -> list[Hasher]:
    """Return the kubelet's hasher; two of them where its encoding/json is unknown."""
    return [compile_hasher(kubelet.schema, kubelet.era, escapes, keep_empty) for escapes in kubelet.escapes]


@lru_cache(maxsize=256)
def compile_hasher(schema: Schema, era: Era, escapes: str, keep_empty: bool, /) -> Hasher:
    """Compile an era's steps (``json``, ``spew``, ``fnv32a``) over the schema's Container.

    Once for all calls, whose arguments have no names: the cache would take one with a name for another one.
    """
    decode = compile_decoder(schema.container, keep_empty=keep_empty)
    *transforms, digest = era.steps
    go_type: GoType = schema.container
    compiled = []
    for step in transforms:
        name, *arguments = step.split()
        if name not in _STEPS:
            raise UsageError(f"an era names the unknown step {step!r}")
        go_type, function = _STEPS[name](go_type, escapes, arguments)
        compiled.append(function)
    if digest not in BY_NAME:
        raise UsageError(f"an era names the unknown digest {digest!r}")
    hasher = Hasher(schema.container, decode, tuple(compiled), BY_NAME[digest], None)
    return structs.replace(hasher, quick=_quick(hasher, transforms, keep_empty=keep_empty))


def _quick(hasher: Hasher, transforms: Sequence[str], *, keep_empty: bool) -> Quick | None:
    """Return what makes the hashed text of usual JSON in less time than a hasher's steps.

    None where FNV-1a is computed in Python: it needs the pieces of the steps, which repeat.
    """
    first, *picked = transforms[0].split()
    if first == "spew":
        return compile_parts(hasher.container, keep_empty=keep_empty)
    if not IS_COMPILED:
        return None
    remarshal = Remarshal(hasher.container)

    def hashed_json(container: Any) -> list[str] | None:
        text = remarshal.text(container)
        return None if text is None else [byte_slice_text(text.encode())]

    def hashed_fields(container: Any) -> list[str] | None:
        if not remarshal.fits(container):
            return None
        return hasher.pieces(hasher.decode({key: container.get(key) for key in picked}))

    return hashed_fields if picked else hashed_json


# Each makes a step from its input's type, the encoding/json variant, and the words after its name in an era.


def _pick(go_type: GoType, _: str, names: Sequence[str]) -> tuple[GoType, Step]:
    """Put some string fields into a map (1.31, kubernetes/kubernetes#124220 ``pickFieldsToHash``)."""
    if not isinstance(go_type, Struct):
        raise UsageError("an era picks fields of something that is not a struct")
    keys = [field.json for field in go_type.fields]
    indexes = {name: keys.index(name) for name in names}
    return STRING_MAP, lambda value: {name: value[index] for name, index in indexes.items()}


def _json(go_type: GoType, escapes: str, _: Sequence[str]) -> tuple[GoType, Step]:
    """Marshal with encoding/json; the ``[]byte`` stays in pieces of its text."""
    return BYTES, _collect(compile_encoder(go_type, ESCAPES[escapes]))


def _spew(go_type: GoType, _escapes: str, _: Sequence[str]) -> tuple[GoType, Step]:
    """Print ``%#v`` text; of a ``[]byte`` from the step before: ``([]uint8)[123 34 …]``."""
    # go-spew prints each byte of the JSON as a number, four times as much text: the kubelet hashes that.
    if go_type is BYTES:
        return STRING, byte_slice_pieces
    return STRING, _collect(compile_printer(go_type))


def _collect(emitter: Callable[[Any, Callable[[str], None]], object]) -> Step:
    def run(value: Any) -> list[str]:
        pieces: list[str] = []
        emitter(value, pieces.append)
        return pieces

    return run


_STEPS = {"pick": _pick, "json": _json, "spew": _spew}


# The hash of a container whose values a snapshot hides, by the hash of what is in the snapshot.
#
# So each type tree, era and default that changes the text has its own entry, and a kubelet that the snapshot
# does not cover finds none.


def true_hash(stored: StoredHashes | None, computed: int) -> Hash:
    """Return the hash of a container with its values, from the hash that was computed with them hidden.

    Where nothing is stored the two are the same. Raises NotStoredError for a snapshot that
    does not cover this kubelet.
    """
    if stored is None:
        return computed
    true = stored.by_text.get(computed)
    if true is None:
        raise NotStoredError("the snapshot does not show how this kubelet hashes this container")
    return true
