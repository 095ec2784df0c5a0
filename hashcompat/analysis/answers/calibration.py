"""Calibration: which recorded hashes this program reproduces, and where the others may come from.

A record that the kubelet's own release does not compute may be that of another release (``origin_of``), or
of a pod with a token mount. An API server adds the mount to a manifest's pod under a name that ends in five
random characters, so that the hash of the manifest alone is not the recorded one. FNV-1a runs backwards as
well as forwards: the states that the first characters lead to from the start of the text meet those that
the last ones come from at its end.

The records of upgraded nodes are compared with a plan by ``now_of``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Final

import msgspec

from hashcompat.analysis.answers.comparison import ValueDifference, differences
from hashcompat.analysis.gating.outcome import HashKey, Now
from hashcompat.analysis.planning.creators import SeenContainer, maker_of
from hashcompat.analysis.planning.options import check_gates
from hashcompat.analysis.planning.view import Spec, View
from hashcompat.core.apiserver.created import with_token_mount
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.catalog.releases import is_build_of
from hashcompat.core.errors import DecodeError, InputError, NotStoredError
from hashcompat.core.go.digest import fnv32a_after, fnv32a_before
from hashcompat.core.kubelet.decide.pod import at_rest
from hashcompat.core.kubelet.hashing import hashers
from hashcompat.core.model.plan import AUTO, Share
from hashcompat.core.model.pods import Container, Inventory, Node, Pod
from hashcompat.core.model.results import Number, Object, Result, Text
from hashcompat.core.model.uids import is_of_api_server
from hashcompat.core.model.verdicts import Hash, Recorded, comparable, number_of
from hashcompat.core.records.index import Records, is_older


class Creator(Object, frozen=True):
    """The release that created a container."""

    release: Text
    era: Text
    fields: tuple[str, ...]
    """Where what that release hashes of the container differs from what its kubelet's release does; empty
    across eras."""


def origin_of(recorded: Hash, subject: SeenContainer, kubelet: Kubelet, catalog: Catalog) -> Creator | None:
    """Return the nearest release that computes a recorded hash of a container; None if no known one does.

    The nearest one is the newest of the older ones, else the oldest of the newer ones.
    """
    creator = maker_of(recorded, subject, kubelet, catalog)
    if creator is None:
        return None
    fields = list[ValueDifference]()
    if creator.era is kubelet.era:
        spec, keep_empty = subject.spec, subject.keep_empty
        fields = differences(
            *(hashers(side, keep_empty=keep_empty)[0].tree(spec) for side in (creator, kubelet))
        )
    return Creator(str(creator.release), creator.era.name, tuple(field.place for field in fields))


_LENGTH: Final = 5
"""The number of random characters (k8s.io/apiserver pkg/storage/names/generate.go)."""
_HALF: Final = 3
"""How many of them are searched forwards."""
_HASHES: Final = 1 << 32


class TokenMount(Object, frozen=True):
    """A volume mount with which a hash is reproduced."""

    name: Text
    one_in: Number
    """One hash in so many is found by chance."""


def find_token_mount(recorded: int, pod: Pod, spec: Spec, kubelet: Kubelet) -> TokenMount | None:
    """Return the token mount that gives a manifest's container the recorded hash; None if none does.

    ``spec`` is the container as its API server creates it, but for admission. Errors as Hasher.hash.
    """
    if not kubelet.era.whole or kubelet.era.digest != "fnv32a":
        return None
    account = str(pod.spec.get("serviceAccountName") or "default")
    prefix = kubelet.behaviour.token_mount["prefix"].format(account=account)
    alphabet = kubelet.behaviour.token_mount["alphabet"]
    sample = prefix + alphabet[0] * _LENGTH
    mounted = with_token_mount(pod, spec, sample)
    if mounted is None:
        return None
    searched = hashers(kubelet)
    odds = round(_HASHES / (len(searched) * len(alphabet) ** _LENGTH))
    for hasher in searched:
        text = _Text.around(sample, hasher.text(mounted), in_bytes=kubelet.era.hashes_json)
        if (suffix := text.search(recorded, alphabet)) is not None:
            return TokenMount(prefix + suffix, odds)
    return None


class _Text(msgspec.Struct, frozen=True):
    """A hashed text without the random characters of one name."""

    start: str
    """What precedes them."""
    end: str
    """What follows them."""
    in_bytes: bool
    """Whether the text holds each byte as a number, with spaces between."""

    @classmethod
    def around(cls, name: str, text: str, *, in_bytes: bool) -> _Text:
        """Cut a text at the random characters at the end of a name in it."""
        made = cls("", "", in_bytes)
        start, _, end = text.partition(made.printed(name))
        return cls(start + made.printed(name[:-_LENGTH]) + made.gap, end, in_bytes)

    @property
    def gap(self) -> str:
        return " " if self.in_bytes else ""

    def printed(self, characters: str) -> str:
        """Return characters as the text holds them."""
        return self.gap.join(str(ord(character)) for character in characters) if self.in_bytes else characters

    def search(self, recorded: int, alphabet: str) -> str | None:
        """Return the first characters with which the text has a hash; None if there are none."""
        state = fnv32a_after(self.start)
        heads = map("".join, product(alphabet, repeat=_HALF))
        reached = {fnv32a_after(self.printed(head) + self.gap, state): head for head in heads}
        before_end = fnv32a_before(recorded, self.end)
        for tail in map("".join, product(alphabet, repeat=_LENGTH - _HALF)):
            head = reached.get(fnv32a_before(before_end, self.printed(tail)))
            if head is not None:
                return head + tail
        return None


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
    computed: int | None = None
    """The hash that its release computes; None where nothing was computed, or a vendor's Go decides."""
    problem: str = ""
    """Empty where it was reproduced; else one of the texts above, or why nothing was compared."""
    origin: Creator | None = None
    """The release that created the container, where it is another one."""
    mount: TokenMount | None = None
    """The token mount with which its release computes the record of a manifest."""


