"""Room on the nodes of a plan: what their pods ask for, added up while these pass.

Almost always everything fits, and a sum for each node shows that. Only where one does not, pods are read
once more, in the kubelet's order, and then decided again with what the kubelet refuses (``View.short``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import structs

from hashcompat.analysis.planning.view import View
from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.go.jsonpath import rows as json_rows
from hashcompat.core.kubelet.decide.resize import forgets
from hashcompat.core.kubelet.decide.room.admitting import deferred, outcomes
from hashcompat.core.kubelet.decide.room.requests import Asking, as_allocated, as_noted, asking
from hashcompat.core.kubelet.decide.room.tenants import (
    NodeResources,
    Sums,
    Tenant,
    Turns,
    devices_of,
    node_resources,
    takes_room,
    tenant_of,
    turn_of,
    turns,
)
from hashcompat.core.kubelet.decide.static import refused_kinds
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import AUTO, Shortage, Way
from hashcompat.core.model.pods import CONTAINER_LISTS, Node, Pod
from hashcompat.core.model.verdicts import Verdict

_REFUSALS: Final = frozenset(
    {
        *(rules.OTHER_NODE, rules.OTHER_SYSTEM, rules.TAINT, rules.SIDECAR_REFUSED),
        *(rules.STRICT_GROUPS, rules.SYSCTL),
        *(rules.DEVICES, rules.MANAGERS, rules.FEATURE_REFUSED, rules.STATIC_REFUSED, rules.MANIFEST_MISSING),
    }
)
"""The rules of pods that are not admitted for another reason, so that they take no room."""

_LAST: Final = frozenset({rules.FEATURE_REFUSED})
"""Those of them that a kubelet goes by once it has made room for a critical pod.

