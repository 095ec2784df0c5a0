"""What the target API server serves to the target kubelet: stored containers with its defaults.

Source: pkg/apis/core/v1/defaults.go runs whenever an API server decodes a stored object, so upgrading the API
server changes pods before any kubelet is upgraded (kubernetes/kubernetes#63814).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from hashcompat.analysis.planning.view import Spec, View, check_whole
from hashcompat.core.apiserver import added_paths, as_read, as_unread
from hashcompat.core.catalog.defaults import ReadDefault
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import newer_of
from hashcompat.core.kubelet.decide.whole import Whole
from hashcompat.core.kubelet.hashing import container_hash
from hashcompat.core.model.pods import Container, Pod
from hashcompat.core.model.verdicts import Hash

if TYPE_CHECKING:
    from hashcompat.analysis.planning.served import Served


class Transition(msgspec.Struct, frozen=True):
    """One container and the two kubelets of an upgrade."""

    pod: Pod
    container: Container
    old: Kubelet
    """The current kubelet, or the target one where the current release is unknown."""
    new: Kubelet
    """The target kubelet."""
    whole: Whole
    """What the cases of the pod's containers share."""
    old_known: bool = True
    """Whether the current release is known."""
    served: Served | None = None
    """What API servers make of the container, as far as it is known already."""


class Reading(msgspec.Struct, frozen=True):
    """What the target kubelet sees of a container."""

    spec: Spec
    """The container's JSON."""
    filled: tuple[str, ...] = ()
    """The paths of new defaults that change the target kubelet's hash."""
    lost: str = ""
    """The path of a default that only the current API server writes on reading, so it may not be stored."""
    without: frozenset[Hash] = frozenset()
    """The hashes of the container without the lost default."""


def served_to(transition: Transition, view: View) -> Served | None:
    """Return what API servers make of a manifest's container; None for what none of them creates.

    Raises DecodeError for a pod that may not be whole.
    """
    pod = transition.pod
    if not view.is_created(pod):
        return None
    check_whole(pod)
    from hashcompat.analysis.planning.served import Served  # noqa: PLC0415 - manifests alone need it

    return transition.served or Served(pod, transition.container, transition.whole)


def read(spec: Spec, transition: Transition, view: View, served: Served | None = None) -> Reading:
    """Apply the defaults that the target API server writes on reading and the current one does not.

    ``served`` is what ``served_to`` returned, for callers that have it.
    """
    pod, new = transition.pod, transition.new
    if pod.static_manifest is not None:
        return Reading(view.seen(pod, transition.container, new))
    if pod.manifest and not view.options.defaults:
        return Reading(spec)
    written, lost = rows(transition.old, new, view)
    kind, stored = transition.container.type, transition.container.stored
    served = served or served_to(transition, view)
    hashed = served.hash if served else partial(container_hash, stored=stored)
    steps = list[Callable[[Spec], Spec]]()
    if served is not None:
        _, server = _servers(transition.old, new, view)
        steps.append(partial(served.defaulted, server=view.api_server(str(server.release))))
    steps += [partial(as_read, defaults=[row]) for row in written if kind in row.container_types]
    filled: list[str] = []
    for step in steps:
        after = step(spec)
        changed = after is not spec and after != spec
        if changed and hashed(after, new) != hashed(spec, new):
            filled += added_paths(spec, after)
        spec = after
    reading = Reading(spec, tuple(filled))
    # what the current API server wrote into a manifest's pod was stored with it
    for default in () if pod.manifest else lost:
        before = as_unread(spec, default)
        without = container_hash(before, new, stored=stored).candidates
        if before is not spec and without != container_hash(spec, new, stored=stored).candidates:
            return structs.replace(reading, lost=default.path, without=without)
    return reading


def rows(old: Kubelet, new: Kubelet, view: View) -> tuple[tuple[ReadDefault, ...], tuple[ReadDefault, ...]]:
    """Return what the target API server writes on reading, and what only the current one writes.

    What ``read`` makes of an API pod depends on the two kubelets through these, and on the target kubelet's
    hash.
    """
    since, server = _servers(old, new, view)
    written = view.catalog.read_defaults(server.release, since.release, view.options.gate_settings)
    return written, view.catalog.read_defaults(since.release, server.release)


def _servers(old: Kubelet, new: Kubelet, view: View) -> tuple[Kubelet, Kubelet]:
    """Return the releases of the current and of the target API server."""
    catalog, options = view.catalog, view.options
    newer = newer_of(old, new)
    since = catalog.kubelet(options.apiserver) if options.apiserver else old
    return since, catalog.kubelet(options.apiserver_to) if options.apiserver_to else newer
