"""Calibration: which recorded hashes this program reproduces, and where the others may come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hashcompat.answers.origin import Origin, origin_of
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.errors import DecodeError, InputError
from hashcompat.kubelet.decide.never import at_rest
from hashcompat.model.plan import Share
from hashcompat.model.pods import Container, Inventory, Node, Pod
from hashcompat.model.records import Recorded
from hashcompat.planning.options import AUTO
from hashcompat.planning.view import View
from hashcompat.records.index import Records

DIFFERS: Final = "differs"


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """One record and the hash that its kubelet's release computes."""

    node: str
    """The name of the node."""
    record: Recorded
    """The record."""
    computed: int | None = None
    """The hash that its release computes; None where nothing was computed, or a vendor's Go decides."""
    problem: str = ""
    """``differs``, or why nothing was compared; empty where the record was reproduced."""
    origin: Origin | None = None
    """The release that computes the record, where it differs and one does."""


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """All records of some nodes, each compared with what its kubelet's release computes."""

    rows: tuple[CheckedRecord, ...]
    """The records that a kubelet compares."""
    skipped: int
    """The number of records that no kubelet compares: of init containers and of what has exited."""

    @property
    def share(self) -> Share:
        """How many of the records that could be compared were reproduced."""
        compared = [row for row in self.rows if row.problem in ("", DIFFERS)]
        return Share(sum(not row.problem for row in compared), len(compared))

    @property
    def differing(self) -> bool:
        """Whether a record is not what its kubelet's release computes."""
        return any(row.problem == DIFFERS for row in self.rows)

    @property
    def undecided(self) -> bool:
        """Whether a record could not be compared, or none at all was."""
        return any(row.problem not in ("", DIFFERS) for row in self.rows) or not self.share.recorded


def check_records(inventory: Inventory, release: str, view: View) -> RecordCheck:
    """Compare the records among the options with what a release computes for their containers.

    ``release`` may be ``auto``: what each node reports. Raises UsageError for an unknown release, and
    InputError, with file and path, for a container that does not decode.
    """
    kubelet_of = _kubelets(inventory.nodes, release, view.catalog)
    records = view.options.records
    pairs = [(pod, container) for pod in inventory.pods for container in pod.containers]
    found = {record: (pod, container) for pod, container in pairs if (record := records.of(pod, container))}
    left_over = list(_left_over(records, found))
    rows = [
        _compared(record, *pair, kubelet_of(pair[0]), view)
        for record, pair in found.items()
        if not at_rest(*pair)
    ]
    rows += [
        CheckedRecord("", record, problem="no such container in the source")
        for record in left_over
        if record.running
    ]
    return RecordCheck(tuple(rows), len(found) + len(left_over) - len(rows))


def _left_over(records: Records, found: Mapping[Recorded, object]) -> Iterator[Recorded]:
    """Yield the records of no pod, but none without uid whose container has another record of a pod."""
    names = {(record.pod, record.container) for record in found}
    for record in dict.fromkeys([*records.by_uid.values(), *records.by_name.values()]):
        if record not in found and (record.uid or (record.pod, record.container) not in names):
            yield record


def _kubelets(nodes: Sequence[Node], release: str, catalog: Catalog) -> Callable[[Pod], Kubelet | None]:
    """Return the function that returns a pod's kubelet, where its release is known."""
    if release != AUTO:
        kubelet = catalog.kubelet(release)
        return lambda _: kubelet
    known = {node.name: catalog.kubelet(node.kubelet) for node in nodes if catalog.knows(node.kubelet)}
    return lambda pod: known.get(pod.node)


def _compared(
    record: Recorded,
    pod: Pod,
    container: Container,
    kubelet: Kubelet | None,
    view: View,
) -> CheckedRecord:
    if kubelet is None:
        return CheckedRecord(pod.node, record, problem="the kubelet release of its node is not known")
    try:
        spec = view.seen(pod, container, kubelet)
        computed = view.hash(pod, spec, kubelet)
    except DecodeError as error:
        raise InputError(f"{pod.origin}: {container.path}{error}") from None
    if record.hash is None:
        return CheckedRecord(pod.node, record, computed.value, "no hash was recorded")
    if record.hash in computed.candidates:
        return CheckedRecord(pod.node, record, computed.value)
    origin = origin_of(record.hash, spec, kubelet, view.catalog, keep_empty=view.keeps_empty(pod))
    return CheckedRecord(pod.node, record, computed.value, DIFFERS, origin)
