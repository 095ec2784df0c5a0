"""What admission adds to a pod, as far as a verdict can depend on it.

AlwaysPullImages only changes the value of a field that every container has: it changes both hashes, and
never whether they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hashcompat.model.pods import Pod

Spec = Mapping[str, Any]

_MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"

_LIMITS: Final = {"cpu": "1", "memory": "1Gi"}


def with_token_mount(pod: Pod, container: Spec, volume: str = "default-token") -> Spec | None:
    """Return the container with the service account's volume mount; None if admission adds none.

    It adds none to static pods, to pods that opt out, and to containers that already mount something at that
    path. Source: plugin/pkg/admission/serviceaccount.
    """
    mounts = container.get("volumeMounts") or []
    mounted = any(isinstance(mount, Mapping) and mount.get("mountPath") == _MOUNT_PATH for mount in mounts)
    if not pod.manifest or pod.static or pod.automount is False or mounted:
        return None
    return {
        **container,
        "volumeMounts": [*mounts, {"name": volume, "readOnly": True, "mountPath": _MOUNT_PATH}],
    }


def with_limit_range(pod: Pod, container: Spec) -> Spec | None:
    """Return the container with a LimitRange's requests and limits where it has none; None if it has all.

    Source: plugin/pkg/admission/limitranger.
    """
    if not pod.manifest or pod.static:
        return None
    resources = container.get("resources") or {}
    filled = {name: {**_LIMITS, **(resources.get(name) or {})} for name in ("limits", "requests")}
    return (
        None
        if all(filled[name] == resources.get(name) for name in filled)
        else {**container, "resources": {**resources, **filled}}
    )


ADDITIONS: Final[Mapping[str, Callable[[Pod, Spec], Spec | None]]] = {
    "the service account's volume mount": with_token_mount,
    "a LimitRange's requests and limits": with_limit_range,
}
"""What admission may add, as named in reasons; each returns the changed container, or None."""

NOTE: Final = (
    "manifests: their hashes include neither what admission adds in a cluster (the service account's "
    "volume mount, AlwaysPullImages, LimitRanges, PodPresets, webhooks such as sidecar injectors) nor "
    "fields of features that are off by default"
)
"""The assumption behind every hash of a manifest, where more than name and image is hashed."""
