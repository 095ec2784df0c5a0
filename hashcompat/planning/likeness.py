"""What two containers share that every kubelet hashes alike, as a key."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec

from hashcompat.model.pods import PROFILES, Container, Pod


class Likeness(msgspec.Struct, frozen=True):
    """What replicas share, as a key: equal for two containers only if every kubelet hashes them alike."""

    spec: bytes
    """A digest of the spec's text, 16 bytes: a text of megabytes would stay in memory."""
    size: int
    """The characters of that text."""
    rest: tuple[Any, ...]
    """The pod's fields that affect the hash."""


def text_of(container: Container) -> str:
    """Return the text of a spec: unlike ==, it distinguishes 1, 1.0 and true, and shows the order of keys."""
    return repr(container.spec)


def likeness(
    pod: Pod, container: Container, text: str, image_volumes: frozenset[str] = frozenset()
) -> Likeness:
    """Return what replicas share: the spec, by its text, and the pod's fields that affect the hash.

    ``image_volumes`` are the names of a manifest's volumes of images.
    """
    place = (pod.static_manifest, container.path) if pod.static_manifest else ()
    profiles = _profiles(pod, container) if pod.profiles else ()
    return Likeness(
        blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest(),
        len(text),
        (
            repr(container.stored),
            container.type,
            pod.manifest,
            pod.host_network,
            image_volumes,
            pod.static,
            pod.automount,
            profiles,
            place,
        ),
    )


def _profiles(pod: Pod, container: Container) -> tuple[str, ...]:
    """Return what decides which security profiles of annotations become fields of a container."""
    own = (pod.profiles.get(prefix + container.name) for prefix in PROFILES)
    return tuple(map(repr, (*own, pod.spec.get("securityContext"), pod.spec.get("os"))))
