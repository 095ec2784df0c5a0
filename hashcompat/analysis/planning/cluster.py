"""What a plan takes from the cluster as a whole: its API servers, room on its nodes, and when it was seen.

The API servers are those that it shows to run, where the options name none. What a plan takes for granted
otherwise, that the API server is of the newer one of two kubelets, is wrong in two cases: in a rollout that
begins with kubelets, and under an API server that is newer than both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from msgspec import structs

from hashcompat.analysis.planning.reading import rows
from hashcompat.analysis.planning.view import View
from hashcompat.core import rules
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import minors_behind
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.go.jsonpath import rows as json_rows
from hashcompat.core.kubelet import alike
from hashcompat.core.kubelet.alike import Servers, waits_for_services
from hashcompat.core.kubelet.decide.case import REFERENCES_GATE
from hashcompat.core.kubelet.decide.resize import forgets
from hashcompat.core.kubelet.decide.room.admitting import deferred, outcomes
from hashcompat.core.kubelet.decide.room.requests import Asking, as_allocated, asking
from hashcompat.core.kubelet.decide.room.tenants import (
    Given,
    Sums,
    Tenant,
    devices_of,
    given,
    takes_room,
    tenant_of,
)
from hashcompat.core.model.escape import count
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import AUTO, Shortage, Way
from hashcompat.core.model.pods import CONTAINER_LISTS, FINISHED, Inventory, Node, Origin, Pod
from hashcompat.core.model.uids import Dating, Reach, reach_of, taken_of
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.records.index import Records


def seen(found: Mapping[str, Iterable[str]], view: View) -> Servers:
    """Return the API servers that pods and reports show; none where the options name one, and of a sample."""
    if view.sample or view.options.apiserver or view.options.apiserver_to:
        return Servers()
    return alike.servers_of(found, view.catalog)


def under(shown: Servers, olds: Iterable[Kubelet], new: Kubelet, view: View) -> View | None:
    """Return the view with these API servers; None where no pod is read differently under them.

    The oldest one is what wrote the pods. One that is newer than both kubelets stays; else it is taken to
    become the newer kubelet's before that starts, as without any.
    """
    if not shown:
        return None
    olds = tuple(olds)
    stays = all(minors_behind(kubelet.release, shown.newest.release) > 0 for kubelet in (*olds, new))
    options = structs.replace(
        view.options,
        apiserver=str(shown.oldest.release),
        apiserver_to=str(shown.newest.release) if stays else "",
    )
    other = structs.replace(view, options=options)
    return other if any(rows(old, new, other) != rows(old, new, view) for old in olds) else None


def assumed(shown: Servers) -> Iterator[str]:
    """Yield of which release the API server is, and where that shows."""
    if shown and not alike.mixed(shown):
        yield f"kube-apiserver is {shown}"


def warned(shown: Servers, new: Kubelet, items: Iterable[Item]) -> Iterator[str]:
    """Yield what the version skew policy says of these API servers, and which containers would wait."""
    if not shown:
        return
    yield from filter(None, (alike.mixed(shown), alike.too_new(new, shown), alike.too_old(new, shown)))
    if waits_for_services(new, shown.oldest) and (number := len(list(starved(items)))):
        does = "restarts and stays" if number == 1 else "restart and stay"
        yield f"{count(number, 'container')} {does} {alike.waiting(new, shown.oldest)}"


def starved(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the containers that are created again and wait for the list of services.

    Static pods do not.
    """
    for item in items:
        if item.verdict is Verdict.RESTART and not item.pod.workload.startswith("Node/"):
            yield item


# Room on the nodes of a plan: what their pods ask for, added up while these pass.
#
# Almost always everything fits, and a sum for each node shows that. Only where one does not, pods are read
# once more, in the kubelet's order, and then decided again with what the kubelet refuses (``View.short``).

_REFUSALS: Final = frozenset(
    {
        *(rules.OTHER_NODE, rules.OTHER_SYSTEM, rules.TAINT, rules.SIDECAR_REFUSED),
        *(rules.STRICT_GROUPS, rules.SYSCTL),
        *(rules.DEVICES, rules.MANAGERS, rules.FEATURE_REFUSED, rules.STATIC_REFUSED, rules.MANIFEST_MISSING),
    }
)
"""The rules of pods that are not admitted for another reason, so that they take no room."""


