"""A plan judged by a policy, and by what became of its containers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime

from hashcompat.answers.upgraded import now_of
from hashcompat.api.inputs import Source, load
from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.gating.baseline import baseline_of
from hashcompat.gating.exceptions import Exemption
from hashcompat.gating.judge import Besides, judge
from hashcompat.gating.outcome import judge_after
from hashcompat.gating.policy import Policy
from hashcompat.gating.refusal import check_cluster
from hashcompat.gating.result import GateResult
from hashcompat.model.plan import Plan
from hashcompat.model.preflight import Preflight
from hashcompat.records.index import Records
from hashcompat.sources import filters
from hashcompat.sources.filters import Filters


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


def gate_after(
    plan: Plan,
    source: Source,
    nodes: Iterable[str],
    *,
    begun: Mapping[str, datetime] | None = None,
    records: Records | None = None,
    catalog: Catalog | None = None,
) -> GateResult:
    """Return what became of the containers of some nodes, by name, once their kubelets were upgraded.

    ``source`` is what the cluster shows now, nodes included. ``begun`` is when the upgrade of each node
    began, in UTC; else it is taken to be after the plan was made. ``records`` are those of the containers
    that run now, whose hashes are compared too. Raises InputError for a plan of another cluster, and for one
    without a container on these nodes.
    """
    names, found = tuple(nodes), load(source)
    if plan.origin.cluster and found.origin.cluster:
        check_cluster(plan, found.origin.cluster, "what is read now")
    part = filters.narrowed(plan, Filters(nodes=names))
    now = now_of(
        found,
        names,
        plan.to_release,
        catalog=catalog or default_catalog(),
        begun=begun or {},
        records=records or Records(),
    )
    return judge_after(part, Policy(), now)
