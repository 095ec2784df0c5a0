"""A kubelet with a patched source, as plans see it: the strategies accept and pin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.options import AssumePatch, check_strategy
from hashcompat.core.catalog.behaviour import Settings
from hashcompat.core.catalog.eras import PatchedSource, Schema
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import same_upstream
from hashcompat.core.compile.gojson import Decoder, compile_pruner
from hashcompat.core.compile.quick import Remarshal
from hashcompat.core.errors import UsageError
from hashcompat.core.kubelet import alike
from hashcompat.core.kubelet.alike import Defaults, unknown_to
from hashcompat.core.kubelet.hashing import Hasher, compile_hasher, true_hash
from hashcompat.core.model.plan import AUTO, Way
from hashcompat.core.model.pods import Node
from hashcompat.core.model.verdicts import Hash, StoredHashes


class AssumedPatch(msgspec.Struct, frozen=True):
    """A patch of the target kubelet, which accepts the hashes of other releases or computes those of one."""

    strategy: str
    """``accept`` or ``pin``."""
    new: Kubelet
    """The target kubelet, without the patch."""
    likes: tuple[Kubelet, ...]
    """The kubelets whose hashes it accepts; with ``pin`` exactly one."""
    defaults: Defaults
    """What API servers of any release write into stored pods."""
    pinned: Kubelet
    """The target kubelet with the hash of the first of ``likes``."""

    def concerns(self, kubelet: Kubelet) -> bool:
        """Return whether a kubelet is of the patched release."""
        return same_upstream(kubelet.release, self.new.release)

    def __str__(self) -> str:
        likes = ",".join(str(like.release) for like in self.likes)
        return f"--kubelet {self.new.release} --like {likes} --strategy {self.strategy}"


class CurrentPatch(msgspec.Struct, frozen=True):
    """The patch that the current kubelets have."""

    strategy: str
    """``accept`` or ``pin``."""
    likes: tuple[Kubelet, ...]
    """The kubelets whose hashes they accept; with ``pin`` the one whose hash they compute."""

    def applied(self, kubelet: Kubelet) -> Kubelet:
        """Return a current kubelet with the hash that it is pinned to; its behaviour stays its own."""
        return _pinned(kubelet, self.likes[0]) if self.strategy == "pin" else kubelet

    def __str__(self) -> str:
        return ",".join(str(like.release) for like in self.likes)


@lru_cache(maxsize=256)
def _pinned(kubelet: Kubelet, like: Kubelet) -> Kubelet:
    """Return a kubelet that decodes its own types and hashes those of another; one object for each pair."""
    return structs.replace(
        kubelet, schema=like.schema, era=like.era, escapes=like.escapes, decodes=kubelet.schema
    )


def resolved_current(asked: AssumePatch, way: Way, catalog: Catalog) -> CurrentPatch:
    """Return the patch of the current kubelets.

    Raises UsageError for unknown releases and strategies, and for what no patch can do.
    """
    check_strategy(asked, "current_patch")
    if not asked.like:
        raise UsageError("name the releases whose hashes the current kubelets accept with --like")
    likes = tuple(catalog.kubelet(like) for like in asked.like)
    if asked.strategy == "pin" and len(likes) > 1:
        raise UsageError("--from-patched pin: give one release with --like: a kubelet can hash like only one")
    if way.old != AUTO:
        current = catalog.kubelet(way.old)
        check_patchable(current, catalog.source_site(current), likes)
    return CurrentPatch(asked.strategy, likes)


def resolved(
    asked: AssumePatch, way: Way, nodes: Iterable[Node], catalog: Catalog, settings: Settings
) -> tuple[AssumedPatch | None, str]:
    """Return the patch of one upgrade, or None and why none is needed.

    None is needed where the target kubelet hashes like all current ones already. Raises UsageError for
    unknown releases and strategies, and for what no patch can do.
    """
    check_strategy(asked, "patch")
    likes = asked.like or current(way, nodes, catalog)
    kubelet, olds = catalog.kubelet(way.new, settings), [catalog.kubelet(like) for like in likes]
    check_patchable(kubelet, catalog.source_site(kubelet), olds)
    wanted = alike.distinct(olds, kubelet, new_fields=False)
    if asked.strategy == "pin":
        check_pin(kubelet, wanted, force=True)
    if not wanted:
        return None, alike.no_patch_needed(way.new, likes)
    like = wanted[0]
    pinned = _pinned(kubelet, like)
    return AssumedPatch(asked.strategy, kubelet, wanted, tuple(catalog.server_defaults()), pinned), ""


def current(way: Way, nodes: Iterable[Node], catalog: Catalog) -> tuple[str, ...]:
    """Return the current releases; of what nodes report, those that are known."""
    if way.old != AUTO:
        return (way.old,)
    return tuple(dict.fromkeys(node.kubelet for node in nodes if catalog.knows(node.kubelet)))


def as_patched(kubelet: Kubelet, patch: AssumedPatch | None) -> Kubelet:
    """Return a kubelet with the hash that it is pinned to; its behaviour stays its own."""
    if patch is not None and patch.strategy == "pin" and patch.concerns(kubelet):
        return patch.pinned
    return kubelet


def as_decoded(spec: Mapping[str, Any], kubelet: Kubelet) -> Mapping[str, Any]:
    """Return what a pinned kubelet converts into old types: only the fields that it knows itself."""
    return spec if kubelet.decodes is None else _decoded(spec, kubelet.decodes)


def _decoded(spec: Mapping[str, Any], schema: Schema) -> Mapping[str, Any]:
    knows, decode = _compiled(schema)
    decoded: Mapping[str, Any] = spec if knows.fits(spec) else decode(spec)
    return decoded


@lru_cache(maxsize=256)
def _compiled(schema: Schema) -> tuple[Remarshal, Decoder]:
    """Return what finds that a schema knows all of a container, and what takes out what it does not know."""
    return Remarshal(schema.container, strict=True), compile_pruner(schema.container)


class Accepting(msgspec.Struct, frozen=True):
    """A kubelet that is patched to accept the hashes of other releases."""

    kubelet: Kubelet
    """The kubelet, without the patch."""
    likes: Sequence[Kubelet]
    """The kubelets whose hashes it accepts."""
    defaults: Defaults
    """What API servers of any release write into stored pods."""

    def hashes(
        self, spec: Mapping[str, Any], *, keep_empty: bool, stored: StoredHashes | None
    ) -> frozenset[Hash]:
        """Return the old hashes of a container that it treats as unchanged.

        They are those of the releases that know every field that is set. ``stored`` is what a snapshot stores
        of the container's hashes; raises NotStoredError for one that was made without this kind of kubelet.
        """
        made = self.made(spec, keep_empty=keep_empty)
        return frozenset(true_hash(stored, hasher.hash(decoded)) for hasher, decoded in made)

    def made(self, spec: Mapping[str, Any], *, keep_empty: bool) -> list[tuple[Hasher, Mapping[str, Any]]]:
        """Return what computes these hashes, each with the container as the patched kubelet decodes it."""
        new, defaults = self.kubelet, self.defaults
        decoded = _decoded(spec, new.decodes or new.schema)
        likes = [
            like
            for like in self.likes
            if not like.era.whole
            or _decoded(decoded, like.schema) is decoded  # it knows all that is set
            or not unknown_to(spec, new, like, defaults)
        ]
        return [
            (compile_hasher(like.schema, like.era, like.escapes[-1], keep_empty), decoded) for like in likes
        ]


def check_patchable(new: Kubelet, site: PatchedSource, olds: Sequence[Kubelet]) -> None:
    """Raise UsageError, with the reason, for releases that no strategy has a patch for."""
    if site.function("containerChanged") is None:
        raise UsageError(
            f"{new.release}: only kubelets from 1.8 on can be patched; older ones compare hashes differently"
        )
    for old in olds:
        if old.era.digest != "fnv32a" or old.schema.package != new.schema.package:
            raise UsageError(
                f"{old.release}: {new.release} cannot compute its hash: "
                "it is of another type and digest (before 1.6)"
            )


def check_pin(new: Kubelet, olds: Sequence[Kubelet], *, force: bool) -> None:
    """Raise UsageError where pinning makes no sense, or does harm and ``force`` is not given."""
    if len(olds) > 1:
        raise UsageError(
            "strategy pin: give one release with --like, because a kubelet can hash like only one; "
            "the strategy accept takes several"
        )
    covers_resources = any(old.era.whole for old in olds)
    if new.behaviour.resources_recorded and covers_resources and not force:
        raise UsageError(
            f"strategy pin: {new.release} resizes containers in place, and the hash of {olds[0].release} "
            "covers resources, so every resize would restart the container; "
            "take the strategy accept, or add --force"
        )
