"""Match recorded hashes with containers: which record belongs to which container."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.model.pods import Container, Pod
from hashcompat.model.records import Applied, Record, Recorded, Sandbox
from hashcompat.model.uids import is_of_api_server
from hashcompat.records.age import is_older
from hashcompat.records.tables import Key, Table

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

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __iter__(self) -> Iterator[Recorded]:
        """Yield each record that may count, once."""
        return iter(self.rows)

    def of(self, pod: Pod, container: Container) -> Recorded | None:
        """Return the record of a container, or None: one that is older than the container does not count."""
        found = self.latest(pod, container)
        return None if found is None or is_older(found, container) else found

    def latest(self, pod: Pod, container: Container) -> Recorded | None:
        """Return the record of a container or of those before it, or None.

        A pod of the same name with another uid is another pod. A mirror pod has a uid of its own, and shows
        that of its static pod.
        """
        for uid in _uids(pod):
            for found in self.by_uid.of((uid, container.name)):
                return found
        for key in ((pod.namespace, pod.name, container.name), ("", pod.name, container.name)):
            candidates = [one for one in self.by_name.of(key) if _may_be_of(pod, one)]
            if candidates:
                return max(candidates, key=_rank)
        return None

    def as_reported(self, pod: Pod) -> Pod:
        """Return a pod whose containers run as the runtime reports: a kubelet asks it, not the API server."""
        states = {
            container.name: found.running
            for container in pod.containers
            if (found := self.of(pod, container))
        }
        changed = tuple(
            structs.replace(container, running=state)
            if (state := states.get(container.name)) is not None
            else container
            for container in pod.containers
        )
        return pod if changed == pod.containers else structs.replace(pod, containers=changed)

    def sandboxes_of(self, pod: Pod) -> tuple[Sandbox, ...]:
        """Return the sandboxes of a pod by its uid; a static pod's by its manifest's uid or by names."""
        for uid in _uids(pod):
            if found := self.sandboxes.of((uid,)):
                return tuple(dict.fromkeys(found))
        named = self.named_sandboxes.of((pod.namespace, pod.name))
        return tuple(one for one in dict.fromkeys(named) if _may_be_of(pod, one))

    def applied_to(self, pod: Pod, container: Container) -> Mapping[str, Any] | None:
        """Return the resources that a kubelet applied to a container; None where that is not known."""
        found = (self.applied.get((uid, container.name)) for uid in _uids(pod))
        return next((one for one in found if one is not None), None)


def _uids(pod: Pod) -> tuple[str, ...]:
    """Return under which uids a kubelet runs a pod: its own, or of a static pod that which is shown."""
    return tuple(filter(None, (pod.uid, pod.config_hash)))


def _may_be_of(pod: Pod, record: Recorded | Sandbox) -> bool:
    """Return whether a record of a pod's names may be the pod's, where uids do not decide."""
    if not record.uid:
        return True
    if pod.static:
        known = pod.config_hash or (pod.uid if pod.static_manifest else "")
        return not known and not is_of_api_server(record.uid)
    return not pod.uid


def index(records: Iterable[Record]) -> Records:
    """Index records; of several for one container the running one counts.

    Where none is running, the latest attempt counts, then the last record.
    """
    recorded: list[Recorded] = []
    sandboxes: list[Sandbox] = []
    applied: dict[tuple[str, str], Mapping[str, Any]] = {}
    for record in records:
        if isinstance(record, Applied):
            applied[record.uid, record.container] = record.resources
        elif isinstance(record, Sandbox):
            sandboxes.append(record)
        else:
            recorded.append(record)
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
    )


def _counting(records: Iterable[Recorded], key: Callable[[Recorded], Key]) -> Iterator[Recorded]:
    """Yield the records that count: of each key one for each uid."""
    for _, group in groupby(sorted(records, key=key), key):
        found: dict[str, Recorded] = {}
        for record in group:
            known = found.get(record.uid)
            if known is None or _supersedes(record, known):
                found[record.uid] = record
        yield from found.values()


def _likeliest(records: Iterable[Recorded]) -> Iterator[Recorded]:
    """Yield of the records of each key the one that counts of each kind of uid: only that decides by names.

    Pods of one name are many in a file that gathers them over time, and each looks for its records.
    """
    for _, group in groupby(records, _NAMES):
        found: dict[tuple[bool, bool], tuple[int, Recorded]] = {}
        for place, record in enumerate(group):
            kind = bool(record.uid), is_of_api_server(record.uid)
            known = found.get(kind)
            if known is None or _rank(record) > _rank(known[1]):
                found[kind] = place, record
        yield from (record for _, record in sorted(found.values(), key=itemgetter(0)))


def _supersedes(record: Recorded, known: Recorded) -> bool:
    """Return whether a record that comes after another one of a container counts in its place.

    A log shows no container, only that one is created again: what a runtime shows counts, unless it is older.
    """
    if _is_line(record) != _is_line(known):
        line, shown = (record, known) if _is_line(record) else (known, record)
        if line.created and shown.created and not line.any_year:
            return (line.created > shown.created) == (line is record)
    return _rank(record) >= _rank(known)


def _is_line(record: Recorded) -> bool:
    return record.running is None


def _rank(record: Recorded) -> tuple[bool, bool, int]:
    return record.running is not False, record.running is not None, record.attempt or 0
