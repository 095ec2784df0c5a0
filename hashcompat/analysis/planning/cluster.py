"""What a plan takes from the cluster as a whole: its API servers, missing sandboxes, and when it was seen.

The API servers are those that it shows to run, where the options name none. What a plan takes for granted
otherwise, that the API server is of the newer one of two kubelets, is wrong in two cases: in a rollout that
begins with kubelets, and under an API server that is newer than both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from math import inf
from typing import Final

from msgspec import structs

from hashcompat.analysis.planning.reading import rows
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import minors_behind
from hashcompat.core.kubelet import alike
from hashcompat.core.kubelet.alike import Servers, waits_for_services
from hashcompat.core.model.escape import are, count
from hashcompat.core.model.items import Item
from hashcompat.core.model.pods import FINISHED, Container, Inventory, Origin, Pod
from hashcompat.core.model.uids import Dating, Reach, reach_of, taken_of
from hashcompat.core.model.verdicts import Recorded, Verdict
from hashcompat.core.records.index import Records


def servers_of(releases: Mapping[str, Iterable[str]], view: View) -> Servers:
    """Return the API servers that pods and reports show; none where the options name one, and of a sample."""
    if view.sample or view.options.apiserver or view.options.apiserver_to:
        return Servers()
    return alike.servers_of(releases, view.catalog)


def under(servers: Servers, olds: Iterable[Kubelet], new: Kubelet, view: View) -> View | None:
    """Return the view with these API servers; None where no pod is read differently under them.

    The oldest one is what wrote the pods. One that is newer than both kubelets stays; else it is taken to
    become the newer kubelet's before that starts, as without any.
    """
    if not servers:
        return None
    olds = tuple(olds)
    stays = all(minors_behind(kubelet.release, servers.newest.release) > 0 for kubelet in (*olds, new))
    options = structs.replace(
        view.options,
        apiserver=str(servers.oldest.release),
        apiserver_to=str(servers.newest.release) if stays else "",
    )
    actual = structs.replace(view, options=options)
    return actual if any(rows(old, new, actual) != rows(old, new, view) for old in olds) else None


def assumed(servers: Servers) -> Iterator[str]:
    """Yield of which release the API server is, and where that shows."""
    if servers and not alike.mixed(servers):
        yield f"kube-apiserver is {servers}"


def warned(servers: Servers, new: Kubelet, items: Iterable[Item]) -> Iterator[str]:
    """Yield what the version skew policy says of these API servers, and which containers would wait."""
    if not servers:
        return
    yield from filter(None, (alike.mixed(servers), alike.too_new(new, servers), alike.too_old(new, servers)))
    if waits_for_services(new, servers.oldest) and (number := len(list(starved(items)))):
        does = "restarts and stays" if number == 1 else "restart and stay"
        yield f"{count(number, 'container')} {does} {alike.waiting(new, servers.oldest)}"


def starved(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the containers that are created again and wait for the list of services.

    Static pods do not.
    """
    for item in items:
        if item.verdict is Verdict.RESTART and not item.pod.workload.startswith("Node/"):
            yield item


_SECOND: Final = 10**9
_APART: Final = 600 * _SECOND
"""The nanoseconds that may lie between a runtime's lists of containers and of sandboxes."""


class Sandboxes:
    """Finds pods of which a runtime has no sandbox any more, where it shows those of others on their node.

    Runtimes are asked at other times than the API server, each node at its own: only what began before the
    lists of its node were made has to be in them.
    """

    def __init__(self, records: Records) -> None:
        self._records = records
        self.shown: dict[str, tuple[int, int]] = {}
        """The nodes of which there are sandboxes, and until when, in nanoseconds since 1970, their lists have
        all containers and all sandboxes."""
        self.missing: dict[str, list[tuple[str, float, bool]]] = {}
        """By the nodes, the uids of pods that are said to run and have none, since when each runs, and
        whether there is a record of it."""

    def add(self, pod: Pod) -> None:
        """Look for the sandbox of one more pod."""
        records = self._records
        if not records.has_sandboxes or pod.phase in FINISHED or (pod.deleting and not pod.static):
            return
        pairs = [(container, records.of(pod, container)) for container in pod.containers]
        if own := records.sandboxes_of(pod):
            listed = max(
                (_nanoseconds(record.created) for _, record in pairs if record and record.created), default=0
            )
            made = max(sandbox.created or 0 for sandbox in own)
            self.merge({pod.node: (max(listed, made), max(listed - _APART, made))}, {})
        elif pod.uid and any(container.running for container in pod.containers):
            since = min(_since(container, record) for container, record in pairs if container.running)
            is_recorded = any(record for _, record in pairs)
            self.missing.setdefault(pod.node, []).append((pod.uid, since, is_recorded))

    def merge(
        self,
        shown: Mapping[str, tuple[int, int]],
        missing: Mapping[str, list[tuple[str, float, bool]]],
    ) -> None:
        """Add what was found of other pods."""
        for node, (containers, sandboxes) in shown.items():
            times = self.shown.get(node, (0, 0))
            self.shown[node] = max(containers, times[0]), max(sandboxes, times[1])
        for node, uids in missing.items():
            self.missing.setdefault(node, []).extend(uids)

    @property
    def gone(self) -> frozenset[str]:
        """The uids of the pods without a sandbox, on nodes that show those of others."""
        return frozenset(
            uid
            for node, (containers, sandboxes) in self.shown.items()
            for uid, since, is_recorded in self.missing.get(node, ())
            if since <= (sandboxes if is_recorded else containers)
        )


