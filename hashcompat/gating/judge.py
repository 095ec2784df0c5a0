"""A plan and a policy -> what the gate decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

import msgspec

from hashcompat.gating.baseline import Identity, identity
from hashcompat.gating.checks import CHECKS, Facts, limits, node_group, owner_group, violators, wholes
from hashcompat.gating.exceptions import Exemption, Exemptions
from hashcompat.gating.policy import FailOn, Policy
from hashcompat.gating.refusal import check_reported
from hashcompat.gating.result import GateResult, Judged, Standing, whole_of
from hashcompat.model.impact import Impact
from hashcompat.model.items import Item
from hashcompat.model.plan import Plan
from hashcompat.model.preflight import Preflight
from hashcompat.model.verdicts import Verdict
from hashcompat.model.words import count


class Besides(msgspec.Struct, frozen=True):
    """What a policy refers to besides the plan."""

    exemptions: tuple[Exemption, ...] = ()
    baseline: frozenset[Identity] = frozenset()
    preflight: Preflight | None = None
    impact: Impact | None = None


def judge(plan: Plan, policy: Policy, besides: Besides, today: date) -> GateResult:
    """Return what a policy makes of a plan; ``today`` is the day in UTC by which exceptions expire.

    Raises InputError for a plan from another release than its nodes report.
    """
    check_reported(plan)
    bad = [item for item in plan.items if item.verdict is not Verdict.KEEP]
    exemptions = Exemptions(() if policy.strict else besides.exemptions, today)
    excused = [_excused(item, exemptions, besides.baseline) for item in bad]
    counted = [item for item, (standing, _) in zip(bad, excused, strict=True) if standing is None]
    facts = Facts(
        policy,
        counted,
        whole_of(plan.items),
        wholes(plan.items, owner_group) if policy.max_per_owner else {},
        wholes(plan.items, node_group) if policy.max_per_node else {},
        besides.preflight,
        besides.impact,
    )
    lines = (*limits(facts), *(line for one in policy.fail_on for line in CHECKS[one](facts)))
    violates = violators(facts)
    judged = tuple(
        Judged(item, standing or _standing(item, policy, violates(item)), exemption)
        for item, (standing, exemption) in zip(bad, excused, strict=True)
    )
    about = () if policy.strict else _warnings(besides.exemptions, exemptions, today)
    return GateResult(plan, policy, lines, judged, (*policy.warnings, *about))


def _excused(
    item: Item, exemptions: Exemptions, baseline: frozenset[Identity]
) -> tuple[Standing | None, Exemption | None]:
    """Return why a container does not count; nothing where it does."""
    if exemption := exemptions.find(item):
        return Standing.EXCEPTED, exemption
    if baseline and identity(item) in baseline:
        return Standing.BASELINE, None
    return None, None


def _standing(item: Item, policy: Policy, violates: bool) -> Standing:
    if item.verdict is Verdict.UNKNOWN:
        return Standing.UNDECIDED if FailOn.UNKNOWN in policy.fail_on else Standing.ALLOWED
    return Standing.VIOLATION if violates else Standing.ALLOWED


def _warnings(rows: Sequence[Exemption], found: Exemptions, today: date) -> Iterator[str]:
    for row in rows:
        where = f"{row.place}: " if row.place else ""
        number = found.used.get(row, 0)
        if row.is_expired(today):
            hit = f"; {count(number, 'container')} that it matches {'counts' if number == 1 else 'count'}"
            yield f"{where}the exception of the {row} expired on {row.expires}{hit if number else ''}"
        elif not number:
            yield f"{where}the exception of the {row} matches no finding; remove it"
