"""Read which resources device plugins serve: the file ``kubelet_internal_checkpoint`` of the device manager.

A kubelet that starts takes for a plugin's what one had registered, and what a container has of one; of any
other extended resource it asks nobody. Source: pkg/kubelet/cm/devicemanager/manager.go ``readCheckpoint`` and
``isDevicePluginResource``, pkg/kubelet/cm/devicemanager/checkpoint (1.10.13, 1.18.19, 1.36.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import mapping, rows


def served(document: Any) -> tuple[str, ...]:
    """Return the names of the resources, in order. Raises InputError for what no kubelet writes."""
    if not isinstance(document, Mapping):
        raise InputError("kubelet_internal_checkpoint: not what a kubelet writes")
    data = mapping(document.get("Data", document))  # up to 1.10 without a checksum around it
    has = (mapping(row).get("ResourceName") for row in rows(data, "PodDeviceEntries"))
    names = {*mapping(data.get("RegisteredDevices")), *has}
    return tuple(sorted(name for name in names if isinstance(name, str)))
