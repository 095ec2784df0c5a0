"""How a release's name was read."""

from __future__ import annotations

from hashcompat.catalog.lookup import Kubelet
from hashcompat.model.plan import ReleaseFacts


def facts(name: str, kubelet: Kubelet) -> ReleaseFacts:
    """Return how ``name`` was read as a kubelet's release."""
    return ReleaseFacts(
        name,
        read_as=kubelet.release.upstream,
        era=kubelet.era.name,
        types=kubelet.schema.name,
        vendor_assumed=kubelet.vendor_assumed,
        patch_assumed=kubelet.patch_assumed,
    )
