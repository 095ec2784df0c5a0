"""PF-111: a kubelet and a runtime with different cgroup drivers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, driver
from hashcompat.rules import Rule
from hashcompat.shown import name

_GATE: Final = "KubeletCgroupDriverFromCRI"

_DEFAULT: Final = "cgroupfs"
"""The default of cgroupDriver in every release (pkg/kubelet/apis/config/v1beta1/defaults.go)."""


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if _is_asked(facts, upgrade):
        return
    given = str(facts.setting("cgroup-driver", "cgroupDriver") or _DEFAULT)
    actual = driver.cgroup_driver(facts.docker_info if facts.drives_docker else facts.cri_info)
    if given != actual:
        yield Problem(
            Status.ERROR,
            facts.runtime,
            f"the kubelet's cgroup driver is {name(given)}, that of {facts.runtime} {name(actual)}",
            f"drain the node and set cgroupDriver: {name(actual)} in the kubelet's configuration file",
        )


def _is_asked(facts: Facts, upgrade: Upgrade) -> bool:
    """Return whether the kubelet takes the driver that the runtime reports."""
    can = upgrade.runtimes.can(facts.runtime, "RuntimeConfig")
    return bool(can) and dict(facts.gates).get(_GATE, upgrade.hazards.cgroup_driver_from_cri)


CGROUP_DRIVERS: Final = Check(
    Rule(
        "PF-111",
        "cgroup drivers differ",
        "The kubelet and the container runtime are given different cgroup drivers: the kubelet does not "
        "start with Docker, and cannot create pods with CRI. From 1.31 on it asks a runtime that has "
        "RuntimeConfig instead.",
        "cmd/kubelet/app/server.go getCgroupDriverFromCRI (1.28, KEP-4033); pkg/kubelet/dockershim/"
        "docker_service.go NewDockerService, 1.23.17",
    ),
    ("the kubelet's flags and configuration file", "the runtime's own report"),
    _find,
)
