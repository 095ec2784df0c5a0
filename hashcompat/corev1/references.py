"""Which API objects a pod refers to; from 1.34 on kubelets reject static pods that refer to any.

Source: pkg/api/pod/util.go ``HasAPIObjectReference``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_SECRETS: Final = frozenset({"secret", "secretRef", "secretKeyRef", "nodePublishSecretRef", "azureFile"})

_CONFIG_MAPS: Final = frozenset({"configMap", "configMapRef", "configMapKeyRef"})

_VOLUMES: Final = {
    "csi": "csidrivers",
    "glusterfs": "endpoints",
    "persistentVolumeClaim": "persistentvolumeclaims",
    "ephemeral": "persistentvolumeclaims",
    "serviceAccountToken": "serviceaccounts",
    "clusterTrustBundle": "clustertrustbundles",
    "podCertificate": "podcertificates",
}

_VALUE_SOURCES: Final = frozenset(
    {"envFrom", "env", "valueFrom", "initContainers", "containers", "ephemeralContainers"}
)


def api_references(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the kinds of API objects that a pod's spec refers to, named as in the kubelet's message."""
    return tuple(dict.fromkeys(_references(spec)))


def _references(spec: Mapping[str, Any]) -> Iterator[str]:
    if spec.get("serviceAccountName") or spec.get("serviceAccount"):
        yield "serviceaccounts"
    if spec.get("resourceClaims"):
        yield "resourceclaims"
    if any(reference.get("name") for reference in _items(spec.get("imagePullSecrets"))):
        yield "secrets"
    for key in ("initContainers", "containers", "ephemeralContainers"):
        yield from _named_in(spec.get(key), _VALUE_SOURCES)
    for volume in _items(spec.get("volumes")):
        yield from _kinds(volume)
        projected = volume.get("projected")
        for source in _items(projected.get("sources") if isinstance(projected, Mapping) else None):
            yield from _kinds(source)
        for driver in volume.values():
            yield from _kinds(driver if isinstance(driver, Mapping) else {})


def _named_in(value: Any, through: frozenset[str]) -> Iterator[str]:
    """Follow the keys below which a container can name objects; other keys are not references."""
    for item in _items(value):
        yield from _kinds(item)
        for key in through & item.keys():
            child = item[key]
            yield from _named_in(child if isinstance(child, list) else [child], through)


def _kinds(value: Mapping[str, Any]) -> Iterator[str]:
    for key, child in value.items():
        if child is None or _nameless(key, child):
            continue
        if key in _SECRETS:
            yield "secrets"
        elif key in _CONFIG_MAPS:
            yield "configmaps"
        elif key in _VOLUMES:
            yield _VOLUMES[key]


def _nameless(key: str, child: Any) -> bool:
    """Return whether a reference has no name, and so does not count (``skipEmptyNames``)."""
    return key.endswith("Ref") and not (isinstance(child, Mapping) and child.get("name"))


def _items(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
