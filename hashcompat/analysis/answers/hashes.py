"""Pods and releases -> hashes: the primitive, like sha256sum.

A report of a cluster has millions of hashes, so those of a container are kept in a few bytes each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, TypeVar

import msgspec

from hashcompat.analysis.planning.assumptions import facts
from hashcompat.analysis.planning.options import check_gates
from hashcompat.analysis.planning.reasons import listed
from hashcompat.analysis.planning.templates import Templates
from hashcompat.analysis.planning.view import Spec, View, check_whole, created, place
from hashcompat.core.apiserver.created import NOTE
from hashcompat.core.catalog.defaults import PodCreation
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.compile.gojson import unknown_fields
from hashcompat.core.errors import DecodeError, InputError, NotStoredError
from hashcompat.core.go import allowance as allowances
from hashcompat.core.kubelet.hashing import ContainerHash, hashers
from hashcompat.core.kubelet.staticpods import StaticUid, static_view, unreadable
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.items import ContainerName, PodName, container_name, name_of
from hashcompat.core.model.plan import ReleaseFacts
from hashcompat.core.model.pods import Container, ContainerType, Inventory, Pod
from hashcompat.core.model.results import Result

Value = TypeVar("Value")
_FORM: Final = "I"
"""Unsigned integers of 32 bits, as hashes are."""


class CompactHashes(msgspec.Struct, frozen=True):
    """The hashes of one container."""

    releases: tuple[str, ...]
    """The releases' names as given; one object for all containers."""
    eras: tuple[str, ...]
    """The era of each; one object for all containers."""
    numbers: bytes
    """The hash of each, where every one is certain; else empty."""
    uncertain: tuple[ContainerHash, ...] = ()
    """The hashes, where one of them is not certain."""

    @classmethod
    def of(cls, hashes: Mapping[str, ContainerHash]) -> CompactHashes:
        """Return the same hashes in less memory."""
        entries = tuple(hashes.values())
        releases, eras = _interned(tuple(hashes)), _interned(tuple(entry.era for entry in entries))
        numbers = [entry.value for entry in entries if entry.value is not None]
        if len(numbers) == len(entries):
            # four bytes a hash: a report of a cluster has millions
            return cls(releases, eras, _interned(array(_FORM, numbers).tobytes()))
        return cls(releases, eras, b"", _interned(entries))

    @property
    def by_release(self) -> Mapping[str, ContainerHash]:
        """The hash under each release."""
        entries: Sequence[ContainerHash] = self.uncertain or [
            ContainerHash(frozenset({number}), era)
            for number, era in zip(array(_FORM, self.numbers), self.eras, strict=True)
        ]
        return dict(zip(self.releases, entries, strict=True))


@lru_cache(maxsize=4096)
def _interned(value: Value) -> Value:
    """Return one object for all equal ones among the latest."""
    return value


_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
"""One object for all rows that have nothing there."""


class HashRow(msgspec.Struct, frozen=True):
    """One container's hash under each release that reads its pod; the keys are their names as given."""

    pod: PodName
    container: ContainerName
    """One of its containers."""
    compact: CompactHashes
    """The hash under each release, in little memory."""
    texts: Mapping[str, str] = _NOTHING
    """The hashed text under each release; empty where texts are not asked for."""
    uids: Mapping[str, StaticUid] = _NOTHING
    """The UIDs of its static pod under each release, where the pod's manifest is available."""

    def __repr__(self) -> str:
        """Show nothing of the texts, which may be secret."""
        return f"HashRow({self.pod!r}, {self.container!r}, {self.compact!r})"

    @property
    def hashes(self) -> Mapping[str, ContainerHash]:
        """The hash under each release."""
        return self.compact.by_release


class Hashed(Result[HashRow], msgspec.Struct, frozen=True):
    """The hashes of some containers."""

    items: Sequence[HashRow] | RehashedRows
    """One per container; those with texts are made again each time they are iterated over."""
    releases: Mapping[str, ReleaseFacts]
    """How each release was read, by its name as given."""
    assumptions: tuple[str, ...] = ()
    """What the hashes assume."""
    unknown_uids: tuple[str, ...] = ()
    """Why a static pod's UID is not known, once for each pod and release."""
    skipped: tuple[str, ...] = ()
    """Which manifests some of the releases read past."""


def hash_containers(
    inventory: Inventory, releases: Sequence[str], view: View, *, with_text: bool = False
) -> Hashed:
    """Hash every container under every release.

    Raises UsageError for unknown releases and for feature gates that cannot be set, and InputError, with file
    and path, for a container that does not decode.
    """
    check_gates(view.options, releases, view.catalog)
    kubelets = {name: view.catalog.kubelet(name, view.options.gate_settings) for name in releases}
    rows = RehashedRows(inventory.pods, kubelets, view, Templates(view), with_text)
    kept = list[HashRow]()
    allowance, unknown, admitted = allowances.hashes(), dict[str, None](), False
    skipped = list[str]()
    for pod in inventory.pods:
        admitted = admitted or (pod.manifest and not pod.static)
        skipped += _skipped(past_of(pod, kubelets))
        for row in rows.of(pod):
            allowance.take(len(kubelets))
            unknown |= dict.fromkeys(_unknown_uids(row))
            kept += () if with_text else (row,)
    read = {name: facts(name, kubelet) for name, kubelet in kubelets.items()}
    # that admission adds nothing is assumed where more of a manifest is hashed than name and image
    assumes = admitted and view.options.defaults and any(kubelet.era.whole for kubelet in kubelets.values())
    assumptions = (NOTE,) if assumes else ()
    return Hashed(rows if with_text else tuple(kept), read, assumptions, tuple(unknown), tuple(skipped))


