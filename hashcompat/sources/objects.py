"""Kubernetes objects -> pods, nodes, budgets, records: lists are opened, each object is read by its kind.

The same object given more than once, in two files or twice in one, counts once. Two copies have one uid;
copies of a node, whose uid nothing needs, have one name. Copies that differ were taken at two times: no
verdict could be given for both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, Protocol

import msgspec
from msgspec import structs

from hashcompat.core.corev1 import scheduling
from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import part, rows, text
from hashcompat.core.go.jsontext import canonical, clean, kind_of, loads
from hashcompat.core.model.cluster import Budget, Service
from hashcompat.core.model.escape import name_path, word
from hashcompat.core.model.pods import Container, Node, Pod
from hashcompat.core.model.uids import packed
from hashcompat.core.model.verdicts import Record
from hashcompat.core.regex import regex
from hashcompat.sources import budgets, snapshots
from hashcompat.sources.documents import IN_NO_FILE, Fields, InFile
from hashcompat.sources.pods import of_pod, of_template
from hashcompat.sources.statuses import heartbeat
from hashcompat.sources.volumes import behind
from hashcompat.sources.workloads import GROUPS, WORKLOADS, CountedTemplates, group_of, place_of

Content = Pod | Node | Record | Budget | Service
"""What an object may hold; only a snapshot holds records."""
SAVE: Final = "kubectl get nodes,pods -A -o json > cluster.json"
"""The command that saves what plans are made of."""
REFUSED: Final = "an error message in place of objects; run its command again until it succeeds"
"""What the error of an API server is, in JSON or as text."""
SYSTEM: Final = "kube-system"
"""The namespace that every cluster has as long as it exists."""
BESIDE_PODS: Final = ("Node", budgets.KIND, budgets.SERVICE, snapshots.KIND)
"""The kinds that do not hold pods, but affect every pod's verdict, or what it means for others."""


class Maker(Protocol):
    """Makes a pod whose text was not decoded, because it is like that of another one."""

    @property
    def uid(self) -> str:
        """The pod's uid."""

    def made(self, origin: str, path: str, where: InFile) -> Pod:
        """Return the pod; errors as ``of_pod``."""


class KubernetesObject(msgspec.Struct, frozen=True, eq=False):
    """One Kubernetes object that is not a list."""

    value: Mapping[str, Any]
    """The object as given, with its ``kind``."""
    origin: str
    """The file and the document in it."""
    path: str
    """Its place in the document (``$.items[3]``)."""
    doubt: str = ""
    """Why it may be only the first part of an object; empty where nothing indicates that."""
    in_snapshot: bool = False
    """Whether a ClusterSnapshot holds it, whose containers may have stored hashes."""
    where: InFile = IN_NO_FILE
    """The file with the document."""
    maker: Maker | None = None
    """What makes the pod that it is, where its text was not decoded: ``value`` is that of another one."""

    @property
    def uid(self) -> str:
        """The uid as given, empty for none."""
        return self.maker.uid if self.maker else text(part(self.value, "metadata"), "uid")

    def __str__(self) -> str:
        return f"{self.origin}: {self.path}"

    def __repr__(self) -> str:
        """Show nothing of the value, which may be secret."""
        return f"Object({str(self)!r})"


def read_object(value: object, origin: str, where: InFile = IN_NO_FILE) -> Iterator[Content]:
    """Yield the pods and nodes in one Kubernetes object; other kinds hold none and are passed over.

    Raises InputError, with ``origin`` and the path, for what is not a Kubernetes object and for a pod without
    containers.
    """
    for resource in opened(value, origin, where=where):
        yield from read(resource)


