"""Requests and limits: their defaults, of a container and from 1.34 on of a pod, and a pod's QoS class.

Quantities that are copied keep the manifest's text, because it is printed too; sums are ``Held``.
Source: pkg/apis/core/v1/defaults.go and k8s.io/component-helpers/resource/helpers.go
``AggregateContainerRequests``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from hashcompat.core.corev1.conversion import Json, Site
from hashcompat.core.go.jsonpath import mapping, reach
from hashcompat.core.go.quantity import Held, add, decimal, from_json, from_json_or_held, larger

if TYPE_CHECKING:
    from fractions import Fraction

Resources = Mapping[str, Any]

_HUGE_PAGES = "hugepages-"

_OVERCOMMITTED = frozenset({"cpu", "memory"})


def copy_limits(site: Site) -> None:
    """Copy the limits that a container does not request to its requests; empty limits give empty requests."""
    row, target = site.row, site.target
    limits = reach(target, row.argument)
    # not by truth: limits {} are not nil in Go, and make requests that are not nil either
    if limits is not None:
        reach(target, row.keys[:-1])[row.keys[-1]] = {**limits, **(reach(target, row.keys) or {})}


def pod_limits(site: Site) -> None:
    """Set the pod's limits of huge pages to the sum of its containers' (``defaultHugePagePodLimits``)."""
    row, target = site.row, site.target
    resources = target.get(row.keys[0]) or {}
    if resources.get("limits") or resources.get("requests"):
        stated = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
        sums = _aggregate(target, str(row.argument))
        _add(
            site,
            {
                name: held
                for name, held in sums.items()
                if name.startswith(_HUGE_PAGES) and name not in stated
            },
        )


def pod_requests(site: Site) -> None:
    """Set the requests of a pod with limits to the sum of its containers' (``defaultPodRequests``)."""
    row, target = site.row, site.target
    if reach(target, (*row.keys[:-1], "limits")):
        sums = _aggregate(target, str(row.argument))
        _add(site, {name: held for name, held in sums.items() if name in _OVERCOMMITTED})


def copy_pod_limits(site: Site) -> None:
    """Copy the pod's limits to the requests that are still unset (``defaultPodRequests``)."""
    limits = reach(site.target, site.row.argument) or {}
    _add(
        site,
        {
            name: item
            for name, item in limits.items()
            if name in _OVERCOMMITTED or name.startswith(_HUGE_PAGES)
        },
    )


def _add(site: Site, defaults: Resources) -> None:
    """Add the missing resources to the field; a nil map stays nil if there are none."""
    if defaults:
        *path, key = site.row.keys
        holder = reach(site.target, tuple(path))
        holder[key] = {**defaults, **(holder.get(key) or {})}


def _aggregate(spec: Json, kind: str) -> dict[str, Held]:
    """Return the pod's total of ``limits`` or ``requests``.

    It is the larger of two: the sum of containers and sidecars, or the largest init container plus the
    sidecars before it.
    """
    total = _sum(_list(container, kind) for container in spec.get("containers") or ())
    sidecars: dict[str, Held] = {}
    largest: dict[str, Held] = {}
    for container in spec.get("initContainers") or ():
        own = _list(container, kind)
        if container.get("restartPolicy") == "Always":  # a sidecar: it runs next to all that come after it
            total, sidecars = _sum([total, own]), _sum([sidecars, own])
            largest = _most(largest, sidecars)
        else:
            largest = _most(largest, _sum([own, sidecars]))
    return _most(total, largest)


def _list(container: Json, kind: str) -> Resources:
    return reach(container, ("resources", kind)) or {}


def _sum(lists: Iterable[Resources]) -> dict[str, Held]:
    """Add resource by resource; a single quantity keeps its text, because ``addResourceList`` copies it."""
    total: dict[str, Held] = {}
    for resources in lists:
        for name, item in resources.items():
            quantity = from_json_or_held(item)
            total[name] = Held(add(total[name].quantity, quantity) if name in total else quantity)
    return total


def _most(quantities: dict[str, Held], other: dict[str, Held]) -> dict[str, Held]:
    """Return the larger quantity of each resource, or the first of two equal ones (``maxResourceList``)."""
    added = {name: held for name, held in other.items() if name not in quantities}
    # ``new.Cmp(current)``: the first of two equal ones stays, and with it its cached text
    shared = {
        name: Held(larger(other[name].quantity, held.quantity))
        for name, held in quantities.items()
        if name in other
    }
    return {**quantities, **added, **shared}


# A pod's QoS class, which places its cgroup.
#
# Source: pkg/apis/core/v1/helper/qos/qos.go ``GetPodQOS`` (pkg/kubelet/qos up to 1.5).

GUARANTEED: Final = "Guaranteed"
BURSTABLE: Final = "Burstable"
BEST_EFFORT: Final = "BestEffort"

QOS: Final = (GUARANTEED, BURSTABLE, BEST_EFFORT)
"""All classes."""

_COUNTED: Final = ("cpu", "memory")


def qos_class(containers: Iterable[Mapping[str, Any]]) -> str:
    """Return the QoS class of a pod by those of its containers that count.

    A limit without a request is one too, as API servers default it; zero counts as unset. Raises DecodeError
    for what is not a quantity.
    """
    from fractions import Fraction  # noqa: PLC0415 - few pods are asked for their class

    requests, limits = dict.fromkeys(_COUNTED, Fraction(0)), dict.fromkeys(_COUNTED, Fraction(0))
    all_limited = True
    for container in containers:
        resources = mapping(container.get("resources"))
        limited = _amounts(mapping(resources.get("limits")))
        requested = _amounts(mapping(resources.get("requests")))
        all_limited = all_limited and all(limited.values())
        for name in _COUNTED:
            # ComputePodQOS adds up all containers first: one without a request may be made up for by its
            # limit
            limits[name] += limited[name]
            requests[name] += requested[name] or limited[name]
    if not any((*requests.values(), *limits.values())):
        return BEST_EFFORT
    return GUARANTEED if all_limited and requests == limits else BURSTABLE


def _amounts(amounts: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the resources that count; zero for what is unset."""
    from fractions import Fraction  # noqa: PLC0415 - as above

    return {name: amount(amounts[name]) if name in amounts else Fraction(0) for name in _COUNTED}


def amount(value: object) -> Fraction:
    """Return the exact value of a quantity. Raises DecodeError for what is none."""
    return _amount_of_text(value) if type(value) is str else _amount(value)


def _amount(value: object) -> Fraction:
    from fractions import Fraction  # noqa: PLC0415 - as above

    unscaled, scale = decimal(from_json(value))
    return Fraction(unscaled) / Fraction(10) ** scale


_amount_of_text: Final = lru_cache(maxsize=1 << 10)(_amount)
