"""A container and two kubelets -> the case that the rules decide: what each kubelet gets to see, and what it hashes it to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hashcompat.apiserver.admission import ADDITIONS
from hashcompat.apiserver.created import as_defaulted, as_served
from hashcompat.apiserver.gates import gates_at_work, image_volumes
from hashcompat.apiserver.on_read import ReadDefault, added_paths, as_read, as_unread, default_from_row
from hashcompat.catalog.defaults import ApiServer
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.kubelet.decide.case import RESIZE_GATE, Case
from hashcompat.kubelet.decide.container import applies_resources, restarted_for
from hashcompat.kubelet.hashing import ContainerHash, container_hash
from hashcompat.kubelet.staticpods import StaticUid, static_view
from hashcompat.model.pods import Container, Node, Pod
from hashcompat.planning.options import Options
from hashcompat.planning.patched import accepted_hashes, as_decoded

Spec = Mapping[str, Any]

Likeness = tuple[Any, ...]

HashOf = Callable[[Spec, Kubelet], ContainerHash]
"""How an API pod's container is hashed: ``container_hash``, or what remembers its results."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A case with what each kubelet gets to see, and the paths that the new API server fills by itself."""

    case: Case
    old_spec: Spec
    new_spec: Spec
    filled: tuple[str, ...]


def place(pod: Pod, container: Container) -> str:
    """Return where a path that a DecodeError bears begins: a static pod's manifest is decoded as a whole."""
    return "$" if pod.static_manifest else container.path


def hashed_spec(pod: Pod, container: Container, kubelet: Kubelet, catalog: Catalog, options: Options) -> Spec:
    """Return the container JSON that a kubelet sees.

    As given for an API pod, as an API server would serve it for a manifest, as the kubelet itself defaults it
    for a file of its own.
    """
    if pod.static_manifest is not None:
        containers = static_view(pod.static_manifest, kubelet).containers
        return containers[pod.containers.index(container)] if containers else container.spec
    if pod.manifest and options.defaults:
        return _created(pod, container, creator(kubelet, catalog, options))
    return container.spec


def _created(pod: Pod, container: Container, server: ApiServer) -> Spec:
    """Return the container JSON of a manifest as the API server gives it back that creates its pod."""
    images = image_volumes(pod.spec)
    return as_served(
        container.spec,
        server,
        container_type=container.type,
        host_network=pod.host_network,
        image_volumes=images,
    )


def creator(kubelet: Kubelet, catalog: Catalog, options: Options) -> ApiServer:
    """Return the API server that creates a manifest's pod for this kubelet: that of ``--apiserver``, or of the kubelet's release."""
    return catalog.api_server(options.apiserver or str(kubelet.release))


def keeps_empty(pod: Pod, options: Options) -> bool:
    """Tell whether empty lists and maps count: only in a manifest that is taken as a kubelet reads it from a file."""
    return pod.manifest and (pod.static_manifest is not None or not options.defaults)


def hash_seen(pod: Pod, options: Options, spec: Spec, kubelet: Kubelet) -> ContainerHash:
    """Hash what ``kubelet`` sees of a container; of a static pod's manifest that it reads in ways not known there is no candidate."""
    if pod.static_manifest is not None and not kubelet.static_pods.known:
        return ContainerHash(frozenset(), kubelet.era.name)
    return container_hash(spec, kubelet, keep_empty=keeps_empty(pod, options))


