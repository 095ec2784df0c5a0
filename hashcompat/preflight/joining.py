"""What is known of nodes besides their dumps, joined with these: the cluster's objects and a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from hashcompat.errors import InputError
from hashcompat.model.items import Item
from hashcompat.model.pods import Node, Pod
from hashcompat.model.verdicts import FINDINGS, Verdict
from hashcompat.preflight.checks.check import Need
from hashcompat.preflight.facts.cluster import Cluster
from hashcompat.records.probes import AbsentError, Dump, UnreadError

_PREFIX = "Kubernetes "


class Known(msgspec.Struct, frozen=True):
    """What is known besides dumps."""

    nodes: Mapping[str, Node] = msgspec.field(default_factory=dict)
    """The Node objects by their names."""
    pods: Mapping[str, tuple[Pod, ...]] | None = None
    """The pods by their nodes; None where no pods were read."""
    items: Mapping[str, tuple[Item, ...]] | None = None
    """The verdicts of a plan by nodes; None where there is no plan."""

    @property
    def given(self) -> frozenset[Need]:
        """What of this a run is given."""
        found = {Need.OBJECTS} if self.nodes or self.pods is not None else set[Need]()
        return frozenset(found if self.items is None else {*found, Need.PLAN})

    def cluster(self, node: str) -> Cluster:
        """Return the objects of a node."""
        return Cluster(self.nodes.get(node), None if self.pods is None else self.pods.get(node, ()))

    def planned(self, node: str) -> tuple[Item, ...] | None:
        """Return the verdicts of the containers on a node; None where there is no plan."""
        return None if self.items is None else self.items.get(node, ())

    def release(self, dump: Dump) -> str | None:
        """Return the release of the kubelet that runs on a node, by what was read there or by its objects."""
        node = self.nodes.get(dump.node)
        planned = [item.from_release for item in self.planned(dump.node) or () if item.from_release]
        found = [_own_release(dump), node.kubelet if node else "", *planned]
        return next(filter(None, found), None)


def _own_release(dump: Dump) -> str:
    """Return the release that the kubelet's program reports: ``Kubernetes v1.23.13``."""
    try:
        return dump.read("version", "kubelet").strip().removeprefix(_PREFIX)
    except (AbsentError, UnreadError):
        return ""


def known_of(nodes: Iterable[Node], pods: Iterable[Pod], items: Iterable[Item] | None) -> Known:
    """Return what a source shows, with the verdicts of its plan; a source without pods has no plan."""
    placed = by_node(pods)
    verdicts = None if items is None or not placed else items_by_node(items)
    return Known({node.name: node for node in nodes}, placed or None, verdicts)


def by_node(pods: Iterable[Pod]) -> Mapping[str, tuple[Pod, ...]]:
    """Return pods by their nodes."""
    found: dict[str, list[Pod]] = {}
    for pod in pods:
        found.setdefault(pod.node, []).append(pod)
    return {node: tuple(several) for node, several in found.items()}


def items_by_node(items: Iterable[Item]) -> Mapping[str, tuple[Item, ...]]:
    """Return the verdicts of a plan by nodes."""
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(item.pod.node, []).append(item)
    return {node: tuple(several) for node, several in found.items()}


def restarts_of(items: Iterable[Item] | None) -> Callable[[str, str], bool | None]:
    """Return how to ask a plan whether it kills a container, by its pod's uid and its own name."""
    verdicts = {(item.pod.uid, item.container.name): item.verdict for item in items or ()}

    def restarts(uid: str, container: str) -> bool | None:
        verdict = verdicts.get((uid, container), Verdict.UNKNOWN)
        return None if verdict is Verdict.UNKNOWN else verdict in FINDINGS

    return restarts


def with_own_releases(nodes: Iterable[Node], dumps: Iterable[Dump]) -> tuple[Node, ...]:
    """Return Node objects, and one for each node that only a dump shows, so that a plan has its release."""
    found = {node.name: node for node in nodes}
    for dump in dumps:
        if dump.node not in found and (release := _own_release(dump)):
            found[dump.node] = Node(dump.node, release)
    return tuple(found.values())


def without_dumps(nodes: Mapping[str, Node]) -> list[Dump]:
    """Return an empty dump for each Node object; raises InputError without any."""
    if not nodes:
        raise InputError("no Node object in the input; give kubectl get nodes,pods -A -o json, or a cluster")
    return [Dump(name, "the API server", {}) for name in nodes]
