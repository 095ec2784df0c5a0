"""Every check: a new one is a module of ``checks`` and a line here."""

from __future__ import annotations

from typing import Final

from hashcompat.preflight.checks.certificates import CERTIFICATES
from hashcompat.preflight.checks.cgroupdriver import CGROUP_DRIVERS
from hashcompat.preflight.checks.cgroups import CGROUP_V1
from hashcompat.preflight.checks.check import Check
from hashcompat.preflight.checks.configfields import CONFIG_FIELDS
from hashcompat.preflight.checks.cpustate import CPU_STATE
from hashcompat.preflight.checks.criapi import CRI_VERSION, OLD_RUNTIME
from hashcompat.preflight.checks.damaged import DAMAGED
from hashcompat.preflight.checks.diskfull import DISK_FULL
from hashcompat.preflight.checks.drastate import DRA_STATE
from hashcompat.preflight.checks.endpoint import RUNTIME_ENDPOINT
from hashcompat.preflight.checks.flags import FLAGS
from hashcompat.preflight.checks.hanging import HANGING
from hashcompat.preflight.checks.imagegc import IMAGE_GC
from hashcompat.preflight.checks.memorystate import MEMORY_STATE
from hashcompat.preflight.checks.mirrorpods import MIRROR_PODS
from hashcompat.preflight.checks.mounts import DEAD_MOUNTS
from hashcompat.preflight.checks.network import NETWORK
from hashcompat.preflight.checks.orphans import ORPHANS
from hashcompat.preflight.checks.podstate import POD_STATE
from hashcompat.preflight.checks.pressure import PRESSURE
from hashcompat.preflight.checks.probes import EXEC_PROBES
from hashcompat.preflight.checks.refused import DEVICES, SCHEDULING, SIDECARS, STATIC_REFERENCES, SYSCTLS
from hashcompat.preflight.checks.reservations import RESERVATIONS
from hashcompat.preflight.checks.rollback import LEFT_BEHIND
from hashcompat.preflight.checks.runtimefaults import RUNTIME_FAULTS
from hashcompat.preflight.checks.sandboximage import SANDBOX_IMAGE
from hashcompat.preflight.checks.shims import SHIMS
from hashcompat.preflight.checks.skew import VERSION_SKEW
from hashcompat.preflight.checks.snapdata import SNAP_DATA
from hashcompat.preflight.checks.stopped import STOPPED
from hashcompat.preflight.checks.stuck import SLEEPING, STARTING
from hashcompat.preflight.checks.swap import SWAP

_UNSORTED: Final[tuple[Check, ...]] = (
    ORPHANS,
    STOPPED,
    HANGING,
    FLAGS,
    CPU_STATE,
    POD_STATE,
    DRA_STATE,
    MEMORY_STATE,
    DAMAGED,
    LEFT_BEHIND,
    CONFIG_FIELDS,
    SHIMS,
    DISK_FULL,
    CGROUP_V1,
    RUNTIME_ENDPOINT,
    CRI_VERSION,
    OLD_RUNTIME,
    DEVICES,
    VERSION_SKEW,
    CGROUP_DRIVERS,
    DEAD_MOUNTS,
    SWAP,
    SLEEPING,
    STARTING,
    CERTIFICATES,
    NETWORK,
    SANDBOX_IMAGE,
    SCHEDULING,
    RUNTIME_FAULTS,
    EXEC_PROBES,
    STATIC_REFERENCES,
    MIRROR_PODS,
    SNAP_DATA,
    SYSCTLS,
    SIDECARS,
    PRESSURE,
    IMAGE_GC,
    RESERVATIONS,
)

CHECKS: Final = tuple(sorted(_UNSORTED, key=lambda check: check.rule.id))
"""The checks by their ids."""