def prepare(
    pod: Pod,
    container: Container,
    kubelets: tuple[Kubelet | None, Kubelet],
    node: Node | None,
    catalog: Catalog,
    options: Options,
    hash_of: HashOf = container_hash,
) -> Prepared:
    """Build the case of one container; an old kubelet of which the release is not known counts as the new one.

    Raises DecodeError, with the path inside the container, for JSON that does not fit the Go types of one of
    the kubelets.
    """
    new = kubelets[1]
    old = kubelets[0] or new
    spec = hashed_spec(pod, container, old, catalog, options)
    read = _read(spec, pod, container, (old, new), catalog, options)
    if pod.manifest or read.spec is not spec:
        hash_of = partial(hash_seen, pod, options)
    new_hash = hash_of(as_decoded(read.spec, new, options.patch), new)
    case = Case(
        pod,
        container,
        old,
        new,
        old_hash=hash_of(as_decoded(spec, old, options.patch), old),
        new_hash=replace(new_hash, candidates=new_hash.candidates | read.without),
        old_known=kubelets[0] is not None,
        cri_dockerd=options.cri_dockerd,
        gates=options.gates,
        gates_off=options.gates_off,
        without_resources=_without_resources(read.spec, new, options),
        lost_default=read.lost,
        accepted=_accepted(pod, read.spec, new, options),
        static_uids=_static_uids(pod, (old, new)),
    )
    if pod.manifest and options.defaults and pod.static_manifest is None:
        case = replace(
            case,
            admission=_deciding_addition(case, spec, catalog, options),
            server_gate=_deciding_gate(case, spec, catalog, options),
        )
    return Prepared(_situated(case, node, catalog, options), spec, read.spec, read.filled)


def _accepted(pod: Pod, spec: Spec, new: Kubelet, options: Options) -> frozenset[int]:
    patch = options.patch
    if patch is None or patch.strategy != "accept" or not patch.concerns(new):
        return frozenset()
    return accepted_hashes(spec, new, patch.likes, patch.defaults, keep_empty=keeps_empty(pod, options))


def likeness(pod: Pod, container: Container) -> Likeness:
    """Return what two containers have to share for the same hashes: the spec as written, and what of the pod plays a part in it."""
    place = (pod.static_manifest, container.path) if pod.static_manifest else ()
    images = image_volumes(pod.spec) if pod.manifest else ()
    return (
        repr(container.spec),
        container.type,
        pod.manifest,
        pod.host_network,
        images,
        pod.static,
        pod.automount,
        place,
    )


def replica(
    prepared: Prepared, pod: Pod, container: Container, node: Node | None, catalog: Catalog, options: Options
) -> Prepared:
    """Return the case of a container like one that is prepared, as replicas are: the hashes are the same, what is around it is its own."""
    return replace(
        prepared, case=_situated(replace(prepared.case, pod=pod, container=container), node, catalog, options)
    )


def _situated(case: Case, node: Node | None, catalog: Catalog, options: Options) -> Case:
    """Add what is known of the one container, its pod and its node."""
    recorded, sandboxes = options.records.of(case.pod, case.container), options.records.sandboxes_of(case.pod)
    return replace(case, recorded=recorded, sandboxes=sandboxes, runtime=_runtime(node, case, catalog))


def seen_specs(
    pod: Pod, container: Container, kubelets: tuple[Kubelet, Kubelet], catalog: Catalog, options: Options
) -> tuple[Spec, Spec]:
    """Return what each of two kubelets gets to see of a container: the new one after a new API server's defaults."""
    spec = hashed_spec(pod, container, kubelets[0], catalog, options)
    return spec, _read(spec, pod, container, kubelets, catalog, options).spec


@dataclass(frozen=True, slots=True)
class _Read:
    """What the new kubelet gets from the API server to come: the spec, the paths of new defaults in it that its hash shows.

    ``lost`` names a default that only the present API server writes on reading, and ``without`` holds the
    hashes without it: nobody can tell whether it is stored too.
    """

    spec: Spec
    filled: tuple[str, ...] = ()
    lost: str = ""
    without: frozenset[int] = frozenset()


def _static_uids(pod: Pod, kubelets: tuple[Kubelet, Kubelet]) -> tuple[StaticUid, ...]:
    return (
        tuple(static_view(pod.static_manifest, kubelet).uid for kubelet in kubelets)
        if pod.static_manifest
        else ()
    )


