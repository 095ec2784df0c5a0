"""A container and two kubelets -> the case that the rules decide: what each kubelet gets to see, and what it hashes it to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hashcompat.calibration import Records
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.kubelet.admission import with_token_mount
from hashcompat.kubelet.apiserver import ReadDefault, as_read, as_unread, default_from_row
from hashcompat.kubelet.case import RESIZE_GATE, Case
from hashcompat.kubelet.defaults import as_served
from hashcompat.kubelet.hashing import container_hash
from hashcompat.kubelet.stored import carry
from hashcompat.model import Container, Node, Pod

Spec = Mapping[str, Any]
Likeness = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Options:
    """How pods are read and what else is known.

    ``defaults`` puts manifests through an API server's stages, ``keep_going`` makes UNKNOWN of what does not decode.
    ``records`` are the hashes that a runtime tells, ``gates`` the feature gates that are on, ``gates_off``
    those that are off. ``cri_dockerd`` says that cri-dockerd drives Docker where the kubelet to come does not. ``apiserver`` and
    ``apiserver_to`` are the API server's release now and then; empty: that of the old kubelet, and the newer one of the two kubelets.
    """

    defaults: bool = True
    keep_going: bool = False
    records: Records = field(default_factory=Records)
    gates: frozenset[str] = frozenset()
    gates_off: frozenset[str] = frozenset()
    cri_dockerd: bool = False
    apiserver: str = ""
    apiserver_to: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A case with what each kubelet gets to see, and the paths that the new API server fills by itself."""

    case: Case
    old_spec: Spec
    new_spec: Spec
    filled: tuple[str, ...]


def hashed_spec(pod: Pod, container: Container, catalog: Catalog, options: Options) -> Spec:
    """Return the container JSON that kubelets see: as given for an API pod, as an API server would serve it for a manifest."""
    if pod.manifest and options.defaults:
        return carry(container.spec, as_served(container.spec, catalog.newest_schema(), host_network=pod.host_network))
    return container.spec


def keeps_empty(pod: Pod, options: Options) -> bool:
    """Tell whether empty lists and maps count: only in a manifest that is taken as a kubelet reads it from a file."""
    return pod.manifest and not options.defaults


def prepare(
    pod: Pod, container: Container, kubelets: tuple[Kubelet | None, Kubelet], node: Node | None, catalog: Catalog, options: Options
) -> Prepared:
    """Build the case of one container; an old kubelet of which the release is not known counts as the new one.

    Raises DecodeError, with the path inside the container, for JSON that does not fit the Go types of one of the kubelets.
    """
    new = kubelets[1]
    old = kubelets[0] or new
    spec = hashed_spec(pod, container, catalog, options)
    read = _Read(spec) if pod.manifest else _read(spec, container, old, new, catalog, options)
    keep_empty = keeps_empty(pod, options)
    new_hash = container_hash(read.spec, new, keep_empty=keep_empty)
    case = Case(
        pod,
        container,
        old,
        new,
        old_hash=container_hash(spec, old, keep_empty=keep_empty),
        new_hash=replace(new_hash, candidates=new_hash.candidates | read.without),
        old_known=kubelets[0] is not None,
        cri_dockerd=options.cri_dockerd,
        gates=options.gates,
        gates_off=options.gates_off,
        without_resources=_without_resources(read.spec, new, options),
        lost_default=read.lost,
    )
    decides = options.defaults and _admission_decides(case, spec)
    return Prepared(_situated(replace(case, admission_decides=decides), node, catalog, options), spec, read.spec, read.filled)


def likeness(pod: Pod, container: Container) -> Likeness:
    """Return what two containers have to share for the same hashes: the spec as written, and what of the pod plays a part in it."""
    return repr(container.spec), container.type, pod.manifest, pod.host_network, pod.static, pod.automount


