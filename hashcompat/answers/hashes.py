"""Pods and releases -> hashes: the primitive, like sha256sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hashcompat.apiserver.admission import NOTE
from hashcompat.catalog.defaults import ApiServer
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.compile.decode import unknown_fields
from hashcompat.errors import DecodeError, InputError
from hashcompat.kubelet.hashing import ContainerHash, hashers
from hashcompat.kubelet.staticpods import StaticUid, static_view
from hashcompat.kubelet.stored import without_stored
from hashcompat.model.pods import Container, Inventory, Pod
from hashcompat.planning.options import Options
from hashcompat.planning.prepare import Spec, creator, hash_seen, hashed_spec, keeps_empty, place


@dataclass(frozen=True, slots=True)
class HashRow:
    """One container's hash under each release, keyed as it was asked for; ``texts`` only where they were asked for.

    ``uids`` are those of its static pod, where the pod's manifest is at hand.
    """

    pod: Pod
    container: Container
    hashes: Mapping[str, ContainerHash]
    texts: Mapping[str, str]
    uids: Mapping[str, StaticUid] = field(default_factory=dict)


def hash_containers(
    inventory: Inventory,
    releases: Sequence[str],
    catalog: Catalog,
    options: Options,
    *,
    with_text: bool = False,
) -> list[HashRow]:
    """Hash every container under every release.

    Raises UsageError for unknown releases, and InputError, with file and path, for a container that does not
    decode.
    """
    kubelets = {name: catalog.kubelet(name) for name in releases}
    rows = []
    for pod in inventory.pods:
        for container in pod.containers:
            try:
                rows.append(_row(pod, container, kubelets, catalog, options, with_text=with_text))
            except DecodeError as error:
                raise InputError(f"{pod.origin}: {place(pod, container)}{error}") from None
    return rows


def assumptions(rows: Sequence[HashRow], catalog: Catalog, options: Options) -> tuple[str, ...]:
    """Say what the hashes take for granted: a manifest's, where more than name and image is hashed, that admission adds nothing."""
    whole = {
        name
        for row in rows
        if row.pod.manifest and not row.pod.static
        for name in row.hashes
        if catalog.kubelet(name).era.whole
    }
    return (NOTE,) if whole and options.defaults else ()


def _specs(
    pod: Pod, container: Container, kubelets: Mapping[str, Kubelet], catalog: Catalog, options: Options
) -> dict[str, Spec]:
    """Return what each kubelet gets to see; a manifest is served once by all API servers that do the same to it."""
    if pod.static_manifest is not None:
        return {
            name: hashed_spec(pod, container, kubelet, catalog, options) for name, kubelet in kubelets.items()
        }
    served: dict[ApiServer, Spec] = {}
    servers = {name: creator(kubelet, catalog, options) for name, kubelet in kubelets.items()}
    for name, server in servers.items():
        if server not in served:
            served[server] = hashed_spec(pod, container, kubelets[name], catalog, options)
    return {name: served[server] for name, server in servers.items()}


def _row(
    pod: Pod,
    container: Container,
    kubelets: Mapping[str, Kubelet],
    catalog: Catalog,
    options: Options,
    *,
    with_text: bool,
) -> HashRow:
    specs = _specs(pod, container, kubelets, catalog, options)
    hashes = {name: hash_seen(pod, options, specs[name], kubelet) for name, kubelet in kubelets.items()}
    with_hash = {name: kubelet for name, kubelet in kubelets.items() if with_text and hashes[name].candidates}
    keep_empty = keeps_empty(pod, options)
    texts = {
        name: hashers(kubelet, keep_empty=keep_empty)[0].text(specs[name])
        for name, kubelet in with_hash.items()
    }
    manifest = pod.static_manifest
    uids = (
        {name: static_view(manifest, kubelet).uid for name, kubelet in kubelets.items()} if manifest else {}
    )
    return HashRow(pod, container, hashes, texts, uids)


def unknown_uids(rows: Sequence[HashRow]) -> list[str]:
    """Say why a static pod's UID is not known, once for each pod and release."""
    lines = [
        f"{row.pod.namespace}/{row.pod.name}: the UID that {release} gives it is not known: {found.unknown}"
        for row in rows
        for release, found in row.uids.items()
        if found.unknown
    ]
    return list(dict.fromkeys(lines))


def dropped_fields(inventory: Inventory, kubelets: Sequence[Kubelet]) -> Iterator[str]:
    """Yield which fields of which container a kubelet does not know and therefore drops before it hashes."""
    for kubelet in kubelets:
        for pod in inventory.pods:
            for container in pod.containers:
                for path in unknown_fields(kubelet.schema.container, without_stored(container.spec)):
                    yield f"{pod.origin}: {container.path}{path}: unknown to {kubelet.release}"