def opened(
    value: object, origin: str, path: str = "$", *, in_snapshot: bool = False, where: InFile = IN_NO_FILE
) -> Iterator[KubernetesObject]:
    """Yield an object, or those in a list and in lists within it; a snapshot comes after what is in it.

    ``in_snapshot``: a snapshot holds the object, and nobody edits its lines. Raises InputError, with
    ``origin`` and the path, for what is not a Kubernetes object, for the error of an API server
    (``metav1.Status``), for a kind that is nearly a known one, and for a list that says that it goes on.
    """
    if not isinstance(value, Mapping):
        todo = ""
        if path == "$":
            todo = _of_runtime(value) or (
                "; jq '.[]' prints the objects in it"
                if isinstance(value, list)
                else f"; save objects: {SAVE}"
            )
        raise InputError(
            f"{origin}: {path}: not a Kubernetes object: want an object with apiVersion and kind,"
            f" got {kind_of(value)}{todo}"
        )
    kind = value.get("kind")
    if kind is None and path != "$" and "containers" in part(value, "spec"):
        kind = "Pod"  # items of a typed list may leave their kind out
        value = {**value, "kind": kind}
    if not isinstance(kind, str) or not kind:
        if _is_event(value):
            todo = f"; an event of a watch; save objects: {SAVE}"
        else:
            todo = _of_runtime(value) or (f"; save objects: {SAVE}" if path == "$" else "")
        raise InputError(f"{origin}: {path}: not a Kubernetes object: it has no kind{todo}")
    _check_kind(value, kind, f"{origin}: {path}")
    _check_answer(value, kind, f"{origin}: {path}")
    listed = is_list(kind) and isinstance(value.get("items"), list)
    if listed:
        for index, item in enumerate(value["items"]):
            inside, place = in_snapshot or kind == snapshots.KIND, f"{path}.items[{index}]"
            yield from opened(with_kind(item, kind), origin, place, in_snapshot=inside, where=where)
    if not listed or kind == snapshots.KIND:
        where = InFile(where.file) if in_snapshot else where
        yield KubernetesObject(value, origin, path, in_snapshot=in_snapshot, where=where)


def _is_event(value: Mapping[str, Any]) -> bool:
    """Return whether an object is one of ``kubectl get --watch --output-watch-events``."""
    return isinstance(value.get("type"), str) and isinstance(value.get("object"), Mapping)


_OF_RUNTIMES: Final = ({"hashcompat"}, {"Id", "State"}, {"status", "info"}, {"id", "state", "metadata"})
"""Keys of what the collector prints, of docker and crictl inspect, and of the rows of crictl's lists."""


def _of_runtime(value: object) -> str:
    """Return what to do with what a container runtime shows; empty for anything else."""
    document = value if isinstance(value, Mapping) else {"items": value}
    first = [document, *rows(document, "containers")[:1], *rows(document, "items")[:1]]
    is_one = any(isinstance(row, Mapping) and keys <= set(row) for row in first for keys in _OF_RUNTIMES)
    return "; what a container runtime shows goes to --recorded, beside the pods" if is_one else ""


_KINDS: Final = ("List", "Pod", "Node", *WORKLOADS, budgets.KIND, budgets.SERVICE)
_NEARLY: Final = {
    kind.lower(): kind for name in _KINDS for kind in ((name,) if name == "List" else (name, f"{name}List"))
}
"""The kinds that are read, by what they are in lower case."""
_EXACT: Final = frozenset(_NEARLY.values())
_OWN_GROUPS: Final = GROUPS | {"policy"}


def _check_kind(value: Mapping[str, Any], kind: str, place: str) -> None:
    """Raise InputError for what nearly is an object that is read, and so would be passed over in silence."""
    if kind not in _EXACT and group_of(value) in _OWN_GROUPS:
        lower = kind.strip().lower()
        nearly = _NEARLY.get(lower) or _NEARLY.get(lower.removesuffix("s"))
        if nearly:
            raise InputError(f"{place}.kind: want {nearly}, got {word(kind)}")
    if is_list(kind) and type(items := value.get("items")) is not list:
        if items is not None:
            raise InputError(f"{place}.items: want a list, got {kind_of(items)}")
        wrong = next((key for key in value if key != "items" and str(key).lower() == "items"), None)
        if wrong is not None:
            raise InputError(f"{place}.{wrong}: want items, got {word(wrong)}")


def _check_answer(value: Mapping[str, Any], kind: str, place: str) -> None:
    """Raise InputError for what an API server returns in place of objects, or of all of them."""
    status = value.get("status")
    of_server = value.get("apiVersion") == "v1" and status != "Success"
    if kind == "Status" and (of_server or status == "Failure"):
        raise InputError(f"{place}: {REFUSED}; save objects: {SAVE}")
    if is_list(kind):
        # one page of a list (``metav1.ListMeta``) lacks the pods of the other pages
        metadata = part(value, "metadata")
        for key in ("continue", "remainingItemCount"):
            if metadata.get(key):
                raise InputError(
                    f"{place}.metadata.{key}: this is one page of a list that goes on; "
                    "save all of it, with kubectl get -o json or without a limit"
                )


