"""A cluster without its values: what later plans need, and nothing that reveals a value.

Numbers computed of values reveal them, for FNV-1a can be inverted (docs/security.md): container hashes, the
UIDs of static pods. So a snapshot holds which of them are equal, by numbers that it gives them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.analysis.answers.hiding import Aliases, Hidden, Hider, Numbers, Replicas, has_hidden
from hashcompat.analysis.answers.keeping import FieldKeeper, masked
from hashcompat.analysis.planning.cluster import Ages
from hashcompat.analysis.planning.kinds import WITHOUT_PLUGIN, has_rare_volume
from hashcompat.analysis.planning.latest import Latest
from hashcompat.analysis.planning.templates import Likeness, likeness, text_of
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.corev1.scheduling import (
    CONTROL_PLANE,
    MIGRATED_VOLUMES,
    OF_ROLE,
    SYSTEM,
    SYSTEMS,
    ZONES,
    label_keys,
    mounted,
)
from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go.jsontext import kind_of
from hashcompat.core.go.metav1 import is_time
from hashcompat.core.go.quantity import from_json
from hashcompat.core.kubelet.decide.cpus import MOST_THREADS
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.pods import Container, Inventory, Node, Pod, Seen
from hashcompat.core.model.results import Result
from hashcompat.core.model.uids import is_computed
from hashcompat.core.model.verdicts import Applied, Files, HiddenHash, Record, Recorded, Sandbox, StoredHashes
from hashcompat.core.records.index import index
from hashcompat.core.shown import MASK, image

_LABELS: Final = (*SYSTEMS, *ZONES, *(f"{OF_ROLE}{role}" for role in (*CONTROL_PLANE, "etcd")))
"""Labels of a node that decide, with its readiness, when it is upgraded."""
_CONDITIONS: Final = frozenset({"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"})
_ANSWERS: Final = frozenset({"True", "False", "Unknown"})
_KEPT: Final = 1 << 10
"""Hidden containers in the cache, for their replicas: each takes 10 kB, and 5 ms to make again."""
_TAINT: Final = ("key", "value", "effect")
_DRIVERS: Final = frozenset(driver for _, driver in MIGRATED_VOLUMES.values())
"""The CSI drivers that take over volumes of clouds."""
_OPERATING: Final = ("linux", "windows")
"""The operating systems of nodes, and those that pods name."""
_NOWHERE: Final = HiddenHash(0)
"""A recorded hash of no container in the snapshot: nothing can be compared with it."""


class Snapshot(Result[Pod], msgspec.Struct, frozen=True):
    """A cluster without its values."""

    inventory: Inventory
    """The pods, nodes and records with hidden values."""
    newest: str
    """The newest release that plans from it may name."""
    with_hashes: bool = False
    """Whether the hashes over hidden values are in it."""
    warnings: tuple[str, ...] = ()
    """What of the input does not count, one line each."""

    def _elements(self) -> Iterable[Pod]:
        return self.inventory.pods


def snapshot(inventory: Inventory, catalog: Catalog, *, with_hashes: bool = False) -> Snapshot:
    """Return a cluster with hidden values, which gives the same plans between known releases.

    ``with_hashes`` keeps the hashes over hidden values, so that plans show them; whoever has them can find
    short values. Raises InputError, with file and path, for a value of the wrong type, for a pod that may not
    be whole, for a manifest (what API servers make of it depends on more than the kubelet's release, and a
    static pod's UID on every value in it), and ``with_hashes`` for a pod of a snapshot without them.
    """
    redaction = Redaction(inventory, catalog, with_hashes=with_hashes)
    return redaction.snapshot(tuple(redaction.pods()))


class Redaction:
    """Hides one inventory: first its pods, one by one, and then the rest, which depends on all of them."""

    def __init__(self, inventory: Inventory, catalog: Catalog, *, with_hashes: bool) -> None:
        self._keeper = FieldKeeper(catalog)
        self._hider, self._catalog = Hider(catalog, self._keeper), catalog
        self._inventory, self._newest = inventory, catalog.known.newest
        self._with_hashes = with_hashes
        self._index = index(inventory.records)
        self._uids, self._ages = Aliases(), Ages(inventory.dating)
        self._keys = {*_LABELS}
        self._hidden_by_likeness: Latest[Likeness, Hidden] = Latest(_KEPT)
        self._alike: Latest[Replicas, StoredHashes | None] = Latest()
        self._numbered: dict[Recorded, Recorded] = {}

    def pods(self) -> Iterator[Pod]:
        """Yield the pods as the snapshot holds them; errors as ``snapshot``."""
        for pod in self._inventory.pods:
            self._uids.see_pod(pod)
            self._ages.add(pod)
            hidden = self._pod(pod)
            self._keys.update(label_keys(hidden.spec))
            yield hidden

    def snapshot(self, pods: Iterable[Pod]) -> Snapshot:
        """Return the snapshot with these pods, once ``pods`` has yielded its last; errors as ``snapshot``."""
        self._uids.see_records(self._inventory.records)
        keys = frozenset(self._keys)
        nodes = tuple(_node(node, keys) for node in self._inventory.nodes)
        records = map(self._record, self._inventory.records)
        kept = tuple(record for record in records if record is not None)
        origin = self._ages.dated(self._inventory.origin)
        made = structs.replace(self._inventory, pods=pods, nodes=nodes, records=kept, origin=origin)
        return Snapshot(made, self._newest, self._with_hashes, tuple(self._ages.warnings()))

    def _pod(self, pod: Pod) -> Pod:
        if pod.manifest:
            raise InputError(
                f"{pod.origin}: {name_path(pod.namespace, pod.name)} is a manifest; "
                "a snapshot is made of a cluster's pods, which have a uid"
            )
        if pod.doubt:
            raise InputError(f"{pod.origin}: {name_path(pod.namespace, pod.name)}: {pod.doubt}")
        try:
            spec = self._keeper.pod(pod.spec, whole=pod.static)
        except DecodeError as error:
            place = pod.containers[0].path.rpartition(".")[0]
            raise InputError(f"{pod.origin}: {place}{error}") from None
        behind = WITHOUT_PLUGIN.intersection(pod.persistent)
        if not pod.static and (behind or has_rare_volume(pod)):
            # What is behind a claim is kept as a volume of its own: the volumes of a cluster are not.
            kinds = sorted({*mounted(pod.spec, WITHOUT_PLUGIN), *behind})
            spec = {**spec, "volumes": [{"name": MASK, kind: {}} for kind in kinds]}
        containers = tuple(self._container(pod, container) for container in pod.containers)
        seen = None if pod.seen is None else {name: self._seen(status) for name, status in pod.seen.items()}
        uid, config_hash = map(self._uids.of, (pod.uid, pod.config_hash))
        system = pod.labels.get(SYSTEM)  # the label that decides, without a value that may be a secret
        return structs.replace(
            pod,
            spec=spec,
            containers=containers,
            uid=uid,
            labels={} if system is None else {SYSTEM: system if system in _OPERATING else MASK},
            config_hash=config_hash,
            seen=seen,
            created=pod.created if is_time(pod.created) else "",
            resized={
                name: {what: _amounts(amounts) for what, amounts in row.items()}
                for name, row in pod.resized.items()
            },
        )

    def _seen(self, seen: Seen) -> Seen:
        """Return what a kubelet saw of a container, without what a name of an image may hide."""
        resources = None
        if seen.resources is not None:
            resources = self._keeper.container({"resources": seen.resources}, masked)["resources"]
        return Seen(seen.image if image(seen.image) == seen.image else MASK, resources)

    def _container(self, pod: Pod, container: Container) -> Container:
        replicas = self._hider.replicas(container, pod.origin)
        record = None if self._with_hashes else self._index.of(pod, container)
        if replicas and record is None and not self._with_hashes:
            alike = self._of_replicas(replicas, container.own)
            return structs.replace(container, spec=replicas.spec, stored=alike)
        hidden = replicas.hidden(container.own) if replicas else self._alone(pod, container)
        if self._with_hashes:
            return structs.replace(container, spec=hidden.spec, stored=_kept(hidden, pod))
        if record is None:
            return structs.replace(container, spec=hidden.spec, stored=_numbered(hidden))
        numbers = Numbers(hidden)
        stored, numbered = numbers.stored(), numbers.recorded(record)
        same = self._numbered.setdefault(record, numbered) == numbered
        # without a namespace it may be the record of several pods
        self._numbered[record] = numbered if same else _nowhere(record)
        needed = hidden.has_values or has_hidden(numbered)
        return structs.replace(container, spec=hidden.spec, stored=stored if needed else None)

    def _alone(self, pod: Pod, container: Container) -> Hidden:
        """Return a container without its values, hidden once for all that have the same."""
        key = likeness(pod, container, text_of(container))
        if key not in self._hidden_by_likeness:
            self._hidden_by_likeness.add(key, self._hider.hidden(container, pod.origin), key.size)
        return self._hidden_by_likeness[key]

    def _of_replicas(self, replicas: Replicas, own: Sequence[str]) -> StoredHashes | None:
        """Return which kubelets hash a container without a record alike: the same for all its replicas.

        Where its own hashes are as many as its texts, so are those of its replicas: by chance two of them
        meet in one of four billion, where a plan says RESTART of what is kept, and never the other way round.
        Each of a container's 60 texts would have to be hashed to see it.
        """
        if replicas not in self._alike:
            hidden = replicas.hidden(own)
            if not hidden.is_distinct:
                return _numbered(hidden)
            self._alike[replicas] = _numbered(hidden)
        return self._alike[replicas]

    def _files(self, record: Files) -> Files:
        """Return the files of a node without values: what of them decides about CPUs, devices and resources.

        The UIDs of pods that nobody names stand for nothing but that there are some.
        """
        from hashcompat.analysis.preflight.facts.managers import reduced  # noqa: PLC0415 - dumps alone

        strangers: dict[str, str] = {}

        def alias(uid: str) -> str:
            if not is_computed(uid) or uid in self._uids:
                return self._uids.of(uid)
            return strangers.setdefault(uid, f"unnamed-{len(strangers)}")

        return structs.replace(
            record,
            uids=frozenset(map(alias, record.uids)),
            probes=reduced(record, self._catalog, alias),
            devices=record.devices and {name: _devices(of, alias) for name, of in record.devices.items()},
            allocated={alias(uid): self._allocated(of) for uid, of in record.allocated.items()},
        )

    def _allocated(self, allocated: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
        kept = dict[str, Mapping[str, Any]]()
        for name, resources in allocated.items():
            with suppress(DecodeError):
                kept[name] = self._keeper.container({"resources": resources}, masked)["resources"]
        return kept

    def _record(self, record: Record) -> Record | None:
        """Return a record as the snapshot holds it; None for resources of no pod that is named."""
        if isinstance(record, Files):
            return self._files(record)
        uid = self._uids.of(record.uid)
        match record:
            case Sandbox():
                return structs.replace(record, uid=uid, ip=record.ip and MASK)
            case Applied() if is_computed(record.uid) and record.uid not in self._uids:
                return None
            case Applied():
                kept = self._keeper.container({"resources": record.resources}, masked)["resources"]
                return structs.replace(record, uid=uid, resources=kept)
        if self._with_hashes:
            return structs.replace(record, uid=uid)
        return structs.replace(self._numbered.get(record) or _nowhere(record), uid=uid)


def _devices(of_pods: Mapping[str, frozenset[str]], alias: Callable[[str], str]) -> dict[str, frozenset[str]]:
    """Return the devices of pods by numbers: which of them are the same counts."""
    devices = sorted(frozenset[str]().union(*of_pods.values()))
    numbers = {device: str(number) for number, device in enumerate(devices)}
    return {alias(uid): frozenset(numbers[device] for device in ids) for uid, ids in of_pods.items()}


def _numbered(hidden: Hidden) -> StoredHashes | None:
    """Return which kubelets hash a container alike that has no record; None where no value takes part."""
    return Numbers(hidden).stored() if hidden.has_values else None


def _kept(hidden: Hidden, pod: Pod) -> StoredHashes | None:
    """Return the hashes of a container themselves."""
    if any(isinstance(true, HiddenHash) for true in hidden.true.values()):
        raise InputError(
            f"{pod.origin}: {name_path(pod.namespace, pod.name)} is from a snapshot without hashes: "
            "none can be kept"
        )
    return StoredHashes(hidden.true, hidden=False) if hidden.has_values else None


def _nowhere(record: Recorded) -> Recorded:
    """Return a record that belongs to no container of the snapshot, or to several, without its hashes."""
    return structs.replace(
        record,
        hash=None if record.hash is None else _NOWHERE,
        without_resources=None if record.without_resources is None else _NOWHERE,
    )


def _node(node: Node, keys: frozenset[str]) -> Node:
    """Keep the labels that decide about a pod or the order of nodes, the taints, and how the node is."""
    node_labels = node.labels
    labels = (
        None if node_labels is None else {key: value for key, value in node_labels.items() if key in keys}
    )
    taints = tuple({key: row[key] for key in _TAINT if key in row} for row in node.taints)
    for key, value in (labels or {}).items():
        if not isinstance(value, str | None):
            raise InputError(
                f"node {node.name}: $.metadata.labels: {key}: want a string, got {kind_of(value)}"
            )
    allocatable = None if node.allocatable is None else _amounts(node.allocatable)
    conditions = node.conditions and {
        kind: answer for kind, answer in node.conditions.items() if kind in _CONDITIONS and answer in _ANSWERS
    }
    return structs.replace(
        node,
        labels=labels,
        taints=taints,
        conditions=conditions,
        allocatable=allocatable,
        capacity=None,
        system=node.system if node.system in _OPERATING else "",
        architecture=node.architecture if node.architecture in MOST_THREADS else "",
        drivers=None
        if node.drivers is None
        else tuple(driver for driver in node.drivers if driver in _DRIVERS),
    )


def _amounts(amounts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the resources whose amounts are quantities, and so hide nothing."""
    kept = dict[str, Any]()
    for name, value in amounts.items():
        with suppress(DecodeError):
            from_json(value)
            kept[name] = value
    return kept