class RehashedRows(msgspec.Struct, frozen=True):
    """The rows of some pods, hashed again each time: texts may take many times the memory of their pods."""

    pods: Iterable[Pod]
    """The pods, which can be iterated over again."""
    kubelets: Mapping[str, Kubelet]
    """The kubelets by the names of their releases."""
    view: View
    """The release data and options."""
    templates: Templates
    """What hashes containers, replicas from where their own names begin."""
    with_text: bool
    """Whether the rows have texts."""

    def __iter__(self) -> Iterator[HashRow]:
        return (row for pod in self.pods for row in self.of(pod))

    def of(self, pod: Pod) -> Iterator[HashRow]:
        """Yield the rows of a pod; raises InputError for a container that does not decode.

        A manifest beside others has rows of the releases alone that decode it.
        """
        name, past = name_of(pod), past_of(pod, self.kubelets)
        kubelets = {release: kubelet for release, kubelet in self.kubelets.items() if release not in past}
        for container in pod.containers if kubelets else ():
            try:
                yield self._row(name, pod, container, kubelets)
            except DecodeError as error:
                raise InputError(f"{pod.origin}: {place(pod, container)}{error}") from None

    def _row(
        self, of_pod: PodName, pod: Pod, container: Container, reading: Mapping[str, Kubelet]
    ) -> HashRow:
        view, kubelets = self.view, reading.items()
        specs = _specs(pod, container, reading, view)
        hashes = {name: self._hash(pod, container, specs[name], kubelet) for name, kubelet in kubelets}
        texts = {
            name: hashers(kubelet, keep_empty=view.keeps_empty(pod))[0].text(specs[name])
            for name, kubelet in kubelets
            if self.with_text and hashes[name].candidates
        }
        manifest = pod.static_manifest
        uids = {name: static_view(manifest, kubelet).uid for name, kubelet in kubelets} if manifest else {}
        called = container_name(container.name, container.type)
        return HashRow(of_pod, called, CompactHashes.of(hashes), texts or _NOTHING, uids or _NOTHING)

    def _hash(self, pod: Pod, container: Container, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        """Return a hash; one without candidates where a snapshot does not cover the kubelet."""
        try:
            return self.templates.hash(pod, container, spec, kubelet)
        except NotStoredError:
            return ContainerHash(frozenset(), kubelet.era.name)


def past_of(pod: Pod, kubelets: Mapping[str, Kubelet]) -> dict[str, str]:
    """Return why some releases read past a static pod's manifest, by release: they cannot decode it.

    One that is all that is asked about has to decode. Source: pkg/kubelet/config/file.go ``extractFromDir``,
    1.6.13 - 1.37.2.
    """
    manifest = pod.static_manifest
    if manifest is None or manifest.alone:
        return {}
    reasons = {name: unreadable(manifest, kubelet) for name, kubelet in kubelets.items()}
    return {name: f"{pod.origin}: {why}" for name, why in reasons.items() if why}


def _skipped(past: Mapping[str, str]) -> Iterator[str]:
    """Say of a manifest which releases read past it, once for each reason."""
    for why in dict.fromkeys(past.values()):
        releases = [name for name, reason in past.items() if reason == why]
        skips = "skips" if len(releases) == 1 else "skip"
        yield f"{listed(releases, len(releases))} {skips} a file, as kubelets do: {why}"


def _unknown_uids(row: HashRow) -> Iterator[str]:
    """Say why a static pod's UID is not known."""
    for release, static in row.uids.items():
        if static.unknown:
            name = name_path(row.pod.namespace, row.pod.name)
            yield f"{name}: the UID that {release} gives it is not known: {static.unknown}"


def _specs(pod: Pod, container: Container, kubelets: Mapping[str, Kubelet], view: View) -> dict[str, Spec]:
    """Return what each kubelet sees, once for all API servers that do the same to a manifest."""
    check_whole(pod)
    if not view.is_created(pod):
        return {name: view.seen(pod, container, kubelet) for name, kubelet in kubelets.items()}
    served: dict[PodCreation, Spec] = {}
    servers = {name: view.creator(kubelet) for name, kubelet in kubelets.items()}
    for server in servers.values():
        if server not in served:
            served[server] = created(pod, container, server)
    return {name: served[server] for name, server in servers.items()}


def dropped_fields(inventory: Inventory, kubelets: Sequence[Kubelet]) -> Iterator[str]:
    """Yield each container's fields that a kubelet does not know and therefore drops before it hashes.

    An ephemeral container has one field more than others, which is hashed by no kubelet that knows it
    (k8s.io/api core/v1/types.go ``EphemeralContainer``, 0.16.4 - 0.37.2).
    """
    for kubelet in kubelets:
        for pod in inventory.pods:
            for container in pod.containers:
                own = _OF_EPHEMERAL if container.type is ContainerType.EPHEMERAL else ""
                for path in unknown_fields(kubelet.schema.container, container.spec):
                    if path != own:
                        yield f"{pod.origin}: {container.path}{path}: unknown to {kubelet.release}"


_OF_EPHEMERAL: Final = ".targetContainerName"
"""What only ephemeral containers have."""
