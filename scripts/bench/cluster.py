"""Write a large cluster as ``kubectl get nodes,pods -A -o json`` prints it.

The nodes come first, then the pods, sorted by namespace and name; keys are sorted. Each pod has what is its
own in every real cluster: a UID, versions, times, addresses, ids of containers, the name of its token's
mount, the annotations of network plugins. Some were restarted, ended, failed, were evicted, or wait. There
are thirty pods for each node. The kinds:

- ``services``: 40 to 300 workloads of random structures: Deployments, some of them in the middle of a
  rollout, StatefulSets, DaemonSets, Jobs, an operator's databases, steps of workflows, static pods and bare
  ones; one to five containers, init containers, probes and hooks of all kinds, variables, affinity, a mesh's
  proxy.
- ``platform``: a data platform, by somebody who had not read the program: agents on each node, databases
  and queues that operators run, previews of pull requests, Spark, Argo, Tekton, Airflow, GitLab, training.

    python -m scripts.bench.cluster --pods 15000 > large.json
    python -m scripts.bench.cluster --pods 15000 --distinct --managed-fields > distinct.json

The objects are those of an API server of today, whatever the release of the nodes, but that in ``services``
DaemonSets have no affinity before 1.12, and a token is mounted by the name of its Secret before 1.21.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from scripts.bench.made import platform, services
from scripts.bench.made.chance import Json
from scripts.bench.made.shape import Shape
from scripts.bench.made.texts import FORMS

KINDS: Final[dict[str, Callable[[int, Shape], Iterator[Json]]]] = {
    "services": services.objects,
    "platform": platform.objects,
}
"""The generators: each was written by somebody else, after other clusters."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that is measured."""

    kind: str
    distinct: bool


CLUSTERS: Final = {
    "services": Cluster("services", distinct=False),
    "services, all different": Cluster("services", distinct=True),
    "platform": Cluster("platform", distinct=False),
    "platform, all different": Cluster("platform", distinct=True),
}
"""What is measured, by the names in docs/performance.md."""


def objects(pods: int, shape: Shape, kind: str = "services") -> Iterator[Json]:
    """Yield the nodes of a cluster and then its pods; the same ones each time."""
    return KINDS[kind](pods, shape)


def write(path: Path, name: str, pods: int, shape: Shape, form: str = "json") -> None:
    """Write one of CLUSTERS into a file."""
    profile = CLUSTERS[name]
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(FORMS[form](objects(pods, replace(shape, distinct=profile.distinct), profile.kind)))


def main() -> None:
    """Write a cluster to stdout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", choices=KINDS, default="services", help="default: %(default)s")
    parser.add_argument("--pods", type=int, default=15_000)
    parser.add_argument("--seed", type=int, default=1, help="another one makes another cluster")
    parser.add_argument("--release", default="1.30.14", help="of the nodes (default: %(default)s)")
    parser.add_argument("--distinct", action="store_true", help="no two containers are alike")
    parser.add_argument("--managed-fields", action="store_true", help="with managedFields")
    parser.add_argument(
        "--calm", action="store_true", help="every pod of services runs, and none was restarted"
    )
    form = parser.add_mutually_exclusive_group()
    for name in FORMS:
        form.add_argument(f"--{name}", dest="form", action="store_const", const=name, default="json")
    given = parser.parse_args()
    shape = Shape(given.release, given.distinct, given.managed_fields, given.seed, given.calm)
    sys.stdout.writelines(FORMS[given.form](objects(given.pods, shape, given.kind)))


if __name__ == "__main__":
    main()