def _read(
    spec: Spec,
    pod: Pod,
    container: Container,
    kubelets: tuple[Kubelet, Kubelet],
    catalog: Catalog,
    options: Options,
) -> _Read:
    """Apply the defaults that the API server to come writes on reading and the present one does not."""
    old, new = kubelets
    if pod.static_manifest is not None:
        return _Read(hashed_spec(pod, container, new, catalog, options))
    if pod.manifest and not options.defaults:
        return _Read(spec)
    newer = max(old, new, key=lambda kubelet: kubelet.release.version)
    server = catalog.kubelet(options.apiserver_to) if options.apiserver_to else newer
    since = catalog.kubelet(options.apiserver) if options.apiserver else old
    rows = map(default_from_row, catalog.read_defaults(server.release, since.release, options.gates))
    steps: list[Callable[[Spec], Spec]] = [
        partial(as_read, defaults=[row]) for row in rows if container.type in row.container_types
    ]
    if pod.manifest:
        decoding = catalog.api_server(str(server.release))
        steps.insert(
            0,
            partial(
                as_defaulted, server=decoding, container_type=container.type, host_network=pod.host_network
            ),
        )
    filled: list[str] = []
    for step in steps:
        read = step(spec)
        if read is not spec and read != spec and container_hash(read, new) != container_hash(spec, new):
            filled += added_paths(spec, read)
        spec = read
    if pod.manifest:  # what the present API server wrote was stored with the pod
        return _Read(spec, tuple(filled))
    lost = [
        default_from_row(row) for row in catalog.read_defaults(since.release, server.release, frozenset())
    ]
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
    return (
        node.runtime
        if not case.old_known or catalog.kubelet(node.kubelet).release.version == case.old.release.version
        else ""
    )


def _without_resources(spec: Spec, new: Kubelet, options: Options) -> frozenset[int]:
    """Return what the new kubelet compares with the second recorded hash (helpers.go ``HashContainerWithoutResources``), where it does."""
    compares = RESIZE_GATE in options.gates and new.rules.hash_without_resources
    return container_hash({**spec, "resources": {}}, new).candidates if compares else frozenset()


def _deciding_addition(case: Case, spec: Spec, catalog: Catalog, options: Options) -> str:
    """Name what admission adds and makes the verdict another; empty where the manifest alone decides."""
    differs = _differs(case, spec, catalog, options)
    for what, add in ADDITIONS.items():
        added = add(case.pod, spec)
        if added is not None and differs(added):
            return what
    return ""


def _deciding_gate(case: Case, spec: Spec, catalog: Catalog, options: Options) -> str:
    """Name the feature gates that, on at the API server that created the pod, make the verdict another; empty where none does."""
    pod, container, server = case.pod, case.container, creator(case.old, catalog, options)
    gates = gates_at_work(container.spec, server.dropped, container.type, image_volumes(pod.spec))
    differs = _differs(case, spec, catalog, options)

    def decide(on: tuple[str, ...]) -> bool:
        kept = _created(
            pod,
            container,
            replace(server, dropped=tuple(row for row in server.dropped if row["gate"] not in on)),
        )
        return any(map(differs, [kept, *filter(None, [add(pod, kept) for add in ADDITIONS.values()])]))

    deciding = tuple(gate for gate in gates if decide((gate,)))
    return ", ".join(deciding or (gates if len(gates) > 1 and decide(gates) else ()))


def _differs(case: Case, spec: Spec, catalog: Catalog, options: Options) -> Callable[[Spec], bool]:
    """Return the test whether another spec makes the verdict another than the manifest's own."""
    alone = case.changed, _is_resized(case, spec)
    return lambda other: _outcome(case, other, catalog, options) != alone


def _outcome(case: Case, spec: Spec, catalog: Catalog, options: Options) -> tuple[bool, bool]:
    read = _read(spec, case.pod, case.container, (case.old, case.new), catalog, options).spec
    old_hash, new_hash = container_hash(spec, case.old).candidates, container_hash(read, case.new).candidates
    return old_hash.isdisjoint(new_hash), _is_resized(case, spec)


def _is_resized(case: Case, spec: Spec) -> bool:
    return applies_resources(case) and any(restarted_for(spec))
