"""A cluster of services: what a company runs that deploys with Helm and a mesh."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from scripts.bench.made.chance import Chance, Json
from scripts.bench.made.nodes import node
from scripts.bench.made.pods import places, pod
from scripts.bench.made.shape import Shape
from scripts.bench.made.workloads import Workload, workloads

PODS_OF_NODE: Final = 30
"""Of 150,000 pods on 5,000 nodes, as many as Kubernetes supports."""


def objects(pods: int, shape: Shape) -> Iterator[Json]:
    """Yield the nodes of a cluster and then its pods; the same ones each time."""
    chance = Chance(f"{shape.seed} {pods}")
    names = [f"node-{number:04}" for number in range(max(1, pods // PODS_OF_NODE))]
    by_namespace = defaultdict[str, list[tuple[Workload, int]]](list)
    for app, count in workloads(chance, pods, names):
        by_namespace[app.namespace].append((app, count))
    images = [
        each["image"]
        for rows in by_namespace.values()
        for app, _ in rows
        for each in app.newest.spec["containers"]
    ]
    for name in names:
        yield node(name, shape.release, chance, images)
    for _, rows in sorted(by_namespace.items()):
        pairs = [(place, app) for app, count in rows for place in places(app, count, names, chance)]
        for place, app in sorted(pairs, key=lambda pair: pair[0].name):
            yield pod(app, place, chance, shape)
