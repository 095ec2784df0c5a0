"""PF-102: cgroup v1 under a kubelet that refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_ROOT: Final = "/sys/fs/cgroup"


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if upgrade.hazards.cgroup_v1 == "supported":
        return
    kind = next((mount.kind for mount in facts.mounts if mount.path == _ROOT), None)
    if kind is None:
        raise UnreadError(f"nothing is mounted at {_ROOT}")
    if kind == "cgroup2" or facts.config.get("failCgroupV1") is False:
        return
    yield Problem(
        Status.ERROR,
        _ROOT,
        f"this node has cgroup v1, on which kubelet {upgrade.target.release} does not start",
        "move the node to cgroup v2 (systemd.unified_cgroup_hierarchy=1), or set failCgroupV1: false",
    )


CGROUP_V1: Final = Check(
    Rule(
        "PF-102",
        "cgroup v1",
        "The node has cgroup v1, and the kubelet to be started refuses it unless failCgroupV1 is false.",
        "kubernetes/kubernetes#134298 (KEP-5573)",
    ),
    ("the mount table", "the kubelet's configuration file"),
    _find,
)
