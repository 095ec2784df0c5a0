"""Match recorded hashes with containers: which record belongs to which container."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hashcompat.model.pods import Container, Pod
from hashcompat.model.records import Applied, Record, Recorded, Sandbox

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Records:
    """Recorded hashes, sandboxes and resources by uid, and by names where the source has no uid."""

    by_uid: Mapping[Key, Recorded] = field(default_factory=dict)
    by_name: Mapping[Key, Recorded] = field(default_factory=dict)
    sandboxes: Mapping[Key, tuple[Sandbox, ...]] = field(default_factory=dict)
    applied: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.by_uid or self.by_name)

    def of(self, pod: Pod, container: Container) -> Recorded | None:
        """Return the record of a container, or None.

        A pod of the same name with another uid is another pod. A mirror pod has a uid of its own, so a static
        pod goes by its names.
        """
        if found := self.by_uid.get((pod.uid, container.name)):
            return found
        for key in ((pod.namespace, pod.name, container.name), ("", pod.name, container.name)):
            found = self.by_name.get(key)
            if found is not None and (pod.static or not found.uid or not pod.uid):
                return found
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
        for uid in filter(None, (pod.config_hash, pod.uid)):
            if found := self.sandboxes.get((uid,)):
                return found
        return self.sandboxes.get((pod.namespace, pod.name), ()) if pod.static or not pod.uid else ()

    def applied_to(self, pod: Pod, container: Container) -> Mapping[str, Any] | None:
        """Return the resources that a kubelet applied to a container; None where that is not known."""
        return self.applied.get((pod.config_hash or pod.uid, container.name))


def index(records: Iterable[Record]) -> Records:
    """Index records; of several for one container the running one counts.

    Where none is running, the latest attempt counts, then the last record.
    """
    by_uid: dict[Key, Recorded] = {}
    by_name: dict[Key, Recorded] = {}
    sandboxes: dict[Key, tuple[Sandbox, ...]] = {}
    applied: dict[Key, Mapping[str, Any]] = {}
    for record in records:
        if isinstance(record, Applied):
            applied[record.uid, record.container] = record.resources
            continue
        if isinstance(record, Sandbox):
            for key in ((record.uid,), (record.namespace, record.pod)):
                sandboxes[key] = (*sandboxes.get(key, ()), record)
            continue
        if record.uid:
            _keep(by_uid, (record.uid, record.container), record)
        _keep(by_name, (record.namespace, record.pod, record.container), record)
    unique = {key: tuple(dict.fromkeys(told)) for key, told in sandboxes.items()}
    return Records(by_uid, by_name, unique, applied)


def _keep(table: dict[Key, Recorded], key: Key, record: Recorded) -> None:
    known = table.get(key)
    if known is None or _rank(record) >= _rank(known):
        table[key] = record


def _rank(record: Recorded) -> tuple[bool, int]:
    return record.running is not False, record.attempt
