"""Pods and releases -> hashes: the primitive, like sha256sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hashcompat.cases import Options, hashed_spec, keeps_empty
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.compile.decode import unknown_fields
from hashcompat.errors import DecodeError, InputError
from hashcompat.kubelet.hashing import ContainerHash, container_hash, hashers
from hashcompat.kubelet.stored import without_stored
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
                spec = hashed_spec(pod, container, catalog, options)
                keep_empty = keeps_empty(pod, options)
                hashes = {name: container_hash(spec, kubelet, keep_empty=keep_empty) for name, kubelet in kubelets.items()}
                texts = {name: hashers(kubelet, keep_empty=keep_empty)[0].text(spec) for name, kubelet in kubelets.items() if with_text}
            except DecodeError as error:
                raise InputError(f"{pod.origin}: {container.path}{error}") from None
            rows.append(HashRow(pod, container, hashes, texts))
    return rows


def dropped_fields(inventory: Inventory, kubelets: Sequence[Kubelet]) -> Iterator[str]:
    """Yield which fields of which container a kubelet does not know and therefore drops before it hashes."""
    for kubelet in kubelets:
        for pod in inventory.pods:
            for container in pod.containers:
                for path in unknown_fields(kubelet.schema.container, without_stored(container.spec)):
                    yield f"{pod.origin}: {container.path}{path}: unknown to {kubelet.release}"
