"""Pods and two releases -> verdicts: pure functions over values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from sys import intern
from typing import Any, Final, TypeVar

from hashcompat import reasons
from hashcompat.assumptions import assumptions
from hashcompat.calibration import share
from hashcompat.cases import HashOf, Likeness, Options, Prepared, likeness, place, prepare, replica
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.differences import difference
from hashcompat.errors import DecodeError, InputError, NotStoredError
from hashcompat.kubelet.case import Case, Decision
from hashcompat.kubelet.decisions import decide, decide_by_record
from hashcompat.kubelet.hashing import container_hash
from hashcompat.kubelet.resting import at_rest
from hashcompat.kubelet.skew import skew_warnings
from hashcompat.model import (
    Container,
    ContainerName,
    Hashes,
    Inventory,
    Item,
    Node,
    Plan,
    Pod,
    PodName,
    Reason,
    Verdict,
)
from hashcompat.patched import as_patched
from hashcompat.replicas import Latest, once_a_spec
from hashcompat.suggestions import Suggester

AUTO: Final = "auto"
Preparer = Callable[[Pod, Container, Kubelet | None, Node | None], Prepared]
Value = TypeVar("Value", bound=Hashable)

_ORDER: Final[tuple[Callable[[Item], Any], ...]] = (
    attrgetter("pod.name"),
    attrgetter("pod.namespace"),
    attrgetter("pod.node"),
    lambda item: not item.pod.node,
)
"""The order of items, the least important key first: one stable sort a key needs no tuple an item."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A container on its way to a verdict: prepared for the rules, or with what stands in their way; both where a record may help."""

    pod: Pod
    container: Container
    release: str
    prepared: Prepared | None
    obstacle: Decision


def make_plan(
    inventory: Inventory, from_release: str, to_release: str, catalog: Catalog, options: Options = Options()
) -> Plan:
    """Return the verdict for every container when kubelets go from one release to another.

    ``from_release`` is a release or ``auto``: what each pod's node reports. Raises UsageError for unknown
    releases, and InputError, with file and path, for a container that does not decode.
    """
    planner = Planner(inventory.nodes, from_release, to_release, catalog, options)
    for pod in inventory.pods:
        planner.add(pod)
    return planner.plan()


class Judge:
    """Decides pod by pod what one upgrade does; of the pods that passed it keeps a few, for their replicas."""

    def __init__(
        self,
        nodes: Iterable[Node],
        from_release: str,
        to_release: str,
        catalog: Catalog,
        options: Options,
        hash_of: HashOf = container_hash,
    ) -> None:
        self.new = as_patched(catalog.kubelet(to_release), options.patch)
        if from_release != AUTO:
            catalog.kubelet(from_release)
        self.nodes = {node.name: node for node in nodes}
        self.releases = from_release, to_release
        self._catalog, self._options = catalog, options
        self._prepare = _preparer(self.new, catalog, options, hash_of)

    def verdicts(self, pod: Pod) -> list[Verdict]:
        """Return the verdict for each container of a pod, as if every record of its node had been reproduced."""
        return [_decision(draft, calibrated=True).verdict for draft in self.drafts(pod)]

    def drafts(self, pod: Pod) -> list[_Draft]:
        """Prepare each container of a pod for the rules."""
        release, node = _release_of(pod, self.nodes, self.releases[0]), self.nodes.get(pod.node)
        return [
            _draft(pod, container, release, node, self._prepare, self._catalog, self._options)
            for container in pod.containers
        ]


class Planner:
    """Makes a plan pod by pod, and keeps of a pod only what a report says of it: 1 GB of pods passes through little memory."""

    def __init__(
        self, nodes: Iterable[Node], from_release: str, to_release: str, catalog: Catalog, options: Options
    ) -> None:
        self._judge = Judge(nodes, from_release, to_release, catalog, options)
        self._catalog, self._options = catalog, options
        self._differences = _difference_finder(self._judge.new, catalog)
        self._suggester = Suggester(self._judge.new, catalog, options)
        self._items: list[Item] = []
        self._doubtful: list[tuple[int, Item]] = []
        self._broken: set[str] = set()

    def add(self, pod: Pod) -> None:
        """Decide one more pod; where a record of its node that is yet to come could change a verdict, both are kept."""
        name = PodName(intern(pod.node), intern(pod.namespace), pod.name, pod.uid, intern(pod.owner))
        sandboxed = bool(self._options.records.sandboxes_of(pod))
        for draft in self._judge.drafts(pod):
            item = _item(draft, name, self._differences, calibrated=True, sandboxed=sandboxed)
            if item.verdict is Verdict.RESTART and not item.pod_recreated and draft.prepared:
                self._suggester.add(draft.prepared)
            doubtful = (
                _item(draft, name, self._differences, calibrated=False, sandboxed=sandboxed)
                if self._options.records
                else item
            )
            if doubtful != item:
                self._doubtful.append((len(self._items), doubtful))
            if item.calibrated is False:
                self._broken.add(name.node)
            self._items.append(item)

    def plan(self) -> Plan:
        """Return the plan of the pods so far: a node's records that were not reproduced make other verdicts on it doubtful."""
        items = list(self._items)
        for index, item in self._doubtful:
            if item.pod.node in self._broken:
                items[index] = item
        for key in _ORDER:
            items.sort(key=key)
        judge, catalog, options = self._judge, self._catalog, self._options
        return Plan(
            *judge.releases,
            tuple(items),
            tuple(assumptions(items, judge.new, judge.nodes, catalog, options)),
            tuple(_warnings(items, judge.new, catalog, options)),
            share(items),
            patch=str(options.patch or ""),
            suggestion=self._suggester.suggestion(),
        )


