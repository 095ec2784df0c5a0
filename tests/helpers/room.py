"""Which pods of a node this program refuses for room, as the oracles of golden/room say it."""

from __future__ import annotations

from typing import Any

from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.decide.room import Tenant, asking, given, outcomes
from hashcompat.sources.values import collect


def refused(case: dict[str, Any], kubelet: Kubelet, wanted: dict[str, str]) -> dict[str, str]:
    """Return the pods that do not run after a start, by uid, each with its reason.

    Where chance decides between pods that are alike, these are those that are ``wanted``.
    """
    allocatable = case["node"]["status"]["allocatable"]
    node = {"apiVersion": "v1", "kind": "Node", **case["node"]}
    pods = collect([node, *case["pods"]]).pods
    tenants = [Tenant(pod, asking(pod, allocatable, kubelet)) for pod in pods]
    found = outcomes(tenants, given(allocatable), kubelet)
    return {
        uid: short.reason
        for uid, short in found.items()
        if uid in wanted or short.certain or not short.preemptor
    }
