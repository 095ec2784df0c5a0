"""A pod's QoS class, which places its cgroup.

Source: pkg/apis/core/v1/helper/qos/qos.go ``GetPodQOS`` (pkg/kubelet/qos up to 1.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from hashcompat.go.jsonpath import mapping
from hashcompat.go.quantity import decimal, from_json

GUARANTEED: Final = "Guaranteed"
BURSTABLE: Final = "Burstable"
BEST_EFFORT: Final = "BestEffort"

_COUNTED: Final = ("cpu", "memory")


def qos_class(containers: Iterable[Mapping[str, Any]]) -> str:
    """Return the QoS class of a pod by those of its containers that count.

    A limit without a request is one too, as API servers default it; zero counts as unset. Raises DecodeError
    for what is not a quantity.
    """
    requests, limits = dict.fromkeys(_COUNTED, Fraction(0)), dict.fromkeys(_COUNTED, Fraction(0))
    all_limited = True
    for container in containers:
        resources = mapping(container.get("resources"))
        limited = _amounts(mapping(resources.get("limits")))
        requested = _amounts(mapping(resources.get("requests")))
        all_limited = all_limited and all(limited.values())
        for name in _COUNTED:
            limits[name] += limited[name]
            requests[name] += requested[name] or limited[name]
    if not any((*requests.values(), *limits.values())):
        return BEST_EFFORT
    return GUARANTEED if all_limited and requests == limits else BURSTABLE


def _amounts(amounts: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the resources that count; zero for what is unset."""
    return {name: amount(amounts[name]) if name in amounts else Fraction(0) for name in _COUNTED}


def amount(value: object) -> Fraction:
    """Return the exact value of a quantity. Raises DecodeError for what is none."""
    unscaled, scale = decimal(from_json(value))
    return Fraction(unscaled) / Fraction(10) ** scale
