"""A saved plan, as ``gate`` takes it: which flags go with it, and which plans are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final, Protocol

from hashcompat.cli.args import cluster, planned
from hashcompat.cli.args.declare import given_flags
from hashcompat.cli.args.keys import key_of
from hashcompat.cli.args.planreleases import check_releases
from hashcompat.cli.args.releases import Names
from hashcompat.cli.args.rollout import RolloutFlags
from hashcompat.cli.args.scope import Scope
from hashcompat.errors import UsageError
from hashcompat.gating import refusal
from hashcompat.gating.policy import FailOn, Policy, Setting
from hashcompat.model.digest import SIGNATURE
from hashcompat.model.escape import count
from hashcompat.model.plan import Plan
from hashcompat.planning.options import AUTO
from hashcompat.sources import filters
from hashcompat.sources.files import plans
from hashcompat.sources.files.planrows import PlanRows
from hashcompat.sources.files.saved import opened

_CLUSTER: Final = ("--context", "--kubeconfig", "--as", "--as-group", "--request-timeout")
"""The flags of a source that go with a saved plan: they name the cluster that it must be of."""


class Options(planned.Options, Protocol):
    """The options of ``gate`` that a saved plan goes with, or not."""

    @property
    def rollout(self) -> RolloutFlags:
        """How nodes are upgraded one after the other."""


def read(
    given: Options,
    name: str,
    policy: Policy,
    found: Mapping[str, Setting],
    names: Names,
    ready: Callable[[], None],
) -> tuple[Plan, str]:
    """Read a saved plan as far as the scope goes, and its digest; ``ready`` is called before that.

    Raises UsageError for flags that would take part in making one, and InputError, naming the file, for a
    plan that is not to be judged.
    """
    _refuse_source(given, policy)
    old, new = (_release(names, one) for one in (given.releases.from_release, given.releases.to_release))
    ready()
    key = key_of(found["verify-key"].file if "verify-key" in found else None)
    uid = cluster.uid(given.source.cluster) if any(given_flags(given.source.cluster)) else ""
    with opened(name, (plans.KIND,), plans.WANTED, PlanRows().items) as document:
        plan = plans.whole_of(document)
        digest = document.digest()
        refusal.check_seals(digest, document.rest.text(SIGNATURE, ""), key)
        refusal.check_age(plan, policy, datetime.now(UTC))
        if not given.rollout.after:  # then what is read now is judged
            refusal.check_input_age(plan.origin, policy, datetime.now(UTC), saved=True)
        check_uid(plan, policy, found)
        refusal.check_cluster(plan, uid, "the live cluster")
    check_releases(name, plan, "" if old == AUTO else old, new, names.catalog)
    part = filters.narrowed(plan, given.scope.filters)
    if given.rollout.state:
        _check_whole(plan, part, given.scope)
    return part, digest


def check_uid(plan: Plan, policy: Policy, found: Mapping[str, Setting]) -> None:
    """Raise InputError for a plan of another cluster than the policy names."""
    if policy.cluster:
        refusal.check_cluster(plan, policy.cluster, found["cluster-uid"].place)


def _check_whole(plan: Plan, part: Plan, scope: Scope) -> None:
    """Raise UsageError where a turn, which is about whole nodes, would judge a part of their plan."""
    left = sum(item.pod.node in scope.nodes for item in plan.items) - len(part.items)
    if left:
        flag = next(flag for flag in given_flags(scope) if flag != "--node")
        raise UsageError(
            f"{flag} leaves out {count(left, 'container')} of the plan on these nodes, and a turn that "
            f"--state keeps is about whole nodes; make the plan with {flag} instead"
        )


def _release(names: Names, name: str | None) -> str:
    return names.read_or_auto(name) if name else ""


def _refuse_source(given: Options, policy: Policy) -> None:
    """Refuse what would take part in making a plan, where there is one."""
    groups: list[object] = [given.scope.labels, given.facts, given.patched]
    allowed = [*given_flags(given.facts.records)] if given.rollout.after else []
    if not (given.rollout.after or FailOn.PDB in policy.fail_on):
        groups.insert(0, given.source)
        allowed += _CLUSTER
    flags = [flag for group in groups for flag in given_flags(group) if flag not in allowed]
    flags += ["--keep-going"] if given.keep_going else []
    if flags:
        raise UsageError(f"{flags[0]} goes with making a plan, not with --plan, which has all of that in it")
