"""One cluster and one target release -> rows of the tables."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from operator import itemgetter
from typing import Any, Final

import msgspec

from hashcompat.analysis import planning
from hashcompat.analysis.gating import GateResult
from hashcompat.analysis.gating.judge import ExtraInputs, judge
from hashcompat.analysis.planning.options import AUTO, Options
from hashcompat.analysis.planning.view import View
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import goes_back, oldest_first
from hashcompat.core.errors import HashcompatError
from hashcompat.core.model.items import Item, PodName
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Inventory
from hashcompat.core.model.verdicts import FINDINGS, Verdict
from hashcompat.core.policies import Policy
from hashcompat.core.policies.exceptions import Exemption, owner_of
from hashcompat.core.records.index import index
from hashcompat.fleet import Status

Row = tuple[Any, ...]
"""The values of a table's columns behind those that all tables share, in their order."""

_LONGEST: Final = 500
"""Characters of an error in a row."""


class Question(msgspec.Struct, frozen=True):
    """What is asked of every cluster."""

    targets: tuple[str, ...]
    """The target releases, in full."""
    current: str = AUTO
    """The current release, or ``auto``: what each node reports."""
    items: bool = False
    """Whether the containers are wanted one by one."""
    keep_going: bool = False
    """Whether a container that does not decode is UNKNOWN."""
    policy: Policy = msgspec.field(default_factory=Policy)
    exemptions: tuple[Exemption, ...] = ()
    today: date | None = None
    """The day by which exceptions expire; None where there are none."""


class Answer(msgspec.Struct, frozen=True):
    """What one target release does to one cluster."""

    target: str
    status: Status
    error: str = ""
    counts: dict[str, Any] = {}
    """By the names of columns of ``clusters``; most are there only if it was planned."""
    rows: dict[str, list[Row]] = {}
    """The rows of the other tables."""


def shown(error: Exception) -> str:
    """Return an error's message as far as a row has it; that names places, never values."""
    text = str(error)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def answers(inventory: Inventory, question: Question, catalog: Catalog) -> tuple[Answer, ...]:
    """Plan one cluster for all target releases and count; a plan that is refused is an answer too."""
    running, records = running_of(inventory, catalog), index(inventory.records)
    options = Options(keep_going=question.keep_going, records=records)
    view = View(catalog, options)
    return tuple(_answer(inventory, running, target, question, view) for target in question.targets)


def _answer(inventory: Inventory, running: list[str], target: str, question: Question, view: View) -> Answer:
    if any(goes_back(name, target) for name in running):
        return Answer(target, Status.NOT_APPLICABLE, counts={"running": running})
    if question.current == AUTO and not running:
        return Answer(
            target, Status.REFUSED, "no node in it reports a kubelet release, and --from names none"
        )
    began = time.process_time()
    try:
        plan = planning.make(inventory, question.current, target, view)
        extra = ExtraInputs(question.exemptions)
        judged = judge(plan, question.policy, extra, question.today or date.min)
    except HashcompatError as error:
        return Answer(target, Status.REFUSED, shown(error), {"running": running})
    counts = _counts(plan, inventory, judged) | {"running": running}
    rows = {
        "hops": list(_hops(plan)),
        "owners": _owners(plan.items),
        "reasons": _reasons(plan.items),
        "releases": list(_releases(plan, inventory)),
        "items": [_item(item) for item in plan.items] if question.items else [],
    }
    counts["seconds"] = round(time.process_time() - began, 4)
    return Answer(target, Status.PLANNED, "", counts, rows)


def running_of(inventory: Inventory, catalog: Catalog) -> list[str]:
    """Return the releases that the nodes report, oldest first and unknown ones last."""
    names = sorted({node.kubelet for node in inventory.nodes if node.kubelet})
    known = {catalog.kubelet(name): name for name in names if catalog.knows(name)}
    first = [known[kubelet] for kubelet in oldest_first(known)]
    return [*first, *(name for name in names if name not in first)]


