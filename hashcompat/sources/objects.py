"""Kubernetes objects -> pods, nodes, budgets, records: lists are opened, each object is read by its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

import msgspec
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import part, text
from hashcompat.core.go.jsontext import kind_of
from hashcompat.core.model.budgets import Budget
from hashcompat.core.model.pods import Container, Node, Pod
from hashcompat.core.model.records import Record
from hashcompat.sources import budgets, snapshots
from hashcompat.sources.fields import IN_NO_FILE, Fields, InFile
from hashcompat.sources.pods import of_pod, of_template
from hashcompat.sources.workloads import group_of, place_of

Found = Pod | Node | Record | Budget
"""What an object may hold; only a snapshot holds records."""

SYSTEM: Final = "kube-system"
"""The namespace that every cluster has as long as it exists."""

BESIDE_PODS: Final = ("Node", budgets.KIND, snapshots.KIND)
"""The kinds that do not hold pods, but affect every pod's verdict, or what it means for others."""


class Maker(Protocol):
    """Makes a pod whose text was not decoded, because it is like that of another one."""

    @property
    def uid(self) -> str:
        """The pod's uid."""

    def made(self, origin: str, path: str, where: InFile) -> Pod:
        """Return the pod; errors as ``of_pod``."""


class Object(msgspec.Struct, frozen=True, eq=False):
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


def read_object(value: object, origin: str, path: str = "$", where: InFile = IN_NO_FILE) -> Iterator[Found]:
    """Yield the pods and nodes in one Kubernetes object; other kinds hold none and are passed over.

    Raises InputError, with ``origin`` and the path, for what is not a Kubernetes object and for a pod without
    containers.
    """
    for found in opened(value, origin, path, where=where):
        yield from read(found)


def opened(
    value: object, origin: str, path: str = "$", *, in_snapshot: bool = False, where: InFile = IN_NO_FILE
) -> Iterator[Object]:
    """Yield an object, or those in a list and in lists within it; a snapshot comes after what is in it.

    ``in_snapshot``: a snapshot holds the object, and nobody edits its lines. Raises InputError, with
    ``origin`` and the path, for what is not a Kubernetes object, and for a list that says that it goes on.
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
            inside, place = in_snapshot or kind == snapshots.KIND, f"{path}.items[{index}]"
            yield from opened(with_kind(item, kind), origin, place, in_snapshot=inside, where=where)
    if not listed or kind == snapshots.KIND:
        where = InFile(where.file) if in_snapshot else where
        yield Object(value, origin, path, in_snapshot=in_snapshot, where=where)


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
    if found.maker is not None:
        made = found.maker.made(found.origin, found.path, found.where)
        yield structs.replace(made, doubt=found.doubt) if found.doubt else made
        return
    value, kind = found.value, found.value["kind"]
    fields = Fields(value, found.origin, found.path, found.where)
    if kind == "Pod":
        pod = structs.replace(of_pod(fields), doubt=found.doubt)
        yield _with_stored(fields, pod) if found.in_snapshot else pod
    elif kind == "Node" and not group_of(value):
        from hashcompat.sources.nodes import of_node  # noqa: PLC0415 - many inputs hold no node

        yield of_node(fields)
    elif budgets.is_budget(value):
        yield budgets.of_budget(value)
    elif kind == snapshots.KIND:
        from hashcompat.sources.snapshots import records  # noqa: PLC0415 - few inputs are snapshots

        snapshots.taken_at(value, found.origin)
        snapshots.cluster_of(value, found.origin)
        yield from records(value, found.origin)
    elif (place := place_of(value)) is not None:
        yield structs.replace(of_template(fields, place), doubt=found.doubt)


def _with_stored(fields: Fields, pod: Pod) -> Pod:
    """Take out what a snapshot adds to a pod: the stored hashes of its containers, and its workload."""
    containers = tuple(_opened_container(pod, container) for container in pod.containers)
    workload = fields.object("metadata").object("annotations").string(snapshots.WORKLOAD)
    return structs.replace(pod, containers=containers, workload=workload or pod.workload)


def _opened_container(pod: Pod, container: Container) -> Container:
    if snapshots.HASHES not in container.spec:
        return container
    spec = dict(container.spec)
    place = f"{pod.origin}: {container.path}[{snapshots.HASHES!r}]"
    return structs.replace(
        container, stored=snapshots.stored_hashes(spec.pop(snapshots.HASHES), place), spec=spec
    )


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