def read(resource: KubernetesObject) -> Iterator[Content]:
    """Yield what is read of one object.

    Raises InputError, with ``origin`` and the path, for a pod without containers and for what no API server
    would return.
    """
    if resource.maker is not None:
        made = resource.maker.made(resource.origin, resource.path, resource.where)
        yield structs.replace(made, doubt=resource.doubt) if resource.doubt else made
        return
    value, kind = resource.value, resource.value["kind"]
    fields = Fields(value, resource.origin, resource.path, resource.where)
    if kind == "Pod":
        pod = structs.replace(of_pod(fields), doubt=resource.doubt)
        yield snapshots.with_stored(fields, pod) if resource.in_snapshot else pod
    elif kind == "Node" and not group_of(value):
        yield of_node(fields)
    elif budgets.is_budget(value):
        yield budgets.of_budget(value)
    elif (service := budgets.of_service(value)) is not None:
        yield service
    elif kind == snapshots.KIND:
        snapshots.check_version(value, resource.origin)
        snapshots.taken_at(value, resource.origin)
        snapshots.cluster_of(value, resource.origin)
        yield from snapshots.records(value, resource.origin)
    elif (place := place_of(value)) is not None:
        yield structs.replace(of_template(fields, place), doubt=resource.doubt)


def containers_of(value: Mapping[str, Any]) -> int:
    """Return how many containers a pod has, but for its init containers; 0 for any other object."""
    containers = part(value, "spec").get("containers") if value["kind"] == "Pod" else ()
    return len(containers) if isinstance(containers, list) else 0


