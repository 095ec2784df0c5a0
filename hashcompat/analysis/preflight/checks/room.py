"""Room on the node: PF-130 and PF-131."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.analysis.preflight.checks import OF_PLAN, Check, Need, Problem, Upgrade
from hashcompat.analysis.preflight.checks.pods import of_reasons
from hashcompat.analysis.preflight.facts import Facts, host
from hashcompat.analysis.preflight.facts.kubelet import pairs
from hashcompat.core import rules
from hashcompat.core.errors import DecodeError
from hashcompat.core.go import strconv
from hashcompat.core.kubelet.decide.room import Given, Tenant, asking, given, outcomes
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.pods import FINISHED, Node
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import UnreadError

_MOST_PODS: Final = 110
"""What maxPods is by default."""

ROOM: Final = Check(
    "PF-130",
    of_reasons(frozenset({rules.ROOM}), "move pods away from the node until what is left fits"),
    OF_PLAN,
)


# PF-131: a configuration with which the node can give less than it shows.


def _find_smaller(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    node = facts.node_object
    if node.allocatable is None or node.capacity is None:
        raise UnreadError("the Node object does not show what the node can give")
    now, then = given(node.allocatable), _configured(facts, upgrade, node)
    smaller = {name for name, number in then.amounts.items() if number < now.amounts.get(name, 0)}
    fewer = then.pods is not None and now.pods is not None and then.pods < now.pods
    if not (smaller or fewer):
        return
    tenants = [
        Tenant(pod, asking(pod, node.allocatable, upgrade.target))
        for pod in facts.pods
        if pod.uid and pod.phase not in FINISHED
    ]
    before = outcomes(tenants, now, upgrade.target)
    after = outcomes(tenants, then, upgrade.target)
    names = {one.pod.uid: name_path(one.pod.namespace, one.pod.name) for one in tenants}
    for uid, short in after.items():
        if uid not in before:
            yield Problem(
                Status.WARN,
                names[uid],
                f"{names[uid]} is refused ({short.reason}) once the Node object has the allocatable of this "
                "configuration, at the kubelet's next start or the one after it",
                "reserve less (kubeReserved, systemReserved, evictionHard, maxPods), or move pods away first",
            )


def _configured(facts: Facts, upgrade: Upgrade, node: Node) -> Given:
    """Return what the node can give once its kubelet has reported what it is configured with.

    Source: pkg/kubelet/cm/node_container_manager_linux.go ``GetNodeAllocatableReservation``, 1.33.13.
    """
    capacity = given(node.capacity or {})
    amounts = dict(capacity.amounts)
    for flag, key in (("kube-reserved", "kubeReserved"), ("system-reserved", "systemReserved")):
        for name, number in given(_reserved(facts, flag, key)).amounts.items():
            if name in amounts:
                amounts[name] -= number
    memory = amounts.get("memory")
    if memory is not None:
        limits = host.thresholds(
            facts.setting("eviction-hard", "evictionHard"),
            upgrade.hazards.eviction_hard,
            merged=facts.is_set("", "mergeDefaultEvictionSettings", default=False),
        )
        if limit := limits.get("memory.available"):
            amounts["memory"] = memory - int(host.least(limit, capacity.amounts["memory"]))
    kept: dict[str, int] = {name: amounts[name] for name in ("cpu", "memory") if name in amounts}
    shown = given(node.allocatable or {})
    return Given({**shown.amounts, **kept}, _pods(facts, capacity))


def _reserved(facts: Facts, flag: str, key: str) -> Mapping[str, Any]:
    value = facts.setting(flag, key)
    reserved = dict(pairs(value)) if isinstance(value, str) else value
    found = dict(reserved) if isinstance(reserved, Mapping) else {}
    if key == "systemReserved" and (cpus := facts.setting("reserved-cpus", "reservedSystemCPUs")):
        try:
            found["cpu"] = str(len(strconv.parse_cpus(str(cpus))))
        except DecodeError as error:
            raise UnreadError(str(error)) from None
    return found


def _pods(facts: Facts, capacity: Given) -> int | None:
    """Return how many pods the kubelet takes; None where that is not a number."""
    most = facts.setting("max-pods", "maxPods")
    per_core = facts.setting("pods-per-core", "podsPerCore")
    try:
        pods = _MOST_PODS if most is None else int(most)
        each = int(per_core or 0)
    except (TypeError, ValueError):
        return None
    return min(pods, each * capacity.amounts.get("cpu", 0) // 1000) if each else pods


SMALLER: Final = Check("PF-131", _find_smaller, (frozenset({Need.NODE, Need.OBJECTS}),))
