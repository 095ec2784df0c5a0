"""A cluster besides its pods and nodes: PodDisruptionBudgets, Services, and releases of its API servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashcompat.core.model.escape import name_path
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


class Budgets(msgspec.Struct, frozen=True):
    """What pods of a source have to stay available for: its PodDisruptionBudgets and Services."""

    found: tuple[Budget, ...] = ()
    missing: str = ""
    """Why there may be other budgets; empty where these are all."""
    services: tuple[Service, ...] = ()
    services_missing: str = ""
    """Why there may be other Services; empty where these are all."""
    scales: Mapping[tuple[str, str], int] = msgspec.field(default_factory=dict)
    """The ``spec.replicas`` of controllers, by namespace and ``Deployment/web``."""


NOT_READ: Final = Budgets(missing="they were not read", services_missing="they were not read")
"""Those of a source that nobody asked for them."""


_NAMESPACE: Final = "kube-system"
"""Where kubeadm, kops, Kubespray, RKE2 and others have it."""

_CONTAINER: Final = "kube-apiserver"

_TAG: Final = regex(r"v?(1\.\d{1,3}\.\d{1,3}(?:-(?:alpha|beta|rc)\.\d{1,3})?)(?![.\d])")
"""How a tag begins: ``v1.30.4``, ``v1.30.4-rke2r1-build20240815``, ``v1.9.11_coreos.0``."""


def release_of(image: str) -> str:
    """Return the release of Kubernetes that an image's tag names; empty where it names none."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    found = _TAG.match(tag)
    return found[1] if found else ""


class ApiServers:
    """Adds up what pods show, while they pass."""

    def __init__(self, reported: str = "") -> None:
        """``reported`` is what an API server answers itself at ``/version``; empty where nobody asked."""
        self.found: dict[str, dict[str, None]] = {}
        """By their releases, where each shows: pods by their names, or ``/version``."""
        if release := release_of(f":{reported}"):
            self.found[release] = {"/version": None}

    def see(self, pod: Any) -> None:
        """Look at one more ``Pod`` (its module imports this one): no tenant makes a mirror pod of its own."""
        if pod.namespace != _NAMESPACE or not pod.static or pod.mirror_doubt:
            return
        for container in pod.containers:
            image = container.spec.get("image") if container.name == _CONTAINER else None
            if isinstance(image, str) and (release := release_of(image)):
                self.found.setdefault(release, {})[name_path(pod.namespace, pod.name)] = None

    def merge(self, found: Mapping[str, Mapping[str, None]]) -> None:
        """Add what was found elsewhere."""
        for release, shown in found.items():
            self.found.setdefault(release, {}).update(shown)