def _since(container: Container, record: Recorded | None) -> float:
    """Return since when a container runs, in nanoseconds since 1970; of a record without a time not known.

    A status has whole seconds: what began in the second of the newest sandbox counts as older, because a pod
    that is wrongly said to be kept is worse than one that is wrongly said to be recreated.
    """
    if record is not None:
        return inf if record.created is None else _nanoseconds(record.created)
    return 0 if container.started is None else _nanoseconds(container.started)


def _nanoseconds(time: datetime) -> int:
    return int(time.timestamp()) * _SECOND + time.microsecond * 1000


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
        self._dated_files = {entry.file for entry in dating.files if entry.says} if dating else set()
        self.reaches: dict[str, Reach] = {}
        """By the files of the pods."""

    def add(self, pod: Pod) -> None:
        """Take one more pod into account."""
        if self._dating is None or pod.file in self._dated_files:
            return
        reach = self.reaches.get(pod.file)
        if reach is None:
            reach = self.reaches[pod.file] = _NONE
        newest = reach.newest
        for container in pod.containers:
            started, ended = container.started, container.ended.finished if container.ended else None
            if (started and not (newest and started <= newest)) or (
                ended and not (newest and ended <= newest)
            ):
                reach = reach.joined(reach_of((started, ended), self._dating.until))
                newest = reach.newest
        self.reaches[pod.file] = reach

    def merge(self, reaches: Mapping[str, Reach]) -> None:
        """Add what another process found in its share of the pods."""
        for file, reach in reaches.items():
            self.reaches[file] = self.reaches.get(file, _NONE).joined(reach)

    def dated(self, origin: Origin) -> Origin:
        """Return where the pods come from, with when they were taken."""
        if self._dating is None:
            return origin
        reaches: dict[str, Reach] = {}
        for file, reach in self._files.items():
            name = self._dating.bundles.get(file, file)
            reaches[name] = reaches.get(name, _NONE).joined(reach)
        return structs.replace(origin, taken=taken_of(reaches))

    def times(self, origin: Origin) -> dict[str, datetime]:
        """Return when each file was taken, or what else the pods come from, as far as that is known."""
        times = {file: reach.newest for file, reach in self._files.items()}
        taken = times if self._dating else {"": origin.taken}
        return {file: time for file, time in taken.items() if time is not None}

    def warnings(self) -> Iterator[str]:
        """Yield in which files times do not count because they have not come yet."""
        for file, reach in sorted(self._files.items()):
            if reach.latest:
                yield (
                    f"{file or 'the input'}: {count(reach.ahead, 'time')} in it, up to "
                    f"{reach.latest:%Y-%m-%dT%H:%M:%SZ}, {are(reach.ahead)} in the future "
                    "and cannot show its age; check the clocks of the nodes"
                )

    @property
    def _files(self) -> dict[str, Reach]:
        files = {entry.file: entry.reach for entry in self._dating.files} if self._dating else {}
        return {
            file: files.get(file, _NONE).joined(self.reaches.get(file, _NONE))
            for file in {**files, **self.reaches}
        }


def dated(inventory: Inventory) -> Origin:
    """Return where an inventory comes from, with when it was taken; its pods are iterated over."""
    ages = Ages(inventory.dating)
    for pod in inventory.pods:
        ages.add(pod)
    return ages.dated(inventory.origin)
