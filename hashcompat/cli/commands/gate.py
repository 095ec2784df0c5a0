"""``hashcompat gate``: the judge that a rollout obeys.

The second half is about a saved plan: which flags go with it and which plans are refused, then what the
cluster shows of its nodes after the upgrade.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final
from uuid import uuid4

from msgspec import structs

from hashcompat.analysis.gating import GateResult, Outcome, decided, own_turns, taken
from hashcompat.analysis.gating.judge import check_age, check_cluster, check_input_age, check_seals, judge
from hashcompat.analysis.gating.outcome import judge_after
from hashcompat.analysis.planning.cluster import Ages
from hashcompat.cli import output
from hashcompat.cli.args import command as declared
from hashcompat.cli.args import given_flags, group, option
from hashcompat.cli.args.common import OutputOptions, Quiet, ReleaseNames, Releases, check_releases, shows
from hashcompat.cli.args.facts import KEEP_GOING, FactOptions, Jobs, Patched, key_of, planned
from hashcompat.cli.args.gate import PolicyFlags, RolloutFlags, RolloutStore, after_settling, extra_inputs_of
from hashcompat.cli.args.inventory import InventoryRequest
from hashcompat.cli.args.source import ScopeOptions, SourceOptions, cluster_uid
from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import count
from hashcompat.core.model.impact import Phase, Turn
from hashcompat.core.model.items import ContainerName, Item, Prediction, name_of
from hashcompat.core.model.plan import AUTO, Plan
from hashcompat.core.model.pods import Inventory, Origin, Pod
from hashcompat.core.model.results import SIGNATURE
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies import ABOUT_PLANS, FILES, FailOn, Policy, PolicySetting, Settled, policy_of
from hashcompat.core.records.index import Records, index
from hashcompat.output.report.gate import GATE
from hashcompat.sources import filters
from hashcompat.sources.dating import now
from hashcompat.sources.files import named, plans
from hashcompat.sources.files.saved import PlanRows, opened

if TYPE_CHECKING:
    from hashcompat.core.model.impact import Impact

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
    keep_going: bool = KEEP_GOING
    rollout: RolloutFlags
    policy: PolicyFlags
    releases: Releases
    source: SourceOptions
    jobs: Jobs
    scope: ScopeOptions
    facts: FactOptions
    patched: Patched
    shown: Annotated[OutputOptions, shows(GATE)]
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
    _check_kept(arguments, chosen)
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


def _check_kept(arguments: Arguments, chosen: Settled) -> None:
    """Raise UsageError where a result would replace what no flag names, or the state, there yet or not."""
    written = output.places(arguments.shown.out, arguments.shown.reports)
    named = [(setting.place, setting.file) for key in FILES if (setting := chosen.settings.get(key))]
    files = [("settings", file.name) for file in chosen.files]
    output.check_kept(written, [*named, *files], recursive=False)
    state = arguments.rollout.state
    for flag, place in written:
        if state and os.path.realpath(place) == os.path.realpath(state):
            raise UsageError(f"{flag} {place}: that is the state (--state); choose another file")


def _check_rollout(arguments: Arguments, policy: Policy, settings: Mapping[str, PolicySetting]) -> None:
    """Raise UsageError for a policy that does not go with the flags of a rollout."""
    if arguments.rollout.state and policy.report_only:
        raise UsageError(f"{settings['report-only'].place}: cannot be combined with --state")
    flags = [flag for flag in given_flags(arguments.policy) if flag not in _AFTER]
    if arguments.rollout.after and flags:
        raise UsageError(f"{flags[0]} is about what may restart; --after compares what did with the plan")
    if arguments.rollout.settle and not arguments.source.is_live:
        raise UsageError("--settle needs a live cluster: files do not change")
    if FailOn.PDB in policy.fail_on and arguments.scope.labels.selector:
        raise UsageError("-l leaves out pods that budgets count; narrow with -n, --owner or --node")


def _of_source(
    arguments: Arguments, settings: Mapping[str, PolicySetting], policy: Policy, names: ReleaseNames
) -> GateResult:
    """Judge a plan that is made of the source."""
    if "verify-key" in settings:
        raise UsageError(
            f"{settings['verify-key'].place}: only a saved plan is signed; give it with --plan FILE"
        )
    ready, budgets = partial(output.ready, GATE, arguments.shown), FailOn.PDB in policy.fail_on
    made = planned(arguments, names, ready, budgets=budgets, jobs=arguments.jobs.number)
    _check_uid(made.plan, policy, settings)
    _check_read(made.plan.origin, policy)
    impact = _impact(made.plan, made.whole, arguments.scope.nodes) if budgets else None
    extra = extra_inputs_of(settings, policy, made.plan, names.catalog, impact)
    return judge(made.plan, policy, extra, _now().date())


def _of_saved(
    arguments: Arguments,
    name: str,
    settings: Mapping[str, PolicySetting],
    policy: Policy,
    names: ReleaseNames,
) -> GateResult:
    """Judge a saved plan, before the upgrade of nodes or after it."""
    ready = partial(output.ready, GATE, arguments.shown)
    plan, digest = _read_plan(arguments, name, policy, settings, names, ready)
    store = arguments.rollout.store(arguments.source.cluster)
    if arguments.rollout.after:
        return _after(arguments, plan, digest, policy, names, store)
    impact = _impact_now(arguments, plan, policy) if FailOn.PDB in policy.fail_on else None
    extra = extra_inputs_of(settings, policy, plan, names.catalog, impact)
    result = judge(plan, policy, extra, _now().date())
    return _taken(arguments, result, digest, store) if store else result


def _after(
    arguments: Arguments,
    plan: Plan,
    digest: str,
    policy: Policy,
    names: ReleaseNames,
    store: RolloutStore | None,
) -> GateResult:
    """Compare a plan with what became of its containers, and end the turn of its nodes."""
    from hashcompat.analysis.answers.calibration import now_of

    # before anything is judged: a turn that is not this plan's must not be ended by it
    turns = own_turns(store.read(), arguments.scope.nodes, digest) if store else {}
    begun = {node: turn.started for node, turn in turns.items()}

    def judged(settling: bool) -> GateResult:
        quiet, records = settling or arguments.quiet.quiet, arguments.facts.records
        reading = InventoryRequest(
            arguments.source, arguments.scope, needs_nodes=True, quiet=quiet, needs_pods=False
        )
        inventory = _read_now(plan, reading, policy, reading.scope.filters.matches)
        now = now_of(
            inventory,
            reading.scope.nodes,
            plan.to_release,
            catalog=names.catalog,
            begun=begun,
            records=index(records.collect(reading, inventory)) if records.are_named else Records(),
        )
        return judge_after(plan, policy, now, settling=settling)

    result = after_settling(judged, arguments.rollout.settle)
    if store:
        store.update(lambda rollout: decided(rollout, turns, result, _now()))
    return result


def _taken(arguments: Arguments, result: GateResult, digest: str, store: RolloutStore) -> GateResult:
    """Take the turn where the policy holds; in any case add what is in the way of that."""
    turn = Turn(Phase.STARTED, uuid4().hex, arguments.rollout.who, digest, _now())
    take = partial(taken, names=arguments.scope.nodes, turn=turn, take_over=arguments.rollout.take_over)
    # without PASS nothing is written, but what is in the way is reported all the same
    lines = store.update(take) if result.outcome is Outcome.PASS else take(store.read())[1]
    return structs.replace(result, lines=(*result.lines, *lines))


def _now() -> datetime:
    """Return the time in whole seconds, as kubelets report theirs; no variable takes its place."""
    return datetime.now(UTC).replace(microsecond=0)


# A saved plan, and what the cluster shows now of its nodes.


def _impact(plan: Plan, inventory: Inventory, nodes: tuple[str, ...]) -> Impact:
    """Return what the restarts of a plan do to the budgets."""
    from hashcompat.analysis import disruption

    return disruption.make(plan, inventory, max(len(set(nodes)), 1), nodes or None, at_once=True)


def _impact_now(arguments: Arguments, plan: Plan, policy: Policy) -> Impact:
    """Return what they do to the budgets by the pods that there are now.

    Pods of its nodes that the plan does not know are UNKNOWN: they may restart. Errors as ``_read_now``.
    """
    from hashcompat.analysis.disruption.census import identity_of

    quiet, scope = arguments.quiet.quiet, arguments.scope
    reading = InventoryRequest(arguments.source, scope, quiet=quiet, needs_pods=False, budgets=True)
    inventory = _read_now(plan, reading, policy, lambda _: True)
    planned_pods = {item.pod.uid or (item.pod.namespace, item.pod.name) for item in plan.items}
    items: Iterable[Item] = plan.items
    if reading.source.is_live:
        # what a cluster does not list is gone; a file may be a part of one
        there = set(map(identity_of, inventory.pods))
        items = (item for item in items if identity_of(item.pod) in there)
    unplanned = (
        Item(name_of(pod), ContainerName(first.name, first.type), Prediction("", Verdict.UNKNOWN))
        for pod in inventory.pods
        if (pod.uid or (pod.namespace, pod.name)) not in planned_pods and scope.filters.matches(pod)
        for first in pod.containers[:1]
    )
    return _impact(structs.replace(plan, items=(*items, *unplanned)), inventory, scope.nodes)


def _read_now(
    plan: Plan, reading: InventoryRequest, policy: Policy, keeps: Callable[[Pod], bool]
) -> Inventory:
    """Read all pods, and keep some.

    Raises InputError for another cluster than the plan's, and for what is older than the policy allows.
    """
    inventory = reading.whole()
    ages, pods = Ages(inventory.dating), list[Pod]()
    for pod in inventory.pods:
        ages.add(pod)
        if keeps(pod):
            pods.append(pod)
    inventory = structs.replace(inventory, pods=tuple(pods), origin=ages.dated(inventory.origin))
    reading.warn(ages.warnings())
    _check_read(inventory.origin, policy)
    if plan.origin.cluster and inventory.origin.cluster:
        check_cluster(plan, inventory.origin.cluster, "what is read now")
    return inventory


def _check_read(origin: Origin, policy: Policy) -> None:
    """Raise InputError, naming what was read, where it is older than the policy allows, or of unknown age."""
    with named(", ".join((*origin.names, *filter(None, (origin.context, origin.server)))) or origin.kind):
        check_input_age(origin, policy, datetime.now(UTC))


_CLUSTER: Final = ("--context", "--kubeconfig", "--as", "--as-group", "--request-timeout")
"""The flags of a source that go with a saved plan: they name the cluster that it must be of."""


def _read_plan(
    arguments: Arguments,
    name: str,
    policy: Policy,
    settings: Mapping[str, PolicySetting],
    names: ReleaseNames,
    ready: Callable[[], None],
) -> tuple[Plan, str]:
    """Read a saved plan as far as the scope goes, and its digest; ``ready`` is called before that.

    Raises UsageError for flags that would take part in making one, and InputError, naming the file, for a
    plan that is not to be judged.
    """
    _refuse_source(arguments, policy)
    releases = (("--from", arguments.releases.from_release), ("--to", arguments.releases.to_release))
    old, new = (names.read_or_auto(release, flag) if release else "" for flag, release in releases)
    ready()
    key = key_of(settings["verify-key"].file if "verify-key" in settings else None)
    uid = cluster_uid(arguments.source.cluster) if any(given_flags(arguments.source.cluster)) else ""
    with opened(name, (plans.KIND,), plans.WANTED, PlanRows().items) as document:
        plan = plans.whole_of(document)
        digest = document.digest()
        check_seals(digest, document.rest.text(SIGNATURE, ""), key)
        check_age(plan, policy, datetime.now(UTC))
        if not arguments.rollout.after:  # then what is read now is judged
            check_input_age(plan.origin, policy, datetime.now(UTC), saved=True)
        _check_uid(plan, policy, settings)
        check_cluster(plan, uid, "the live cluster")
    check_releases(name, plan, "" if old == AUTO else old, new, names.catalog)
    part = filters.narrowed(plan, arguments.scope.filters)
    if arguments.rollout.state:
        # a turn is about whole nodes, so it must not be judged by a part of their plan
        left = sum(item.pod.node in arguments.scope.nodes for item in plan.items) - len(part.items)
        if left:
            flag = next(flag for flag in given_flags(arguments.scope) if flag != "--node")
            raise UsageError(
                f"{flag} leaves out {count(left, 'container')} of the plan on these nodes, and a turn that "
                f"--state keeps is about whole nodes; make the plan with {flag} instead"
            )
    return part, digest


def _check_uid(plan: Plan, policy: Policy, settings: Mapping[str, PolicySetting]) -> None:
    """Raise InputError for a plan of another cluster than the policy names."""
    if policy.cluster:
        check_cluster(plan, policy.cluster, settings["cluster-uid"].place)


def _refuse_source(arguments: Arguments, policy: Policy) -> None:
    """Refuse what would take part in making a plan, where there is one."""
    groups: list[object] = [arguments.jobs, arguments.scope.labels, arguments.facts, arguments.patched]
    allowed = [*given_flags(arguments.facts.records)] if arguments.rollout.after else []
    if not (arguments.rollout.after or FailOn.PDB in policy.fail_on):
        groups.insert(0, arguments.source)
        allowed += _CLUSTER
    flags = [flag for group in groups for flag in given_flags(group) if flag not in allowed]
    flags += ["--keep-going"] if arguments.keep_going else []
    if flags:
        raise UsageError(f"{flags[0]} goes with making a plan, not with --plan, which has all of that in it")