def replica(prepared: Prepared, pod: Pod, container: Container, node: Node | None, catalog: Catalog, options: Options) -> Prepared:
    """Return the case of a container like one that is prepared, as replicas are: the hashes are the same, what is around it is its own."""
    return replace(prepared, case=_situated(replace(prepared.case, pod=pod, container=container), node, catalog, options))


def _situated(case: Case, node: Node | None, catalog: Catalog, options: Options) -> Case:
    """Add what is known of the one container, its pod and its node."""
    recorded, sandboxes = options.records.of(case.pod, case.container), options.records.sandboxes_of(case.pod)
    return replace(case, recorded=recorded, sandboxes=sandboxes, runtime=_runtime(node, case, catalog))


def seen_specs(pod: Pod, container: Container, kubelets: tuple[Kubelet, Kubelet], catalog: Catalog, options: Options) -> tuple[Spec, Spec]:
    """Return what each of two kubelets gets to see of a container: the new one after a new API server's defaults."""
    spec = hashed_spec(pod, container, catalog, options)
    return spec, spec if pod.manifest else _read(spec, container, *kubelets, catalog, options).spec


@dataclass(frozen=True, slots=True)
class _Read:
    """What the new kubelet gets from the API server to come: the spec, the paths of new defaults in it that its hash shows.

    ``lost`` names a default that only the present API server writes on reading, and ``without`` holds the hashes without it: nobody
    can tell whether it is stored too.
    """

    spec: Spec
    filled: tuple[str, ...] = ()
    lost: str = ""
    without: frozenset[int] = frozenset()


def _read(spec: Spec, container: Container, old: Kubelet, new: Kubelet, catalog: Catalog, options: Options) -> _Read:
    """Apply the defaults that the API server to come writes on reading and the present one does not."""
    newer = max(old, new, key=lambda kubelet: kubelet.release.version)
    server = catalog.kubelet(options.apiserver_to) if options.apiserver_to else newer
    since = catalog.kubelet(options.apiserver) if options.apiserver else old
    filled: list[str] = []
    for default in map(default_from_row, catalog.read_defaults(server.release, since.release, options.gates)):
        read = as_read(spec, [default]) if container.type in default.container_types else spec
        if read is not spec and container_hash(read, new) != container_hash(spec, new):
            filled.append(default.path)
        spec = read
    lost = [default_from_row(row) for row in catalog.read_defaults(since.release, server.release, frozenset())]
    return _with_lost(spec, tuple(filled), lost, new)


def _with_lost(spec: Spec, filled: tuple[str, ...], lost: Iterable[ReadDefault], new: Kubelet) -> _Read:
    for default in lost:
        stored = as_unread(spec, default)
        without = container_hash(stored, new).candidates
        if stored is not spec and without != container_hash(spec, new).candidates:
            return _Read(spec, filled, default.path, without)
    return _Read(spec, filled)


def _runtime(node: Node | None, case: Case, catalog: Catalog) -> str:
    """Return the node's runtime, where the node is as the plan begins: with another kubelet it may run another one."""
    if node is None or catalog.knows(node.kubelet) != case.old_known:
        return ""
    return node.runtime if not case.old_known or catalog.kubelet(node.kubelet).release.version == case.old.release.version else ""


def _without_resources(spec: Spec, new: Kubelet, options: Options) -> frozenset[int]:
    """Return what the new kubelet compares with the second recorded hash (helpers.go ``HashContainerWithoutResources``), where it does."""
    compares = RESIZE_GATE in options.gates and new.rules.hash_without_resources
    return container_hash({**spec, "resources": {}}, new).candidates if compares else frozenset()


def _admission_decides(case: Case, spec: Spec) -> bool:
    """Tell whether the hash changes with what admission adds and not without it, or the other way round."""
    mounted = with_token_mount(case.pod, spec)
    if mounted is None:
        return False
    old_hash, new_hash = (container_hash(mounted, kubelet).candidates for kubelet in (case.old, case.new))
    return old_hash.isdisjoint(new_hash) != case.changed
