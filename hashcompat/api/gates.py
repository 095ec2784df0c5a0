"""A plan judged by a policy."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime

from hashcompat.gating.baseline import baseline_of
from hashcompat.gating.exceptions import Exemption
from hashcompat.gating.judge import Besides, judge
from hashcompat.gating.policy import Policy
from hashcompat.gating.result import GateResult
from hashcompat.model.plan import Plan
from hashcompat.model.preflight import Preflight


def gate(
    plan: Plan,
    policy: Policy | None = None,
    *,
    exemptions: Iterable[Exemption] = (),
    baseline: Plan | None = None,
    preflight: Preflight | None = None,
    today: date | None = None,
) -> GateResult:
    """Return what a policy makes of a plan; without a policy nothing may restart and nothing be UNKNOWN.

    ``baseline`` is an earlier plan, whose findings do not count. ``today``, in UTC and by default the present
    day, is that by which exceptions expire. The age of the plan and its cluster are the caller's to check.
    """
    known = baseline_of(baseline.items) if baseline else frozenset()
    besides = Besides(tuple(exemptions), known, preflight)
    return judge(plan, policy or Policy(), besides, today or datetime.now(UTC).date())
