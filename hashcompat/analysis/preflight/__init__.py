"""The checks of a node before its kubelet is restarted: facts in, findings out.

A dump is what the collector read on one node, as text: files, answers of the runtime, lists of processes
(``core/records/probes.py``). Nothing here reads the node itself, so a dump from elsewhere gives the same
findings.

- ``facts/`` makes values of a dump, each when a check first asks for it. What could not be read raises
  UnreadError, what is not there AbsentError.
- ``checks/`` holds a value per hazard: its id (``PF-001``), and a generator of problems from facts and an
  upgrade. What people read about it is in ``schemas/rules/checks``. A check never looks at another one's
  problems. A new check is such a value in the module of its subject, and a page; a new subject is named
  in ``_SUBJECTS`` below.
- ``inspect`` does this for many nodes, each with its own current release and its own part of a plan.

A check that lacks an input is left out and named as such; one that could not read it is UNKNOWN, never OK.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Final

import msgspec

from hashcompat.analysis.preflight.checks import (
    Check,
    KubeletStart,
    Need,
    Problem,
    containers,
    host,
    kubelet,
    pods,
    runtime,
    space,
    starting,
    states,
    values,
)
from hashcompat.analysis.preflight.facts import Facts, NodeObjects
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import same_minor, same_upstream
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.kubelet.alike import servers_of
from hashcompat.core.model.cluster import ApiServers
from hashcompat.core.model.items import Item
from hashcompat.core.model.pods import Node, Origin, Pod, Source
from hashcompat.core.model.preflight import Finding, Preflight, Status
from hashcompat.core.model.verdicts import FINDINGS, Verdict
from hashcompat.core.records.probes import WITHOUT_NODE, AbsentError, Dump, UnparsedError, UnreadError
from hashcompat.core.shown import urls

ALL: Final = "all"
"""Stands for the id of every check."""

_A_NODE: Final = frozenset({Need.NODE})
_NOWHERE: Final = NodeObjects()


def examine(
    dump: Dump,
    upgrade: KubeletStart,
    ignored: Collection[str] = (),
    cluster: NodeObjects = _NOWHERE,
    inputs: frozenset[Need] = _A_NODE,
) -> Iterator[Finding]:
    """Yield what every check finds on a node that can be made with what is given, at least one finding each.

    ``ignored`` are the ids of checks whose errors count as warnings, or ``all``.
    """
    facts = Facts(dump, cluster, upgrade.hazards)
    for check in CHECKS:
        mild = check.id in ignored or ALL in ignored
        for problem in _problems(check, facts, upgrade) if check.is_run(inputs) else ():
            status = Status.WARN if mild and problem.status == Status.ERROR else problem.status
            texts = map(urls, (problem.object, problem.text, problem.advice))
            yield Finding(check.id, dump.node, status, *texts)


def _problems(check: Check, facts: Facts, upgrade: KubeletStart) -> list[Problem]:
    """Return what a check finds; what it could not read makes it UNKNOWN, and never OK.

    A configuration file that no kubelet can parse is one finding, of PF-126: what needs it finds nothing.
    """
    problems: list[Problem] = []
    try:
        problems.extend(check.find(facts, upgrade))
    except UnparsedError:
        return problems
    except (UnreadError, AbsentError, InputError) as error:
        problems.append(Problem(Status.UNKNOWN, "", str(error)))
    return problems or [Problem(Status.OK, "", f"nothing found: {check.rule.name}")]


def left_out(inputs: frozenset[Need]) -> Iterator[tuple[str, str]]:
    """Yield each check that cannot be made with what is given, and what it needs besides, in words."""
    inputs |= {Need.REWRITING}
    for check in CHECKS:
        if not check.is_run(inputs):
            missing = min((need - inputs for need in check.needs), key=len)
            yield check.id, " and ".join(sorted(missing))


def worst_first(findings: Collection[Finding]) -> tuple[Finding, ...]:
    """Sort findings: by status, then by check, node and object."""
    order = list(Status)
    by = sorted(
        findings, key=lambda finding: (order.index(finding.status), finding.id, finding.node, finding.object)
    )
    return tuple(by)


def check_ids(names: Iterable[str]) -> list[str]:
    """Return the ids of checks as they are written; raises UsageError for what is none."""
    ids = {check.id for check in CHECKS} | {ALL}
    wanted = [name.lower() if name.lower() == ALL else name.upper() for name in names]
    for name in wanted:
        if name not in ids:
            near = ", ".join(get_close_matches(name, ids, n=3) or sorted(ids)[:3])
            raise UsageError(f"no check {name!r}; near it: {near}")
    return wanted


_SUBJECTS: Final = (containers, host, kubelet, pods, runtime, space, starting, states, values)

_DEFINED: Final = {
    value for subject in _SUBJECTS for value in vars(subject).values() if isinstance(value, Check)
}

CHECKS: Final = tuple(sorted(_DEFINED, key=lambda check: check.id))
"""The checks of all subjects by their ids."""

# One run over many nodes: each with its own current release, its own part of the plan, and one report.

_NONE: Final[Mapping[str, Mapping[str, None]]] = {}


class Context(msgspec.Struct, frozen=True):
    """What is known besides dumps."""

    nodes: Mapping[str, Node] = msgspec.field(default_factory=dict)
    """The Node objects by their names."""
    pods: Mapping[str, tuple[Pod, ...]] | None = None
    """The pods by their nodes; None where no pods were read."""
    items: Mapping[str, tuple[Item, ...]] | None = None
    """The verdicts of a plan by nodes; None where there is no plan."""
    servers: Mapping[str, Iterable[str]] = msgspec.field(default_factory=dict)
    """The releases of the API servers, with where each shows."""
    origin: Origin | None = None
    """Where the objects come from; None where none were read."""

    @property
    def inputs(self) -> frozenset[Need]:
        """What of this a run is given."""
        needs = {Need.OBJECTS} if self.nodes or self.pods is not None else set[Need]()
        return frozenset(needs if self.items is None else {*needs, Need.PLAN})

    def cluster(self, node: str) -> NodeObjects:
        """Return the objects of a node."""
        return NodeObjects(self.nodes.get(node), None if self.pods is None else self.pods.get(node, ()))

    def planned(self, node: str) -> tuple[Item, ...] | None:
        """Return the verdicts of the containers on a node; None where there is no plan."""
        return None if self.items is None else self.items.get(node, ())

    def release(self, dump: Dump) -> str | None:
        """Return the release of the kubelet that runs on a node, by what was read there or by its objects."""
        node = self.nodes.get(dump.node)
        planned = [item.from_release for item in self.planned(dump.node) or () if item.from_release]
        releases = [_reported_release(dump), node.kubelet if node else "", *planned]
        return next(filter(None, releases), None)


def _reported_release(dump: Dump) -> str:
    """Return the release that the kubelet's program reports: ``Kubernetes v1.23.13``."""
    try:
        return dump.read("version", "kubelet").strip().removeprefix("Kubernetes ")
    except (AbsentError, UnreadError):
        return ""