def cluster_of(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the UID of a cluster, that of its namespace kube-system, which a snapshot keeps; or nothing.

    Raises InputError, as ``snapshots.cluster_of``.
    """
    if value["kind"] == snapshots.KIND and (uid := snapshots.cluster_of(value, "")):
        yield uid
    metadata = part(value, "metadata") if value["kind"] == "Namespace" else {}
    if metadata.get("name") == SYSTEM and (uid := text(metadata, "uid")):
        yield uid


def is_list(kind: object) -> bool:
    """Return whether the items of an object of that kind are objects."""
    return isinstance(kind, str) and (kind.endswith("List") or kind == snapshots.KIND)


def with_kind(item: object, list_kind: str) -> object:
    """Give an item the kind that its typed list implies (PodList -> Pod); a plain List implies none."""
    implied = list_kind.removesuffix("List") if list_kind != snapshots.KIND else ""
    return {"kind": implied, **item} if implied and isinstance(item, Mapping) else item


def of_node(fields: Fields) -> Node:
    """Return what a plan asks of a node.

    Raises InputError, with its place, for what no API server would return.
    """
    metadata, status = map(fields.object, ("metadata", "status"))
    info, features = map(status.object, ("nodeInfo", "features"))
    labels = metadata.object("labels").value if "labels" in metadata.value else None
    spec = fields.object("spec")
    strict = features.value.get("supplementalGroupsPolicy")
    return Node(
        metadata.string("name"),
        info.string("kubeletVersion"),
        info.string("containerRuntimeVersion"),
        labels,
        _taints(spec),
        strict if isinstance(strict, bool) else None,
        _conditions(status.value.get("conditions")),
        _amounts(status.value.get("allocatable")),
        _amounts(status.value.get("capacity")),
        _arguments(part(metadata.value, "annotations").get("k3s.io/node-args")),
        heartbeat(status.value.get("conditions")),
        _shown(info, "operatingSystem", labels, scheduling.SYSTEM),
        _drivers(part(metadata.value, "annotations")),
        _shown(info, "architecture", labels, scheduling.ARCHITECTURE),
        numbers[0] if (numbers := _KERNEL.match(info.string("kernelVersion"))) else "",
        metadata.string("uid"),
    )


_KERNEL: Final = regex(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}")


def _taints(spec: Fields) -> tuple[Mapping[str, Any], ...]:
    """Return the taints, with that of a cordoned node, which controllers add from 1.12 on only."""
    for taint in spec.objects("taints"):
        for key in ("key", "value", "effect"):
            taint.string(key)
    taints = tuple(spec.rows("taints"))
    if spec.value.get("unschedulable") is True and not any(
        row.get("key") == scheduling.CORDONED for row in taints
    ):
        return (*taints, {"key": scheduling.CORDONED, "effect": "NoSchedule"})
    return taints


def _shown(info: Fields, key: str, labels: Mapping[str, Any] | None, label: str) -> str:
    """Return what a status shows of a node; its kubelet sets the label as well, and corrects it."""
    value = (labels or {}).get(label)
    return info.string(key) or (value if isinstance(value, str) else "")


def _arguments(noted: object) -> tuple[str, ...] | None:
    """Return the arguments that k3s notes (its pkg/nodeconfig/nodeconfig.go, a JSON list, tokens masked)."""
    arguments = _noted(noted)
    words = arguments if isinstance(arguments, list) else []
    return tuple(words) if words and all(isinstance(word, str) for word in words) else None


def _drivers(annotations: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the CSI drivers of a node (pkg/volume/csi/nodeinfomanager/nodeinfomanager.go, 1.11 - 1.37).

    A kubelet gives each Node annotations: one without any was not saved as it is.
    """
    if not annotations:
        return None
    drivers = _noted(annotations.get(snapshots.DRIVERS))
    return tuple(sorted(map(clean, drivers))) if isinstance(drivers, Mapping) else ()


def _noted(text: object) -> object:
    """Return the JSON in an annotation; None where it is none."""
    try:
        return loads(text) if isinstance(text, str) else None
    except InputError:
        return None


def _amounts(amounts: object) -> Mapping[str, Any] | None:
    """Return the resources that a status shows: texts and numbers, by names."""
    if not isinstance(amounts, Mapping):
        return None
    return {clean(name): value for name, value in amounts.items() if type(value) in (str, int, float)}


def _conditions(rows: object) -> Mapping[str, str] | None:
    if not isinstance(rows, list):
        return None
    pairs = ((row.get("type"), row.get("status")) for row in rows if isinstance(row, Mapping))
    return {
        clean(name): clean(state) for name, state in pairs if isinstance(name, str) and isinstance(state, str)
    }


Key = str | bytes
"""A uid in little memory."""
_PLACES: Final = {
    "origin",
    "file",
    "line",
    "path",
    "spec",
    "containers",
    "static_manifest",
    "shape",
    "blank",
    "own",
    "seen",
    "claims",
}
"""Where something is, and what is written in a form of its own."""
_NO_VERDICT: Final = {"labels", "ready", "ready_since"}
"""What no verdict depends on, so that the first copy counts."""
_POD: Final = tuple(name for name in Pod.__struct_fields__ if name not in _PLACES | _NO_VERDICT)
_CONTAINER: Final = tuple(name for name in Container.__struct_fields__ if name not in _PLACES)


def pods_of(
    objects: Iterable[KubernetesObject], templates: CountedTemplates, uids: set[Key] | None = None
) -> Iterator[Pod]:
    """Yield the pods of some objects, and the pod templates that count, each once.

    Pods without a uid are never copies. ``objects`` can be iterated over again. The uids, packed, are added
    to ``uids``, an empty set. Raises InputError for an object that cannot be read, and where two pods of one
    uid differ in anything that is read.
    """
    uids = set() if uids is None else uids
    digests: dict[Key, int] | None = None  # until there is a copy
    for resource, pod in _with_objects(objects, templates):
        uid = packed(_uid(resource, pod))
        if uid in uids:
            digests = _digests(objects, templates, uids) if digests is None else digests
            _check_same(resource, pod, digests[uid], objects)
            continue
        if uid:
            uids.add(uid)
            if digests is not None:
                digests[uid] = _digest(pod)
        yield pod


def _with_objects(
    objects: Iterable[KubernetesObject], templates: CountedTemplates
) -> Iterator[tuple[KubernetesObject, Pod]]:
    makers, volumes = templates.makers, templates.volumes
    for resource in objects:
        for pod in read(resource) if templates.counts(resource.value) else ():
            if type(pod) is Pod:
                workload = makers.get((pod.namespace, pod.owner), pod.workload) if makers else pod.workload
                kinds = behind(pod.spec, pod.namespace, pod.name, volumes) if volumes else ()
                same = workload == pod.workload and kinds == pod.persistent
                yield resource, pod if same else structs.replace(pod, workload=workload, persistent=kinds)


def _uid(resource: KubernetesObject, pod: Pod) -> str:
    return pod.uid or resource.uid


def _digests(
    objects: Iterable[KubernetesObject], templates: CountedTemplates, uids: Collection[Key]
) -> dict[Key, int]:
    """Digest the first pod of each of some uids: done once there is a copy, which few inputs hold."""
    digests: dict[Key, int] = {}
    for resource, pod in _with_objects(objects, templates):
        uid = packed(_uid(resource, pod))
        if uid and uid not in digests:
            digests[uid] = _digest(pod)
            if len(digests) == len(uids):
                break
    return digests


def _check_same(
    resource: KubernetesObject, pod: Pod, digest: int, objects: Iterable[KubernetesObject]
) -> None:
    """Raise InputError for a pod that is not as the first one of its uid, whose digest is given."""
    if _digest(pod) != digest:
        uid = _uid(resource, pod)
        first = next(candidate for candidate in objects if candidate.uid == uid)
        raise InputError(
            f"{first} and {resource}: two different pods share a uid, "
            f"{name_path(pod.namespace, pod.name)}: {uid};"
            " pass only the newer one"
        )


def _digest(pod: Pod) -> int:
    """Digest what is read of a pod, but for where it is in the input, into 8 bytes."""
    pod_parts = [getattr(pod, name) for name in _POD]
    seen = {name: (container.image, container.resources) for name, container in (pod.seen or {}).items()}
    containers = [[repr(getattr(container, name)) for name in _CONTAINER] for container in pod.containers]
    try:
        document = canonical((pod_parts, seen, sorted(pod.claims), containers, pod.spec))
    except InputError as error:
        raise InputError(f"{pod.origin}: {error}") from None
    return int.from_bytes(blake2b(document, digest_size=8).digest())


def nodes_of(nodes: Iterable[tuple[Node, KubernetesObject]]) -> tuple[Node, ...]:
    """Return the nodes, each once, with its oldest heartbeat: kubelets renew it every few minutes.

    Raises InputError, naming both objects, where two of one name differ in anything else that is read.
    """
    by_name: dict[str, tuple[Node, KubernetesObject]] = {}
    for node, resource in nodes:
        first, where = by_name.setdefault(node.name, (node, resource))
        if first == node:
            continue
        if parts := _differing(first, node):
            raise InputError(
                f"{where} and {resource}: two different nodes share the name {node.name}: "
                f"{_difference(first, node, parts)}; pass only the newer one"
            )
        oldest = min(filter(None, (first.heartbeat, node.heartbeat)), default=None)
        by_name[node.name] = structs.replace(first, heartbeat=oldest), where
    return tuple(node for node, _ in by_name.values())


_PARTS: Final[Mapping[str, str]] = {
    "uid": "uids",
    "kubelet": "",
    "runtime": "",
    "labels": "labels",
    "taints": "taints",
    "strict_groups": "features",
    "conditions": "conditions",
    "allocatable": "allocatable resources",
    "capacity": "capacity",
    "node_arguments": "arguments of k3s",
    "system": "operating system",
    "drivers": "CSI drivers",
    "kernel": "kernel",
}
"""What is read of a node that does not change while it runs as it is, with its words in messages."""


def _differing(node: Node, other: Node) -> list[str]:
    pairs = {name: (getattr(node, name), getattr(other, name)) for name in _PARTS}
    # an object that was not saved as it is may lack its uid and its kernel
    return [name for name, (a, b) in pairs.items() if a != b and (name not in ("uid", "kernel") or (a and b))]


def _difference(node: Node, other: Node, parts: Iterable[str]) -> str:
    if (node.kubelet, node.runtime) != (other.kubelet, other.runtime):
        return f"{_reported(node)}, and {_reported(other)}"
    return f"they differ in their {' and '.join(_PARTS[name] for name in parts)}"


def _reported(node: Node) -> str:
    return " on ".join(filter(None, (node.kubelet, node.runtime))) or "one without a kubelet release"
