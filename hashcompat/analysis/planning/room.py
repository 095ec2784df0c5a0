"""Room on the nodes of a plan: what their pods ask for, added up while these pass.

Almost always everything fits, and a sum for each node shows that. Only where one does not, pods are read once
more, in the kubelet's order, and then decided again with what the kubelet refuses (``View.short``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.decide.room import (
    Asking,
    Given,
    Sums,
    Tenant,
    asking,
    given,
    outcomes,
    takes_room,
)
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Shortage
from hashcompat.core.model.pods import Node, Pod
from hashcompat.core.model.verdicts import Verdict

_REFUSALS: Final = frozenset(
    {
        *(rules.OTHER_NODE, rules.TAINT, rules.SIDECAR_REFUSED, rules.STRICT_GROUPS, rules.SYSCTL),
        *(rules.DEVICES, rules.FEATURE_REFUSED, rules.STATIC_REFUSED, rules.MANIFEST_MISSING),
    }
)
"""The rules of pods that are not admitted for another reason, so that they take no room."""


class Rooms:
    """Adds up what the pods of each node ask for."""

    def __init__(self, nodes: Iterable[Node], kubelet: Kubelet) -> None:
        """Take the nodes, and the kubelet that starts on them."""
        shown = {node.name: node.allocatable for node in nodes if node.allocatable}
        self._allocatable: dict[str, Mapping[str, Any]] = shown
        self._extended = {
            name: frozenset(key for key in found if "/" in key) for name, found in shown.items()
        }
        self.kubelet = kubelet
        """The kubelet that starts on the nodes."""
        self._known: dict[tuple[int, frozenset[str]], tuple[object, Asking]] = {}
        self.sums: dict[str, Sums] = {}
        """By the names of the nodes."""

    def add(self, pod: Pod) -> None:
        """Count one more pod, if its node shows what it can give."""
        node = pod.node
        if node not in self._allocatable or not self._counts(pod):
            return
        found = self.sums.get(node)
        if found is None:
            found = self.sums[node] = Sums()
        found.add(self.asking(pod))

    def _counts(self, pod: Pod) -> bool:
        return takes_room(pod, self.kubelet) and not pod.doubt

    def asking(self, pod: Pod) -> Asking:
        """Return what a pod asks for: pods of one shape ask nodes of the same resources for the same."""
        allocatable = self._allocatable[pod.node]
        if pod.shape is None:
            return asking(pod, allocatable, self.kubelet)
        key = id(pod.shape), self._extended[pod.node]
        known = self._known.get(key)
        if known is None:
            # With the shape, so that no other one gets its id.
            known = self._known[key] = pod.shape, asking(pod, allocatable, self.kubelet)
        return known[1]

    def merge(self, sums: Mapping[str, Sums]) -> None:
        """Count the pods that another process counted."""
        for node, found in sums.items():
            self.sums.setdefault(node, Sums()).merge(found)

    @property
    def short(self) -> dict[str, Given]:
        """What the nodes can give where a pod may not fit."""
        offers = {name: given(self._allocatable[name]) for name in self.sums}
        return {name: offers[name] for name, found in self.sums.items() if not found.fit(offers[name])}

    def shortages(self, pods: Iterable[Pod], refused: Collection[str]) -> dict[str, Shortage]:
        """Return the pods that their nodes have no room for, by their uids.

        ``refused`` are the uids of pods that are not admitted for another reason.
        """
        short = self.short
        tenants: dict[str, list[Tenant]] = {name: [] for name in short}
        for pod in pods:
            if pod.node in short and self._counts(pod):
                tenants[pod.node].append(Tenant(pod, self.asking(pod), pod.uid in refused))
        found = dict[str, Shortage]()
        for name, node in short.items():
            found |= outcomes(tenants[name], node, self.kubelet)
        return found


def refused(items: Iterable[Item]) -> set[str]:
    """Return the uids of the pods that are not admitted for another reason than room."""
    return {
        item.pod.uid
        for item in items
        if item.verdict is Verdict.KILL and any(reason.id in _REFUSALS for reason in item.reasons)
    }
