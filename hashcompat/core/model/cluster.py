"""Clusters: what one has besides pods and nodes, and what is known of many.

One has PodDisruptionBudgets, Services and API servers. Of many it is known what each target release does, and
in which waves they are upgraded.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from hashcompat.core.model.escape import name_path
from hashcompat.core.model.results import Making
from hashcompat.core.regex import regex

Amount = int | str
"""A number of pods, or a percentage as text: ``50%``."""


class Requirement(msgspec.Struct, frozen=True):
    """One condition of a label selector."""

    key: str
    operator: str
    """``In``, ``NotIn``, ``Exists`` or ``DoesNotExist``."""
    values: frozenset[str] = frozenset()


Selector = tuple[Requirement, ...]
"""Conditions that all have to hold; without any, every pod is selected."""

EVERYTHING: Final[Selector] = ()
"""The selector of every pod of a namespace: also of a budget whose own cannot be read, for it may be any."""


class Counted(msgspec.Struct, frozen=True):
    """What the disruption controller counted, as the status of a budget shows it."""

    healthy: int
    """``currentHealthy``"""
    desired: int
    """``desiredHealthy``"""
    expected: int
    """``expectedPods``"""


class Budget(msgspec.Struct, frozen=True):
    """A PodDisruptionBudget."""

    namespace: str
    name: str
    selector: Selector | None = None
    """Which pods of the namespace it is about; None for none of them."""
    min_available: Amount | None = None
    max_unavailable: Amount | None = None
    counted: Counted | None = None
    """None where the status is missing, or older than the spec."""
    problem: str = ""
    """Why it cannot be evaluated; empty where nothing is wrong."""


class Service(msgspec.Struct, frozen=True):
    """A Service that selects pods; none without a selector is one of these."""

    namespace: str
    name: str
    selector: Selector


class Availability(msgspec.Struct, frozen=True):
    """What pods of a source have to stay available for: its PodDisruptionBudgets and Services."""

    budgets: tuple[Budget, ...] = ()
    missing: str = ""
    """Why there may be other budgets; empty where these are all."""
    services: tuple[Service, ...] = ()
    services_missing: str = ""
    """Why there may be other Services; empty where these are all."""
    scales: Mapping[tuple[str, str], int] = msgspec.field(default_factory=dict)
    """The ``spec.replicas`` of controllers, by namespace and ``Deployment/web``."""


NOT_READ: Final = Availability(missing="they were not read", services_missing="they were not read")
"""Those of a source that nobody asked for them."""


_NAMESPACE: Final = "kube-system"
"""Where kubeadm, kops, Kubespray, RKE2 and others have it."""

_CONTAINER: Final = "kube-apiserver"

_TAG: Final = regex(r"v?(1\.\d{1,3}\.\d{1,3}(?:-(?:alpha|beta|rc)\.\d{1,3})?)(?![.\d])")
"""How a tag begins: ``v1.30.4``, ``v1.30.4-rke2r1-build20240815``, ``v1.9.11_coreos.0``."""


def release_of(image: str) -> str:
    """Return the release of Kubernetes that an image's tag names; empty where it names none."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    match = _TAG.match(tag)
    return match[1] if match else ""


class ApiServers:
    """Adds up what pods show, while they pass."""

    def __init__(self, reported: str = "") -> None:
        """``reported`` is what an API server answers itself at ``/version``; empty where nobody asked."""
        self.releases: dict[str, dict[str, None]] = {}
        """By their releases, where each shows: pods by their names, or ``/version``."""
        if release := release_of(f":{reported}"):
            self.releases[release] = {"/version": None}

    def see(self, pod: Any) -> None:
        """Look at one more ``Pod`` (its module imports this one): no tenant makes a mirror pod of its own."""
        if pod.namespace != _NAMESPACE or not pod.static or pod.mirror_doubt:
            return
        for container in pod.containers:
            image = container.spec.get("image") if container.name == _CONTAINER else None
            if isinstance(image, str) and (release := release_of(image)):
                self.releases.setdefault(release, {})[name_path(pod.namespace, pod.name)] = None

    def merge(self, releases: Mapping[str, Mapping[str, None]]) -> None:
        """Add what was found elsewhere."""
        for release, shown in releases.items():
            self.releases.setdefault(release, {}).update(shown)


