"""PodDisruptionBudgets, Services, and how many replicas their pods' controllers want."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

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
