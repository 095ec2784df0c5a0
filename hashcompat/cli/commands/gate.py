"""``hashcompat gate``: the judge that a rollout obeys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Final

from hashcompat.cli import output
from hashcompat.cli.args import cluster
from hashcompat.cli.args.declare import command as declared
from hashcompat.cli.args.declare import given_flags, option
from hashcompat.cli.args.facts import Facts, Patched
from hashcompat.cli.args.joined import check_releases
from hashcompat.cli.args.keys import key_of
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.planned import planned
from hashcompat.cli.args.policy import PolicyFlags, besides_of, policy_of
from hashcompat.cli.args.releases import Names, Releases
from hashcompat.cli.args.scope import Scope
from hashcompat.cli.args.source import Source
from hashcompat.cli.settings import Setting
from hashcompat.errors import UsageError
from hashcompat.gating import refusal
from hashcompat.gating.judge import judge
from hashcompat.gating.policy import Policy
from hashcompat.model.digest import SIGNATURE
from hashcompat.model.plan import Plan
from hashcompat.planning.options import AUTO
from hashcompat.report.gate import GATE
from hashcompat.sources import filters
from hashcompat.sources.files import plans
from hashcompat.sources.files.saved import opened

_CLUSTER: Final = ("--context", "--kubeconfig", "--as", "--as-group", "--request-timeout")
"""The flags of a source that go with a saved plan: they name the cluster that it must be of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What ``gate`` is asked."""

    plan: str | None = option(
        "--plan",
        metavar="FILE",
        help="A plan that hashcompat plan --out saved; default: one made of the source.",
    )
    keep_going: bool = option(
        "--keep-going",
        is_flag=True,
        help="Make a container that does not decode UNKNOWN instead of stopping.",
    )
    policy: PolicyFlags
    releases: Releases
    source: Source
    scope: Scope
    facts: Facts
    patched: Patched
    shown: Annotated[Shown, shows(GATE)]
    quiet: Quiet


@declared("gate", Arguments, short_help="Decide by a policy whether a kubelet upgrade may go on.")
def command(given: Arguments) -> int:
    """Judge a plan by a policy: exit 0 where it holds, 2 where it does not, 3 where it is undecided.

    Without a policy nothing may restart. Its settings are flags, variables such as
    HASHCOMPAT_GATE_MAX_RESTARTS, and the keys below gate in ./.hashcompat.yaml or in the user's own.
    """
    quiet = given.quiet.quiet
    found = given.policy.settings()
    policy, names = policy_of(found), given.releases.data.names(quiet=quiet)
    ready = partial(output.ready, GATE, given.shown)
    now = datetime.now(UTC)
    if given.plan:
        plan = _saved(given, given.plan, found, policy, names, now)
    else:
        _refuse_without_plan(found)
        plan = planned(given, names, ready, quiet=quiet).plan
        _check_cluster(plan, policy, found)
    result = judge(plan, policy, besides_of(found, plan, names.catalog), now.date())
    output.show(GATE, result, given.shown)
    output.notes(GATE, result, quiet=quiet)
    return result.exit_code


def _refuse_without_plan(found: Mapping[str, Setting]) -> None:
    """Raise UsageError for a setting that is about saved plans, where none is given."""
    if "verify-key" in found:
        raise UsageError(
            f"{found['verify-key'].place}: only a saved plan is signed; give it with --plan FILE"
        )


def _saved(
    given: Arguments, name: str, found: Mapping[str, Setting], policy: Policy, names: Names, now: datetime
) -> Plan:
    """Read the saved plan; raises InputError, naming the file, for one that is not to be judged."""
    _refuse_source(given)
    old, new = (_release(names, one) for one in (given.releases.from_release, given.releases.to_release))
    output.ready(GATE, given.shown)
    key = key_of(found["verify-key"].file if "verify-key" in found else None)
    uid = cluster.uid(given.source.cluster) if any(given_flags(given.source.cluster)) else ""
    with opened(name, (plans.KIND,), plans.WANTED) as document:
        plan = plans.whole_of(document)
        refusal.check_seals(document.digest(), document.rest.text(SIGNATURE, ""), key)
        refusal.check_age(plan, policy, now)
        _check_cluster(plan, policy, found)
        refusal.check_cluster(plan, uid, "the live cluster")
    check_releases(name, plan, "" if old == AUTO else old, new, names.catalog)
    return filters.narrowed(plan, given.scope.filters)


def _check_cluster(plan: Plan, policy: Policy, found: Mapping[str, Setting]) -> None:
    if policy.cluster:
        refusal.check_cluster(plan, policy.cluster, found["cluster-uid"].place)


def _release(names: Names, name: str | None) -> str:
    return names.read_or_auto(name) if name else ""


def _refuse_source(given: Arguments) -> None:
    """Refuse what would take part in making a plan, where there is one."""
    others = (given.source, given.scope.labels, given.facts, given.patched)
    flags = [flag for group in others for flag in given_flags(group) if flag not in _CLUSTER]
    flags += ["--keep-going"] if given.keep_going else []
    if flags:
        raise UsageError(f"{flags[0]} goes with making a plan, not with --plan, which has all of that in it")
