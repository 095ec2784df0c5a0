"""How long a pod took until it was Ready, as its status shows it.

From the latest start among its containers until its condition Ready became True. A container without a
readinessProbe counts as ready once it is started. A pod that lost its readiness and found it again shows a
later time, so an hour or more counts as not shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from hashcompat.go.jsonpath import mapping
from hashcompat.model.pods import Container, ContainerType, Pod

_LONGEST_SECONDS: Final = 3600

_DEFAULT_GRACE: Final = 30
"""Seconds, of ``terminationGracePeriodSeconds`` (pkg/apis/core/v1/defaults.go)."""

_MOST_GRACE: Final = 1 << 31

_SERVING: Final = frozenset({ContainerType.CONTAINER, ContainerType.SIDECAR})


def seconds_to_ready(pod: Pod) -> int | None:
    """Return how many seconds a pod took; None where its status does not show that."""
    started = [one.started for one in pod.containers if one.started and one.type in _SERVING]
    if not started or pod.ready_since is None:
        return None
    seconds = int((pod.ready_since - max(started)).total_seconds())
    return seconds if 0 <= seconds < _LONGEST_SECONDS else None


def grace_seconds(spec: Mapping[str, Any]) -> int:
    """Return how long containers of a pod may take to stop."""
    found = spec.get("terminationGracePeriodSeconds")
    return min(max(found, 0), _MOST_GRACE) if type(found) is int else _DEFAULT_GRACE


def is_unprobed(pod: Pod) -> bool:
    """Return whether a container that serves has no readinessProbe."""
    return any(one.type in _SERVING and not _has_probe(one) for one in pod.containers)


def _has_probe(container: Container) -> bool:
    return bool(mapping(container.spec.get("readinessProbe")))


def median(times: Counter[int]) -> int | None:
    """Return the lower median of some times, each with how often it was seen; None of none."""
    half = (times.total() + 1) // 2
    for seconds in sorted(times):
        half -= times[seconds]
        if half <= 0:
            return seconds
    return None
