"""Pods and two releases -> verdicts: pure functions over values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from hashcompat import reasons
from hashcompat.assumptions import assumptions
from hashcompat.calibration import share
from hashcompat.cases import Likeness, Options, Prepared, likeness, prepare, replica
from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.differences import difference
from hashcompat.errors import DecodeError, InputError, NotStoredError
from hashcompat.kubelet.case import Case, Decision
from hashcompat.kubelet.decisions import decide, decide_by_record
from hashcompat.kubelet.hashing import container_hash
from hashcompat.kubelet.resting import at_rest
from hashcompat.kubelet.skew import skew_warnings
from hashcompat.model import Container, Hashes, Inventory, Item, Node, Plan, Pod, Reason, Verdict

AUTO: Final = "auto"
Preparer = Callable[[Pod, Container, Kubelet | None, Node | None], Prepared]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A container on its way to a verdict: prepared for the rules, or with what stands in their way; both where a record may help."""

    pod: Pod
    container: Container
    release: str
    prepared: Prepared | None
    obstacle: Decision


def make_plan(inventory: Inventory, from_release: str, to_release: str, catalog: Catalog, options: Options = Options()) -> Plan:  # noqa: B008 - frozen
    """Return the verdict for every container when kubelets go from one release to another.

    ``from_release`` is a release or ``auto``: what each pod's node reports.
    Raises UsageError for unknown releases, and InputError, with file and path, for a container that does not decode.
    """
    new = catalog.kubelet(to_release)
    if from_release != AUTO:
        catalog.kubelet(from_release)
    nodes = {node.name: node for node in inventory.nodes}
    prepare_one = _preparer(new, catalog, options)
    drafts = [
        _draft(pod, container, _release_of(pod, nodes, from_release), nodes.get(pod.node), prepare_one, catalog, options)
        for pod in inventory.pods
        for container in pod.containers
    ]
    broken = {draft.pod.node for draft in drafts if draft.prepared and _calibrated(draft.prepared.case) is False}
    differences = _difference_finder(new, catalog)
    items = [_item(draft, differences, calibrated=draft.pod.node not in broken) for draft in drafts]
    items.sort(key=lambda item: (not item.pod.node, item.pod.node, item.pod.namespace, item.pod.name))
    return Plan(
        from_release,
        to_release,
        tuple(items),
        tuple(assumptions(items, new, nodes, catalog, options)),
        tuple(_warnings(items, new, catalog, options)),
        share(items),
    )


def _release_of(pod: Pod, nodes: Mapping[str, Node], from_release: str) -> str:
    if from_release != AUTO:
        return from_release
    return nodes[pod.node].kubelet if pod.node in nodes else ""


def _preparer(new: Kubelet, catalog: Catalog, options: Options) -> Preparer:
    """Return the function that prepares a container; replicas of one that was prepared take over its hashes."""
    known: dict[tuple[Likeness, Kubelet | None], Prepared] = {}

    def run(pod: Pod, container: Container, old: Kubelet | None, node: Node | None) -> Prepared:
        key = likeness(pod, container), old
        if key in known:
            return replica(known[key], pod, container, node, catalog, options)
        known[key] = prepare(pod, container, (old, new), node, catalog, options)
        return known[key]

    return run


def _draft(
    pod: Pod, container: Container, release: str, node: Node | None, prepare_one: Preparer, catalog: Catalog, options: Options
) -> _Draft:
    old = catalog.kubelet(release) if catalog.knows(release) else None
    obstacle = _unknown_release(pod, container, release) if old is None else Decision(Verdict.KEEP)
    if old is None and (obstacle.verdict is Verdict.KEEP or options.records.of(pod, container) is None):
        return _Draft(pod, container, release, None, obstacle)
    try:
        prepared = prepare_one(pod, container, old, node)
    except NotStoredError as error:
        return _Draft(pod, container, release, None, _unknown(reasons.NOT_STORED, str(error)))
    except DecodeError as error:
        problem = f"{container.path}{error}"
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
    problem = f"kubelet release {release} is not known" if release else "its kubelet release is not in the input"
    return _unknown(reasons.NODE_RELEASE, f"{where}: {problem}")


def _calibrated(case: Case) -> bool | None:
    """Tell whether the recorded hash is the one that the old kubelet's release computes; None where there is none to compare."""
    if case.recorded is None or case.recorded.hash is None or at_rest(case.pod, case.container) or not case.old_known:
        return None
    return case.recorded.hash in case.old_hash.candidates


def _item(draft: _Draft, differences: Callable[[Prepared], tuple[Reason, ...]], *, calibrated: bool) -> Item:
    if draft.prepared is None:
        return Item(draft.pod, draft.container, draft.release, draft.obstacle.verdict, reasons=draft.obstacle.reasons)
    case = replace(draft.prepared.case, calibrated=calibrated)
    decision = decide(case) if case.old_known else decide_by_record(case) or draft.obstacle
    why = decision.reasons
    if decision.hash_changed:
        why = (*differences(draft.prepared), *why)
    old_hash = case.old_hash.value if case.old_known else None
    hashes = Hashes(case.recorded.hash if case.recorded else None, old_hash, case.new_hash.value)
    return Item(draft.pod, draft.container, draft.release, decision.verdict, hashes, why, decision.pod_recreated, _calibrated(case))


def _difference_finder(new: Kubelet, catalog: Catalog) -> Callable[[Prepared], tuple[Reason, ...]]:
    """Return the function that names what makes a difference, once for all replicas: they share the spec that was hashed."""
    known: dict[tuple[int, Kubelet], tuple[Reason, ...]] = {}

    def run(prepared: Prepared) -> tuple[Reason, ...]:
        key = id(prepared.old_spec), prepared.case.old
        if key not in known:
            known[key] = tuple(_differences(prepared, new, catalog))
        return known[key]

    return run


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
