"""``hashcompat gate``: the judge that a rollout obeys."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import partial
from typing import Annotated, Final
from uuid import uuid4

from msgspec import structs

from hashcompat.analysis.gating import GateResult, Outcome, decided, own_turns, taken
from hashcompat.analysis.gating.judge import judge
from hashcompat.analysis.gating.outcome import judge_after
from hashcompat.cli import output
from hashcompat.cli.args import command as declared
from hashcompat.cli.args import given_flags, group, option, savedplan
from hashcompat.cli.args.facts import Facts, Patched, keep_going_option
from hashcompat.cli.args.gate import PolicyFlags, RolloutFlags, State, extra_inputs_of, settled
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.output import Quiet, Shown, shows
from hashcompat.cli.args.planned import Jobs, planned
from hashcompat.cli.args.releases import Names, Releases
from hashcompat.cli.args.savedplan import check_read, impact_of, now_of
from hashcompat.cli.args.source import Scope, Source
from hashcompat.core.errors import UsageError
from hashcompat.core.model.impact import Phase, Turn
from hashcompat.core.model.plan import Plan
from hashcompat.core.policies import ABOUT_PLANS, FailOn, Policy, Setting, policy_of
from hashcompat.output.report.gate import GATE
from hashcompat.sources.dating import now

_AFTER: Final = frozenset(
    {*(f"--{key}" for key in ABOUT_PLANS), "--config", "--no-exceptions", "--no-baseline", "--no-report-only"}
)
"""The flags of a policy that count after the upgrade too, or are right there anyway."""


@group
class Arguments:
    """What ``gate`` is asked."""

    plan: str | None = option(
        "--plan",
        metavar="FILE",
        help="A saved plan (hashcompat plan --out); default: plan the pods of the source.",
    )
    keep_going: bool = keep_going_option()
    rollout: RolloutFlags
    policy: PolicyFlags
    releases: Releases
    source: Source
    jobs: Jobs
    scope: Scope
    facts: Facts
    patched: Patched
    shown: Annotated[Shown, shows(GATE)]
    quiet: Quiet


@declared("gate", Arguments, short_help="Check an upgrade against a policy; the exit code gates a pipeline.")
def command(arguments: Arguments) -> int:
    """Check a plan against a policy: exit 0 if it passes, 2 if it fails, 3 if that is undecided.

    With --after, run after the upgrade of --node: exit 0 if everything went as planned, 2 on a surprise.

    Without a policy nothing may restart. A policy is set by flags, by variables such as
    HASHCOMPAT_GATE_MAX_RESTARTS, and by the keys below gate in ./.hashcompat.yaml or the user's own
    settings file, or in the file of --config (HASHCOMPAT_CONFIG). A file cannot loosen what flags and
    variables set.
    """
    arguments.rollout.check(plan=arguments.plan, nodes=arguments.scope.nodes)
    chosen = arguments.policy.settled()
    settings, policy = chosen.settings, policy_of(chosen)
    names = arguments.releases.data.names(quiet=arguments.quiet.quiet)
    _check_rollout(arguments, policy, settings)
    result = (
        _of_saved(arguments, arguments.plan, settings, policy, names)
        if arguments.plan
        else _of_source(arguments, settings, policy, names)
    )
    result = structs.replace(result, making=names.making(now(), arguments))
    output.show(GATE, result, arguments.shown)
    output.notes(GATE, result, quiet=arguments.quiet.quiet)
    return result.exit_code


def _check_rollout(arguments: Arguments, policy: Policy, settings: Mapping[str, Setting]) -> None:
    """Raise UsageError for a policy that does not go with the flags of a rollout."""
    if arguments.rollout.state and policy.report_only:
        raise UsageError(f"{settings['report-only'].place}: cannot be combined with --state")
    others = [flag for flag in given_flags(arguments.policy) if flag not in _AFTER]
    if arguments.rollout.after and others:
        raise UsageError(f"{others[0]} is about what may restart; --after compares what did with the plan")
    if arguments.rollout.settle and not arguments.source.is_live:
        raise UsageError("--settle needs a live cluster: files do not change")
    if FailOn.PDB in policy.fail_on and arguments.scope.labels.selector:
        raise UsageError("-l leaves out pods that budgets count; narrow with -n, --owner or --node")


def _of_source(
    arguments: Arguments, settings: Mapping[str, Setting], policy: Policy, names: Names
) -> GateResult:
    """Judge a plan that is made of the source."""
    if "verify-key" in settings:
        raise UsageError(
            f"{settings['verify-key'].place}: only a saved plan is signed; give it with --plan FILE"
        )
    ready, budgets = partial(output.ready, GATE, arguments.shown), FailOn.PDB in policy.fail_on
    made = planned(arguments, names, ready, quiet=arguments.quiet.quiet, budgets=budgets)
    savedplan.check_uid(made.plan, policy, settings)
    check_read(made.plan.origin, policy)
    impact = impact_of(made.plan, _reading(arguments, budgets=True), policy, made.whole) if budgets else None
    return judge(made.plan, policy, extra_inputs_of(settings, made.plan, names.catalog, impact), _today())


def _of_saved(
    arguments: Arguments, name: str, settings: Mapping[str, Setting], policy: Policy, names: Names
) -> GateResult:
    """Judge a saved plan, before the upgrade of nodes or after it."""
    ready = partial(output.ready, GATE, arguments.shown)
    plan, digest = savedplan.read(arguments, name, policy, settings, names, ready)
    store = arguments.rollout.store(arguments.source.cluster)
    if arguments.rollout.after:
        return _after(arguments, plan, digest, policy, names, store)
    impact = (
        impact_of(plan, _reading(arguments, budgets=True), policy) if FailOn.PDB in policy.fail_on else None
    )
    result = judge(plan, policy, extra_inputs_of(settings, plan, names.catalog, impact), _today())
    return _taken(arguments, result, digest, store) if store else result


def _after(
    arguments: Arguments, plan: Plan, digest: str, policy: Policy, names: Names, store: State | None
) -> GateResult:
    """Compare a plan with what became of its containers, and end the turn of its nodes."""
    # before anything is judged: a turn that is not this plan's must not be ended by it
    turns = own_turns(store.read(), arguments.scope.nodes, digest) if store else {}
    begun = {node: turn.started for node, turn in turns.items()}

    def judged(settling: bool) -> GateResult:
        reading = _reading(arguments, quiet=settling)
        now = now_of(plan, reading, policy, arguments.facts.records, begun, names.catalog)
        return judge_after(plan, policy, now, settling=settling)

    result = settled(judged, arguments.rollout.settle)
    if store:
        store.update(lambda rollout: decided(rollout, turns, result, _now()))
    return result


def _taken(arguments: Arguments, result: GateResult, digest: str, store: State) -> GateResult:
    """Take the turn where the policy holds; in any case add what is in the way of that."""
    turn = Turn(Phase.STARTED, uuid4().hex, arguments.rollout.who, digest, _now())
    take = partial(taken, names=arguments.scope.nodes, turn=turn, take_over=arguments.rollout.take_over)
    # without PASS nothing is written, but what is in the way is reported all the same
    lines = store.update(take) if result.outcome is Outcome.PASS else take(store.read())[1]
    return structs.replace(result, lines=(*result.lines, *lines))


def _reading(arguments: Arguments, *, budgets: bool = False, quiet: bool = False) -> Reading:
    """Return how the source is read besides a saved plan."""
    quiet = quiet or arguments.quiet.quiet
    return Reading(
        arguments.source,
        arguments.scope,
        needs_nodes=not budgets,
        quiet=quiet,
        needs_pods=False,
        budgets=budgets,
    )


def _now() -> datetime:
    """Return the time in whole seconds, as kubelets report theirs; no variable takes its place."""
    return datetime.now(UTC).replace(microsecond=0)


def _today() -> date:
    return datetime.now(UTC).date()
