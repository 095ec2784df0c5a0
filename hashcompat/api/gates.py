"""A plan judged by a policy, and by what became of its containers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TypedDict, Unpack

import msgspec

from hashcompat.answers.upgraded import now_of
from hashcompat.api.inputs import Source, load
from hashcompat.catalog.lookup import Catalog, default_catalog
from hashcompat.errors import UsageError
from hashcompat.gating.exceptions import Exemption, Identity, baseline_of
from hashcompat.gating.judge import ExtraInputs, judge
from hashcompat.gating.outcome import judge_after
from hashcompat.gating.policy import STRICTER, Policy, Setting, policy_of, settled
from hashcompat.gating.refusal import check_age, check_cluster, check_input_age
from hashcompat.gating.result import GateResult
from hashcompat.model.plan import Plan
from hashcompat.model.preflight import Preflight
from hashcompat.records.index import Records
from hashcompat.sources import filters
from hashcompat.sources.filters import Filters


class PolicyFields(TypedDict, total=False):
    """The flags of a policy, as texts; None keeps a settings file from giving that key."""

    max_restarts: str | None
    max_per_owner: str | None
    max_per_node: str | None
    fail_on: str | None
    preflight: str | None
    exceptions: str | None
    baseline: str | None
    strict: bool
    plan_max_age: str | None
    max_age: str | None
    cluster_uid: str | None
    report_only: bool


class LoadedPolicy(msgspec.Struct, frozen=True):
    """A policy with what its files hold."""

    policy: Policy
    exemptions: tuple[Exemption, ...] = ()
    baseline: frozenset[Identity] = frozenset()
    preflight: str = ""
    """The name of the report, which is read with the plan that it must be of."""


def load_policy(config: str | PathLike[str] | None = None, **given: Unpack[PolicyFields]) -> LoadedPolicy:
    """Read a policy as the command line does, of a settings file and of what is given here in place of flags.

    The file loosens nothing that is given. No variable counts, and no file that is not named. Raises
    InputError for a file that is wrong, or that others may write, and UsageError for a value that is.
    """
    from hashcompat.sources.files.gates import baseline_in  # noqa: PLC0415 - who judges plans needs no YAML
    from hashcompat.sources.files.settings import check_named, exemptions, settings_file  # noqa: PLC0415

    values = {key.replace("_", "-"): value for key, value in given.items()}
    if unknown := sorted({*values} - {*STRICTER}):
        raise UsageError(f"{unknown[0]}: no such key; the keys are {', '.join(STRICTER)}")
    forbidden = [key for key, value in values.items() if value is None]
    flags = {key: Setting(_text(value), key) for key, value in values.items() if value is not None}
    files = [settings_file(Path(fspath(config)), forbidden)] if config is not None else []
    found = settled(flags, files)
    check_named(found)
    names = {key: one.file for key, one in found.settings.items()}
    return LoadedPolicy(
        policy_of(found),
        exemptions(Path(names["exceptions"])) if "exceptions" in names else (),
        baseline_in(names["baseline"]) if "baseline" in names else frozenset(),
        names.get("preflight", ""),
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def gate(
    plan: Plan,
    policy: Policy | LoadedPolicy | None = None,
    *,
    exemptions: Iterable[Exemption] = (),
    baseline: Plan | None = None,
    preflight: Preflight | None = None,
    today: date | None = None,
) -> GateResult:
    """Return what a policy makes of a plan; without a policy nothing may restart and nothing be UNKNOWN.

    ``baseline`` is an earlier plan, whose findings do not count. ``today``, in UTC and by default the present
    day, is that by which exceptions expire. Raises InputError for a plan that the policy refuses (too old
    itself or made of what is too old, of an unknown age, of another cluster), for exceptions that take too
    long to compare, and for a preflight of another release.
    """
    loaded = policy if isinstance(policy, LoadedPolicy) else LoadedPolicy(policy or Policy())
    now = datetime.now(UTC)
    check_age(plan, loaded.policy, now)
    check_input_age(plan.origin, loaded.policy, now)
    check_cluster(plan, loaded.policy.cluster, "the policy's")
    known = loaded.baseline | (baseline_of(baseline.items) if baseline else frozenset())
    if loaded.preflight and preflight is None:
        from hashcompat.sources.files.checks import report_in  # noqa: PLC0415 - as above

        is_of = partial(default_catalog().is_same_build, plan.to_release)
        preflight = report_in(loaded.preflight, plan.to_release, is_of)
    extra = ExtraInputs((*loaded.exemptions, *exemptions), known, preflight)
    return judge(plan, loaded.policy, extra, today or now.date())


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
