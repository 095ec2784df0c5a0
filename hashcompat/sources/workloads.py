"""The workload above a pod's controller: the Deployment of a ReplicaSet, the CronJob of a Job.

A pod names its direct controller alone. What made that one is shown by its name, where a controller of
Kubernetes makes such names: only a name that fits exactly counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.go.jsonpath import text
from hashcompat.regex import regex

_HASH_LABELS: Final = {"pod-template-hash": "Deployment", "rollouts-pod-template-hash": "Rollout"}
"""What follows the owner in a ReplicaSet's name (pkg/controller/deployment/sync.go ``getNewReplicaSet``)."""

_SAFE: Final = "bcdfghjklmnpqrstvwxz2456789"
"""The characters of encoded hashes (k8s.io/apimachinery/pkg/util/rand ``SafeEncodeString``)."""

_JOB: Final = regex("(.{1,52})-([1-9][0-9]{7}|[1-9][0-9]{9})")
"""CRONJOB-TIME; the name of a CronJob has at most 52 characters (pkg/apis/batch/validation)."""

_MINUTES: Final = range(26_700_000, 100_000_000)
"""Minutes since 1970, from October 2020 on: names of 1.20 and newer (cronjob/utils.go ``getJobName``)."""

_SECONDS: Final = range(1_460_000_000, 10_000_000_000)
"""Seconds since 1970, from April 2016 on: names of 1.4 and newer (cronjob/utils.go ``getTimeHash``)."""


def workload_of(owner: str, labels: Mapping[str, Any], static_on: str = "") -> str:
    """Return the workload of a pod: ``Deployment/web`` above ``ReplicaSet/web-474k6w5gmh``, else its owner.

    ``labels`` are the pod's; ``static_on`` is the node of a static pod, which stands for a missing owner.
    """
    kind, _, name = owner.partition("/")
    if kind == "ReplicaSet":
        return maker_of(name, labels) or owner
    match = _JOB.fullmatch(name) if kind == "Job" else None
    if match and _is_time(int(match[2])):
        return f"CronJob/{match[1]}"
    return owner or (f"Node/{static_on}" if static_on else "")


def maker_of(replica_set: str, labels: Mapping[str, Any]) -> str:
    """Return what made a ReplicaSet, by a label that its pods have too; empty where none fits its name."""
    for label, kind in _HASH_LABELS.items():
        for ending in _endings(text(labels, label)):
            name = replica_set.removesuffix(ending)
            if name and name != replica_set:
                return f"{kind}/{name}"
    return ""


def _endings(value: str) -> Iterator[str]:
    """Yield what a ReplicaSet's name may end in: from 1.8 to 1.11 the label is a number, encoded in names."""
    if value:
        yield f"-{value}"
    if value.isdecimal() and value.isascii():
        yield "-" + "".join(_SAFE[ord(char) % len(_SAFE)] for char in value)


def _is_time(number: int) -> bool:
    """Return whether a number is the time of a schedule; in seconds it is that of a full minute."""
    return number in _MINUTES or (number in _SECONDS and number % 60 == 0)
