"""The impact of a plan: what its restarts mean for those who use the pods.

A kubelet that restarts a container in place asks nobody: a PodDisruptionBudget guards evictions alone
(pkg/registry/core/pod/storage/eviction.go), so what it promises can be breached, and this says where.

``make`` returns all that ``hashcompat impact`` prints. The stages, in order: ``census`` (what the plan does
to each pod, and the pods one by one; nothing of a single pod is kept but names that need a person),
``budgets`` (which pods a budget selects, what it demands and has), here how each node is upgraded,
``batches`` (what restarts at one time do together, in which order, and which nodes at once) and ``packing``
(how these are chosen so that they are few).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec import structs

from hashcompat.analysis.disruption.batches import Counts, batches, ordered, together
from hashcompat.analysis.disruption.budgets import health_of
from hashcompat.analysis.disruption.census import (
    ETCD,
    Census,
    NodeSeen,
    OwnerKey,
    OwnerSeen,
    fates,
    is_etcd,
    is_replicated,
    median,
)
from hashcompat.core.catalog.releases import minors_behind
from hashcompat.core.corev1.scheduling import CONTROL_PLANE, CORDONED, OF_ROLE, OLD_SYSTEM, ZONES, is_virtual
from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import agree, count, name_path
from hashcompat.core.model.impact import (
    ApiServer,
    Certainty,
    Effect,
    Impact,
    Installer,
    NodeImpact,
    Pods,
    RestartedOwner,
    Role,
    Step,
)
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Inventory, Node, Pod
from hashcompat.core.release import parse_release


def make(  # noqa: PLR0913 - all but the first two have defaults
    plan: Plan,
    inventory: Inventory,
    size: int = 1,
    nodes: Iterable[str] | None = None,
    unready: Callable[[Pod], int] = lambda _: 0,
    *,
    across_zones: bool = False,
    at_once: bool = False,
    installer: Installer | None = None,
    apiserver: str = "",
) -> Impact:
    """Return the impact of a plan, with its nodes in batches of ``size`` at the most.

    ``inventory`` has all pods of the namespaces that the plan is about, those included that it leaves out:
    they count as replicas. Its pods are read once. ``nodes`` are those to order, by default all that have
    pods or that the inventory shows. ``unready`` returns for how many seconds a Ready pod that is kept is not
    Ready when the kubelet starts (``core.kubelet.alike.unready``). ``across_zones``: a batch may have nodes
    of several zones, and all of one. ``at_once``: all nodes are one batch in place, whatever that breaches.
    ``installer``: what installs kubelets, by default what their releases show. ``apiserver``: the release of
    the API servers where no static pod shows it.
    Raises UsageError for a size below 1, and what reading raises.
    """
    if size < 1:
        raise UsageError(f"batch: want at least one node, got {size}")
    restarts = fates(plan.items)
    availability = inventory.budgets
    census = Census(availability, restarts, unready, drains=size > 1)
    for pod in inventory.pods:
        census.add(pod)
    # A node without pods is upgraded too, so it belongs in a batch.
    names = {*census.nodes, *(node.name for node in inventory.nodes)} - {""}
    cluster = _counts(census, inventory, len(names), across_zones=across_zones)
    selection = set(nodes) if nodes is not None else names
    impacts = ordered(node_impact(name, cluster, availability.missing) for name in sorted(selection))
    impacts = [structs.replace(node, left_out=_left_out(node, cluster, plan)) for node in impacts]
    kept = [node for node in impacts if not node.left_out]
    if at_once:
        groups = together(impacts, cluster)
        at_least = len(groups)
    else:
        groups, at_least = batches(kept, size, cluster)
    numbers = {name: batch.number for batch in groups for name in batch.nodes}
    placed = [structs.replace(node, batch=numbers.get(node.name, 0)) for node in impacts]
    unplaced = census.nodes.get("")
    return Impact(
        plan.from_release,
        plan.to_release,
        size,
        tuple(sorted(placed, key=lambda node: node.batch or len(groups) + 1)),
        groups,
        tuple(_owner(key, cluster) for key in sorted(cluster.owners) if cluster.owners[key].nodes),
        len(availability.budgets),
        availability.missing,
        len(availability.services),
        availability.services_missing,
        at_least,
        tuple(_servers(census.nodes, plan.to_release, apiserver)),
        installer or _installer(inventory.nodes),
        unplaced.restarted + unplaced.unknown if unplaced else 0,
        len(restarts) - len(census.met),
        plan.assumptions,
        plan.warnings,
        plan.disputed,
        plan.overridden,
        plan.origin,
        plan.running,
        plan.making,
        plan.besides,
        cluster.effect([*selection, ""]) if at_once and unplaced else Effect(),
    )


def _counts(census: Census, inventory: Inventory, size: int, *, across_zones: bool) -> Counts:
    """Return what was counted of a cluster with so many nodes."""
    availability = inventory.budgets
    healths = [
        health_of(budget, seen, availability.scales)
        for budget, seen in zip(availability.budgets, census.seen, strict=False)
    ]
    return Counts(
        tuple(healths),
        tuple(zip(availability.services, census.seen[len(availability.budgets) :], strict=True)),
        census.owners,
        census.nodes,
        availability.scales,
        {node.name: node for node in inventory.nodes},
        {} if across_zones else Counter(filter(None, map(zone_of, filter(_is_ready, inventory.nodes)))),
        size,
    )


def _servers(nodes: Mapping[str, NodeSeen], target: str, named: str) -> Iterator[ApiServer]:
    """Yield the API servers, each with how far it is behind a release: those of nodes, or the one named."""
    releases = {name: seen.server for name, seen in sorted(nodes.items()) if seen.server}
    for name, release in (releases or ({"": named} if named else {})).items():
        yield ApiServer(name, release, minors_behind(parse_release(release), parse_release(target)))


def _installer(nodes: Iterable[Node]) -> Installer:
    """Return what installs the kubelets of some nodes, as the names of their releases show it."""
    kubelets = [node.kubelet for node in nodes]
    shown = (
        installer
        for installer in (Installer.K3S, Installer.RKE2)
        if any(f"+{installer}" in name for name in kubelets)
    )
    return next(shown, Installer.PACKAGE)


def with_all_budgets(inventory: Inventory) -> Inventory:
    """Return an inventory that is taken to have all budgets and Services."""
    budgets = structs.replace(inventory.budgets, missing="", services_missing="")
    return structs.replace(inventory, budgets=budgets)


def _owner(key: OwnerKey, cluster: Counts) -> RestartedOwner:
    seen: OwnerSeen = cluster.owners[key]
    replicas = cluster.replicas(key)
    return RestartedOwner(
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


# How one node is upgraded, and why.


def node_impact(name: str, cluster: Counts, budgets_missing: str) -> NodeImpact:
    """Return the impact of one node, in no batch yet."""
    node = cluster.nodes.get(name, NodeSeen())
    effect = cluster.effect([name])
    step, reasons = _step(node, effect, budgets_missing)
    waits = (cluster.healths[place] for place in sorted(node.budgets))
    seen = cluster.objects.get(name)
    labels = (seen and seen.labels) or {}
    single = (key for key in node.owners if is_replicated(key) and cluster.replicas(key) == 1)
    lists = (node.killed, node.bare, node.static, single)
    return NodeImpact(
        name,
        step,
        0,
        node.restarted,
        node.unknown,
        effect,
        Pods(*(tuple(sorted(places)) for places in lists)),
        tuple(reasons),
        tuple(sorted(node.flags)),
        tuple(
            name_path(health.budget.namespace, health.budget.name) for health in waits if health.allowed == 0
        ),
        _role(node, labels),
        zone_of(seen) if seen else "",
        seen.kubelet.removeprefix("v") if seen else "",
        ((seen and seen.system) or labels.get(OLD_SYSTEM)) == "windows",
        any(taint.get("key") == CORDONED for taint in (seen.taints if seen else ())),
        tuple(place for component, place in sorted(node.system.items()) if component in _AWAITED),
        unready=node.unready,
        seconds=node.seconds,
        together=cluster.together([name], effect),
    )


_AWAITED: Final = (ETCD, "kube-apiserver")
"""The static pods of the control plane that show whether it works."""


def zone_of(node: Node) -> str:
    """Return the zone of a node, by its label; empty for none."""
    labels = node.labels or {}
    return next((labels[key] for key in ZONES if labels.get(key)), "")


def _role(node: NodeSeen, labels: Mapping[str, str]) -> Role:
    """Return what a node is to its cluster, by its labels and by the static pods that it runs."""
    roles = {key.removeprefix(OF_ROLE) for key, value in labels.items() if value != "false"}
    if not roles.isdisjoint(CONTROL_PLANE) or not all(map(is_etcd, node.system)):
        return Role.CONTROL_PLANE
    return Role.ETCD if node.system or ETCD in roles else Role.WORKER


def _is_ready(node: Node) -> bool:
    """Return whether a node is Ready, as far as its status shows."""
    return (node.conditions or {}).get("Ready", "True") == "True"


def _left_out(node: NodeImpact, cluster: Counts, plan: Plan) -> str:
    """Return why there is nothing to upgrade on a node, or no way to."""
    seen = cluster.objects.get(node.name)
    if seen is None:
        return ""
    if is_virtual(seen.taints):
        return "has no kubelet: virtual-kubelet provides it"
    if not _is_ready(seen):
        return "is not Ready: to be repaired or removed first"
    is_done = node.kubelet == plan.to_release.removeprefix("v") and node.step is Step.CLEAN
    return f"has kubelet {plan.to_release} already" if is_done else ""


def _step(node: NodeSeen, effect: Effect, budgets_missing: str) -> tuple[Step, list[str]]:
    # What is sure goes first: a node that is drained anyway needs no list of what may happen besides.
    if why := list(_for_sure(node, effect)):
        return Step.DRAIN, why
    if why := list(_perhaps(node, effect, budgets_missing)):
        return Step.UNDECIDED, why
    return (Step.IN_PLACE if node.restarted or node.unknown else Step.CLEAN), []


def _for_sure(node: NodeSeen, effect: Effect) -> Iterator[str]:
    """Yield why a node is to be drained."""
    for budget in effect.budgets:
        if budget.certainty is Certainty.YES:
            name = name_path(budget.namespace, budget.name)
            missing = f"{budget.after} of {budget.desired} healthy pods"
            already = f", {budget.short_before} too few already" if budget.short_before else ""
            yield f"PodDisruptionBudget {name}: {missing}{already}"
    for owner in effect.owners:
        if owner.certainty is Certainty.YES:
            yield f"{owner.subject} at once"
    if node.killed:
        yield f"{count(len(node.killed), 'pod')} with a container that is not started again"


def _perhaps(node: NodeSeen, effect: Effect, budgets_missing: str) -> Iterator[str]:
    """Yield why a node may have to be drained."""
    for budget in effect.budgets:
        why = budget.problem or f"{budget.possible} may restart or be unhealthy"
        yield f"PodDisruptionBudget {name_path(budget.namespace, budget.name)} may be breached: {why}"
    for owner in effect.owners:
        yield f"{owner.subject} may restart at once"
    if node.maybe_killed:
        number = node.maybe_killed
        yield f"{count(number, 'pod')} that {agree(number, 'restart')} may not be started again"
    if budgets_missing and (node.restarted or node.unknown):
        yield "PodDisruptionBudgets are not known"