class Rooms:
    """Adds up what the pods of each node ask for: host ports alone where it does not show what it has."""

    def __init__(self, nodes: Iterable[Node], way: Way, view: View) -> None:
        """Take the nodes whose kubelets are upgraded; the view has what dumps show of them."""
        nodes, new = tuple(nodes), view.kubelet(way.new)
        self.kubelet = new
        """The kubelet that starts on the nodes."""
        release_of = {one.name: one.kubelet if way.old == AUTO else way.old for one in nodes}
        forgetful = {
            release
            for release in set(release_of.values())
            if view.catalog.knows(release) and forgets(view.current(release), new)
        }
        self._forgetful = frozenset(name for name, release in release_of.items() if release in forgetful)
        """The nodes on which it takes resources of pods themselves for not allocated."""
        shown = {node.name: node.allocatable for node in nodes if node.allocatable}
        self._allocatable: dict[str, Mapping[str, Any]] = shown
        self._extended = {
            name: frozenset(key for key in found if "/" in key) for name, found in shown.items()
        }
        self._records = view.options.records
        self._known: dict[tuple[int, frozenset[str] | None, bool], tuple[object, Asking]] = {}
        self.sums: dict[str, Sums] = {}
        """By the names of the nodes."""
        self.resizing = set[str]()
        """The nodes with pods that are to be resized."""
        self.anew = Counter[str]()
        """How many CPUs at most the pods of each node take that none is named for, as far as dumps show."""
        self._exclusive = None
        if self._records.files:
            from hashcompat.analysis.preflight.facts import managers  # noqa: PLC0415 - plans with dumps alone

            self._exclusive = managers.Exclusive(self._records, new, view.catalog)

    def add(self, pod: Pod) -> None:
        """Count one more pod, if it is on a node."""
        node = pod.node
        if not node or not self._counts(pod):
            return
        if self._exclusive is not None and (number := self._exclusive.anew(pod)):
            self.anew[node] += number
        asks = self.asking(pod)
        if not asks.ports and node not in self._allocatable:
            return
        if asks.wanted and node in self._allocatable:
            self.resizing.add(node)
        found = self.sums.get(node)
        if found is None:
            found = self.sums[node] = Sums()
        found.add(asks)

    def _counts(self, pod: Pod) -> bool:
        return takes_room(pod, self.kubelet) and not pod.doubt and _is_read(pod, self.kubelet)

    def asking(self, pod: Pod) -> Asking:
        """Return what a pod asks for.

        Pods of one shape ask nodes of the same resources for the same, but for what a status reports.
        """
        allocatable, forgotten = self._allocatable.get(pod.node), pod.node in self._forgetful
        pod = as_allocated(pod, self._records.allocated_to(pod), self.kubelet)
        if pod.shape is None or pod.resized or pod.claims:
            asks = asking(_as_read(pod, self.kubelet), allocatable, self.kubelet, forgotten=forgotten)
            is_made = not (asks.wanted and self._exclusive and self._exclusive.is_infeasible(pod))
            return asks if is_made else structs.replace(asks, wanted={})
        key = id(pod.shape), self._extended.get(pod.node), forgotten
        known = self._known.get(key)
        if known is None:
            asks = asking(pod, allocatable, self.kubelet, forgotten=forgotten)
            # With the shape, so that no other one gets its id.
            known = self._known[key] = pod.shape, asks
        return known[1]

    def merge(self, sums: Mapping[str, Sums], resizing: Iterable[str], anew: Mapping[str, int]) -> None:
        """Count the pods that another process counted."""
        for node, found in sums.items():
            self.sums.setdefault(node, Sums()).merge(found)
        self.resizing.update(resizing)
        self.anew.update(anew)

    @property
    def unheld(self) -> dict[str, int]:
        """The same of the nodes alone where it may decide."""
        if self._exclusive is None:
            return {}
        may_lack = self._exclusive.may_lack
        return {node: number for node, number in self.anew.items() if may_lack(node, number)}

    @property
    def short(self) -> dict[str, Given]:
        """What the nodes can give where a pod may not fit."""
        offers = {name: given(self._allocatable.get(name, {})) for name in self.sums}
        return {name: offers[name] for name, found in self.sums.items() if not found.fit(offers[name])}

    @cached_property
    def open(self) -> dict[str, Given]:
        """The same where a pod, or what it is to be resized to, may not fit; once all pods have passed."""
        return self.short | {name: given(self._allocatable[name]) for name in self.resizing}

    def shortages(
        self, pods: Iterable[Pod], items: Sequence[Item]
    ) -> tuple[dict[str, Shortage], dict[str, Shortage]]:
        """Return the pods that their nodes have no room for, and those for whose resizes they have none.

        ``items`` are decided without that: what is not admitted for another reason takes no room.
        """
        refused, may_be_refused = (_not_admitted(items, one) for one in (Verdict.KILL, Verdict.UNKNOWN))
        leaving = _leaving(items)
        nodes = self.open
        tenants: dict[str, list[Tenant]] = {name: [] for name in nodes}
        for pod in pods:
            if pod.node in nodes and self._counts(pod):
                tenants[pod.node].append(
                    tenant_of(
                        pod,
                        self.asking(pod),
                        refused=pod.uid in refused,
                        is_open=pod.uid in may_be_refused,
                        devices=self._devices(pod),
                    )
                )
        found, waiting = dict[str, Shortage](), dict[str, Shortage]()
        for name, node in nodes.items():
            without_room = outcomes(tenants[name], node, self.kubelet)
            found |= without_room
            if name in self.resizing:
                waiting |= deferred(tenants[name], node, {*leaving, *without_room}, self.kubelet)
        return found, waiting

    def _devices(self, pod: Pod) -> dict[str, int] | None:
        """Return what devices count for a pod (``devices_of``); None where no dump shows that."""
        files = self._records.files_of(pod)
        return None if files is None or files.devices is None else devices_of(pod, files.devices)


