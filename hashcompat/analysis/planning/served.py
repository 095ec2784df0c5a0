"""What API servers make of one container of a manifest, and its hashes: each distinct one computed once.

A plan over many releases asks for these at each hop and for each thing that admission may add. Most API
servers set the same defaults, and most kubelets hash the result alike. The digest of a text stands for each
spec, because equal specs come back as other objects.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from typing import Final

from msgspec import structs

from hashcompat.analysis.planning.latest import KEPT, Latest
from hashcompat.analysis.planning.view import Spec
from hashcompat.analysis.planning.wayhashes import WayHashes
from hashcompat.core.apiserver.created import as_created, as_defaulted, image_volumes, with_profiles
from hashcompat.core.catalog.defaults import PodCreation
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.kubelet.hashing import ContainerHash, container_hash
from hashcompat.core.model.pods import Container, Pod

LARGEST: Final = 1 << 16
"""Characters of the specs that are kept for a container by itself."""


class Served:
    """A manifest's container as API servers return it; keeps the latest results."""

    def __init__(self, pod: Pod, container: Container, whole: Whole, largest: int = LARGEST) -> None:
        """``largest`` limits the characters of the specs that are kept, of defaults and of hashes each."""
        self._pod, self._container, self._whole = pod, container, whole
        self._defaulted: Latest[Hashable, Spec] = Latest(KEPT, largest)
        self._hashes: Latest[bytes, WayHashes] = Latest(KEPT, largest)

    @property
    def image_volumes(self) -> frozenset[str]:
        """The names of the pod's volumes of images."""
        return volumes_of_images(self._pod, self._whole)

    def created(self, server: PodCreation) -> Spec:
        """Return the container as the API server that creates its pod serves it.

        Raises DecodeError for JSON that does not fit the types.
        """
        spec = with_profiles(self._pod, self._container, server.profiles)
        return as_created(self.defaulted(spec, server), server, self._container.type, self.image_volumes)

    def defaulted(self, spec: Spec, server: PodCreation) -> Spec:
        """Return a spec with the defaults that decoding sets, not to be changed; errors as ``created``."""
        size, digest = _size_and_digest(spec)
        key = digest, id(server.schema), id(server.defaults)  # the release data outlives every plan
        defaulted = self._defaulted.get(key)
        if defaulted is None:
            kind, of_host = self._container.type, self._pod.host_network
            defaulted = as_defaulted(spec, server, container_type=kind, host_network=of_host)
            self._defaulted.add(key, defaulted, size)
        return defaulted

    def hash(self, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        """Return the hash of a spec that an API server wrote; errors as ``container_hash``."""
        container = self._container
        if container.stored is not None:
            return container_hash(spec, kubelet, stored=container.stored)
        size, digest = _size_and_digest(spec)
        hashes = self._hashes.get(digest)
        if hashes is None:
            hashes = WayHashes(self._pod, structs.replace(container, spec=spec), _hash)
            self._hashes.add(digest, hashes, size)
        return hashes.of(kubelet)


def volumes_of_images(pod: Pod, whole: Whole) -> frozenset[str]:
    """Return the names of a pod's volumes of images, found once for all of its containers."""
    return whole.once("volumes of images", lambda: image_volumes(pod.spec))


def _size_and_digest(spec: Spec) -> tuple[int, bytes]:
    """Return the length and the digest of a spec's text, which unlike == distinguishes 1, 1.0 and true."""
    text = repr(spec)
    return len(text), blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def _hash(_pod: Pod, _container: Container, spec: Spec, kubelet: Kubelet) -> ContainerHash:
    return container_hash(spec, kubelet)
