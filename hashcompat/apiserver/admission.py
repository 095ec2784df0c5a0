"""What admission adds to a pod that its manifest does not show, as far as it can decide a verdict.

AlwaysPullImages only sets another value of a field that every container has, so it changes hashes and never
decides whether two differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hashcompat.model.pods import Pod

Spec = Mapping[str, Any]

_MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"

_LIMITS: Final = {"cpu": "1", "memory": "1Gi"}


def with_token_mount(pod: Pod, container: Spec) -> Spec | None:
    """Return the container with the mount that the plugin plugin/pkg/admission/serviceaccount adds; None where it adds none.

    It leaves static pods alone, pods that do not want it, and containers that mount something at that path.
    """
    mounts = container.get("volumeMounts") or []
    mounted = any(isinstance(mount, Mapping) and mount.get("mountPath") == _MOUNT_PATH for mount in mounts)
    if not pod.manifest or pod.static or pod.automount is False or mounted:
        return None
    return {
        **container,
        "volumeMounts": [*mounts, {"name": "default-token", "readOnly": True, "mountPath": _MOUNT_PATH}],
    }


def with_limit_range(pod: Pod, container: Spec) -> Spec | None:
    """Return the container with requests and limits as a LimitRange sets them where they lack (plugin/pkg/admission/limitranger)."""
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
"""What may decide, in the words of reasons; each adds to a manifest's container, or returns None."""

NOTE: Final = (
    "manifests: what admission adds in a cluster (the service account's volume mount, AlwaysPullImages, LimitRanges, PodPresets, "
    "webhooks such as sidecar injectors) is not in their hashes, nor are fields of features that are off by default"
)
"""What every hash of a manifest takes for granted where more than name and image is hashed."""
