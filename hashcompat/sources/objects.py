"""Kubernetes objects -> pods and nodes: lists are opened, pod templates count as pods of their owner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hashcompat.corev1.references import api_references
from hashcompat.errors import InputError
from hashcompat.go.jsontext import clean, kind_of
from hashcompat.model.pods import PROFILES, Container, ContainerType, Node, Pod
from hashcompat.model.records import Record
from hashcompat.sources import mirrors, snapshots
from hashcompat.sources.statuses import STATUSES, States
from hashcompat.sources.templates import Place, group_of, part, place_of

_LISTS: Final = ("spec.initContainers", "spec.containers", "spec.ephemeralContainers")
MOST_CONTAINERS: Final = 500
"""Containers in one list of a pod; each verdict looks at all of them, and ten in a pod are many."""


Found = Pod | Node | Record
"""What an object may hold; only a snapshot holds records."""


BESIDE_PODS: Final = ("Node", snapshots.KIND)
"""The kinds that do not hold pods, but affect every pod's verdict."""


@dataclass(frozen=True, slots=True)
class Object:
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

    def __str__(self) -> str:
        return f"{self.origin}: {self.path}"


def read_object(value: object, origin: str, path: str = "$") -> Iterator[Found]:
    """Yield the pods and nodes in one Kubernetes object; other kinds hold none and are passed over.

    Raises InputError, with ``origin`` and the path, for what is not a Kubernetes object and for a pod without
    containers.
    """
    for found in opened(value, origin, path):
        yield from read(found)


def opened(value: object, origin: str, path: str = "$", *, in_snapshot: bool = False) -> Iterator[Object]:
    """Yield an object, or those in a list and in lists within it; a snapshot comes after what is in it.

    ``in_snapshot``: a snapshot holds the object. Raises InputError, with ``origin`` and the path, for what is
    not a Kubernetes object, and for a list that says that it goes on.
    """
    if not isinstance(value, Mapping):
        raise InputError(
            f"{origin}: {path}: not a Kubernetes object: want an object with apiVersion and kind,"
            f" got {kind_of(value)}"
        )
    kind = value.get("kind")
    if kind is None and path != "$" and "containers" in part(value, "spec"):
        kind = "Pod"  # items of a typed list may leave their kind out
        value = {**value, "kind": kind}
    if not isinstance(kind, str) or not kind:
        raise InputError(f"{origin}: {path}: not a Kubernetes object: it has no kind")
    if is_list(kind):
        _check_end(value, origin, path)
    listed = is_list(kind) and isinstance(value.get("items"), list)
    if listed:
        for index, item in enumerate(value["items"]):
            inside = in_snapshot or kind == snapshots.KIND
            yield from opened(with_kind(item, kind), origin, f"{path}.items[{index}]", in_snapshot=inside)
    if not listed or kind == snapshots.KIND:
        yield Object(value, origin, path, in_snapshot=in_snapshot)


def _check_end(value: Mapping[str, Any], origin: str, path: str) -> None:
    """Refuse one page of a list (``metav1.ListMeta``): the other pages' pods would be missing."""
    metadata = part(value, "metadata")
    for key in ("continue", "remainingItemCount"):
        if metadata.get(key):
            raise InputError(
                f"{origin}: {path}.metadata.{key}: this is one page of a list that goes on; save all of it, "
                "with kubectl get -o json or without a limit"
            )


def read(found: Object) -> Iterator[Found]:
    """Yield what is read of one object.

    Raises InputError, with ``origin`` and the path, for a pod without containers and for what no API server
    would return.
    """
    value, kind, origin, path = found.value, found.value["kind"], found.origin, found.path
    if kind == "Pod":
        pod = replace(_pod(value, origin, path), doubt=found.doubt)
        yield _with_stored(pod) if found.in_snapshot else pod
    elif kind == "Node" and not group_of(value):
        yield _node(value, origin, path)
    elif kind == snapshots.KIND:
        yield from snapshots.records(value, origin)
    elif (place := place_of(value)) is not None:
        yield replace(_template(value, place, origin, path), doubt=found.doubt)


