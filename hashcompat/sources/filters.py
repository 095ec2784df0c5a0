"""Narrow an inventory to some pods, the same for every command and format."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hashcompat.errors import InputError
from hashcompat.model import Inventory, Pod


@dataclass(frozen=True, slots=True)
class Filters:
    """Which pods count; an empty tuple filters nothing."""

    namespaces: tuple[str, ...] = ()
    excluded_namespaces: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()

    def matches(self, pod: Pod) -> bool:
        """Tell whether a pod passes every filter."""
        return (
            (not self.namespaces or pod.namespace in self.namespaces)
            and pod.namespace not in self.excluded_namespaces
            and (not self.nodes or pod.node in self.nodes)
            and (not self.owners or pod.owner in self.owners)
        )


def select(inventory: Inventory, filters: Filters) -> Inventory:
    """Return the inventory with the matching pods.

    Raises InputError when none is left: an empty plan would look like a safe one.
    """
    pods = tuple(pod for pod in inventory.pods if filters.matches(pod))
    if not pods:
        raise InputError(f"none of the {len(inventory.pods)} pods matches the filters")
    return replace(inventory, pods=pods)
