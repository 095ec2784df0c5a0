"""A saved plan, as ``gate`` takes it, and what the cluster shows now of its nodes.

First which flags go with a saved plan and which plans are refused, then what is read after the upgrade.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import structs

from hashcompat.analysis.gating import judge
from hashcompat.analysis.gating.judge import check_cluster, check_input_age
from hashcompat.analysis.planning.cluster import Ages
from hashcompat.analysis.planning.options import AUTO
from hashcompat.cli.args import given_flags, planned
from hashcompat.cli.args.facts import Records
from hashcompat.cli.args.gate import RolloutFlags
from hashcompat.cli.args.inventory import Reading
from hashcompat.cli.args.planned import key_of
from hashcompat.cli.args.releases import Names, check_releases
from hashcompat.cli.args.source import cluster_uid
from hashcompat.core.errors import UsageError
from hashcompat.core.model.escape import count
from hashcompat.core.model.items import ContainerName, Item, Prediction, name_of
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Inventory, Origin, Pod
from hashcompat.core.model.saved import SIGNATURE
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies import FailOn, Policy, Setting
from hashcompat.sources import filters
from hashcompat.sources.files import plans
from hashcompat.sources.files.inputs import named
from hashcompat.sources.files.planrows import PlanRows
from hashcompat.sources.files.saved import opened

if TYPE_CHECKING:
    from hashcompat.analysis.gating.outcome import Now
    from hashcompat.core.catalog.lookup import Catalog
    from hashcompat.core.model.impact import Impact


def now_of(
    plan: Plan,
    reading: Reading,
    policy: Policy,
    records: Records,
    begun: Mapping[str, datetime],
    catalog: Catalog,
) -> Now:
    """Read what became of the nodes of a plan.

    Raises InputError for another cluster than the plan's, and for what is older than the policy allows.
    """
    from hashcompat.analysis.answers import calibration
    from hashcompat.core.records.index import Records as Index
    from hashcompat.core.records.index import index

    inventory = _read(plan, reading, policy, reading.scope.filters.matches)
    return calibration.now_of(
        inventory,
        reading.scope.nodes,
        plan.to_release,
        catalog=catalog,
        begun=begun,
        records=index(records.collect(reading, inventory)) if records.are_named else Index(),
    )


def impact_of(plan: Plan, reading: Reading, policy: Policy, whole: Inventory | None = None) -> Impact:
    """Return what the restarts of a plan do to the budgets, by the pods that there are now.

    Pods of its nodes that the plan does not know are UNKNOWN: they may restart.
    """
    from hashcompat.analysis import disruption

    inventory = _read(plan, reading, policy, lambda _: True) if whole is None else whole
    if whole is None:
        plan = structs.replace(plan, items=(*plan.items, *_unplanned(plan, inventory, reading)))
    nodes = reading.scope.nodes
    return disruption.make(plan, inventory, max(len(set(nodes)), 1), nodes or None, at_once=True)


def _unplanned(plan: Plan, inventory: Inventory, reading: Reading) -> Iterator[Item]:
    planned_pods = {item.pod.uid or (item.pod.namespace, item.pod.name) for item in plan.items}
    for pod in inventory.pods:
        is_known = (pod.uid or (pod.namespace, pod.name)) in planned_pods
        if not is_known and reading.scope.filters.matches(pod) and pod.containers:
            first = pod.containers[0]
            name = ContainerName(first.name, first.type)
            yield Item(name_of(pod), name, Prediction("", Verdict.UNKNOWN))


def _read(plan: Plan, reading: Reading, policy: Policy, keeps: Callable[[Pod], bool]) -> Inventory:
    """Read all pods, and keep some; errors as ``now_of``."""
    inventory = reading.whole()
    ages, pods = Ages(inventory.dating), list[Pod]()
    for pod in inventory.pods:
        ages.add(pod)
        if keeps(pod):
            pods.append(pod)
    inventory = structs.replace(inventory, pods=tuple(pods), origin=ages.dated(inventory.origin))
    reading.warn(ages.warnings())
    check_read(inventory.origin, policy)
    if plan.origin.cluster and inventory.origin.cluster:
        check_cluster(plan, inventory.origin.cluster, "what is read now")
    return inventory


def check_read(origin: Origin, policy: Policy) -> None:
    """Raise InputError, naming what was read, where it is older than the policy allows, or of unknown age."""
    with named(", ".join((*origin.names, *filter(None, (origin.context, origin.server)))) or origin.kind):
        check_input_age(origin, policy, datetime.now(UTC))


_CLUSTER: Final = ("--context", "--kubeconfig", "--as", "--as-group", "--request-timeout")
"""The flags of a source that go with a saved plan: they name the cluster that it must be of."""


class Options(planned.Options, Protocol):
    """The options of ``gate`` that a saved plan goes with, or not."""

    @property
    def rollout(self) -> RolloutFlags:
        """How nodes are upgraded one after the other."""


def read(
    arguments: Options,
    name: str,
    policy: Policy,
    settings: Mapping[str, Setting],
    names: Names,
    ready: Callable[[], None],
) -> tuple[Plan, str]:
    """Read a saved plan as far as the scope goes, and its digest; ``ready`` is called before that.

    Raises UsageError for flags that would take part in making one, and InputError, naming the file, for a
    plan that is not to be judged.
    """
    _refuse_source(arguments, policy)
    old, new = (
        (names.read_or_auto(one) if one else "")
        for one in (arguments.releases.from_release, arguments.releases.to_release)
    )
    ready()
    key = key_of(settings["verify-key"].file if "verify-key" in settings else None)
    uid = cluster_uid(arguments.source.cluster) if any(given_flags(arguments.source.cluster)) else ""
    with opened(name, (plans.KIND,), plans.WANTED, PlanRows().items) as document:
        plan = plans.whole_of(document)
        digest = document.digest()
        judge.check_seals(digest, document.rest.text(SIGNATURE, ""), key)
        judge.check_age(plan, policy, datetime.now(UTC))
        if not arguments.rollout.after:  # then what is read now is judged
            judge.check_input_age(plan.origin, policy, datetime.now(UTC), saved=True)
        check_uid(plan, policy, settings)
        judge.check_cluster(plan, uid, "the live cluster")
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


def check_uid(plan: Plan, policy: Policy, settings: Mapping[str, Setting]) -> None:
    """Raise InputError for a plan of another cluster than the policy names."""
    if policy.cluster:
        judge.check_cluster(plan, policy.cluster, settings["cluster-uid"].place)


def _refuse_source(arguments: Options, policy: Policy) -> None:
    """Refuse what would take part in making a plan, where there is one."""
    groups: list[object] = [arguments.scope.labels, arguments.facts, arguments.patched]
    allowed = [*given_flags(arguments.facts.records)] if arguments.rollout.after else []
    if not (arguments.rollout.after or FailOn.PDB in policy.fail_on):
        groups.insert(0, arguments.source)
        allowed += _CLUSTER
    flags = [flag for group in groups for flag in given_flags(group) if flag not in allowed]
    flags += ["--keep-going"] if arguments.keep_going else []
    if flags:
        raise UsageError(f"{flags[0]} goes with making a plan, not with --plan, which has all of that in it")