def _is_read(pod: Pod, kubelet: Kubelet) -> bool:
    """Return whether a kubelet reads the manifest of a static pod; of any other pod true.

    One that refuses its references does all the same where the pod runs, for its gate is off.
    """
    if pod.static_manifest is None:
        return True
    runs = pod.config_hash or any(one.running for one in pod.containers)
    if pod.references and not runs and kubelet.gates.is_on(REFERENCES_GATE):
        return False
    from hashcompat.core.kubelet.staticpods import unreadable  # noqa: PLC0415 - few pods are static

    return not unreadable(pod.static_manifest, kubelet)


def _as_read(pod: Pod, kubelet: Kubelet) -> Pod:
    """Return a pod as its kubelet reads it: a manifest has defaults, such as requests and host ports."""
    if pod.static_manifest is None:
        return pod
    from hashcompat.core.kubelet.staticpods import static_view  # noqa: PLC0415 - few pods are static

    found = static_view(pod.static_manifest, kubelet)
    read = found.containers
    if not read:  # of a release of whose static pods nothing is known
        return pod
    lists = {
        key: [_defaulted(mapping(row), read.get(f"{key}[{place}]", {})) for place, row in enumerate(some)]
        for key in CONTAINER_LISTS
        if (some := json_rows(pod.spec, key))
    }
    own = _with_requests(pod.spec, lists, found.requests)
    return structs.replace(pod, spec={**pod.spec, **lists, **own})


def _with_requests(
    spec: Mapping[str, Any], lists: Mapping[str, list[Mapping[str, Any]]], names: Iterable[str]
) -> dict[str, Any]:
    """Return what a pod asks for itself, with its limits as the requests that a kubelet adds to it.

    One for what its containers request is their sum, which counts without it.
    """
    given = mapping(spec.get("resources"))
    requests, limits = mapping(given.get("requests")), mapping(given.get("limits"))
    of_containers = {
        name for found in lists.values() for row in found for name in mapping(row["resources"]["requests"])
    }
    added = {
        name: limits[name] for name in names if name not in {*requests, *of_containers} and name in limits
    }
    return {"resources": {**given, "requests": {**requests, **added}}} if added else {}


