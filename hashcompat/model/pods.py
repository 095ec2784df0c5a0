"""Frozen values between the stages: pods in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hashcompat.model.records import Recorded, Sandbox


class ContainerType(StrEnum):
    """What a container is to the kubelet; a sidecar is an init container with restartPolicy Always."""

    CONTAINER = "container"
    INIT = "init"
    SIDECAR = "sidecar"
    EPHEMERAL = "ephemeral"


@dataclass(frozen=True, slots=True)
class Container:
    """One container of a pod: its JSON spec as given, and where it stands (``$.spec.containers[0]``).

    ``running`` is None where the status does not tell.
    """

    name: str
    type: ContainerType
    path: str
    spec: Mapping[str, Any]
    running: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StaticManifest:
    """What a kubelet reads a static pod from: the whole object, the name under which it registers, ``file:<path>`` on the node.

    Compared by identity, so that what kubelets make of it is computed once.
    """

    content: Mapping[str, Any]
    node: str
    source: str


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod or a pod template, as far as a kubelet's decision depends on it.

    ``origin`` names the file and the object in it, for messages. ``manifest`` says that no API server has
    defaulted it; ``references`` names the API objects that the pod refers to; ``automount`` is what it says
    of the service account's token. ``spec`` is the pod's own, as given; ``config_hash`` the UID that a mirror
    pod's annotation tells of its static pod, and ``static_manifest`` what that static pod is read from, where
    it is at hand.
    """

    origin: str
    namespace: str
    name: str
    uid: str
    node: str
    owner: str
    manifest: bool
    phase: str
    deleting: bool
    static: bool
    host_network: bool
    restart_policy: str
    references: tuple[str, ...]
    automount: bool | None
    containers: tuple[Container, ...]
    spec: Mapping[str, Any] = field(default_factory=dict)
    config_hash: str = ""
    static_manifest: StaticManifest | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node, the kubelet release that it reports and its container runtime (``docker://17.3.2``)."""

    name: str
    kubelet: str
    runtime: str = ""


@dataclass(frozen=True, slots=True)
class Inventory:
    """All pods and nodes of a source, in the order given, and what a snapshot holds of records.

    The pods of files are read anew each time they are asked for.
    """

    pods: Iterable[Pod]
    nodes: tuple[Node, ...] = ()
    records: tuple[Recorded | Sandbox, ...] = ()
