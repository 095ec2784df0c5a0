"""Every check: a new one is a module of ``checks`` and a line here."""

from __future__ import annotations

from typing import Final

from hashcompat.preflight.check import Check
from hashcompat.preflight.checks.cgroups import CGROUP_V1
from hashcompat.preflight.checks.hanging import HANGING
from hashcompat.preflight.checks.orphans import ORPHANS
from hashcompat.preflight.checks.stopped import STOPPED

CHECKS: Final[tuple[Check, ...]] = (ORPHANS, STOPPED, HANGING, CGROUP_V1)
