"""What a cluster shows of nodes whose kubelets were upgraded, as it is compared with a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from hashcompat.analysis.gating.outcome import HashKey, Now
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import is_build_of
from hashcompat.core.model.pods import Inventory, Pod
from hashcompat.core.model.verdicts import number_of
from hashcompat.core.records.index import Records


def now_of(
    inventory: Inventory,
    names: Sequence[str],
    target: str,
    *,
    catalog: Catalog,
    begun: Mapping[str, datetime],
    records: Records,
) -> Now:
    """Return what is seen of some nodes, by their names, and of the pods of an inventory on them.

    ``target`` is the release that their kubelets should report now, ``begun`` when the upgrade of each began.
    """
    nodes = {node.name: node for node in inventory.nodes if node.name in names}
    pods = tuple(pod for pod in inventory.pods if pod.node in names)
    upgraded = frozenset(name for name, node in nodes.items() if _is_upgraded(node.kubelet, target, catalog))
    recorded = dict(_recorded(pods, records)) if records else {}
    if records:
        pods = tuple(map(records.as_reported, pods))
    return Now(tuple(dict.fromkeys(names)), nodes, upgraded, pods, begun, recorded)


def _is_upgraded(kubelet: str, target: str, catalog: Catalog) -> bool:
    if not (catalog.knows(kubelet) and catalog.knows(target)):
        return kubelet.removeprefix("v") == target.removeprefix("v")
    return is_build_of(catalog.kubelet(kubelet).release, catalog.kubelet(target).release)


def _recorded(pods: Sequence[Pod], records: Records) -> Iterator[tuple[HashKey, int]]:
    """Yield the recorded hashes of the containers that run now, where they are numbers."""
    for pod in pods:
        for container in pod.containers:
            record = records.of(pod, container)
            if record and (not record.id or not container.id or record.id == container.id):
                number = number_of(record.hash)
                if number is not None:
                    yield (pod.uid, container.name), number