def _with_stored(pod: Pod) -> Pod:
    """Take the stored hashes of a snapshot's containers out of their specs."""
    return replace(pod, containers=tuple(_opened_container(pod, container) for container in pod.containers))


def _opened_container(pod: Pod, container: Container) -> Container:
    if snapshots.HASHES not in container.spec:
        return container
    spec = dict(container.spec)
    place = f"{pod.origin}: {container.path}[{snapshots.HASHES!r}]"
    return replace(container, stored=snapshots.stored_hashes(spec.pop(snapshots.HASHES), place), spec=spec)


def is_list(kind: object) -> bool:
    """Return whether the items of an object of that kind are objects."""
    return isinstance(kind, str) and (kind.endswith("List") or kind == snapshots.KIND)


def with_kind(item: object, list_kind: str) -> object:
    """Give an item the kind that its typed list implies (PodList -> Pod); a plain List implies none."""
    implied = list_kind.removesuffix("List") if list_kind != snapshots.KIND else ""
    return {"kind": implied, **item} if implied and isinstance(item, Mapping) else item


def _mapping(value: Mapping[str, Any], key: str, origin: str, path: str) -> Mapping[str, Any]:
    child = value.get(key)
    if child is None:
        return {}
    if not isinstance(child, Mapping):
        raise InputError(f"{origin}: {path}.{key}: want an object, got {kind_of(child)}")
    return child


def _string(value: Mapping[str, Any], key: str, origin: str, path: str) -> str:
    child = value.get(key)
    if child is None:
        return ""
    if not isinstance(child, str):
        raise InputError(f"{origin}: {path}.{key}: want a string, got {kind_of(child)}")
    return clean(child)


def _node(value: Mapping[str, Any], origin: str, path: str) -> Node:
    metadata = _mapping(value, "metadata", origin, path)
    status = _mapping(value, "status", origin, path)
    info = _mapping(status, "nodeInfo", origin, f"{path}.status")
    features = _mapping(status, "features", origin, f"{path}.status")
    labels = _mapping(metadata, "labels", origin, f"{path}.metadata") if "labels" in metadata else None
    taints = _mapping(value, "spec", origin, path).get("taints")
    strict = features.get("supplementalGroupsPolicy")
    return Node(
        _string(metadata, "name", origin, f"{path}.metadata"),
        _string(info, "kubeletVersion", origin, f"{path}.status.nodeInfo"),
        _string(info, "containerRuntimeVersion", origin, f"{path}.status.nodeInfo"),
        labels,
        tuple(row for row in taints if isinstance(row, Mapping)) if isinstance(taints, list) else (),
        strict if isinstance(strict, bool) else None,
        _conditions(status.get("conditions")),
    )


def _conditions(rows: object) -> Mapping[str, str] | None:
    if not isinstance(rows, list):
        return None
    pairs = ((row.get("type"), row.get("status")) for row in rows if isinstance(row, Mapping))
    return {
        clean(name): clean(state) for name, state in pairs if isinstance(name, str) and isinstance(state, str)
    }


def _template(value: Mapping[str, Any], place: Place, origin: str, path: str) -> Pod:
    metadata = _mapping(value, "metadata", origin, path)
    name = _string(metadata, "name", origin, f"{path}.metadata")
    namespace = _string(metadata, "namespace", origin, f"{path}.metadata")
    template = value
    for key in place:
        template = _mapping(template, key, origin, path)
        path = f"{path}.{key}"
    return _pod(
        {
            "metadata": {
                "name": name,
                "namespace": namespace,
                "annotations": _profiles(part(part(template, "metadata"), "annotations")),
            },
            "spec": template.get("spec"),
        },
        origin,
        path,
        f"{value['kind']}/{name}",
    )


