"""An upgrade over several minors beside the same way in steps, and the way back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

from hashcompat.answers.matrix import Cost
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.catalog.releases import newest_of_each_minor
from hashcompat.kubelet.hashing import ContainerHash, container_hash
from hashcompat.model.plan import FINDINGS, Hop, Plan, Verdict
from hashcompat.model.pods import Inventory
from hashcompat.planning.judge import Judge
from hashcompat.planning.options import AUTO, Options
from hashcompat.planning.planner import Planner
from hashcompat.planning.prepare import HashOf, Spec
from hashcompat.records.index import Records


def plan_with_hops(
    inventory: Inventory, from_release: str, to_release: str, catalog: Catalog, options: Options
) -> Plan:
    """Return a plan with what each step of the way would restart, one minor at a time, and what a rollback would; errors as make_plan.

    Steps are planned without recorded hashes, which belong to the present alone. From ``auto`` there is no
    one way to take in steps. Every pod passes once, and is decided for the plan and for all steps while it is
    at hand.
    """
    planner = Planner(inventory.nodes, from_release, to_release, catalog, options)
    steps = (
        []
        if from_release == AUTO
        else [*_steps(from_release, to_release, catalog), (to_release, from_release)]
    )
    judges = [Judge(inventory.nodes, *step, catalog, replace(options, records=Records())) for step in steps]
    counts = [Counter[Verdict]() for _ in steps]
    for pod in inventory.pods:
        planner.add(pod)
        for judge, count in zip(judges, counts, strict=True):
            count.update(judge.verdicts(pod))
    counted = tuple(map(_hop, steps, counts))
    return replace(planner.plan(), hops=counted[:-1], rollback=counted[-1] if counted else None)


def _steps(from_release: str, to_release: str, catalog: Catalog) -> list[tuple[str, str]]:
    """Return the steps of one minor each, none where the whole way is one step."""
    stops = [from_release, *newest_of_each_minor(catalog, from_release, to_release)[1:-1], to_release]
    return list(pairwise(stops)) if len(stops) > 2 else []


def _hop(step: tuple[str, str], count: Counter[Verdict]) -> Hop:
    return Hop(*step, sum(count[verdict] for verdict in FINDINGS), count[Verdict.UNKNOWN])


def findings_between(inventory: Inventory, catalog: Catalog, options: Options) -> Cost:
    """Return the function that counts the containers that one step would kill."""
    pods = tuple(inventory.pods)
    hash_of = _remembering()

    def count(old: str, new: str) -> int:
        judge = Judge(inventory.nodes, old, new, catalog, options, hash_of)
        return sum(verdict in FINDINGS for pod in pods for verdict in judge.verdicts(pod))

    return count


def _remembering() -> HashOf:
    """Return container_hash for containers that stay alive: each is hashed once by each kubelet, however many steps meet it."""
    known: dict[tuple[int, Kubelet], ContainerHash] = {}

    def run(spec: Spec, kubelet: Kubelet) -> ContainerHash:
        key = id(spec), kubelet
        if key not in known:
            known[key] = container_hash(spec, kubelet)
        return known[key]

    return run
