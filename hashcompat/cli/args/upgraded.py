"""What the cluster shows now of the nodes of a saved plan: what a gate reads besides it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import structs

from hashcompat.cli.args.facts import Records
from hashcompat.cli.args.inventory import Reading
from hashcompat.gating.policy import Policy
from hashcompat.gating.refusal import check_cluster, check_input_age
from hashcompat.model.items import ContainerName, Item, Prediction, name_of
from hashcompat.model.plan import Plan
from hashcompat.model.pods import Inventory, Origin, Pod
from hashcompat.model.verdicts import Verdict
from hashcompat.planning.ages import Ages
from hashcompat.sources.files.inputs import named

if TYPE_CHECKING:
    from hashcompat.catalog.lookup import Catalog
    from hashcompat.gating.outcome import Now
    from hashcompat.model.impact import Impact


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
    from hashcompat.answers import upgraded
    from hashcompat.records.index import Records as Index
    from hashcompat.records.index import index

    found = _read(plan, reading, policy, reading.scope.filters.matches)
    return upgraded.now_of(
        found,
        reading.scope.nodes,
        plan.to_release,
        catalog=catalog,
        begun=begun,
        records=index(records.collect(reading, found)) if records.are_named else Index(),
    )


def impact_of(plan: Plan, reading: Reading, policy: Policy, whole: Inventory | None = None) -> Impact:
    """Return what the restarts of a plan do to the budgets, by the pods that there are now.

    Pods of its nodes that the plan does not know are UNKNOWN: they may restart.
    """
    from hashcompat import disruption

    found = _read(plan, reading, policy, lambda _: True) if whole is None else whole
    if whole is None:
        plan = structs.replace(plan, items=(*plan.items, *_unplanned(plan, found, reading)))
    nodes = reading.scope.nodes
    return disruption.make(plan, found, max(len(set(nodes)), 1), nodes or None)


def _unplanned(plan: Plan, found: Inventory, reading: Reading) -> Iterator[Item]:
    known = {item.pod.uid or (item.pod.namespace, item.pod.name) for item in plan.items}
    for pod in found.pods:
        is_known = (pod.uid or (pod.namespace, pod.name)) in known
        if not is_known and reading.scope.filters.matches(pod) and pod.containers:
            first = pod.containers[0]
            name = ContainerName(first.name, first.type)
            yield Item(name_of(pod), name, Prediction("", Verdict.UNKNOWN))


def _read(plan: Plan, reading: Reading, policy: Policy, keeps: Callable[[Pod], bool]) -> Inventory:
    """Read all pods, and keep some; errors as ``now_of``."""
    found = reading.whole()
    ages, pods = Ages(found.dating), list[Pod]()
    for pod in found.pods:
        ages.add(pod)
        if keeps(pod):
            pods.append(pod)
    found = structs.replace(found, pods=tuple(pods), origin=ages.dated(found.origin))
    reading.warn(ages.warnings())
    check_read(found.origin, policy)
    if plan.origin.cluster and found.origin.cluster:
        check_cluster(plan, found.origin.cluster, "what is read now")
    return found


def check_read(origin: Origin, policy: Policy) -> None:
    """Raise InputError, naming what was read, where it is older than the policy allows, or of unknown age."""
    with named(", ".join((*origin.names, *filter(None, (origin.context, origin.server)))) or origin.kind):
        check_input_age(origin, policy, datetime.now(UTC))
