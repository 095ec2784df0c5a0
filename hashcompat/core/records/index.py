"""Records by pod and container: which one counts, and which containers none is of."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.pods import Container, Ended, Inventory, Pod, Source
from hashcompat.core.model.uids import is_computed, is_of_api_server
from hashcompat.core.model.verdicts import Applied, Files, Record, Recorded, Sandbox

_UID: Final = attrgetter("uid", "container")
_NAMES: Final = attrgetter("namespace", "pod", "container")


def _empty() -> Table[Any]:
    return Table()


class Records(msgspec.Struct, frozen=True):
    """Recorded hashes, sandboxes and resources by uid, and by names where the source has no uid."""

    rows: Sequence[Recorded] = ()
    """The records that may count, in the order in which they were given."""
    by_uid: Table[Recorded] = msgspec.field(default_factory=_empty)
    """One for each uid and container."""
    by_name: Table[Recorded] = msgspec.field(default_factory=_empty)
    """Of each container one of each kind of uid: an API server's, another one, none."""
    sandboxes: Table[Sandbox] = msgspec.field(default_factory=_empty)
    """By uid."""
    named_sandboxes: Table[Sandbox] = msgspec.field(default_factory=_empty)
    """By namespace and name."""
    applied: Mapping[tuple[str, str], Mapping[str, Any]] = msgspec.field(default_factory=dict)
    files: Mapping[str, Files] = msgspec.field(default_factory=dict)
    """The files of the nodes of pods, by the pods' UIDs."""
    newest: datetime | None = None
    """When the newest of the containers was created; None where no record shows that."""

    def __bool__(self) -> bool:
        return bool(self.rows)

    @property
    def has_sandboxes(self) -> bool:
        """Whether a runtime showed sandboxes."""
        return bool(self.sandboxes)

    def __iter__(self) -> Iterator[Recorded]:
        """Yield each record that may count, once."""
        return iter(self.rows)

    @property
    def every(self) -> Iterator[Record]:
        """All that they are made of: also sandboxes, the resources that were applied, and files of nodes."""
        yield from self.rows
        yield from dict.fromkeys((*self.sandboxes, *self.named_sandboxes))
        yield from (Applied(*key, resources) for key, resources in self.applied.items())
        yield from {id(files): files for files in self.files.values()}.values()

    def of(self, pod: Pod, container: Container) -> Recorded | None:
        """Return the record of a container, or None: one that is older than the container does not count."""
        record = self.latest(pod, container)
        return None if record is None or is_older(record, container) else record

    def latest(self, pod: Pod, container: Container) -> Recorded | None:
        """Return the record of a container or of those before it, or None.

        A pod of the same name with another uid is another pod. A mirror pod has a uid of its own, and shows
        that of its static pod.
        """
        if not self.rows:
            return None
        for uid in _uids(pod):
            for record in self.by_uid.of((uid, container.name)):
                return record
        for key in ((pod.namespace, pod.name, container.name), ("", pod.name, container.name)):
            candidates = [record for record in self.by_name.of(key) if _may_be_of(pod, record)]
            if candidates:
                return max(candidates, key=_rank)
        return None

    def as_reported(self, pod: Pod) -> Pod:
        """Return a pod whose containers run as the runtime reports: a kubelet asks it, not the API server.

        One without a record does not run if the runtime has its sandbox and other containers of the pod.
        """
        records = [self.of(pod, container) for container in pod.containers]
        whole = any(records) and bool(self.sandboxes_of(pod))
        changed = tuple(
            _as_recorded(container, record) if record else self._unless_gone(pod, container, whole)
            for container, record in zip(pod.containers, records, strict=True)
        )
        plugins = next((record.plugins for record in records if record and record.plugins is not None), None)
        if plugins is not None:
            changed = tuple(structs.replace(container, plugins=plugins) for container in changed)
        return pod if changed == pod.containers else structs.replace(pod, containers=changed)

    def _unless_gone(self, pod: Pod, container: Container, whole: bool) -> Container:
        newer = container.started is None or self.newest is None or container.started > self.newest
        if not (whole and container.running) or newer or self.latest(pod, container) is not None:
            return container
        return structs.replace(container, running=False)

    def runs_as(self, pod: Pod) -> str:
        """Return the UID of the static pod of a pod's names that runs; empty where no record shows one."""
        for container in pod.containers:
            for key in ((pod.namespace, pod.name, container.name), ("", pod.name, container.name)):
                for record in self.by_name.of(key):
                    if record.running and record.uid and not is_of_api_server(record.uid):
                        return record.uid
        return ""

    def as_running(self, pod: Pod) -> Pod:
        """Return a static pod of a manifest alone with the UID under which it is seen to run."""
        if pod.static_manifest is None or pod.config_hash:
            return pod
        return structs.replace(pod, config_hash=self.runs_as(pod))

    def sandboxes_of(self, pod: Pod) -> tuple[Sandbox, ...]:
        """Return the sandboxes of a pod by its uid; a static pod's by its manifest's uid or by names."""
        for uid in _uids(pod):
            if own := self.sandboxes.of((uid,)):
                return tuple(dict.fromkeys(own))
        named = self.named_sandboxes.of((pod.namespace, pod.name))
        return tuple(sandbox for sandbox in dict.fromkeys(named) if _may_be_of(pod, sandbox))

    @property
    def settings(self) -> Records:
        """What dumps show of how kubelets are set up and of their CPUs, and no record."""
        settings = {
            id(files): structs.replace(files, devices=None, allocated={}) for files in self.files.values()
        }
        return Records(files={uid: settings[id(files)] for uid, files in self.files.items()})

    def files_of(self, pod: Pod) -> Files | None:
        """Return the files of a pod's node that decide about admission; None where no dump has them."""
        return next((self.files[uid] for uid in _uids(pod) if uid in self.files), None)

    def allocated_to(self, pod: Pod) -> Mapping[str, Mapping[str, Any]]:
        """Return what a kubelet noted as allocated to a pod's containers; nothing where that is not known."""
        files = self.files_of(pod)
        allocations = (files.allocated.get(uid) for uid in _uids(pod)) if files else ()
        return next((allocation for allocation in allocations if allocation is not None), {})

    def applied_to(self, pod: Pod, container: Container) -> Mapping[str, Any] | None:
        """Return the resources that a kubelet applied to a container; None where that is not known."""
        if not self.applied:
            return None
        resources = (self.applied.get((uid, container.name)) for uid in _uids(pod))
        return next((applied for applied in resources if applied is not None), None)


