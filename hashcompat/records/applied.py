"""Read which resources a kubelet applied: the file ``actuated_pods_state`` below its root directory.

A kubelet of 1.33 or later writes it; older ones neither read nor remove it. Source:
pkg/kubelet/allocation/state/checkpoint.go and state.go (1.33.13, 1.37.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hashcompat.errors import DecodeError, InputError
from hashcompat.go import jsontext
from hashcompat.go.quantity import from_json
from hashcompat.model.records import Applied


def is_checkpoint(document: Mapping[str, Any]) -> bool:
    """Return whether a document is a kubelet's checkpoint: JSON in a text, and its checksum."""
    return isinstance(document.get("data"), str) and "checksum" in document


def from_checkpoint(document: Mapping[str, Any]) -> Iterator[Applied]:
    """Yield the resources of each container.

    Raises InputError for data that no kubelet wrote: with such a file it does not start.
    """
    try:
        pods = jsontext.loads(document["data"]).get("entries") or {}
        for uid, entry in pods.items():
            for name, resources in (entry.get("ContainerResources") or {}).items():
                yield Applied(uid, name, _checked(resources))
    except (InputError, AttributeError, TypeError, DecodeError) as error:
        raise InputError(f"actuated_pods_state: $.data: not what a kubelet writes: {error}") from None


def _checked(resources: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return resources after reading each amount. Raises DecodeError for what is not a quantity."""
    for kind in ("limits", "requests"):
        for amount in (resources.get(kind) or {}).values():
            from_json(amount)
    return resources
