"""The SELinux labels with which the containers of a pod mount the volumes behind claims.

Source: pkg/volume/util/util.go ``GetPodVolumeNames`` and selinux.go ``GetMountSELinuxLabel``, 1.37.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.core.corev1.scheduling import claim_of
from hashcompat.core.go.jsonpath import mapping, part, rows, text
from hashcompat.core.model.pods import CONTAINER_LISTS

_PARTS: Final = ("user", "role", "type", "level")


def labels_of_claims(spec: Mapping[str, Any], pod: str) -> Mapping[str, frozenset[str]]:
    """Return the labels by the names of the claims that a pod of that name mounts; none of one without.

    What a label lacks, the node completes. A kubelet does not mount a claim with two of one pod. A pod with
    the seLinuxChangePolicy Recursive has its volumes labelled file by file instead.
    """
    by_volume: dict[str, set[str]] = {}
    for mounted, label in _mounts(spec):
        by_volume.setdefault(mounted, set()).update(label)
    recursive = text(part(spec, "securityContext"), "seLinuxChangePolicy") == "Recursive"
    by_claim = dict[str, frozenset[str]]()
    for volume in map(mapping, rows(spec, "volumes")):
        labels = by_volume.get(name) if (name := text(volume, "name")) else None
        claim = claim_of(volume, pod) if labels is not None else None
        if labels is not None and claim is not None:
            alone = len(labels) == 1 and (recursive or labels == {""})
            by_claim[claim] = frozenset() if alone else frozenset(labels)
    return by_claim


def _mounts(spec: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names of the volumes that containers mount, and the label of each such container, if any."""
    of_pod = part(spec, "securityContext").get("seLinuxOptions")
    for container in (mapping(row) for key in CONTAINER_LISTS for row in rows(spec, key)):
        own = part(container, "securityContext").get("seLinuxOptions")
        options = of_pod if own is None else own
        parts = [text(options, key) for key in _PARTS] if isinstance(options, Mapping) else None
        label = () if parts is None else (":".join(parts) if any(parts) else "",)
        for mount in map(mapping, rows(container, "volumeMounts")):
            yield text(mount, "name"), label