def _pod(value: Mapping[str, Any], origin: str, path: str, owner: str = "") -> Pod:
    metadata = _mapping(value, "metadata", origin, path)
    spec = _mapping(value, "spec", origin, path)
    status = _mapping(value, "status", origin, path)
    meta_path = f"{path}.metadata"
    uid = _string(metadata, "uid", origin, meta_path)
    annotations = _mapping(metadata, "annotations", origin, meta_path)
    if not spec.get("containers"):
        raise InputError(f"{origin}: {path}.spec.containers: a Pod needs at least one container")
    for key in mirrors.ANNOTATIONS:
        _string(annotations, key, origin, f"{meta_path}.annotations")
    node, owner = (
        _string(spec, "nodeName", origin, f"{path}.spec"),
        owner or _owner(metadata, origin, meta_path),
    )
    mirror = mirrors.mirror_of(metadata, annotations, node, owner)
    return Pod(
        origin=origin,
        namespace=_string(metadata, "namespace", origin, meta_path) or "default",
        name=_string(metadata, "name", origin, meta_path)
        or _string(metadata, "generateName", origin, meta_path),
        uid=uid,
        node=node,
        owner=owner,
        manifest=not uid and not status,
        phase=_string(status, "phase", origin, f"{path}.status"),
        deleting=bool(metadata.get("deletionTimestamp")),
        static=mirror.static,
        mirror_doubt=mirror.doubt,
        from_url=mirror.from_url,
        host_network=spec.get("hostNetwork") is True,
        restart_policy=_string(spec, "restartPolicy", origin, f"{path}.spec") or "Always",
        references=api_references(spec),
        automount=automount
        if isinstance(automount := spec.get("automountServiceAccountToken"), bool)
        else None,
        spec=spec,
        profiles=_profiles(annotations) if not uid and not status else {},
        config_hash=mirror.uid,
        containers=tuple(
            _containers(spec, {} if _is_unseen(status, mirror.static) else status, origin, path)
        ),
    )


def _is_unseen(status: Mapping[str, Any], static: bool) -> bool:
    """Return whether a kubelet has never reported on a mirror pod, which it made of a pod that it runs.

    API servers may refuse its reports, such as those of another QoS class than they compute themselves.
    """
    return (
        static
        and status.get("phase") == "Pending"
        and not ({"startTime", *STATUSES.values()} & status.keys())
    )


def _profiles(annotations: Mapping[str, Any]) -> dict[str, str]:
    return {
        key: value
        for key, value in annotations.items()
        if key.startswith(PROFILES) and isinstance(value, str)
    }


def _owner(metadata: Mapping[str, Any], origin: str, path: str) -> str:
    references = metadata.get("ownerReferences") or []
    for reference in references if isinstance(references, list) else []:
        if isinstance(reference, Mapping) and reference.get("controller"):
            return f"{_string(reference, 'kind', origin, path)}/{_string(reference, 'name', origin, path)}"
    return ""


def _containers(
    spec: Mapping[str, Any], status: Mapping[str, Any], origin: str, path: str
) -> Iterator[Container]:
    states = States(status, origin, path)
    for field in _LISTS:
        key = field.rpartition(".")[2]
        items = spec.get(key) or []
        if not isinstance(items, list):
            raise InputError(f"{origin}: {path}.{field}: want a list, got {kind_of(items)}")
        if len(items) > MOST_CONTAINERS:
            raise InputError(f"{origin}: {path}.{field}: more than {MOST_CONTAINERS} containers in one list")
        for index, item in enumerate(items):
            place = f"{path}.{field}[{index}]"
            if not isinstance(item, Mapping):
                raise InputError(f"{origin}: {place}: want an object, got {kind_of(item)}")
            name = _string(item, "name", origin, place)
            state = states.of(key, name)
            yield Container(
                name,
                _type_of(key, item),
                place,
                item,
                state.running,
                state.started,
                state.restarts,
                state.probed,
                state.id,
            )


def _type_of(key: str, item: Mapping[str, Any]) -> ContainerType:
    if key == "containers":
        return ContainerType.CONTAINER
    if key == "ephemeralContainers":
        return ContainerType.EPHEMERAL
    return ContainerType.SIDECAR if item.get("restartPolicy") == "Always" else ContainerType.INIT
