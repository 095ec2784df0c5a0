"""An inventory as a document: Kubernetes objects with what plans need, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import chain
from json import dumps
from typing import Any, Final, TypeVar

from hashcompat.analysis.answers.redaction import Snapshot
from hashcompat.analysis.planning.latest import Latest
from hashcompat.core.go import jsontext
from hashcompat.core.model.escape import IN_JSON, count, disarmed
from hashcompat.core.model.pods import (
    LIST_OF,
    OUT_OF_MEMORY,
    RESTARTING_ALL,
    SANDBOX_READY,
    STATUSES,
    Container,
    Inventory,
    Node,
    Pod,
)
from hashcompat.core.model.verdicts import Applied, Files, Hash, Record, Recorded, Sandbox
from hashcompat.output.report.model import Document, Report, Rows, document, plain, time_text
from hashcompat.sources.pods import annotations_of
from hashcompat.sources.snapshots import DRIVERS, HASHES, HIDDEN, WORKLOAD, document_of, text_of
from hashcompat.sources.workloads import workload_of

Row = TypeVar("Row", bound=Record)
_CHANGED: Final = 2
"""The generation of every pod whose kubelet has not seen its newest spec: that there is one decides."""
_SOME_DAY: Final = "1970-01-01T00:00:00Z"
"""Stands for every time of deletion: that there is one decides."""


def _document(snapshot: Snapshot) -> Document:
    """Return the ClusterSnapshot; numbers in specs keep the text that they have in the input."""
    inventory = snapshot.inventory
    spec: Document = {
        "newestRelease": snapshot.newest,
        "hashes": "kept" if snapshot.with_hashes else HIDDEN,
        "takenAt": time_text(inventory.origin.taken),
        "clusterUID": inventory.origin.cluster,
        **_present(
            clusterName=inventory.origin.name or None, clusterLabels=dict(inventory.origin.labels) or None
        ),
    }
    records: Document = {
        "recorded": _rows(inventory, Recorded, _recorded),
        "sandboxes": _rows(inventory, Sandbox, plain),
        "applied": _rows(
            inventory,
            Applied,
            lambda applied: {
                "uid": applied.uid,
                "container": applied.container,
                "resources": dict(applied.resources),
            },
        ),
    }
    if any(isinstance(record, Files) for record in inventory.records):
        records["files"] = _rows(inventory, Files, _files)
    things: tuple[Node | Pod, ...] = (*inventory.nodes, *inventory.pods)
    items = Rows(things, _item)
    return document("ClusterSnapshot", spec=spec, **records, items=items)


def _rows(inventory: Inventory, kind: type[Row], row: Callable[[Row], Document]) -> Rows[Row]:
    return Rows([record for record in inventory.records if isinstance(record, kind)], row)


_CONTAINER: Final = "hashcompat-container"
"""Stands for each container until its text takes its place."""


class PodTexts:
    """Makes the texts of pods in the document; that of a container which replicas share is made once."""

    def __init__(self) -> None:
        self._containers: Latest[tuple[int, int], tuple[Container, str]] = Latest()

    def of(self, pod: Pod) -> str:
        """Return a pod of a snapshot as its text in the document, without a line break at its end."""
        lists = _lists(pod)
        around = _pod(pod, {key: [_CONTAINER for _ in rows] for key, rows in lists.items()})
        pieces = _text(around, "\n  ").split(f'"{_CONTAINER}"')
        texts = [self._container(container) for rows in lists.values() for container in rows]
        if len(pieces) != len(texts) + 1:  # a text of the pod looks like those that stand for containers
            return _text(_item(pod), "\n  ")
        return "".join(chain.from_iterable(zip(pieces, [*texts, ""], strict=True)))

    def _container(self, container: Container) -> str:
        key = id(container.spec), id(container.stored)
        cached = self._containers.get(key)
        if cached is None:
            # the container is kept, so that nothing else gets the two ids
            cached = container, _text(_container(container), "\n     ")
            self._containers.add(key, cached, len(cached[1]))
        return cached[1]


def text(snapshot: Snapshot, pods: Iterable[str] = ()) -> Iterator[str]:
    """Yield a snapshot's document in pieces; ``pods`` are pieces at the end of its items (``following``)."""
    lead = "{\n "
    for key, value in _document(snapshot).items():
        yield f'{lead}"{key}": '
        if isinstance(value, Rows):
            texts = (following(_text(row, "\n  ")) for row in value)
            yield from _listed(chain(texts, pods) if key == "items" else texts)
        else:
            yield _text(value, "\n ")
        lead = ",\n "
    yield "\n}\n"


