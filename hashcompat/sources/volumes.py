"""PersistentVolumes and the claims on them -> the kinds of volumes behind the claims that a pod mounts.

A pod names a claim, the claim the volume that it is bound to, and that volume its source, by which a kubelet
looks for a plugin (pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go
``createVolumeSpec``, ``getPVCExtractPV`` and ``getPVSpec``, 1.31.14). An input with the volumes alone shows
the same: each names the claim that it is bound to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashcompat.core.corev1.scheduling import claims
from hashcompat.core.go.jsonpath import part, text

KINDS: Final = frozenset(
    {
        *("awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "flocker"),
        *("gcePersistentDisk", "glusterfs", "photonPersistentDisk", "portworxVolume", "quobyte", "rbd"),
        *("scaleIO", "storageos", "vsphereVolume"),
    }
)
"""The sources of PersistentVolumes that some kubelets have no plugin for; no other one decides anything."""
_VOLUME: Final = "PersistentVolume"
_CLAIM: Final = "PersistentVolumeClaim"
_BOUND: Final = ("", "Bound")
"""The phases of a volume whose claim counts: another one may name a claim of the same name that is gone."""

Claim = tuple[str, str]
"""Its namespace and its name."""


class _Volume(msgspec.Struct, frozen=True):
    kind: str
    claim: Claim | None
    """The one that it is bound to; None where it names none."""


class Claims:
    """Collects volumes and claims, object by object."""

    def __init__(self) -> None:
        self._volumes: dict[str, _Volume] = {}
        self._bound: dict[Claim, str] = {}

    def add(self, value: Mapping[str, Any]) -> None:
        """Take one object, of any kind and in any condition, into account."""
        kind = value.get("kind")
        if kind not in (_VOLUME, _CLAIM) or text(value, "apiVersion") not in ("v1", ""):
            return
        metadata, spec = part(value, "metadata"), part(value, "spec")
        name = text(metadata, "name")
        if kind == _CLAIM:
            if bound := text(spec, "volumeName"):
                self._bound[text(metadata, "namespace") or "default", name] = bound
            return
        source = next((key for key in spec if key in KINDS and spec[key] is not None), "")
        if source and text(part(value, "status"), "phase") in _BOUND:
            claim = part(spec, "claimRef")
            named = text(claim, "namespace") or "default", text(claim, "name")
            self._volumes[name] = _Volume(source, named if named[1] else None)

    @property
    def size(self) -> int:
        """The number of facts."""
        return 2 * len(self._volumes) + len(self._bound)

    def merge(self, other: Claims) -> None:
        """Take what another one collected into account."""
        self._volumes |= other._volumes
        self._bound |= other._bound

    def kinds(self) -> Mapping[Claim, str]:
        """Return the kind of the volume behind each claim that is bound to one of ``KINDS``.

        A claim that names another volume is not bound to one that names it.
        """
        kinds = {
            volume.claim: volume.kind
            for name, volume in self._volumes.items()
            if volume.claim is not None and self._bound.get(volume.claim, name) == name
        }
        for claim, name in self._bound.items():
            volume = self._volumes.get(name)
            if volume is not None and volume.claim in (None, claim):
                kinds[claim] = volume.kind
        return kinds


def behind(spec: Mapping[str, Any], namespace: str, pod: str, kinds: Mapping[Claim, str]) -> tuple[str, ...]:
    """Return the kinds of the volumes behind the claims that the containers of a pod mount, sorted."""
    volume_kinds = {kinds.get((namespace, name), "") for name in claims(spec, pod)}
    return tuple(sorted(volume_kinds - {""}))
