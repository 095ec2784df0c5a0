"""The impact of a plan: what its restarts mean for those who use the pods.

A kubelet that restarts a container in place asks nobody: a PodDisruptionBudget guards evictions alone
(pkg/registry/core/pod/storage/eviction.go), so what it promises can be breached, and this says where.

``make`` returns all that ``hashcompat impact`` prints. The stages, in order: ``census`` (what the plan does
to each pod, and the pods one by one; nothing of a single pod is kept but names that need a person),
``budgets`` (which pods a budget selects, what it demands and has), ``order`` (what restarts at one time do
together, how each node is upgraded, and when).
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from hashcompat.analysis.disruption.budgets import health_of
from hashcompat.analysis.disruption.census import Census, OwnerKey, OwnerSeen, fates, is_replicated, median
from hashcompat.analysis.disruption.order import Counts, batches, node_impact, ordered
from hashcompat.core.errors import UsageError
from hashcompat.core.model.impact import Impact, Owner
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Inventory


def make(plan: Plan, inventory: Inventory, size: int = 1, nodes: Iterable[str] | None = None) -> Impact:
    """Return the impact of a plan, with its nodes in batches of ``size``.

    ``inventory`` has all pods of the namespaces that the plan is about, those included that it leaves out:
    they count as replicas. Its pods are read once. ``nodes`` are those to order, by default all that have
    pods or that the inventory shows. Raises UsageError for a size below 1, and what reading raises.
    """
    if size < 1:
        raise UsageError(f"a batch has at least one node, not {size}")
    restarts = fates(plan.items)
    census = Census(inventory.budgets, restarts)
    for pod in inventory.pods:
        census.add(pod)
    healths = tuple(
        health_of(budget, seen, inventory.budgets.scales)
        for budget, seen in zip(inventory.budgets.found, census.seen, strict=True)
    )
    cluster = Counts(healths, census.owners, census.nodes, inventory.budgets.scales)
    known = {*census.nodes, *(node.name for node in inventory.nodes)} if nodes is None else set(nodes)
    missing = inventory.budgets.missing
    impacts = ordered(node_impact(name, cluster, missing) for name in sorted(known - {""}))
    groups = tuple(batches(impacts, size, cluster))
    numbers = {name: batch.number for batch in groups for name in batch.nodes}
    unplaced = census.nodes.get("")
    return Impact(
        plan.from_release,
        plan.to_release,
        size,
        tuple(structs.replace(node, batch=numbers[node.name]) for node in impacts),
        groups,
        tuple(_owner(key, cluster) for key in sorted(cluster.owners) if cluster.owners[key].nodes),
        len(inventory.budgets.found),
        missing,
        unplaced.restarted + unplaced.unknown if unplaced else 0,
        len(restarts) - len(census.met),
        plan.assumptions,
        plan.warnings,
        plan.disputed,
        plan.overridden,
        plan.origin,
    )


def without_others(inventory: Inventory) -> Inventory:
    """Return an inventory that is taken to have all budgets."""
    return structs.replace(inventory, budgets=structs.replace(inventory.budgets, missing=""))


def _owner(key: OwnerKey, cluster: Counts) -> Owner:
    seen: OwnerSeen = cluster.owners[key]
    replicas = cluster.replicas(key)
    return Owner(
        *key,
        replicas,
        sum(place.restarted for place in seen.nodes.values()),
        sum(place.unknown for place in seen.nodes.values()),
        len(seen.nodes.keys() - {""}),
        median(seen.times),
        max(seen.times, default=None),
        seen.grace,
        seen.unprobed,
        is_replicated(key) and replicas == 1,
    )
