"""Release data and options, bound once: what a kubelet sees of a container, and how it hashes that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.patched import AssumedPatch, CurrentPatch, as_decoded, as_patched
from hashcompat.core.catalog.behaviour import NO_SETTINGS, Gates, Settings, joined
from hashcompat.core.catalog.defaults import PodCreation
from hashcompat.core.catalog.lookup import Catalog, Kubelet
from hashcompat.core.errors import CutError
from hashcompat.core.kubelet.decide.pod import ending
from hashcompat.core.kubelet.decide.room.tenants import Turns
from hashcompat.core.kubelet.hashing import ContainerHash, container_hash
from hashcompat.core.model.plan import Shortage
from hashcompat.core.model.pods import Container, Pod

Spec = Mapping[str, Any]
"""A container's JSON."""


HashOf = Callable[[Pod, Container, Spec, Kubelet], ContainerHash]
"""How a container of an API pod is hashed unchanged: ``View.hash``, or a function that caches its results."""


class View(msgspec.Struct, frozen=True):
    """The release data and the options for one computation."""

    catalog: Catalog
    options: Options = msgspec.field(default_factory=Options)
    """How pods are read, and what else is known."""
    patch: AssumedPatch | None = None
    """The patch of ``options``, resolved for one upgrade."""
    current_patch: CurrentPatch | None = None
    """The patch of the current kubelets, resolved too."""
    dated: bool = True
    """Whether the pods are as they run under the current kubelets, so that their times count."""
    short: Mapping[str, Shortage] = msgspec.field(default_factory=dict)
    """The pods that the target kubelet has no room for, by their uids."""
    deferred: Mapping[str, Shortage] = msgspec.field(default_factory=dict)
    """The pods that it has no room to resize, by their uids."""
    unheld: Mapping[str, Turns] = msgspec.field(default_factory=dict)
    """How many CPUs pods of a node may take anew (``Rooms.unheld``), by the nodes' names."""
    gone: frozenset[str] = frozenset()
    """The uids of pods that are said to run, and whose sandbox no runtime has any more."""
    taken: Mapping[str, datetime] = msgspec.field(default_factory=dict)
    """When each file was taken, UTC, as far as that is known, which decides whose deadlines had passed."""
    sample: bool = False
    """Whether they are those of the sample, whose nodes run whatever release is asked for."""

    def kubelet(self, release: str, own: Settings = NO_SETTINGS) -> Kubelet:
        """Return a kubelet, patched where the patch concerns it. Raises UsageError for an unknown release.

        ``own``: the feature gates that its node sets; they win over those of the options.
        """
        return as_patched(self._upstream(release, own), self.patch)

    def current(self, release: str, own: Settings = NO_SETTINGS) -> Kubelet:
        """Return a current kubelet, patched as the current ones are; errors as ``kubelet``."""
        if self.current_patch is not None:
            return self.current_patch.applied(self._upstream(release, own))
        return self.kubelet(release, own)

    def _upstream(self, release: str, own: Settings) -> Kubelet:
        return self.catalog.kubelet(release, joined(self.options.gate_settings, own))

    def has_passed(self, file: str, deadline: datetime) -> bool:
        """Return whether a deadline had passed when a file was taken, as far as that is known."""
        return file in self.taken and deadline <= self.taken[file]

    def is_overdue(self, pod: Pod) -> bool:
        """Return whether a pod's deadline had passed; none counts of a pod that has finished."""
        return pod.deadline is not None and not ending(pod) and self.has_passed(*pod.deadline)

    def concerns(self, pod: Pod) -> bool:
        """Return whether something decides about a pod that is only found among all of them."""
        uid = pod.uid
        is_named = uid in self.short or uid in self.deferred or uid in self.gone
        return is_named or pod.node in self.unheld or self.is_overdue(pod)

    def keeps_empty(self, pod: Pod) -> bool:
        """Return whether empty lists and maps count: only in a manifest that a kubelet reads from a file."""
        return pod.manifest and (pod.static_manifest is not None or not self.options.defaults)

    def is_created(self, pod: Pod) -> bool:
        """Return whether a pod is a manifest that an API server creates first."""
        return pod.manifest and self.options.defaults and pod.static_manifest is None

    def creator(self, kubelet: Kubelet) -> PodCreation:
        """Return the API server that creates a manifest's pod for this kubelet.

        Its release is the option ``apiserver``, or else the kubelet's own.
        """
        return self.api_server(self._creating(kubelet))

    def creator_gates(self, kubelet: Kubelet) -> Gates:
        """Return the feature gates of that API server."""
        return self.catalog.kubelet(self._creating(kubelet), self.options.gate_settings).gates

    def _creating(self, kubelet: Kubelet) -> str:
        return self.options.apiserver or str(kubelet.release)

    def api_server(self, release: str) -> PodCreation:
        """Return what an API server does to a manifest; errors as ``kubelet``."""
        return self.catalog.api_server(release, self.options.gate_settings)

    def seen(self, pod: Pod, container: Container, kubelet: Kubelet) -> Spec:
        """Return the container JSON that a kubelet sees.

        An API pod's is unchanged, a manifest's is as an API server would serve it, and a static pod's as the
        kubelet itself defaults it. Raises DecodeError for JSON that does not fit the Go types, and for a pod
        that may not be whole.
        """
        check_whole(pod)
        if pod.static_manifest is not None and not container.removed:
            from hashcompat.core.kubelet.staticpods import static_view  # noqa: PLC0415 - static pods alone need it

            place = container.path.rpartition(".")[2]
            return static_view(pod.static_manifest, kubelet).containers.get(place, container.spec)
        return created(pod, container, self.creator(kubelet)) if self.is_created(pod) else container.spec

    def hash(self, pod: Pod, container: Container, spec: Spec, kubelet: Kubelet) -> ContainerHash:
        """Hash what a kubelet sees of a container; no candidates where it reads manifests in unknown ways.

        Raises DecodeError for JSON that does not fit the Go types, and NotStoredError for a container of a
        snapshot that does not cover the kubelet.
        """
        if pod.static_manifest is not None and not kubelet.static_pods.is_known and kubelet.era.whole:
            return ContainerHash(frozenset(), kubelet.era.name)
        decoded, keep_empty = as_decoded(spec, kubelet), self.keeps_empty(pod)
        return container_hash(decoded, kubelet, keep_empty=keep_empty, stored=container.stored)


def is_plain(view: View) -> bool:
    """Return whether only pods and releases decide, no record of a container and no patch."""
    records = view.options.records
    recorded = records or records.applied or any(True for _ in records.sandboxes)
    return not recorded and view.patch is None and view.current_patch is None


def check_whole(pod: Pod) -> None:
    """Raise CutError for a pod that may be only the first part of one."""
    if pod.doubt:
        raise CutError(pod.doubt)


def created(pod: Pod, container: Container, server: PodCreation) -> Spec:
    """Return a manifest's container JSON as the API server that creates its pod serves it."""
    from hashcompat.core.apiserver.created import (  # noqa: PLC0415 - manifests alone need these
        as_served,
        image_volumes,
        with_profiles,
    )

    return as_served(
        with_profiles(pod, container, server.profiles),
        server,
        container_type=container.type,
        host_network=pod.host_network,
        image_volumes=image_volumes(pod.spec),
    )


def place(pod: Pod, container: Container) -> str:
    """Return the start of a DecodeError's path: a static pod's manifest is decoded as a whole."""
    return "$" if pod.static_manifest else container.path