def _defaulted(row: Mapping[str, Any], read: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a container with the ports that a kubelet reads, and a request for each that it reads.

    Amounts are as they were given: a request that is none of its own is the limit.
    """
    given = mapping(row.get("resources"))
    amounts = {**mapping(given.get("limits")), **mapping(given.get("requests"))}
    names = mapping(mapping(read.get("resources")).get("requests"))
    requests = {name: amounts[name] for name in names if name in amounts}
    ports = {"ports": read["ports"]} if "ports" in read else {}
    return {**row, **ports, "resources": {**given, "requests": requests}}


class Sandboxes:
    """Finds pods of which a runtime has no sandbox any more, where it shows those of others on their node."""

    def __init__(self, records: Records) -> None:
        self._records = records
        times = (one.created for one in records.sandboxes if one.created is not None)
        self._newest = max(times, default=0)
        """When the newest of the sandboxes was created, in nanoseconds since 1970."""
        self.shown: set[str] = set()
        """The nodes of which it shows sandboxes."""
        self.without: dict[str, list[str]] = {}
        """By the nodes, the uids of pods that are said to run and have none."""

    def add(self, pod: Pod) -> None:
        """Look for the sandbox of one more pod."""
        records = self._records
        if not records.has_sandboxes or pod.phase in FINISHED or (pod.deleting and not pod.static):
            return
        if records.sandboxes_of(pod):
            self.shown.add(pod.node)
        elif pod.uid and any(one.running for one in pod.containers) and not self._may_be_newer(pod):
            self.without.setdefault(pod.node, []).append(pod.uid)

    def _may_be_newer(self, pod: Pod) -> bool:
        """Return whether the pod may have come after the records, or after the sandboxes among them.

        Sandboxes and containers are listed one after the other; a sandbox is there before its containers.
        """
        newest = self._records.newest
        for one in pod.containers:
            if one.started is not None and newest is not None and one.started > newest:
                return True
            record = self._records.of(pod, one)
            if record is None or record.running is False:
                continue
            if record.created is None or record.created.timestamp() * 10**9 > self._newest:
                return True
        return False

    def merge(self, shown: set[str], without: Mapping[str, list[str]]) -> None:
        """Add what another process found."""
        self.shown |= shown
        for node, uids in without.items():
            self.without.setdefault(node, []).extend(uids)

    @property
    def gone(self) -> frozenset[str]:
        """The uids of the pods without a sandbox, on nodes that show those of others."""
        return frozenset(uid for node in self.shown for uid in self.without.get(node, ()))


def _leaving(items: Iterable[Item]) -> set[str]:
    """Return the uids of the pods that may not stay on their nodes, for whatever reason."""
    return {
        item.pod.uid
        for item in items
        if item.verdict is Verdict.KILL
        or (item.verdict is Verdict.UNKNOWN and any(one.id != rules.RESIZE_POLICY for one in item.reasons))
    }


def _not_admitted(items: Iterable[Item], verdict: Verdict) -> set[str]:
    """Return the uids of the pods that are not admitted for another reason than room: KILL, or UNKNOWN."""
    return {
        item.pod.uid
        for item in items
        if item.verdict is verdict and any(reason.id in _REFUSALS for reason in item.reasons)
    }


# When the pods were taken that a plan is made of: the times in them, added up while they pass.
#
# A container starts and ends by the clock of its node, and its kubelet reports it: nobody who may only
# create pods chooses such a time. What such people write (annotations, labels, managed fields, and by the
# grace period the time of a deletion) never counts. Source: pkg/registry/core/pod/strategy.go
# ``PrepareForCreate`` drops the status that a pod is created with.

_NONE = Reach()


class Ages:
    """Adds up how far the times in the pods of each file reach."""

    def __init__(self, dating: Dating | None) -> None:
        self._dating = dating
        self._says = {one.file for one in dating.files if one.says} if dating else set()
        self.found: dict[str, Reach] = {}
        """By the files of the pods."""

    def add(self, pod: Pod) -> None:
        """Take one more pod into account."""
        if self._dating is None or pod.file in self._says:
            return
        known = self.found.get(pod.file)
        if known is None:
            known = self.found[pod.file] = _NONE
        newest = known.newest
        for one in pod.containers:
            started, ended = one.started, one.ended.finished if one.ended else None
            if (started and not (newest and started <= newest)) or (
                ended and not (newest and ended <= newest)
            ):
                known = known.joined(reach_of((started, ended), self._dating.until))
                newest = known.newest
        self.found[pod.file] = known

    def merge(self, found: Mapping[str, Reach]) -> None:
        """Add what another process found in its share of the pods."""
        for file, reach in found.items():
            self.found[file] = self.found.get(file, _NONE).joined(reach)

    def dated(self, origin: Origin) -> Origin:
        """Return where the pods come from, with when they were taken."""
        if self._dating is None:
            return origin
        found: dict[str, Reach] = {}
        for file, reach in self._files.items():
            name = self._dating.bundles.get(file, file)
            found[name] = found.get(name, _NONE).joined(reach)
        return structs.replace(origin, taken=taken_of(found))

    def times(self, origin: Origin) -> dict[str, datetime]:
        """Return when each file was taken, or what else the pods come from, as far as that is known."""
        times = {file: reach.newest for file, reach in self._files.items()}
        every = times if self._dating else {"": origin.taken}
        return {file: time for file, time in every.items() if time is not None}

    def warnings(self) -> Iterator[str]:
        """Yield in which files times do not count because they have not come yet."""
        for file, reach in sorted(self._files.items()):
            if reach.latest:
                yield (
                    f"{file or 'the input'}: {count(reach.ahead, 'time')} in it, up to "
                    f"{reach.latest:%Y-%m-%dT%H:%M:%SZ}, {'is' if reach.ahead == 1 else 'are'} in the future "
                    "and cannot show its age; check the clocks of the nodes"
                )

    @property
    def _files(self) -> dict[str, Reach]:
        files = {one.file: one.reach for one in self._dating.files} if self._dating else {}
        return {
            file: files.get(file, _NONE).joined(self.found.get(file, _NONE))
            for file in {**files, **self.found}
        }


def dated(inventory: Inventory) -> Origin:
    """Return where an inventory comes from, with when it was taken; its pods are iterated over."""
    ages = Ages(inventory.dating)
    for pod in inventory.pods:
        ages.add(pod)
    return ages.dated(inventory.origin)