def context_of(
    nodes: Iterable[Node],
    pods: Iterable[Pod],
    items: Iterable[Item] | None,
    servers: Mapping[str, Mapping[str, None]] = _NONE,
    *,
    sample: bool = False,
) -> Context:
    """Return what a source shows, with the verdicts of its plan; a source without pods has no plan.

    ``servers`` are the releases of API servers that the source shows besides these pods, with where. The
    sample's is none that anybody upgrades under: a plan leaves it aside too.
    """
    all_pods = tuple(pods)
    placed = by_node(all_pods)
    verdicts = None if items is None or not placed else items_by_node(items)
    shown = ApiServers()
    if not sample:
        shown.merge(servers)
    for pod in () if sample else all_pods:
        shown.see(pod)
    return Context({node.name: node for node in nodes}, placed or None, verdicts, shown.releases)


def by_node(pods: Iterable[Pod]) -> Mapping[str, tuple[Pod, ...]]:
    """Return pods by their nodes."""
    placed: dict[str, list[Pod]] = {}
    for pod in pods:
        placed.setdefault(pod.node, []).append(pod)
    return {node: tuple(several) for node, several in placed.items()}


def items_by_node(items: Iterable[Item]) -> Mapping[str, tuple[Item, ...]]:
    """Return the verdicts of a plan by nodes."""
    placed: dict[str, list[Item]] = {}
    for item in items:
        placed.setdefault(item.pod.node, []).append(item)
    return {node: tuple(several) for node, several in placed.items()}


def restarts_of(items: Iterable[Item] | None) -> Callable[[str, str], bool | None]:
    """Return how to ask a plan whether it kills a container, by its pod's uid and its own name."""
    verdicts = {(item.pod.uid, item.container.name): item.verdict for item in items or ()}

    def restarts(uid: str, container: str) -> bool | None:
        verdict = verdicts.get((uid, container), Verdict.UNKNOWN)
        return None if verdict is Verdict.UNKNOWN else verdict in FINDINGS

    return restarts


