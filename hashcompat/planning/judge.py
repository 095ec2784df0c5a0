"""Pods and two releases -> verdicts: pure functions over values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from hashcompat import rules as reasons
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.errors import DecodeError, InputError, NotStoredError
from hashcompat.kubelet.decide import decide, decide_by_record
from hashcompat.kubelet.decide.case import Case, Decision
from hashcompat.kubelet.decide.never import at_rest
from hashcompat.kubelet.hashing import container_hash
from hashcompat.model.plan import ContainerName, Hashes, Item, PodName, Reason, Verdict
from hashcompat.model.pods import Container, Node, Pod
from hashcompat.planning.differences import difference
from hashcompat.planning.options import AUTO, Options
from hashcompat.planning.patched import as_patched
from hashcompat.planning.prepare import HashOf, Likeness, Prepared, likeness, place, prepare, replica
from hashcompat.planning.replicas import Latest, once_a_spec

Preparer = Callable[[Pod, Container, Kubelet | None, Node | None], Prepared]

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A container on its way to a verdict: prepared for the rules, or with what stands in their way; both where a record may help."""

    pod: Pod
    container: Container
    release: str
    prepared: Prepared | None
    obstacle: Decision


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
