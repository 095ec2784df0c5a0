"""Find static pods that a node's records show and a list of pods does not.

Static pods run whether or not an API server knows of them; the mirror pod, by which it does, is missing where
that server could not be reached, refused it, or somebody deleted it. Their uids show which pods are static.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from hashcompat.model.escape import name_path
from hashcompat.model.pods import Inventory, Source
from hashcompat.model.records import Applied, Record, Recorded, Sandbox
from hashcompat.model.uids import is_computed

Name = tuple[str, str]
"""Namespace and name of a pod."""


def unlisted(
    inventory: Inventory, records: Iterable[Record], wanted: Callable[[Recorded | Sandbox], bool]
) -> Iterator[str]:
    """Yield a line for each wanted static pod that runs by the records and is not among the pods.

    A file may hold the pods of some namespaces only; there, records of other namespaces show nothing.
    """
    shown: dict[Name, list[str]] = {}
    for record in records:
        if isinstance(record, Applied) or not wanted(record):
            continue
        if is_computed(record.uid) and _runs(record):
            containers = shown.setdefault((record.namespace, record.pod), [])
            containers += [record.container] if isinstance(record, Recorded) else []
    if not shown:
        return
    namespaces, nodes, known = set[str](), {node.name for node in inventory.nodes}, set[Name]()
    for pod in inventory.pods:
        namespaces.add(pod.namespace)
        nodes.add(pod.node)
        if (pod.namespace, pod.name) in shown:
            known.add((pod.namespace, pod.name))
    for (namespace, name), containers in shown.items():
        seen = inventory.origin.kind is Source.CLUSTER or namespace in namespaces
        if seen and (namespace, name) not in known:
            named = ", ".join(
                [f"static pod {name_path(namespace, name)}", *map(name_path, dict.fromkeys(containers))]
            )
            yield (
                f"on {_node(name, nodes)} but not among the pods: {named}: it has no mirror pod;"
                " --static-pod-dir reads its manifest"
            )


def _runs(record: Recorded | Sandbox) -> bool:
    return record.running is not False if isinstance(record, Recorded) else record.ready


def _node(pod: str, nodes: Iterable[str]) -> str:
    """Name the node of a static pod, whose name ends with it in lower case (``generatePodName``)."""
    found = [node for node in sorted(nodes) if node and pod.endswith(f"-{node.lower()}")]
    return f"node {max(found, key=len)}" if found else "the node"
