"""The same object given more than once, in two files or twice in one, counts once.

Two copies have one uid; copies of a node, whose uid nothing needs, have one name. Copies that differ were
taken at two times: no verdict could be given for both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsontext import canonical
from hashcompat.core.model.escape import name_path
from hashcompat.core.model.pods import Container, Node, Pod
from hashcompat.core.model.uids import packed
from hashcompat.sources.controllers import Templates
from hashcompat.sources.objects import Object, read

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


def pods_of(objects: Iterable[Object], templates: Templates, uids: set[Key] | None = None) -> Iterator[Pod]:
    """Yield the pods of some objects, and the pod templates that count, each once.

    Pods without a uid are never copies. ``objects`` can be iterated over again. The uids, packed, are added
    to ``uids``, an empty set. Raises InputError for an object that cannot be read, and where two pods of one
    uid differ in anything that is read.
    """
    uids = set() if uids is None else uids
    digests: dict[Key, int] | None = None  # until there is a copy
    for found, pod in _every(objects, templates):
        uid = packed(_uid(found, pod))
        if uid in uids:
            digests = _digests(objects, templates, uids) if digests is None else digests
            _check_same(found, pod, digests[uid], objects)
            continue
        if uid:
            uids.add(uid)
            if digests is not None:
                digests[uid] = _digest(pod)
        yield pod


def _every(objects: Iterable[Object], templates: Templates) -> Iterator[tuple[Object, Pod]]:
    for found in objects:
        for pod in read(found) if templates.counts(found.value) else ():
            if type(pod) is Pod:
                yield found, pod


def _uid(found: Object, pod: Pod) -> str:
    return pod.uid or found.uid


def _digests(objects: Iterable[Object], templates: Templates, uids: Collection[Key]) -> dict[Key, int]:
    """Digest the first pod of each of some uids: done once there is a copy, which few inputs hold."""
    digests: dict[Key, int] = {}
    for found, pod in _every(objects, templates):
        uid = packed(_uid(found, pod))
        if uid and uid not in digests:
            digests[uid] = _digest(pod)
            if len(digests) == len(uids):
                break
    return digests


def _check_same(found: Object, pod: Pod, digest: int, objects: Iterable[Object]) -> None:
    """Raise InputError for a pod that is not as the first one of its uid, whose digest is given."""
    if _digest(pod) != digest:
        uid = _uid(found, pod)
        first = next(one for one in objects if one.uid == uid)
        raise InputError(
            f"{first} and {found}: two different pods share a uid, "
            f"{name_path(pod.namespace, pod.name)}: {uid};"
            " pass only the newer one"
        )


def _digest(pod: Pod) -> int:
    """Digest what is read of a pod, but for where it is in the input, into 8 bytes."""
    pod_parts = [getattr(pod, name) for name in _POD]
    seen = {name: (one.image, one.resources) for name, one in (pod.seen or {}).items()}
    containers = [[repr(getattr(one, name)) for name in _CONTAINER] for one in pod.containers]
    try:
        document = canonical((pod_parts, seen, sorted(pod.claims), containers, pod.spec))
    except InputError as error:
        raise InputError(f"{pod.origin}: {error}") from None
    return int.from_bytes(blake2b(document, digest_size=8).digest())


def nodes_of(nodes: Iterable[tuple[Node, Object]]) -> tuple[Node, ...]:
    """Return the nodes, each once.

    Raises InputError, naming both objects, where two of one name differ in anything that is read.
    """
    known: dict[str, tuple[Node, Object]] = {}
    for node, found in nodes:
        first, where = known.setdefault(node.name, (node, found))
        if first != node:
            raise InputError(
                f"{where} and {found}: two different nodes share the name {node.name}: "
                f"{_difference(first, node)}; pass only the newer one"
            )
    return tuple(node for node, _ in known.values())


def _difference(one: Node, other: Node) -> str:
    if (one.kubelet, one.runtime) != (other.kubelet, other.runtime):
        return f"{_reported(one)}, and {_reported(other)}"
    return "their labels, taints, features or resources differ"


def _reported(node: Node) -> str:
    return " on ".join(filter(None, (node.kubelet, node.runtime))) or "one without a kubelet release"
