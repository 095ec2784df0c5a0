"""What of an API pod decides besides hashes, as a key: containers of one kind share their verdicts.

Everything counts but what is named here, so that a field which this program does not know counts too. No
kubelet's decision reads a name or a value of env; a test holds the modules that decide to that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from datetime import date
from hashlib import blake2b
from typing import Any, Final

import msgspec

from hashcompat.core.corev1.scheduling import (
    MIGRATED_VOLUMES,
    SYSTEM,
    asked_of_nodes,
    asks_by_name,
    asks_for_its_node,
    label_keys,
    mounted,
    volume_kinds,
)
from hashcompat.core.kubelet.decide.creation import gated_mounts
from hashcompat.core.kubelet.decide.static import is_pinned
from hashcompat.core.kubelet.decide.whole import devices_of, exit_codes, is_out_of_memory
from hashcompat.core.model.pods import Container, ContainerType, Node, Pod, besides

OF_POD: Final = frozenset(
    {
        *("containers", "initContainers", "ephemeralContainers", "volumes", "nodeName"),
        *("serviceAccount", "serviceAccountName", "imagePullSecrets", "hostAliases", "hostname"),
        *("subdomain", "schedulerName", "enableServiceLinks", "dnsPolicy", "dnsConfig"),
        *("priorityClassName", "preemptionPolicy", "terminationGracePeriodSeconds"),
        *("affinity", "topologySpreadConstraints"),
    }
)
"""The keys of a pod's spec that decide nothing; its containers and its node affinity are looked at besides.

What it asks of other pods is for schedulers alone.
"""

OF_CONTAINER: Final = frozenset(
    {
        *("name", "image", "command", "args", "workingDir", "env", "envFrom", "ports"),
        *("volumeMounts", "volumeDevices", "livenessProbe", "readinessProbe", "lifecycle"),
        *("terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy"),
        *("securityContext", "stdin", "stdinOnce", "tty"),
    }
)
"""The keys of a container's spec that decide nothing but by its hash."""

WITHOUT_PLUGIN: Final = frozenset(
    {
        *("csi", "ephemeral", "image", "photonPersistentDisk", "scaleIO", "flocker", "quobyte"),
        *("storageos", "glusterfs", "cephfs", "rbd", "gitRepo", "clusterTrustBundle", "podCertificate"),
        *MIGRATED_VOLUMES,
    }
)
"""The kinds of volumes that some kubelets have no plugin of their own for (``volumesWithoutPlugin`` in
behaviour.json, and those that CSI drivers mount), and the sources of projected ones that some refuse: whether
a container mounts one decides, and no other volume does."""

_NAMES_OF_POD: Final = frozenset(
    {
        *("origin", "file", "namespace", "name", "uid", "node", "owner", "workload", "config_hash"),
        *("containers", "spec", "labels", "ready", "ready_since", "shape"),
        *("images", "mirror"),  # of static pods, which are decided one by one
        *("created", "resized", "claims", "ends"),  # what these decide is looked at before kinds are
        *("phase", "seen", "resizing", "restarting", "unsandboxed", "qos"),  # reported
        "persistent",  # looked at besides: claims of one name may be bound to any volume
    }
)

_NAMES_OF_CONTAINER: Final = frozenset(
    {
        *("name", "path", "line", "spec", "started", "restarts", "id", "ended", "blank", "own"),
        *("running", "probed", "docker"),  # reported
        *("plugins", "lost"),  # recorded
    }
)

_TEXTS: Final = {"env": "value", "volumes": "name", "volumeMounts": "name"}
"""Texts in the elements of lists of a mirror pod's spec, by the list's key."""


class Dates(msgspec.Struct, frozen=True):
    """What decides of the days on which containers started."""

    published: date | None = None
    """When the current release was; None where that is not known."""
    older: Callable[[date], Hashable] = bool
    """What stands for the releases that were there on a day, and may have created a container then."""

    def of(self, container: Container) -> Hashable:
        """Return what counts of a container's start: who was there, that there is one, or that there is none.

        Who may have created a container follows from a start before the current release was published, and
        from that of a sidecar (planning/creators).
        """
        if container.started is None:
            return None
        day = container.started.date()
        early = self.published is not None and day < self.published
        return (early, self.older(day)) if early or container.type is ContainerType.SIDECAR else True


def kind(pod: Pod, node: Node | None, dates: Dates | None = None) -> bytes:
    """Return a digest of what decides about the containers of an API pod: 16 bytes.

    Without ``dates`` no day on which a container started counts.
    """
    of_node = node and _node(asked(pod), node)
    return _digest((_facts(pod), pod.persistent, reported(pod), of_node, states(pod, dates)))


def _facts(pod: Pod) -> tuple[object, ...]:
    """Return what decides of a pod besides its node and its status."""
    containers = [
        (_facts_of_container(container), _spec_of_container(container), gated_mounts(container))
        for container in pod.containers
    ]
    volumes = mounted(pod.spec, WITHOUT_PLUGIN) if has_rare_volume(pod) else ()
    return _facts_of_pod(pod), _identity(pod), _spec(pod), containers, volumes


def reported(pod: Pod) -> Hashable:
    """Return what decides of a pod's status, but for when and how often its containers started."""
    shown = [(container.running, container.probed, container.docker) for container in pod.containers]
    facts = pod.phase, pod.restarting, pod.unsandboxed, pod.qos, *shown
    if pod.seen is None and not pod.resizing:
        return facts
    # What a kubelet has seen of a changed pod is compared with its images of today (decide/container.py).
    images = [str(container.spec.get("image", "")) for container in pod.containers]
    return *facts, repr((pod.seen, images, pod.resizing, pod.resized))


