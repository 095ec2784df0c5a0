"""An upgrade over several minors beside the same way in steps, and the way back."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hashcompat.calibration import Records
from hashcompat.cases import HashOf, Options, Spec
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.kubelet.hashing import ContainerHash, container_hash
from hashcompat.matrix import Cost, newest_of_each_minor
from hashcompat.model import FINDINGS, Hop, Inventory, Plan, Verdict
from hashcompat.verdicts import AUTO, count_verdicts


def with_hops(plan: Plan, inventory: Inventory, catalog: Catalog, options: Options) -> Plan:
    """Return a plan with what each step of the way would restart, one minor at a time, and what a rollback would.

    Steps are planned without recorded hashes, which belong to the present alone. From ``auto`` there is no one way to take in steps.
    """
    if plan.from_release == AUTO:
        return plan
    plain = replace(options, records=Records())
    stops = [plan.from_release, *newest_of_each_minor(catalog, plan.from_release, plan.to_release)[1:-1], plan.to_release]
    steps = [_count(inventory, *step, catalog, plain) for step in pairwise(stops)] if len(stops) > 2 else []
    return replace(plan, hops=tuple(steps), rollback=_count(inventory, plan.to_release, plan.from_release, catalog, plain))


def findings_between(inventory: Inventory, catalog: Catalog, options: Options) -> Cost:
    """Return the function that counts the containers that one step would kill."""
    hash_of = _remembering()
    return lambda old, new: _count(inventory, old, new, catalog, options, hash_of).findings


def _remembering() -> HashOf:
    """Return container_hash for containers that stay alive: each is hashed once by each kubelet, however many steps meet it."""
    known: dict[tuple[int, Kubelet], ContainerHash] = {}

    def run(spec: Spec, kubelet: Kubelet) -> ContainerHash:
        key = id(spec), kubelet
        if key not in known:
            known[key] = container_hash(spec, kubelet)
        return known[key]

    return run


def _count(inventory: Inventory, old: str, new: str, catalog: Catalog, options: Options, hash_of: HashOf = container_hash) -> Hop:
    counts = count_verdicts(inventory, old, new, catalog, options, hash_of)
    return Hop(old, new, sum(counts[verdict] for verdict in FINDINGS), counts[Verdict.UNKNOWN])
