"""Pods and releases -> hashes: the primitive, like sha256sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hashcompat.apiserver.admission import NOTE
from hashcompat.catalog.apiserver import ApiServer
from hashcompat.catalog.lookup import Kubelet
from hashcompat.compile.decode import unknown_fields
from hashcompat.errors import DecodeError, InputError, NotStoredError
from hashcompat.kubelet.hashing import ContainerHash, hashers
from hashcompat.kubelet.staticpods import StaticUid, static_view
from hashcompat.model.escape import name_path
from hashcompat.model.plan import ReleaseFacts
from hashcompat.model.pods import Container, Inventory, Pod
from hashcompat.planning.facts import facts
from hashcompat.planning.gates import check_gates
from hashcompat.planning.view import Spec, View, check_whole, created, place


@dataclass(frozen=True, slots=True)
class HashRow:
    """One container's hash under each release; the keys are the releases' names as given."""

    pod: Pod
    """The pod."""
    container: Container
    """One of its containers."""
    hashes: Mapping[str, ContainerHash]
    """The hash under each release."""
    texts: Mapping[str, str]
    """The hashed text under each release; empty where texts are not asked for."""
    uids: Mapping[str, StaticUid] = field(default_factory=dict)
    """The UIDs of its static pod under each release, where the pod's manifest is available."""


@dataclass(frozen=True, slots=True)
class Hashed:
    """The hashes of some containers."""

    rows: tuple[HashRow, ...]
    """One per container."""
    releases: Mapping[str, ReleaseFacts]
    """How each release was read, by its name as given."""
    assumptions: tuple[str, ...] = ()
    """What the hashes assume."""

    @property
    def unknown_uids(self) -> list[str]:
        """Why a static pod's UID is not known, once for each pod and release."""
        lines = [
            f"{name_path(row.pod.namespace, row.pod.name)}: "
            f"the UID that {release} gives it is not known: {found.unknown}"
            for row in self.rows
            for release, found in row.uids.items()
            if found.unknown
        ]
        return list(dict.fromkeys(lines))


def hash_containers(
    inventory: Inventory, releases: Sequence[str], view: View, *, with_text: bool = False
) -> Hashed:
    """Hash every container under every release.

    Raises UsageError for unknown releases and for feature gates that cannot be set, and InputError, with file
    and path, for a container that does not decode.
    """
    check_gates(view.options, releases, view.catalog)
    kubelets = {name: view.catalog.kubelet(name, view.options.gate_settings) for name in releases}
    rows = []
    for pod in inventory.pods:
        for container in pod.containers:
            try:
                rows.append(_row(pod, container, kubelets, view, with_text=with_text))
            except DecodeError as error:
                raise InputError(f"{pod.origin}: {place(pod, container)}{error}") from None
    read = {name: facts(name, kubelet) for name, kubelet in kubelets.items()}
    return Hashed(tuple(rows), read, _assumptions(rows, kubelets, view))


def _assumptions(rows: Sequence[HashRow], kubelets: Mapping[str, Kubelet], view: View) -> tuple[str, ...]:
    """Say that admission adds nothing, where a manifest is hashed and more of it than name and image."""
    whole = any(kubelet.era.whole for kubelet in kubelets.values())
    manifests = view.options.defaults and any(row.pod.manifest and not row.pod.static for row in rows)
    return (NOTE,) if whole and manifests else ()


def _specs(pod: Pod, container: Container, kubelets: Mapping[str, Kubelet], view: View) -> dict[str, Spec]:
    """Return what each kubelet sees, once for all API servers that do the same to a manifest."""
    check_whole(pod)
    if not view.is_created(pod):
        return {name: view.seen(pod, container, kubelet) for name, kubelet in kubelets.items()}
    served: dict[ApiServer, Spec] = {}
    servers = {name: view.creator(kubelet) for name, kubelet in kubelets.items()}
    for server in servers.values():
        if server not in served:
            served[server] = created(pod, container, server)
    return {name: served[server] for name, server in servers.items()}


def _row(
    pod: Pod, container: Container, kubelets: Mapping[str, Kubelet], view: View, *, with_text: bool
) -> HashRow:
    specs = _specs(pod, container, kubelets, view)
    hashes = {name: _hash(pod, container, specs[name], kubelet, view) for name, kubelet in kubelets.items()}
    texts = {
        name: hashers(kubelet, keep_empty=view.keeps_empty(pod))[0].text(specs[name])
        for name, kubelet in kubelets.items()
        if with_text and hashes[name].candidates
    }
    manifest = pod.static_manifest
    uids = (
        {name: static_view(manifest, kubelet).uid for name, kubelet in kubelets.items()} if manifest else {}
    )
    return HashRow(pod, container, hashes, texts, uids)


def _hash(pod: Pod, container: Container, spec: Spec, kubelet: Kubelet, view: View) -> ContainerHash:
    """Return a hash; one without candidates where a snapshot does not cover the kubelet."""
    try:
        return view.hash(pod, container, spec, kubelet)
    except NotStoredError:
        return ContainerHash(frozenset(), kubelet.era.name)


def dropped_fields(inventory: Inventory, kubelets: Sequence[Kubelet]) -> Iterator[str]:
    """Yield each container's fields that a kubelet does not know and therefore drops before it hashes."""
    for kubelet in kubelets:
        for pod in inventory.pods:
            for container in pod.containers:
                for path in unknown_fields(kubelet.schema.container, container.spec):
                    yield f"{pod.origin}: {container.path}{path}: unknown to {kubelet.release}"
