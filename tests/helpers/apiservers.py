"""Static pods of kube-apiserver, as they are in a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from hashcompat.core.model.cluster import ApiServers
from hashcompat.core.model.pods import Pod
from hashcompat.sources.objects import read_object
from tests.helpers.pods import Json, mirror_pod


def server_json(node: str, tag: object, container: str = "kube-apiserver") -> Json:
    """Return the mirror pod of an API server, with an image of that tag; a number is no image at all."""
    image = f"registry.k8s.io/kube-apiserver:{tag}" if isinstance(tag, str) else tag
    made = mirror_pod({"name": container, "image": image}, name="kube-apiserver", node=node)
    made["metadata"]["namespace"] = "kube-system"
    made["status"] = {"phase": "Running"}
    return made


def server_pod(node: str, tag: object, container: str = "kube-apiserver", **changes: Any) -> Pod:
    """Return the same as it is read, with changes."""
    (pod,) = read_object(server_json(node, tag, container), "test")
    assert isinstance(pod, Pod)
    return structs.replace(pod, **changes)


def server_pods(tags: Mapping[str, str]) -> ApiServers:
    """Return what the API servers of some nodes show."""
    seen = ApiServers()
    for node, tag in tags.items():
        seen.see(server_pod(node, tag))
    return seen