def _release_of(pod: Pod, nodes: Mapping[str, Node], from_release: str) -> str:
    if from_release != AUTO:
        return from_release
    return nodes[pod.node].kubelet if pod.node in nodes else ""


def _preparer(new: Kubelet, catalog: Catalog, options: Options, hash_of: HashOf) -> Preparer:
    """Return the function that prepares a container; replicas of one that was prepared take over its hashes."""
    known: Latest[tuple[Likeness, Kubelet | None], Prepared] = Latest()

    def run(pod: Pod, container: Container, old: Kubelet | None, node: Node | None) -> Prepared:
        key = likeness(pod, container), old
        if key in known:
            return replica(known[key], pod, container, node, catalog, options)
        known[key] = prepare(pod, container, (old, new), node, catalog, options, hash_of)
        return known[key]

    return run


def _draft(
    pod: Pod,
    container: Container,
    release: str,
    node: Node | None,
    prepare_one: Preparer,
    catalog: Catalog,
    options: Options,
) -> _Draft:
    old = as_patched(catalog.kubelet(release), options.patch) if catalog.knows(release) else None
    obstacle = _unknown_release(pod, container, release) if old is None else Decision(Verdict.KEEP)
    if old is None and (obstacle.verdict is Verdict.KEEP or options.records.of(pod, container) is None):
        return _Draft(pod, container, release, None, obstacle)
    try:
        prepared = prepare_one(pod, container, old, node)
    except NotStoredError as error:
        return _Draft(pod, container, release, None, _unknown(reasons.NOT_STORED, str(error)))
    except DecodeError as error:
        problem = f"{place(pod, container)}{error}"
        if not options.keep_going:
            raise InputError(f"{pod.origin}: {problem}") from None
        return _Draft(pod, container, release, None, _unknown(reasons.NOT_DECODED, problem))
    return _Draft(pod, container, release, prepared, obstacle)


def _unknown(rule: str, text: str) -> Decision:
    return Decision(Verdict.UNKNOWN, (Reason(rule, text),))


def _unknown_release(pod: Pod, container: Container, release: str) -> Decision:
    if why := at_rest(pod, container):
        return Decision(Verdict.KEEP, (Reason(reasons.NOT_COMPARED, f"not compared: {why}"),))
    where = f"node {pod.node}" if pod.node else "a pod without a node"
    problem = (
        f"kubelet release {release} is not known" if release else "its kubelet release is not in the input"
    )
    return _unknown(reasons.NODE_RELEASE, f"{where}: {problem}")


def _calibrated(case: Case) -> bool | None:
    """Tell whether the recorded hash is the one that the old kubelet's release computes; None where there is none to compare."""
    if (
        case.recorded is None
        or case.recorded.hash is None
        or at_rest(case.pod, case.container)
        or not case.old_known
    ):
        return None
    return case.recorded.hash in case.old_hash.candidates


def _decision(draft: _Draft, *, calibrated: bool) -> Decision:
    if draft.prepared is None:
        return draft.obstacle
    case = replace(draft.prepared.case, calibrated=calibrated)
    return decide(case) if case.old_known else decide_by_record(case) or draft.obstacle


def _item(
    draft: _Draft,
    pod: PodName,
    differences: Callable[[Prepared], tuple[Reason, ...]],
    *,
    calibrated: bool,
    sandboxed: bool,
) -> Item:
    decision = _decision(draft, calibrated=calibrated)
    container = _one(ContainerName(draft.container.name, draft.container.type))
    rests = bool(at_rest(draft.pod, draft.container))
    if draft.prepared is None:
        why = _one(decision.reasons)
        return Item(
            pod, container, draft.release, decision.verdict, reasons=why, rests=rests, sandboxed=sandboxed
        )
    case, why = draft.prepared.case, decision.reasons
    if decision.hash_changed:
        why = (*differences(draft.prepared), *why)
    old_hash = case.old_hash.value if case.old_known else None
    hashes = _one(Hashes(case.recorded.hash if case.recorded else None, old_hash, case.new_hash.value))
    flags = decision.pod_recreated, _calibrated(case), rests, sandboxed
    return Item(pod, container, draft.release, decision.verdict, hashes, _one(why), *flags)


@lru_cache(maxsize=4096)
def _one(value: Value) -> Value:
    """Return the same object for all equal ones among the latest: what replicas have in common is kept once."""
    return value


def _difference_finder(new: Kubelet, catalog: Catalog) -> Callable[[Prepared], tuple[Reason, ...]]:
    """Return the function that names what makes a difference."""
    return once_a_spec(lambda prepared: tuple(_differences(prepared, new, catalog)))


def _differences(prepared: Prepared, new: Kubelet, catalog: Catalog) -> Iterator[Reason]:
    """Name what makes the difference: the kubelets, the API server's new defaults, or both."""
    case = prepared.case
    if prepared.filled:
        yield Reason(reasons.API_DEFAULT, f"the new API server fills in {', '.join(prepared.filled)}")
        if container_hash(prepared.old_spec, new).candidates == case.old_hash.candidates:
            return
    yield from difference(prepared.old_spec, case.old, new, catalog)


def _warnings(items: list[Item], new: Kubelet, catalog: Catalog, options: Options) -> Iterator[str]:
    """Quote the version skew policy where the plan breaks it, once for each release that nodes come from."""
    server = catalog.kubelet(options.apiserver_to) if options.apiserver_to else None
    names = {item.from_release for item in items if catalog.knows(item.from_release)}
    olds = sorted((catalog.kubelet(name) for name in names), key=lambda kubelet: kubelet.release.version)
    yield from dict.fromkeys(warning for old in olds for warning in skew_warnings(old, new, server))