class RecordCheck(Result[CheckedRecord], msgspec.Struct, frozen=True):
    """All records of some nodes, each compared with what its kubelet's release computes, then with others."""

    items: tuple[CheckedRecord, ...]
    """The records that a kubelet compares."""
    skipped: int
    """The number of records that no kubelet compares: of init containers and of what has exited."""

    @property
    def share(self) -> Share:
        """How many of the records that could be compared were reproduced."""
        compared = [row for row in self.items if row.problem in COMPARED]
        return Share(sum(row.problem != DIFFERS for row in compared), len(compared))

    @property
    def differing(self) -> bool:
        """Whether a record is not what any known release computes."""
        return any(row.problem == DIFFERS for row in self.items)

    @property
    def undecided(self) -> bool:
        """Whether a record could not be compared, or none at all was."""
        return any(row.problem not in COMPARED for row in self.items) or not self.share.recorded


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
    checked: dict[int, CheckedRecord | None] = {}
    for pod in inventory.pods:
        kubelet = kubelet_of(pod)
        for container in pod.containers:
            if record := records.latest(pod, container):
                checked[id(record)] = _checked(
                    record, pod, container, kubelet, view, search_mounts=search_mounts
                )
    left_over = list(_left_over(records, checked))
    rows = [row for row in checked.values() if row is not None]
    rows += [
        CheckedRecord("", record, problem="no such container in the source")
        for record in left_over
        if record.running is not False
    ]
    return RecordCheck(tuple(rows), len(checked) + len(left_over) - len(rows))


def _left_over(records: Records, of_pods: Collection[int]) -> Iterator[Recorded]:
    """Yield the records of no pod, but none without uid whose container has another record of a pod.

    ``of_pods`` has the ``id`` of each record of a pod: rows are not copied, and their hashes take long.
    """
    left = [record for record in records if id(record) not in of_pods]
    doubtful = {_names(record) for record in left if not record.uid}
    named = {_names(record) for record in records if id(record) in of_pods and _names(record) in doubtful}
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
    kubelets = {node.name: view.kubelet(node.kubelet) for node in nodes if view.catalog.knows(node.kubelet)}
    check_gates(view.options, [str(kubelet.release) for kubelet in kubelets.values()], view.catalog)
    return lambda pod: kubelets.get(pod.node)


def _checked(
    record: Recorded,
    pod: Pod,
    container: Container,
    kubelet: Kubelet | None,
    view: View,
    *,
    search_mounts: bool,
) -> CheckedRecord | None:
    """Return a record with what is computed; None where no kubelet compares it."""
    if at_rest(pod, container) or pod.seen is not None:  # its record is of another spec
        return None
    if is_older(record, container):
        return CheckedRecord(pod.node, record, problem="older than its container")
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
    subject = SeenContainer(spec, view.keeps_empty(pod), container.stored)
    origin = origin_of(record.hash, subject, kubelet, view.catalog)
    problem = OTHER_CREATOR if origin else DIFFERS
    return CheckedRecord(pod.node, record, computed.value, problem, origin)


# What a cluster shows of nodes whose kubelets were upgraded, as it is compared with a plan.


def now_of(
    inventory: Inventory,
    names: Sequence[str],
    target: str,
    *,
    catalog: Catalog,
    begun: Mapping[str, datetime],
    records: Records,
) -> Now:
    """Return what is seen of some nodes, by their names, and of the pods of an inventory on them.

    ``target`` is the release that their kubelets should report now, ``begun`` when the upgrade of each began.
    """
    nodes = {node.name: node for node in inventory.nodes if node.name in names}
    pods = tuple(pod for pod in inventory.pods if pod.node in names)
    upgraded = frozenset(name for name, node in nodes.items() if _is_upgraded(node.kubelet, target, catalog))
    recorded = dict(_recorded(pods, records)) if records else {}
    if records:
        pods = tuple(map(records.as_reported, pods))
    static = {
        (record.namespace, record.pod, record.container): record
        for record in records
        if record.running and record.uid and not is_of_api_server(record.uid)
    }
    return Now(tuple(dict.fromkeys(names)), nodes, upgraded, pods, begun, recorded, static)


def _is_upgraded(kubelet: str, target: str, catalog: Catalog) -> bool:
    if not (catalog.knows(kubelet) and catalog.knows(target)):
        return kubelet.removeprefix("v") == target.removeprefix("v")
    return is_build_of(catalog.kubelet(kubelet).release, catalog.kubelet(target).release)


def _recorded(pods: Sequence[Pod], records: Records) -> Iterator[tuple[HashKey, int]]:
    """Yield the recorded hashes of the containers that run now, where they are numbers."""
    for pod in pods:
        for container in pod.containers:
            record = records.of(pod, container)
            if record and (not record.id or not container.id or record.id == container.id):
                number = number_of(record.hash)
                if number is not None:
                    yield (pod.uid, container.name), number
