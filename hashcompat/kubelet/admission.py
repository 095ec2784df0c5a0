"""What admission adds to a manifest that no manifest shows: the service account's volume mount."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.model import Pod

_MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"


def with_token_mount(pod: Pod, container: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the container with the mount that the plugin plugin/pkg/admission/serviceaccount adds; None where it adds none.

    It leaves static pods alone, pods that do not want it, and containers that mount something at that path.
    """
    mounts = container.get("volumeMounts") or []
    mounted = any(isinstance(mount, Mapping) and mount.get("mountPath") == _MOUNT_PATH for mount in mounts)
    if not pod.manifest or pod.static or pod.automount is False or mounted:
        return None
    return {**container, "volumeMounts": [*mounts, {"name": "default-token", "readOnly": True, "mountPath": _MOUNT_PATH}]}