def with_reported_releases(nodes: Iterable[Node], dumps: Iterable[Dump]) -> tuple[Node, ...]:
    """Return Node objects, and one for each node that only a dump shows, so that a plan has its release."""
    named = {node.name: node for node in nodes}
    for dump in dumps:
        if dump.node not in named and (release := _reported_release(dump)):
            named[dump.node] = Node(dump.node, release)
    return tuple(named.values())


def without_dumps(nodes: Mapping[str, Node]) -> list[Dump]:
    """Return an empty dump for each Node object; raises InputError without any."""
    if not nodes:
        raise InputError("no Node object in the input; give kubectl get nodes,pods -A -o json, or a cluster")
    return [Dump(name, "the API server", {}, lacking=WITHOUT_NODE) for name in nodes]


class PreflightRequest(msgspec.Struct, frozen=True):
    """What is asked of nodes."""

    target: str
    """The release of the kubelet that will be started."""
    current: str = ""
    """The release of the kubelet that runs now, on every node; empty for what each node shows."""
    server: str = ""
    """The release of the API server; empty for those that the cluster shows."""
    ignored: tuple[str, ...] = ()
    """The checks whose errors count as warnings, or ``all``."""
    now: datetime | None = None
    """The time, UTC."""
    normalized: bool = False
    """Whether the records of the nodes are to be rewritten first."""
    overridden: bool = False
    """Whether the current release that is given counts on nodes, too, that report another one."""


def inspect(
    dumps: Sequence[Dump] | None, context: Context, question: PreflightRequest, catalog: Catalog
) -> Preflight:
    """Return what the checks find on nodes: those of the dumps or, with None for these, all Node objects.

    Raises UsageError for unknown releases and checks, and InputError where there is no node, and for a plan
    of another release than the one that runs on a node.
    """
    inputs = context.inputs if dumps is None else context.inputs | {Need.NODE}
    inputs |= {Need.REWRITING} if question.normalized else set[Need]()
    ignored = tuple(check_ids(question.ignored))
    if question.current:
        catalog.kubelet(question.current)
    target = catalog.kubelet(question.target)
    hazards = catalog.hazards(target.release)
    shown = {question.server: ()} if question.server else context.servers
    findings: list[Finding] = []
    current: dict[str, str | None] = {}
    for dump in without_dumps(context.nodes) if dumps is None else dumps:
        name = question.current or context.release(dump)
        current[dump.node] = name
        items = context.planned(dump.node)
        running = catalog.kubelet(name) if name and catalog.knows(name) else None
        upgrade = KubeletStart(
            target,
            hazards,
            running,
            catalog.hazards(running.release) if running else None,
            servers_of(shown, catalog),
            restarts_of(items),
            items,
            catalog.runtimes,
            question.now,
            _contradiction(dump, context, question, catalog),
        )
        findings += examine(dump, upgrade, ignored, context.cluster(dump.node), inputs)
    files = tuple(dict.fromkeys(dump.origin for dump in dumps or ()))
    origin = context.origin or Origin(Source.FILES, files)
    return Preflight(
        question.target, current, worst_first(findings), ignored, tuple(left_out(inputs)), origin
    )


def _contradiction(dump: Dump, context: Context, question: PreflightRequest, catalog: Catalog) -> str:
    """Return what a node reports where that is of another minor than it is said to be; empty elsewhere."""
    said, shows = question.current, context.release(dump) or ""
    is_sample = context.origin is not None and context.origin.kind is Source.SAMPLE
    if not said or question.overridden or is_sample or not (catalog.knows(said) and catalog.knows(shows)):
        return ""
    releases = (catalog.kubelet(name).release for name in (said, shows))
    return "" if same_minor(*releases) else shows


def check_plan(context: Context, dumps: Sequence[Dump], catalog: Catalog) -> None:
    """Raise InputError for a plan of another release than the one that a node's own kubelet shows."""
    for dump in dumps:
        runs = context.release(dump)
        planned = {item.from_release for item in context.planned(dump.node) or ()} - {""}
        for name in sorted(planned):
            if not runs or not catalog.knows(name) or not catalog.knows(runs):
                continue
            if not same_upstream(catalog.kubelet(name).release, catalog.kubelet(runs).release):
                raise InputError(f"the plan is of {name} on {dump.node}, which runs {runs}; make it again")