# What is known of many clusters, each for every target release.


class Standing(StrEnum):
    """How a cluster counts for a target release; worst first."""

    FAIL = "FAIL"
    """Its plan fails the policy."""
    UNDECIDED = "UNDECIDED"
    """The policy does not decide, or nothing is known: unreadable, refused, lost."""
    PASS = "PASS"  # noqa: S105 - no password
    LEFT_OUT = "LEFT_OUT"
    """It does not count: superseded, or a node runs a newer release."""


class Upgrade(msgspec.Struct, frozen=True):
    """What one target release does to one cluster."""

    target: str
    standing: Standing
    status: str
    """As in the table ``clusters``: ``planned``, ``unreadable`` and so on."""
    why: str = ""
    """The line of the policy that decided, or why it was not planned."""
    restarts: int | None = None
    """Containers that are killed; None unless planned."""
    unknown: int | None = None
    pods_affected: int | None = None
    nodes_affected: int | None = None
    done: bool = False
    """Whether all of its nodes run the target release."""


class Cluster(msgspec.Struct, frozen=True):
    """One input: a cluster, as its file shows it."""

    name: str
    source: str
    uid: str = ""
    taken: datetime | None = None
    labels: Mapping[str, str] = {}
    running: tuple[str, ...] = ()
    """The kubelet releases that its nodes report, oldest first."""
    nodes: int | None = None
    pods: int | None = None
    containers: int | None = None
    upgrades: tuple[Upgrade, ...] = ()
    """In the order of the fleet's targets."""

    @property
    def standing(self) -> Standing:
        """How it counts for the target for which it counts worst."""
        order = [*Standing]
        return min((upgrade.standing for upgrade in self.upgrades), key=order.index)


class FleetCause(msgspec.Struct, frozen=True):
    """What clusters have in common: a reason, or an owner of containers that are killed."""

    names: tuple[str, ...]
    """Of a reason its rule, path and verdict, of an owner its namespace and ``KIND/NAME``."""
    clusters: Mapping[str, int]
    """How many clusters have it, by target."""
    containers: Mapping[str, int]
    """How many of their containers, by target."""

    @property
    def weight(self) -> tuple[int, int]:
        """How many clusters have it, and how many containers: for the target that has the most."""
        return max(self.clusters.values()), max(self.containers.values())


class Wave(msgspec.Struct, frozen=True):
    """Clusters that are upgraded one after another, or at once, once the wave before is seen to be well."""

    number: int
    """From 1."""
    group: str
    """The value of the label by which groups are in order; empty for a wave of all groups."""
    canaries: bool
    clusters: tuple[Cluster, ...]
    """Fewest restarts first."""


class LeftOutCluster(msgspec.Struct, frozen=True):
    """A cluster that is in no wave."""

    cluster: Cluster
    reason: str
    """``failed``, ``undecided``, ``upgraded``, ``no-canary``, or the status of what was not planned."""
    why: str


class Waves(msgspec.Struct, frozen=True):
    """The waves of one target release."""

    target: str
    waves: tuple[Wave, ...]
    left_out: tuple[LeftOutCluster, ...]


class Fleet(msgspec.Struct, frozen=True):
    """What a run over many clusters came to."""

    targets: tuple[str, ...]
    out: str
    """Where the tables are."""
    inputs: int
    statuses: Mapping[str, Mapping[str, int]]
    """How many inputs have each status, by target."""
    outcomes: Mapping[str, Mapping[str, int]]
    """How many of the planned ones have each outcome, by target."""
    restarts: Mapping[str, int]
    """How many containers are killed, by target."""
    standing: Standing
    why: str
    """What decided, in one line."""
    exit_code: int
    clusters: tuple[Cluster, ...] = ()
    """Empty where nothing shows them; and so are the following."""
    reasons: tuple[FleetCause, ...] = ()
    """Those that most clusters have first."""
    owners: tuple[FleetCause, ...] = ()
    """As many as are shown, those in most clusters first."""
    owners_more: int = 0
    """How many owners there are besides."""
    waves: tuple[Waves, ...] = ()
    """One for each target, where they are asked for."""
    making: Making = Making()
