"""PodDisruptionBudgets of policy/v1 and policy/v1beta1, Services, and the scales of controllers.

An empty selector selects every pod of the namespace in v1 and none in v1beta1; without a selector none is
selected in both (k8s.io/api policy/v1 and policy/v1beta1 ``PodDisruptionBudgetSpec``, which API servers
convert by pkg/apis/policy/helper.go). Nothing here raises: a budget that no API server would accept concerns
no plan, and carries its problem to whoever asks what it allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from hashcompat.core.go.jsonpath import part, rows, text
from hashcompat.core.go.jsontext import clean
from hashcompat.core.model.cluster import (
    EVERYTHING,
    Amount,
    Availability,
    Budget,
    Counted,
    Requirement,
    Selector,
    Service,
)
from hashcompat.core.regex import regex
from hashcompat.sources.workloads import group_of, is_workload

KIND: Final = "PodDisruptionBudget"
SERVICE: Final = "Service"
_V1: Final = "policy/v1"
_V1BETA1: Final = "policy/v1beta1"
_SCALED: Final = frozenset({"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"})
"""The controllers whose scale counts (pkg/controller/disruption/disruption.go ``finders``)."""
_LISTING: Final = frozenset({"In", "NotIn"})
_OPERATORS: Final = _LISTING | {"Exists", "DoesNotExist"}
_PERCENT: Final = regex(r"\d{1,3}%", re.ASCII)
"""Validation refuses more than 100 % (pkg/apis/policy/validation)."""
_LONGEST: Final = 1_024
"""Characters of a name."""
NOT_IN_INPUT: Final = (
    "the input has none; kubectl get nodes,pods,pdb,services -A -o json saves them with the pods"
)


class _Problem(Exception):  # noqa: N818 - it never leaves this module
    """What no API server would accept."""


def is_budget(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a PodDisruptionBudget; items of a typed list have no apiVersion."""
    return value.get("kind") == KIND and text(value, "apiVersion") in (_V1, _V1BETA1, "")


def of_budget(value: Mapping[str, Any]) -> Budget:
    """Return a budget; what is wrong with it is its ``problem``, without quoting it."""
    metadata, spec = part(value, "metadata"), part(value, "spec")
    namespace = clean(text(metadata, "namespace"))[:_LONGEST] or "default"
    name = clean(text(metadata, "name"))[:_LONGEST]
    selector: Selector | None = EVERYTHING
    try:
        selector = _selector(spec, text(value, "apiVersion"))
        return Budget(
            namespace,
            name,
            selector,
            _amount(spec, "minAvailable"),
            _amount(spec, "maxUnavailable"),
            _counted(value),
        )
    except _Problem as problem:
        return Budget(namespace, name, selector, problem=str(problem))


def of_service(value: Mapping[str, Any]) -> Service | None:
    """Return a Service of the core group; None for another object, and where it selects no pods.

    Those without a selector have endpoints that somebody else writes, those of type ExternalName have none
    (k8s.io/api core/v1 ``ServiceSpec``).
    """
    metadata, spec = part(value, "metadata"), part(value, "spec")
    labels = part(spec, "selector")
    if value.get("kind") != SERVICE or group_of(value) or text(spec, "type") == "ExternalName" or not labels:
        return None
    selector = tuple(Requirement(key, "In", frozenset({str(label)})) for key, label in labels.items())
    namespace = clean(text(metadata, "namespace"))[:_LONGEST] or "default"
    return Service(namespace, clean(text(metadata, "name"))[:_LONGEST], selector)


def scale_of(value: Mapping[str, Any]) -> tuple[tuple[str, str], int] | None:
    """Return how many replicas a controller wants, by its namespace and name; None for other objects."""
    replicas = _count(part(value, "spec").get("replicas"))
    if value.get("kind") not in _SCALED or not is_workload(value) or replicas is None:
        return None
    metadata = part(value, "metadata")
    owner = f"{value['kind']}/{clean(text(metadata, 'name'))}"
    return (clean(text(metadata, "namespace")) or "default", owner), replicas


def size_of(budget: Budget | Service) -> int:
    """Return how much memory one takes, in facts of up to 400 bytes (``core/go/allowance.py``)."""
    selector = budget.selector or ()
    texts = [text for requirement in selector for text in (requirement.key, *requirement.values)]
    return 3 + len(selector) + sum(len(text) + 100 for text in texts) // 400


def budgets_of(
    resources: Iterable[object],
    scales: Mapping[tuple[str, str], int],
    *,
    listed: bool,
    services: str | None = None,
) -> Availability:
    """Return the budgets and Services among what was found, each once; budgets that differ have a problem.

    ``listed``: whether the input lists budgets, and so has none if there is none. ``services``: why there may
    be other Services; None for an input that shows that itself, by having any.
    """
    budgets: dict[tuple[str, str], Budget] = {}
    selecting: dict[Service, None] = {}
    for resource in resources:
        if isinstance(resource, Service):
            selecting[resource] = None
        elif isinstance(resource, Budget):
            key = resource.namespace, resource.name
            if budgets.setdefault(key, resource) != resource:
                budgets[key] = Budget(*key, EVERYTHING, problem="the input has two that differ")
    if services is None:
        services = "" if selecting else NOT_IN_INPUT
    missing = "" if budgets or listed else NOT_IN_INPUT
    return Availability(tuple(budgets.values()), missing, tuple(selecting), services, scales)


def _selector(spec: Mapping[str, Any], version: str) -> Selector | None:
    value = spec.get("selector")
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise _Problem("spec.selector is not an object")
    requirements = (*_labels(value), *map(_requirement, rows(value, "matchExpressions")))
    if requirements or version == _V1:
        return requirements
    if version == _V1BETA1:
        return None
    raise _Problem("an empty selector means all pods in policy/v1 and none in policy/v1beta1: no apiVersion")


def _labels(selector: Mapping[str, Any]) -> Iterable[Requirement]:
    labels = part(selector, "matchLabels")
    if not all(isinstance(value, str) for value in labels.values()):
        raise _Problem("spec.selector.matchLabels has a value that is not a string")
    return (Requirement(key, "In", frozenset({value})) for key, value in labels.items())


def _requirement(row: object) -> Requirement:
    row = row if isinstance(row, Mapping) else {}
    key, operator, values = text(row, "key"), text(row, "operator"), rows(row, "values")
    strings = all(isinstance(value, str) for value in values)
    if not key or operator not in _OPERATORS or not strings or bool(values) != (operator in _LISTING):
        raise _Problem("spec.selector.matchExpressions has one that no API server accepts")
    return Requirement(key, operator, frozenset(values))


def _amount(spec: Mapping[str, Any], key: str) -> Amount | None:
    value = spec.get(key)
    if value is None or (isinstance(value, str) and _PERCENT.fullmatch(value)):
        return value
    if (number := _count(value)) is not None:
        return number
    raise _Problem(f"spec.{key} is neither a number of pods nor a percentage")


def _counted(value: Mapping[str, Any]) -> Counted | None:
    """Return the counts of the status; None where it is that of another spec.

    Counts of 0 are always written: the fields are required.
    """
    status = part(value, "status")
    keys = ("currentHealthy", "desiredHealthy", "expectedPods")
    counts = [count for key in keys if (count := _count(status.get(key))) is not None]
    current = status.get("observedGeneration") == part(value, "metadata").get("generation")
    return Counted(*counts) if current and len(counts) == len(keys) else None


def _count(value: object) -> int | None:
    """Return a number of pods; None for anything else."""
    return value if type(value) is int and 0 <= value < 1 << 31 else None
