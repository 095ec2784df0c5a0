"""Pods and releases -> hashes: the primitive, like sha256sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hashcompat.cases import Options, Spec, creator, hashed_spec, keeps_empty
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.compile.decode import unknown_fields
from hashcompat.errors import DecodeError, InputError
from hashcompat.kubelet.admission import NOTE
from hashcompat.kubelet.hashing import ContainerHash, container_hash, hashers
from hashcompat.model import Container, Inventory, Pod


@dataclass(frozen=True, slots=True)
class HashRow:
    """One container's hash under each release, keyed as it was asked for; ``texts`` only where they were asked for."""

    pod: Pod
    container: Container
    hashes: Mapping[str, ContainerHash]
    texts: Mapping[str, str]


def hash_containers(
    inventory: Inventory, releases: Sequence[str], catalog: Catalog, options: Options, *, with_text: bool = False
) -> list[HashRow]:
    """Hash every container under every release.

    Raises UsageError for unknown releases, and InputError, with file and path, for a container that does not decode.
    """
    kubelets = {name: catalog.kubelet(name) for name in releases}
    rows = []
    for pod in inventory.pods:
        for container in pod.containers:
            try:
                specs = _specs(pod, container, kubelets, catalog, options)
                keep_empty = keeps_empty(pod, options)
                hashes = {name: container_hash(specs[name], kubelet, keep_empty=keep_empty) for name, kubelet in kubelets.items()}
                shown = kubelets if with_text else {}
                texts = {name: hashers(kubelet, keep_empty=keep_empty)[0].text(specs[name]) for name, kubelet in shown.items()}
            except DecodeError as error:
                raise InputError(f"{pod.origin}: {container.path}{error}") from None
            rows.append(HashRow(pod, container, hashes, texts))
    return rows


def assumptions(rows: Sequence[HashRow], catalog: Catalog, options: Options) -> tuple[str, ...]:
    """Say what the hashes take for granted: a manifest's, where more than name and image is hashed, that admission adds nothing."""
    whole = {name for row in rows if row.pod.manifest and not row.pod.static for name in row.hashes if catalog.kubelet(name).era.whole}
    return (NOTE,) if whole and options.defaults else ()


def _specs(pod: Pod, container: Container, kubelets: Mapping[str, Kubelet], catalog: Catalog, options: Options) -> dict[str, Spec]:
    """Return what each kubelet gets to see; a manifest is served once by all API servers that do the same to it."""
    servers = {name: creator(kubelet, catalog, options) for name, kubelet in kubelets.items()}
    served = {server: hashed_spec(pod, container, server, options) for server in dict.fromkeys(servers.values())}
    return {name: served[server] for name, server in servers.items()}


def dropped_fields(inventory: Inventory, kubelets: Sequence[Kubelet]) -> Iterator[str]:
    """Yield which fields of which container a kubelet does not know and therefore drops before it hashes."""
    for kubelet in kubelets:
        for pod in inventory.pods:
            for container in pod.containers:
                for path in unknown_fields(kubelet.schema.container, container.spec):
                    yield f"{pod.origin}: {container.path}{path}: unknown to {kubelet.release}"
