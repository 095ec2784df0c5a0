"""Where the pods of a workload may run: affinity of every kind, spread, and tolerations of its own."""

from __future__ import annotations

from typing import Final

from scripts.bench.made.chance import Chance, Json

_ZONE: Final = "topology.kubernetes.io/zone"
_HOST: Final = "kubernetes.io/hostname"

POOLS: Final = 5
"""A node's number decides in which of them it is."""


def pool(number: int) -> str:
    """Return the pool of a node."""
    return f"pool-{number % POOLS}"


def allows(spec: Json, number: int) -> bool:
    """Return whether a pod may run on a node."""
    rules = (
        spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    )
    if rules is None:
        return True
    return any(
        pool(number) in row["values"]
        for term in rules["nodeSelectorTerms"]
        for row in term["matchExpressions"]
    )


def scheduling(chance: Chance, name: str) -> Json:
    """Return the fields of a spec that decide it; most workloads set some of them."""
    labels = {"matchLabels": {"app.kubernetes.io/name": name}}
    parts: Json = {}
    if chance.hits(0.2):
        parts["nodeAffinity"] = _of_nodes(chance)
    if chance.hits(0.1):
        term = {"labelSelector": labels, "topologyKey": _ZONE}
        parts["podAffinity"] = {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"podAffinityTerm": term, "weight": 50}]
        }
    if chance.hits(0.45):
        parts["podAntiAffinity"] = _apart(chance, labels)
    fields: Json = {"affinity": parts} if parts else {}
    if chance.hits(0.3):
        fields["topologySpreadConstraints"] = [
            {"labelSelector": labels, "maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway"}
            for key in chance.some((_ZONE, _HOST), 1, 2)
        ]
    return fields


def _of_nodes(chance: Chance) -> Json:
    term = {
        "matchExpressions": [
            {
                "key": "pool.example.com/name",
                "operator": "In",
                "values": [f"pool-{chance.randrange(POOLS)}", "spare"],
            }
        ]
    }
    if chance.hits(0.5):
        return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"preferredDuringSchedulingIgnoredDuringExecution": [{"preference": term, "weight": 100}]}


def _apart(chance: Chance, labels: Json) -> Json:
    term = {"labelSelector": labels, "topologyKey": chance.choice((_HOST, _HOST, _ZONE))}
    if chance.hits(0.4):
        return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return {"preferredDuringSchedulingIgnoredDuringExecution": [{"podAffinityTerm": term, "weight": 100}]}


def its_node(name: str) -> Json:
    """Return what the controller of DaemonSets makes a pod for a node ask for."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]}]
    required = {"nodeSelectorTerms": [{"matchFields": fields}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
