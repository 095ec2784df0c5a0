"""Write a large cluster as ``kubectl get nodes,pods -A -o json`` prints it.

The nodes come first, then the pods, sorted by namespace and name; keys are sorted. 40 to 300 workloads create
the pods: Deployments, some of them in the middle of a rollout, StatefulSets, DaemonSets, Jobs, an operator's
databases, steps of workflows, static pods, and bare ones. Each has a structure of its own: one to five
containers, init containers, probes and hooks of all kinds, variables, affinity, a mesh's proxy. Each pod has
what is its own in every real cluster: a UID, versions, times, addresses, ids of containers, the name of its
token's mount, the annotations of network plugins. Some were restarted, ended, failed, were evicted, or wait.

    python -m scripts.bench.cluster --pods 15000 > large.json
    python -m scripts.bench.cluster --pods 15000 --distinct --managed-fields > distinct.json

The objects are those of an API server of today, but that nodes before 1.12 have DaemonSets without affinity,
and those before 1.21 mount a token by the name of its Secret.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from scripts.bench.made.chance import Chance, Json
from scripts.bench.made.nodes import node
from scripts.bench.made.pods import places, pod
from scripts.bench.made.shape import Shape
from scripts.bench.made.texts import FORMS
from scripts.bench.made.workloads import Workload, workloads

PODS_OF_NODE: Final = 30
"""Of 150,000 pods on 5,000 nodes, as many as Kubernetes supports."""


def objects(pods: int, shape: Shape) -> Iterator[Json]:
    """Yield the nodes of a cluster and then its pods; the same ones each time."""
    chance = Chance(f"{shape.seed} {pods}")
    names = [f"node-{number:04}" for number in range(max(1, pods // PODS_OF_NODE))]
    by_namespace = defaultdict[str, list[tuple[Workload, int]]](list)
    for one, count in workloads(chance, pods, names):
        by_namespace[one.namespace].append((one, count))
    images = [
        each["image"]
        for rows in by_namespace.values()
        for one, _ in rows
        for each in one.newest.spec["containers"]
    ]
    for name in names:
        yield node(name, shape.release, chance, images)
    for _, rows in sorted(by_namespace.items()):
        found = [(place, one) for one, count in rows for place in places(one, count, names, chance)]
        for place, one in sorted(found, key=lambda pair: pair[0].name):
            yield pod(one, place, chance, shape)


def main() -> None:
    """Write a cluster to stdout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pods", type=int, default=15_000)
    parser.add_argument("--seed", type=int, default=1, help="another one makes another cluster")
    parser.add_argument("--release", default="1.30.14", help="of the nodes (default: %(default)s)")
    parser.add_argument("--distinct", action="store_true", help="no two containers are alike")
    parser.add_argument("--managed-fields", action="store_true", help="with managedFields")
    parser.add_argument("--calm", action="store_true", help="every pod runs, and none was restarted")
    form = parser.add_mutually_exclusive_group()
    for name in FORMS:
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, default="json")
    given = parser.parse_args()
    shape = Shape(given.release, given.distinct, given.managed_fields, given.seed, given.calm)
    sys.stdout.writelines(FORMS[given.form](objects(given.pods, shape)))


if __name__ == "__main__":
    main()
