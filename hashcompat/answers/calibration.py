"""Calibration: which recorded hashes this program reproduces, and where the others may come from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Final

import msgspec

from hashcompat.answers.origin import Origin, origin_of
from hashcompat.answers.tokenmount import TokenMount, find_token_mount
from hashcompat.catalog.lookup import Kubelet
from hashcompat.errors import DecodeError, InputError, NotStoredError
from hashcompat.kubelet.decide.never import at_rest
from hashcompat.model.hashes import comparable
from hashcompat.model.plan import Share
from hashcompat.model.pods import Container, Inventory, Node, Pod
from hashcompat.model.records import Recorded
from hashcompat.planning.creators import Subject
from hashcompat.planning.options import AUTO, check_gates
from hashcompat.planning.view import View
from hashcompat.records.index import Records, is_older

DIFFERS: Final = "differs"
"""The problem of a record that no known release computes."""

OTHER_CREATOR: Final = "created by another release"
"""What is said of a record that another known release computes; it counts as reproduced."""

WITH_MOUNT: Final = "reproduced with a token mount"
"""What is said of a manifest's record that a token mount reproduces; it counts as reproduced."""

COMPARED: Final = ("", OTHER_CREATOR, WITH_MOUNT, DIFFERS)
"""The problems of the records that were compared; any other one is why a record was not."""


class CheckedRecord(msgspec.Struct, frozen=True):
    """One record and the hash that its kubelet's release computes."""

    node: str
    """The name of the node."""
    record: Recorded
    """The record."""
    computed: int | None = None
    """The hash that its release computes; None where nothing was computed, or a vendor's Go decides."""
    problem: str = ""
    """Empty where it was reproduced; else one of the texts above, or why nothing was compared."""
    origin: Origin | None = None
    """The release that created the container, where it is another one."""
    mount: TokenMount | None = None
    """The token mount with which its release computes the record of a manifest."""


class RecordCheck(msgspec.Struct, frozen=True):
    """All records of some nodes, each compared with what its kubelet's release computes, then with others."""

    rows: tuple[CheckedRecord, ...]
    """The records that a kubelet compares."""
    skipped: int
    """The number of records that no kubelet compares: of init containers and of what has exited."""

    @property
    def share(self) -> Share:
        """How many of the records that could be compared were reproduced."""
        compared = [row for row in self.rows if row.problem in COMPARED]
        return Share(sum(row.problem != DIFFERS for row in compared), len(compared))

    @property
    def differing(self) -> bool:
        """Whether a record is not what any known release computes."""
        return any(row.problem == DIFFERS for row in self.rows)

    @property
    def undecided(self) -> bool:
        """Whether a record could not be compared, or none at all was."""
        return any(row.problem not in COMPARED for row in self.rows) or not self.share.recorded


def check_records(
    inventory: Inventory, release: str, view: View, *, search_mounts: bool = False
) -> RecordCheck:
    """Compare the records among the options with what a release computes for their containers.

    ``release`` may be ``auto``: what each node reports. With ``search_mounts``, the token mount is searched
    that a manifest lacks. Raises UsageError for an unknown release and for feature gates that cannot be set,
    and InputError, with file and path, for a container that does not decode.
    """
    kubelet_of = _kubelets(inventory.nodes, release, view)
    records = view.options.records
    compare = partial(_compared, view=view, search_mounts=search_mounts)
    found: dict[int, CheckedRecord | None] = {}
    for pod in inventory.pods:
        for container in pod.containers:
            if record := records.latest(pod, container):
                found[id(record)] = _checked(
                    record, pod, container, partial(compare, kubelet=kubelet_of(pod))
                )
    left_over = list(_left_over(records, found))
    rows = [row for row in found.values() if row is not None]
    rows += [
        CheckedRecord("", record, problem="no such container in the source")
        for record in left_over
        if record.running is not False
    ]
    return RecordCheck(tuple(rows), len(found) + len(left_over) - len(rows))


def _checked(
    record: Recorded, pod: Pod, container: Container, compare: Callable[..., CheckedRecord]
) -> CheckedRecord | None:
    """Return a record with what is computed; None where no kubelet compares it."""
    if at_rest(pod, container):
        return None
    if is_older(record, container):
        return CheckedRecord(pod.node, record, problem="older than its container")
    return compare(record, pod, container)


def _left_over(records: Records, found: Collection[int]) -> Iterator[Recorded]:
    """Yield the records of no pod, but none without uid whose container has another record of a pod.

    ``found`` has the ``id`` of each record of a pod: rows are not copied, and their hashes take long.
    """
    left = [record for record in records if id(record) not in found]
    doubtful = {_names(record) for record in left if not record.uid}
    named = {_names(record) for record in records if id(record) in found and _names(record) in doubtful}
    for record in left:
        if record.uid or _names(record) not in named:
            yield record


def _names(record: Recorded) -> tuple[str, str]:
    return record.pod, record.container


def _kubelets(nodes: Sequence[Node], release: str, view: View) -> Callable[[Pod], Kubelet | None]:
    """Return the function that returns a pod's kubelet, where its release is known."""
    if release != AUTO:
        kubelet = view.kubelet(release)
        check_gates(view.options, [release], view.catalog)
        return lambda _: kubelet
    known = {node.name: view.kubelet(node.kubelet) for node in nodes if view.catalog.knows(node.kubelet)}
    check_gates(view.options, [str(kubelet.release) for kubelet in known.values()], view.catalog)
    return lambda pod: known.get(pod.node)


def _compared(
    record: Recorded,
    pod: Pod,
    container: Container,
    *,
    kubelet: Kubelet | None,
    view: View,
    search_mounts: bool,
) -> CheckedRecord:
    if kubelet is None:
        return CheckedRecord(pod.node, record, problem="the kubelet release of its node is not known")
    try:
        spec = view.seen(pod, container, kubelet)
        computed = view.hash(pod, container, spec, kubelet)
    except NotStoredError:
        return CheckedRecord(pod.node, record, problem="the snapshot does not cover its kubelet")
    except DecodeError as error:
        raise InputError(f"{pod.origin}: {container.path}{error}") from None
    if record.hash is None:
        return CheckedRecord(pod.node, record, computed.value, "no hash was recorded")
    if record.hash in computed.candidates:
        return CheckedRecord(pod.node, record, computed.value)
    if not comparable(record.hash, container.stored):
        return CheckedRecord(pod.node, record, computed.value, "a snapshot hides one of the two hashes")
    if (
        search_mounts
        and isinstance(record.hash, int)
        and (mount := find_token_mount(record.hash, pod, spec, kubelet))
    ):
        return CheckedRecord(pod.node, record, computed.value, WITH_MOUNT, mount=mount)
    subject = Subject(spec, view.keeps_empty(pod), container.stored)
    origin = origin_of(record.hash, subject, kubelet, view.catalog)
    problem = OTHER_CREATOR if origin else DIFFERS
    return CheckedRecord(pod.node, record, computed.value, problem, origin)