def has_rare_volume(pod: Pod) -> bool:
    """Return whether a pod has a volume that some kubelets have no plugin for; of a shape all or none do."""
    return not WITHOUT_PLUGIN.isdisjoint(volume_kinds(pod.spec))


def _digest(facts: object) -> bytes:
    return blake2b(repr(facts).encode(errors="surrogatepass"), digest_size=16).digest()


def facts_kind(pod: Pod) -> bytes:
    """Return a digest of what decides of a pod but for its node and its status: one for all of a shape."""
    return _digest(_facts(pod))


class Asked(msgspec.Struct, frozen=True):
    """What a pod asks of its node."""

    affinity: str
    """The node affinity in its spec, as a text; of DaemonSets' pods that each is on its own node."""
    labels: tuple[str, ...]
    """The labels of a node that it looks at."""
    by_name: bool
    """Whether it looks at the name of a node that may be another one than its own."""
    own_node: bool
    """Whether its node affinity asks for the node that it is on, and for nothing else."""


def asked(pod: Pod) -> Asked:
    """Return what a pod asks of its node."""
    own_node, text = asks_for_its_node(pod.spec), repr(asked_of_nodes(pod.spec))
    return Asked(text, tuple(label_keys(pod.spec)), asks_by_name(pod.spec) and not own_node, own_node)


def states(pod: Pod, dates: Dates | None) -> list[Hashable]:
    """Return what decides of the starts of a pod's containers, and whether each never restarted.

    With what code each ended decides about sidecars and ephemeral containers, and by rules about the whole
    pod. That one never restarted shows who created the pod's sidecars (planning/creators), and where no main
    container runs, that none ever did (``Whole.never_ran``). That one with devices did decides about its pod.
    Nothing else asks.
    """
    restarted = [bool(container.restarts) and any(devices_of(container, pod)) for container in pod.containers]
    return [*_starts(pod, dates), *(restarted if any(restarted) else ())]


def _starts(pod: Pod, dates: Dates | None) -> list[Hashable]:
    main = [container.running for container in pod.containers if container.type is ContainerType.CONTAINER]
    special = any(
        container.type in (ContainerType.SIDECAR, ContainerType.EPHEMERAL)
        or "restartPolicyRules" in container.spec
        for container in pod.containers
    )
    if special:
        return [
            (
                dates and dates.of(container),
                container.restarts == 0,
                *exit_codes(container),
                is_out_of_memory(container),
            )
            for container in pod.containers
        ]
    if all(running is False for running in main):
        return [(dates and dates.of(container), container.restarts == 0) for container in pod.containers]
    return [dates and dates.of(container) for container in pod.containers]


def node_kind(asks: Asked, node: Node) -> bytes:
    """Return a digest of what of a node decides about pods that ask that of it: 16 bytes."""
    return _digest(_node(asks, node))


def days_as_one(pod: Pod) -> bytes:
    """Return a digest of the days on which the containers of a pod started: 16 bytes."""
    return _digest([container.started.date() if container.started else None for container in pod.containers])


_facts_of_pod = besides(Pod, _NAMES_OF_POD)
_facts_of_container = besides(Container, _NAMES_OF_CONTAINER)
_facts_of_node = besides(
    Node, ("name", "labels", "heartbeat", "allocatable", "capacity", "node_arguments", "architecture", "uid")
)


def _identity(pod: Pod) -> tuple[Hashable, ...]:
    """Return what names and labels decide: whether a mirror pod is one, and a pod on a node; its system."""
    mirror = pod.uid == pod.config_hash, bool(pod.config_hash), is_pinned(pod)
    return bool(pod.owner), bool(pod.node), *mirror, repr(pod.labels.get(SYSTEM))


def _spec(pod: Pod) -> Any:
    """Return what of a pod's spec decides; of a mirror pod nearly all, for its UID digests it."""
    if pod.static:
        return {key: _alike(key, value) for key, value in pod.spec.items() if key != "nodeName"}
    spec = {key: value for key, value in pod.spec.items() if key not in OF_POD}
    return {**spec, "affinity": asked_of_nodes(pod.spec)}


def _spec_of_container(container: Container) -> dict[str, Any]:
    return {key: value for key, value in container.spec.items() if key not in OF_CONTAINER}


def _alike(key: str, value: Any) -> Any:
    """Return a part of a mirror pod's spec without the texts that every kubelet prints as they are.

    No default and no conversion looks at a value of env, or at the name of a volume; that one is set counts.
    """
    if isinstance(value, list):
        return [_alike(key, child) for child in value]
    if not isinstance(value, Mapping):
        return value
    children = {inner: _alike(inner, child) for inner, child in value.items()}
    text = value.get(_TEXTS.get(key, ""))
    return {**children, _TEXTS[key]: "text"} if isinstance(text, str) and text else children


def _node(asks: Asked, node: Node) -> Any:
    """Return what of a node decides: of its labels and its name what a pod asks for, as kubelets do."""
    labels = None if node.labels is None else [node.labels.get(key) for key in (SYSTEM, *asks.labels)]
    return labels, node.name if asks.by_name else "", _facts_of_node(node)