def following(text: str) -> str:
    """Return the text of an element of a list that is not the first one, with what precedes it."""
    return f",\n  {text}"


def _listed(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a list; the pieces are elements as ``following`` others."""
    pieces = filter(None, pieces)
    first = next(pieces, "")
    yield f"[{first[1:]}"
    yield from pieces
    yield "\n ]" if first else "]"


def _text(value: Any, line: str) -> str:
    return disarmed(jsontext.dumps(value).replace("\n", line), IN_JSON)


def closing(snapshot: Snapshot, pods: int, containers: int) -> str:
    """Say how much is in a snapshot with so many pods and containers."""
    nodes, records = len(snapshot.inventory.nodes), len(snapshot.inventory.records)
    return (
        f"{count(containers, 'container')} in {count(pods, 'pod')}, "
        f"{count(nodes, 'node')}, {count(records, 'record')}"
    )


def _item(thing: Node | Pod) -> Document:
    if isinstance(thing, Node):
        return _node(thing)
    return _pod(
        thing, {key: [_container(container) for container in rows] for key, rows in _lists(thing).items()}
    )


def _recorded(record: Recorded) -> Document:
    return {
        "uid": record.uid,
        "namespace": record.namespace,
        "pod": record.pod,
        "container": record.container,
        "hash": _hash(record.hash),
        "running": record.running,
        "attempt": record.attempt,
        "hashVersion": record.hash_version,
        "hashWithoutResources": _hash(record.without_resources),
        "id": record.id,
        "created": time_text(record.created),
        "createdInAnyYear": record.any_year,
        "docker": record.docker,
        **_present(
            exitCode=record.code,
            unapplied=record.unapplied or None,
            stateUnknown=record.lost or None,
            begun=None if record.begun else False,
            outOfMemory=record.out_of_memory or None,
            plugins=None if record.plugins is None else list(record.plugins),
        ),
    }


def _present(**members: Any) -> Document:
    """Return the members that are not None; what is left out of a snapshot is never null in it."""
    return {key: value for key, value in members.items() if value is not None}


def _hash(value: Hash | None) -> int | str | None:
    return None if value is None else text_of(value)


def _files(record: Files) -> Document:
    devices = record.devices
    of_pods = {
        name: {uid: sorted(ids) for uid, ids in ids_by_uid.items()}
        for name, ids_by_uid in (devices or {}).items()
    }
    return {
        "node": record.node,
        "uids": sorted(record.uids),
        "probes": [
            {"kind": kind, "name": name, **({"problem": problem} if problem else _present(text=text))}
            for kind, name, text, problem in record.probes
        ],
        **_present(devices=None if devices is None else of_pods),
        "allocated": {uid: dict(of_pod) for uid, of_pod in record.allocated.items()},
    }


def _node(node: Node) -> Document:
    """Return a node with what decides."""
    drivers, strict = node.drivers, node.strict_groups
    noted = None if drivers is None else {DRIVERS: dumps(dict.fromkeys(drivers, node.name))}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name, **_present(labels=node.labels, annotations=noted)},
        **_present(spec={"taints": list(node.taints)} if node.taints else None),
        "status": {
            "nodeInfo": {
                "kubeletVersion": node.kubelet,
                "containerRuntimeVersion": node.runtime,
                **_present(
                    operatingSystem=node.system or None,
                    architecture=node.architecture or None,
                    kernelVersion=node.kernel or None,
                ),
            },
            **_present(
                features=None if strict is None else {"supplementalGroupsPolicy": strict},
                allocatable=node.allocatable,
                conditions=None if node.conditions is None else _conditions(node.conditions),
            ),
        },
    }


def _conditions(conditions: Mapping[str, str]) -> list[Document]:
    return [{"type": kind, "status": status} for kind, status in conditions.items()]


def _pod(pod: Pod, lists: Mapping[str, Sequence[Document] | Sequence[str]]) -> Document:
    """Return a pod with these lists of containers."""
    made: Document = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(pod),
        "spec": {**pod.spec, **lists},
    }
    return made if pod.manifest else {**made, "status": _status(pod)}


def _lists(pod: Pod) -> dict[str, list[Container]]:
    """Return the containers by the list that holds them."""
    lists: dict[str, list[Container]] = {}
    for container in pod.containers:
        lists.setdefault(LIST_OF[container.type], []).append(container)
    return lists


def _container(container: Container) -> Document:
    stored = {HASHES: document_of(container.stored)} if container.stored else {}
    return {**container.spec, **stored}


def _metadata(pod: Pod) -> Document:
    kind, _, name = pod.owner.partition("/")
    # a workload that does not show without labels is an annotation
    shown = workload_of(pod.owner, {}, pod.node if pod.static else "")
    annotations = annotations_of(pod) | ({} if pod.workload == shown else {WORKLOAD: pod.workload})
    return {
        "namespace": pod.namespace,
        "name": pod.name,
        **_present(
            uid=pod.uid or None,
            ownerReferences=[{"kind": kind, "name": name, "controller": True}] if pod.owner else None,
            creationTimestamp=pod.created or None,
            generation=None if pod.seen is None else _CHANGED,
            deletionTimestamp=_SOME_DAY if pod.deleting else None,
            labels=pod.labels or None,
            annotations=annotations or None,
        ),
    }


def _status(pod: Pod) -> Document:
    """Return a status with the same state of every container; an empty list is left out."""
    status: Document = {"phase": pod.phase, **_present(qosClass=pod.qos or None)}
    if pod.seen is not None:
        status["observedGeneration"] = _CHANGED - 1
    true = pod.resizing, RESTARTING_ALL if pod.restarting else ""
    conditions = dict.fromkeys(filter(None, true), "True")
    if pod.unsandboxed:
        conditions[SANDBOX_READY] = "False"
    if conditions:
        status["conditions"] = _conditions(conditions)
    if pod.ends is not None:
        since = pod.ends - timedelta(seconds=pod.spec["activeDeadlineSeconds"])
        status["startTime"] = time_text(since)
    status |= _resized(pod.resized.get(""))
    for container in pod.containers:
        if container.running is not None:
            row = {**_state(container), **_resized(pod.resized.get(container.name))}
            if seen := (pod.seen or {}).get(container.name):
                row |= {"image": seen.image, **_present(resources=seen.resources)}
            status.setdefault(STATUSES[LIST_OF[container.type]], []).append(row)
    if pod.claims:
        rows = [{"containerName": name, "resourceName": resource} for name, resource in sorted(pod.claims)]
        status["extendedResourceClaimStatus"] = {"requestMappings": rows}
    return status


def _resized(changed: Mapping[str, Any] | None) -> Document:
    """Return what a status shows of requests that are not those of the spec."""
    if not changed:
        return {}
    allocated = {"allocatedResources": changed["allocated"]} if "allocated" in changed else {}
    shown = (("requests", "actual"), ("limits", "limits"))
    resources = {key: changed[what] for key, what in shown if what in changed}
    actual = {"resources": resources} if resources else {}
    return {**allocated, **actual}


def _state(container: Container) -> Document:
    """Return a container's status."""
    ended, state, last = container.ended, Document(), None
    if container.running:
        state = {"running": _present(startedAt=time_text(container.started))}
    elif ended is not None:
        reason = OUT_OF_MEMORY if ended.out_of_memory else None
        terminated = {"terminated": _present(exitCode=ended.code, reason=reason)}
        if ended.final:
            state = terminated
        elif container.spec.get("restartPolicy"):  # by which it waits, as its exit code says
            last = terminated
    return {
        "name": container.name,
        "state": state,
        **_present(
            lastState=last,
            restartCount=container.restarts,
            started=container.probed,
            # the runtime as far as it decides anything
            containerID=f"{'docker' if container.docker else 'runtime'}://{container.id}"
            if container.id
            else None,
        ),
    }


def _notes(snapshot: Snapshot) -> list[str]:
    containers = [len(pod.containers) for pod in snapshot.inventory.pods]
    return [closing(snapshot, len(containers), sum(containers))]


SNAPSHOT: Final[Report[Snapshot]] = Report("ClusterSnapshot", document=_document, notes=_notes)
