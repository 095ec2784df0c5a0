"""Every check: a new one is a module of ``checks`` and a line here."""

from __future__ import annotations

from typing import Final

from hashcompat.preflight.check import Check
from hashcompat.preflight.checks.cgroups import CGROUP_V1
from hashcompat.preflight.checks.configfields import CONFIG_FIELDS
from hashcompat.preflight.checks.cpustate import CPU_STATE
from hashcompat.preflight.checks.damaged import DAMAGED
from hashcompat.preflight.checks.diskfull import DISK_FULL
from hashcompat.preflight.checks.drastate import DRA_STATE
from hashcompat.preflight.checks.flags import FLAGS
from hashcompat.preflight.checks.hanging import HANGING
from hashcompat.preflight.checks.memorystate import MEMORY_STATE
from hashcompat.preflight.checks.orphans import ORPHANS
from hashcompat.preflight.checks.podstate import POD_STATE
from hashcompat.preflight.checks.rollback import LEFT_BEHIND
from hashcompat.preflight.checks.shims import SHIMS
from hashcompat.preflight.checks.stopped import STOPPED

CHECKS: Final[tuple[Check, ...]] = (
    ORPHANS,
    STOPPED,
    HANGING,
    FLAGS,
    CGROUP_V1,
    CPU_STATE,
    POD_STATE,
    DRA_STATE,
    MEMORY_STATE,
    DAMAGED,
    LEFT_BEHIND,
    CONFIG_FIELDS,
    SHIMS,
    DISK_FULL,
)