Source: pkg/kubelet/kubelet.go ``NewMainKubelet``, which adds ``NewPodFeaturesAdmitHandler`` and
``NewDeclaredFeaturesAdmitHandler`` behind ``NewPredicateAdmitHandler`` (1.34.12, 1.36.5 and 1.37.2).
"""


Anew = Mapping[str, Mapping[str, int]]
"""CPUs that pods take anew, by the names of their nodes and by turns."""


class Rooms:
    """Adds up what the pods of each node ask for: host ports alone where it does not show what it has."""

    def __init__(self, nodes: Iterable[Node], way: Way, view: View) -> None:
        """Take the nodes whose kubelets are upgraded; the view has what dumps show of them."""
        nodes, new = tuple(nodes), view.kubelet(way.new)
        self.kubelet = new
        """The kubelet that starts on the nodes."""
        release_of = {node.name: node.kubelet if way.old == AUTO else way.old for node in nodes}
        olds = {
            release: view.current(release)
            for release in set(release_of.values())
            if view.catalog.knows(release)
        }
        self._current = {name: olds.get(release) for name, release in release_of.items()}
        """The current kubelets of the nodes; None where the release is not known."""
        forgetful = {release for release, old in olds.items() if forgets(old, new)}
        self._forgetful = frozenset(name for name, release in release_of.items() if release in forgetful)
        """The nodes on which it takes resources of pods themselves for not allocated."""
        shown = {node.name: node.allocatable for node in nodes if node.allocatable}
        self._allocatable: dict[str, Mapping[str, Any]] = shown
        self._extended = {
            name: frozenset(key for key in resources if "/" in key) for name, resources in shown.items()
        }
        self._records = view.options.records
        self._requests: dict[tuple[int, int, frozenset[str] | None, bool, str], tuple[object, Asking]] = {}
        self.sums: dict[str, Sums] = {}
        """By the names of the nodes."""
        self.resizing = set[str]()
        """The nodes with pods that are to be resized."""
        self.anew: dict[str, Counter[str]] = {}
        """How many CPUs at most the pods of each node take that none is named for, as far as dumps show, by
        their turns (``turn_of``)."""
        self._exclusive = None
        if self._records.files:
            from hashcompat.analysis.preflight.facts import nodemanagers  # noqa: PLC0415 - plans with dumps alone

            self._exclusive = nodemanagers.Exclusive(self._records, new, view.catalog)

    def add(self, pod: Pod) -> None:
        """Count one more pod, if it is on a node."""
        node = pod.node
        if not node or not self._counts(pod):
            return
        pod = self._records.as_running(pod)
        if self._exclusive is not None and (number := self._exclusive.anew(pod, self._current.get(node))):
            self.anew.setdefault(node, Counter())[turn_of(pod)] += number
        asks = self.asking(pod)
        if not asks.ports and node not in self._allocatable:
            return
        if asks.wanted and node in self._allocatable:
            self.resizing.add(node)
        sums = self.sums.get(node)
        if sums is None:
            sums = self.sums[node] = Sums()
        sums.add(asks)

    def _on(self, node: str) -> Kubelet:
        return self._exclusive.kubelet_on(node) if self._exclusive is not None else self.kubelet

    def _counts(self, pod: Pod) -> bool:
        kubelet = self._on(pod.node)
        return takes_room(pod, kubelet) and not pod.doubt and _is_read(pod, kubelet)

    def asking(self, pod: Pod) -> Asking:
        """Return what a pod asks for.

        Pods of one shape ask nodes of the same resources for the same, but for what a status reports.
        """
        allocatable, forgotten = self._allocatable.get(pod.node), pod.node in self._forgetful
        kubelet = self._on(pod.node)
        pod = as_noted(pod, self._current.get(pod.node), kubelet)
        pod = as_allocated(pod, self._records.allocated_to(pod), kubelet)
        is_alone = pod.resizing or pod.seen is not None or any(pod.resized)
        if pod.shape is None or is_alone or pod.claims:
            asks = asking(_as_read(pod, kubelet), allocatable, kubelet, forgotten=forgotten)
            is_made = not (asks.wanted and self._exclusive and self._exclusive.is_infeasible(pod))
            return asks if is_made else structs.replace(asks, wanted={})
        shown = repr(pod.resized) if pod.resized else ""
        key = id(pod.shape), id(kubelet), self._extended.get(pod.node), forgotten, shown
        cached = self._requests.get(key)
        if cached is None:
            asks = asking(pod, allocatable, kubelet, forgotten=forgotten)
            # With the shape, so that no other one gets its id.
            cached = self._requests[key] = pod.shape, asks
        return cached[1]

    def merge(self, sums: Mapping[str, Sums], resizing: Iterable[str], anew: Anew) -> None:
        """Count the pods that another process counted."""
        for node, node_sums in sums.items():
            self.sums.setdefault(node, Sums()).merge(node_sums)
        self.resizing.update(resizing)
        for node, taken in anew.items():
            self.anew.setdefault(node, Counter()).update(taken)

    @property
    def unheld(self) -> dict[str, Turns]:
        """The same of the nodes alone where it may decide."""
        if self._exclusive is None:
            return {}
        may_lack = self._exclusive.may_lack
        return {node: turns(taken) for node, taken in self.anew.items() if may_lack(node, taken.total())}

    @property
    def short(self) -> dict[str, NodeResources]:
        """What the nodes can give where a pod may not fit."""
        offers = {name: node_resources(self._allocatable.get(name, {})) for name in self.sums}
        return {name: offers[name] for name, sums in self.sums.items() if not sums.fit(offers[name])}

    @cached_property
    def open(self) -> dict[str, NodeResources]:
        """The same where a pod, or what it is to be resized to, may not fit; once all pods have passed."""
        return self.short | {name: node_resources(self._allocatable[name]) for name in self.resizing}

    def shortages(
        self, pods: Iterable[Pod], items: Sequence[Item]
    ) -> tuple[dict[str, Shortage], dict[str, Shortage]]:
        """Return the pods that their nodes have no room for, and those for whose resizes they have none.

        ``items`` are decided without that: what is not admitted for another reason takes no room.
        """
        refused, may_be_refused = (
            _not_admitted(items, verdict) for verdict in (Verdict.KILL, Verdict.UNKNOWN)
        )
        refused_last = _not_admitted(items, Verdict.KILL, _LAST)
        leaving = {item.pod.uid for item in items if _may_leave(item)}
        nodes = self.open
        tenants: dict[str, list[Tenant]] = {name: [] for name in nodes}
        for pod in map(self._records.as_running, pods):
            if pod.node in nodes and self._counts(pod):
                files = self._records.files_of(pod)
                devices = devices_of(pod, files.devices) if files and files.devices is not None else None
                tenants[pod.node].append(
                    tenant_of(
                        pod,
                        self.asking(pod),
                        self._on(pod.node),
                        refused=pod.uid in refused,
                        refused_last=pod.uid in refused_last,
                        is_open=pod.uid in may_be_refused,
                        devices=devices,
                    )
                )
        short, waiting = dict[str, Shortage](), dict[str, Shortage]()
        for name, node in nodes.items():
            without_room = outcomes(tenants[name], node, self._on(name))
            short |= without_room
            if name in self.resizing:
                waiting |= deferred(tenants[name], node, {*leaving, *without_room}, self._on(name))
        return short, waiting


def _is_read(pod: Pod, kubelet: Kubelet) -> bool:
    """Return whether a kubelet reads the manifest of a static pod; of any other pod true.

    One that refuses its references does all the same where the pod runs, for its gate is off.
    """
    if pod.static_manifest is None:
        return True
    runs = pod.config_hash or any(container.running for container in pod.containers)
    if not runs and refused_kinds(pod, kubelet):
        return False
    from hashcompat.core.kubelet.staticpods import unreadable  # noqa: PLC0415 - few pods are static

    return not unreadable(pod.static_manifest, kubelet)


def _as_read(pod: Pod, kubelet: Kubelet) -> Pod:
    """Return a pod as its kubelet reads it: a manifest has defaults, such as requests and host ports."""
    if pod.static_manifest is None:
        return pod
    from hashcompat.core.kubelet.staticpods import static_view  # noqa: PLC0415 - few pods are static

    static_pod = static_view(pod.static_manifest, kubelet)
    read = static_pod.containers
    if not read:  # of a release of whose static pods nothing is known
        return pod
    lists = {
        key: [_defaulted(mapping(row), read.get(f"{key}[{place}]", {})) for place, row in enumerate(rows)]
        for key in CONTAINER_LISTS
        if (rows := json_rows(pod.spec, key))
    }
    own = _with_requests(pod.spec, lists, static_pod.requests)
    return structs.replace(pod, spec={**pod.spec, **lists, **own})


def _with_requests(
    spec: Mapping[str, Any], lists: Mapping[str, list[Mapping[str, Any]]], names: Iterable[str]
) -> dict[str, Any]:
    """Return what a pod asks for itself, with its limits as the requests that a kubelet adds to it.

    One for what its containers request is their sum, which counts without it.
    """
    resources = mapping(spec.get("resources"))
    requests, limits = mapping(resources.get("requests")), mapping(resources.get("limits"))
    of_containers = {
        name for rows in lists.values() for row in rows for name in mapping(row["resources"]["requests"])
    }
    added = {
        name: limits[name] for name in names if name not in {*requests, *of_containers} and name in limits
    }
    return {"resources": {**resources, "requests": {**requests, **added}}} if added else {}


def _defaulted(row: Mapping[str, Any], read: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a container with the ports that a kubelet reads, and a request for each that it reads.

    Amounts are as they were given: a request that is none of its own is the limit.
    """
    resources = mapping(row.get("resources"))
    amounts = {**mapping(resources.get("limits")), **mapping(resources.get("requests"))}
    names = mapping(mapping(read.get("resources")).get("requests"))
    requests = {name: amounts[name] for name in names if name in amounts}
    ports = {"ports": read["ports"]} if "ports" in read else {}
    return {**row, **ports, "resources": {**resources, "requests": requests}}


def _may_leave(item: Item) -> bool:
    """Return whether a pod may not stay on its node, for whatever reason."""
    has_other_reason = any(reason.id != rules.RESIZE_POLICY for reason in item.reasons)
    return item.verdict is Verdict.KILL or (item.verdict is Verdict.UNKNOWN and has_other_reason)


def _not_admitted(items: Iterable[Item], verdict: Verdict, ids: Collection[str] = _REFUSALS) -> set[str]:
    """Return the uids of the pods that are not admitted for another reason than room: KILL, or UNKNOWN."""
    return {
        item.pod.uid
        for item in items
        if item.verdict is verdict and any(reason.id in ids for reason in item.reasons)
    }