def _as_recorded(container: Container, record: Recorded) -> Container:
    """Return a container as its record shows it: another one since, or one that has ended."""
    if record.running is None:
        return structs.replace(container, lost=True) if record.lost else container
    current = structs.replace(container, running=record.running)
    if record.id and container.id and record.id != container.id:
        current = structs.replace(
            current, id=record.id, started=record.created, restarts=record.attempt, ended=None
        )
    if not record.begun:
        return structs.replace(current, ended=None)
    if not record.running and (current.ended is None or not current.ended.final):
        ended = Ended(record.id, None, final=True, code=record.code, out_of_memory=record.out_of_memory)
        current = structs.replace(current, ended=ended)
    return current


def _uids(pod: Pod) -> tuple[str, ...]:
    """Return under which uids a kubelet runs a pod: its own, or of a static pod that which is shown."""
    return tuple(filter(None, (pod.uid, pod.config_hash)))


def _may_be_of(pod: Pod, record: Recorded | Sandbox) -> bool:
    """Return whether a record of a pod's names may be the pod's, where uids do not decide."""
    if not record.uid:
        return True
    if pod.static:
        uid = pod.config_hash or (pod.uid if pod.static_manifest else "")
        return not uid and not is_of_api_server(record.uid)
    return not pod.uid