def _counts(plan: Plan, inventory: Inventory, judged: GateResult) -> dict[str, Any]:
    summary = plan.summary
    return {
        "nodes": len(inventory.nodes),
        "pods": summary.pods,
        "containers": summary.containers,
        "compared": summary.compared,
        **{str(verdict).lower(): summary.verdicts[verdict] for verdict in Verdict},
        "pods_affected": summary.pods_affected,
        "nodes_affected": summary.nodes_affected,
        "recorded": plan.share.recorded,
        "reproduced": plan.share.reproduced,
        "outcome": str(judged.outcome),
        "why": str(judged.deciding),
        "warnings": len(plan.warnings),
        **({"taken": plan.origin.taken} if plan.origin.taken else {}),
    }


def _hops(plan: Plan) -> Iterator[Row]:
    for step, hop in enumerate(plan.hops, start=1):
        yield step, hop.old, hop.new, hop.findings, hop.unknown
    if plan.rollback:
        back = plan.rollback
        yield 0, back.old, back.new, back.findings, back.unknown


def _rules(item: Item) -> tuple[str, ...]:
    return tuple(sorted({reason.id for reason in item.reasons}))


class _Group:
    """How many containers, pods and nodes have something in common; items come in the order of a plan.

    In that order those of a node follow one another, and of a pod: so no name of them has to be kept.
    """

    __slots__ = ("_node", "_pod", "containers", "nodes", "pods")

    def __init__(self) -> None:
        self.containers = self.pods = self.nodes = 0
        self._pod: PodName | None = None
        self._node = ""

    def add(self, item: Item) -> None:
        pod = item.pod
        self.containers += 1
        if pod is not self._pod and pod != self._pod:
            self.pods += 1
            self._pod = pod
            if pod.node and pod.node != self._node:
                self.nodes += 1
                self._node = pod.node


def _owners(items: Iterable[Item]) -> list[Row]:
    groups = dict[Row, _Group]()
    for item in items:
        pod, container, found = item.pod, item.container, item.prediction
        key = (
            found.from_release,
            pod.namespace,
            owner_of(pod),
            container.name,
            str(container.type),
            str(found.verdict),
            _rules(item),
        )
        groups.setdefault(key, _Group()).add(item)
    return [
        (*key, group.containers, group.pods, group.nodes)
        for key, group in sorted(groups.items(), key=itemgetter(0))
    ]


def _reasons(items: Iterable[Item]) -> list[Row]:
    groups, owners = dict[Row, _Group](), dict[Row, set[tuple[str, str]]]()
    for item in items:
        verdict, owner = str(item.verdict), (item.pod.namespace, owner_of(item.pod))
        for rule, path in {(reason.id, reason.path) for reason in item.reasons}:
            key = rule, path, verdict
            groups.setdefault(key, _Group()).add(item)
            owners.setdefault(key, set()).add(owner)
    return [
        (*key, group.containers, group.pods, len(owners[key]))
        for key, group in sorted(groups.items(), key=itemgetter(0))
    ]


def _releases(plan: Plan, inventory: Inventory) -> Iterator[Row]:
    read_as = {facts.name: facts.read_as for facts in plan.releases}
    nodes = Counter(node.kubelet for node in inventory.nodes)
    containers, findings, unknown = Counter[str](), Counter[str](), Counter[str]()
    for item in plan.items:
        containers[item.from_release] += 1
        findings[item.from_release] += item.verdict in FINDINGS
        unknown[item.from_release] += item.verdict is Verdict.UNKNOWN
    for name in sorted({*nodes, *containers}):
        yield name, read_as.get(name, ""), nodes[name], containers[name], findings[name], unknown[name]


def _item(item: Item) -> Row:
    pod, container, found = item.pod, item.container, item.prediction
    return (
        *(pod.node, pod.namespace, pod.name, pod.uid, owner_of(pod), container.name, str(container.type)),
        *(found.from_release, str(found.verdict), _rules(item), found.compared, found.pod_recreated),
    )


def failed(targets: Sequence[str], error: str, status: Status = Status.UNREADABLE) -> tuple[Answer, ...]:
    """Return the answers of an input of which nothing else is known."""
    return tuple(Answer(target, status, error) for target in targets)
