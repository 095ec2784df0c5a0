"""Match recorded hashes with containers: which record belongs to which container."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hashcompat.model.pods import Container, Pod
from hashcompat.model.records import Applied, Record, Recorded, Sandbox
from hashcompat.model.uids import is_of_api_server
from hashcompat.records.age import is_older

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Records:
    """Recorded hashes, sandboxes and resources by uid, and by names where the source has no uid."""

    by_uid: Mapping[Key, Recorded] = field(default_factory=dict)
    by_name: Mapping[Key, tuple[Recorded, ...]] = field(default_factory=dict)
    """One record for each uid, and one for none."""
    sandboxes: Mapping[Key, tuple[Sandbox, ...]] = field(default_factory=dict)
    applied: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.by_uid or self.by_name)

    def __iter__(self) -> Iterator[Recorded]:
        """Yield each record that may count, once."""
        named = (record for found in self.by_name.values() for record in found)
        return iter(dict.fromkeys([*self.by_uid.values(), *named]))

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
            if found := self.by_uid.get((uid, container.name)):
                return found
        for key in ((pod.namespace, pod.name, container.name), ("", pod.name, container.name)):
            candidates = [one for one in self.by_name.get(key, ()) if _may_be_of(pod, one)]
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
            replace(container, running=state)
            if (state := states.get(container.name)) is not None
            else container
            for container in pod.containers
        )
        return pod if changed == pod.containers else replace(pod, containers=changed)

    def sandboxes_of(self, pod: Pod) -> tuple[Sandbox, ...]:
        """Return the sandboxes of a pod by its uid; a static pod's by its manifest's uid or by names."""
        for uid in _uids(pod):
            if found := self.sandboxes.get((uid,)):
                return found
        return tuple(one for one in self.sandboxes.get((pod.namespace, pod.name), ()) if _may_be_of(pod, one))

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
    by_uid: dict[Key, Recorded] = {}
    by_name: dict[Key, tuple[Recorded, ...]] = {}
    several: dict[Key, dict[str, Recorded]] = {}
    sandboxes: dict[Key, list[Sandbox]] = {}
    applied: dict[Key, Mapping[str, Any]] = {}
    for record in records:
        if isinstance(record, Applied):
            applied[record.uid, record.container] = record.resources
        elif isinstance(record, Sandbox):
            for key in ((record.uid,), (record.namespace, record.pod)):
                sandboxes.setdefault(key, []).append(record)
        else:
            if record.uid:
                _keep(by_uid, (record.uid, record.container), record)
            _name(by_name, several, record)
    by_name |= {names: tuple(found.values()) for names, found in several.items()}
    return Records(
        by_uid,
        by_name,
        {key: tuple(dict.fromkeys(found)) for key, found in sandboxes.items()},
        applied,
    )


def _keep(table: dict[Any, Recorded], key: Any, record: Recorded) -> None:
    known = table.get(key)
    if known is None or _supersedes(record, known):
        table[key] = record


def _name(
    by_name: dict[Key, tuple[Recorded, ...]], several: dict[Key, dict[str, Recorded]], record: Recorded
) -> None:
    """Add a record by its names; a dict by uid takes four times the memory of a tuple, and few need one."""
    names = record.namespace, record.pod, record.container
    if names not in by_name:
        by_name[names] = (record,)
        return
    if names not in several:
        several[names] = {known.uid: known for known in by_name[names]}
    _keep(several[names], record.uid, record)


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