def index(records: Iterable[Record]) -> Records:
    """Index records; of several for one container of a pod the newest counts, as for a kubelet.

    Source: pkg/kubelet/container/runtime.go ``FindContainerStatusByName``, of statuses in the order of their
    creation (kuberuntime_container.go ``getPodContainerStatuses``). Where nothing shows which is the newest,
    a running one counts, then the latest attempt, then the last record; InputError is raised where two that
    run have different hashes then.
    """
    recorded: list[Recorded] = []
    sandboxes: list[Sandbox] = []
    applied: dict[tuple[str, str], Mapping[str, Any]] = {}
    files: dict[str, Files] = {}
    for record in records:
        if isinstance(record, Applied):
            applied[record.uid, record.container] = record.resources
        elif isinstance(record, Files):
            files |= dict.fromkeys(record.uids, record)
        elif isinstance(record, Sandbox):
            sandboxes.append(record)
        else:
            recorded.append(record)
    sandboxes = _joined(sandboxes)
    by_uid = Table(_counting((row for row in recorded if row.uid), _UID), _UID)
    by_name = Table(_likeliest(_counting(recorded, _NAMES)), _NAMES)
    kept = {id(row) for table in (by_uid, by_name) for row in table}
    return Records(
        [row for row in recorded if id(row) in kept],
        by_uid,
        by_name,
        Table(sandboxes, lambda row: (row.uid,)),
        Table(sandboxes, attrgetter("namespace", "pod")),
        applied,
        files,
        max((row.created for row in recorded if row.created and not row.any_year), default=None),
    )


def _joined(sandboxes: Iterable[Sandbox]) -> list[Sandbox]:
    """Return each sandbox once, whatever shows it: lists, inspections and dumps of other times.

    One that is not ready does not become ready again: its pod gets another one.
    """
    by_key: dict[object, Sandbox] = {}
    for sandbox in sandboxes:
        key = (sandbox.uid, sandbox.id) if sandbox.id else id(sandbox)
        earlier = by_key.get(key, sandbox)
        ips = [ip for ip in (earlier.ip, sandbox.ip) if ip is not None]
        times = [time for time in (earlier.created, sandbox.created) if time is not None]
        by_key[key] = structs.replace(
            earlier,
            ready=earlier.ready and sandbox.ready,
            host_network=sandbox.host_network if earlier.host_network is None else earlier.host_network,
            ip=min(ips, default=None),
            created=max(times, default=None),
        )
    return [structs.replace(sandbox, id="") for sandbox in by_key.values()]


def _counting(records: Iterable[Recorded], key: Callable[[Recorded], Key]) -> Iterator[Recorded]:
    """Yield the records that count: of each key one for each uid."""
    for _, group in groupby(sorted(records, key=key), key):
        latest: dict[str, Recorded] = {}
        for record in group:
            earlier = latest.get(record.uid)
            if earlier is None or _supersedes(record, earlier):
                latest[record.uid] = record
        yield from latest.values()


def _likeliest(records: Iterable[Recorded]) -> Iterator[Recorded]:
    """Yield of the records of each key the one that counts of each kind of uid: only that decides by names.

    Pods of one name are many in a file that gathers them over time, and each looks for its records.
    """
    for _, group in groupby(records, _NAMES):
        likeliest: dict[tuple[bool, bool], tuple[int, Recorded]] = {}
        for place, record in enumerate(group):
            kind = bool(record.uid), is_of_api_server(record.uid)
            earlier = likeliest.get(kind)
            if earlier is None or _rank(record) > _rank(earlier[1]):
                likeliest[kind] = place, record
        yield from (record for _, record in sorted(likeliest.values(), key=itemgetter(0)))


def _supersedes(record: Recorded, earlier: Recorded) -> bool:
    """Return whether a record that comes after another one of a container counts in its place.

    A log shows no container, only that one is created again: what a runtime shows counts, unless it is older.
    """
    if (record.running is None) != (earlier.running is None):  # a line of a log, and what a runtime shows
        line, shown = (record, earlier) if record.running is None else (earlier, record)
        if line.created and shown.created and not line.any_year:
            return (line.created > shown.created) == (line is record)
    elif record.uid and record.running is not None:
        if (
            record.created
            and earlier.created
            and record.created != earlier.created
            and record.id != earlier.id
        ):
            return record.created > earlier.created
        if record.attempt is not None and earlier.attempt is not None and record.attempt != earlier.attempt:
            return record.attempt > earlier.attempt
        if record.running and earlier.running:
            # unless a snapshot hides one of the hashes
            hashes = earlier.hash, record.hash
            if all(isinstance(value, int) for value in hashes) and len({*hashes}) > 1:
                name = name_path(record.namespace, record.pod, record.container)
                text = f"two of its records show it running with the hashes {hashes[0]} and {hashes[1]}"
                raise InputError(f"{name}: {text}, and nothing shows which is newer; give one of them")
    return _rank(record) >= _rank(earlier)


