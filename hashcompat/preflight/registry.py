"""Every check: a new one is a module of ``checks`` and a line here."""

from __future__ import annotations

from typing import Final

from hashcompat.preflight.check import Check
from hashcompat.preflight.checks.cgroups import CGROUP_V1

CHECKS: Final[tuple[Check, ...]] = (CGROUP_V1,)