def _rank(record: Recorded) -> tuple[bool, bool, int, bool]:
    inspected = record.code is not None  # lists show no exit code
    return record.running is not False, record.running is not None, record.attempt or 0, inspected


# Rows that are found by a key: sorted, in 8 bytes of memory each, where a dict takes 200.

Row = TypeVar("Row")
Key = tuple[str, ...]


class Table(Generic[Row]):
    """Rows by a key that is computed from each; several may have the same one."""

    __slots__ = ("_key", "_rows")

    def __init__(self, rows: Iterable[Row] = (), key: Callable[[Row], Key] = lambda _: ()) -> None:
        """Sort the rows by their keys; those of one key stay in their order."""
        self._rows, self._key = sorted(rows, key=key), key

    def __bool__(self) -> bool:
        """Return whether there is a row."""
        return bool(self._rows)

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows by their keys."""
        return iter(self._rows)

    def of(self, key: Key) -> Sequence[Row]:
        """Return the rows of a key."""
        if not self._rows:
            return ()
        start = bisect_left(self._rows, key, key=self._key)
        return self._rows[start : bisect_right(self._rows, key, lo=start, key=self._key)]


# Whether a record is of the container that a pod's status shows, or of one before it.

_WITHIN: Final = timedelta(hours=1)
"""How long after it is created, or a log says that it will be, a container may start.

In between, the old one may take its grace period, and an image may be pulled.
"""


def is_older(record: Recorded, container: Container) -> bool:
    """Return whether a record is of a container before the one that the status shows.

    A newer record counts: a kubelet that starts finds what runs now, whatever the status says.
    """
    if record.id and record.id == container.id:
        return False
    attempt, restarts = record.attempt, container.restarts
    if attempt is not None and restarts is not None and attempt != restarts:
        return attempt < restarts
    is_other = bool(record.id and container.id)
    if record.created is None or container.started is None:
        return is_other
    made = _nearest(record.created, container.started) if record.any_year else record.created
    return made <= container.started if is_other else container.started - made > _WITHIN


def _nearest(time: datetime, to: datetime) -> datetime:
    """Return a time in the year that brings it nearest to another one."""
    years = [year for year in (to.year - 1, to.year, to.year + 1) if MINYEAR <= year <= MAXYEAR]
    return min((_in_year(time, year) for year in years), key=lambda candidate: abs(candidate - to))


def _in_year(time: datetime, year: int) -> datetime:
    if (time.month, time.day) == (2, 29):
        from calendar import isleap  # noqa: PLC0415 - it takes longer to import than all others here

        if not isleap(year):
            return time.replace(year=year, month=3, day=1)
    return time.replace(year=year)


# Find static pods that a node's records show and a list of pods does not.
#
# Static pods run whether or not an API server knows of them; the mirror pod, by which it does, is missing
# where that server could not be reached, refused it, or somebody deleted it. Their uids show which pods are
# static.

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
        if isinstance(record, Applied | Files) or not wanted(record):
            continue
        runs = record.running is not False if isinstance(record, Recorded) else record.ready
        if runs and is_computed(record.uid):
            containers = shown.setdefault((record.namespace, record.pod), [])
            containers += [record.container] if isinstance(record, Recorded) else []
    if not shown:
        return
    namespaces, nodes, listed = set[str](), {node.name for node in inventory.nodes}, set[Name]()
    for pod in inventory.pods:
        namespaces.add(pod.namespace)
        nodes.add(pod.node)
        if (pod.namespace, pod.name) in shown:
            listed.add((pod.namespace, pod.name))
    for (namespace, name), containers in shown.items():
        seen = inventory.origin.kind is Source.CLUSTER or namespace in namespaces
        if seen and (namespace, name) not in listed:
            named = ", ".join(
                [f"static pod {name_path(namespace, name)}", *map(name_path, dict.fromkeys(containers))]
            )
            yield (
                f"on {_node(name, nodes)} but not among the pods: {named}: it has no mirror pod;"
                " --static-pod-dir reads its manifest"
            )


def _node(pod: str, nodes: Iterable[str]) -> str:
    """Name the node of a static pod, whose name ends with it in lower case (``generatePodName``)."""
    # Names of nodes may end alike: the longest one is meant.
    names = [node for node in sorted(nodes) if node and pod.endswith(f"-{node.lower()}")]
    return f"node {max(names, key=len)}" if names else "the node"
