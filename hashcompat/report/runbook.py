"""The runbook of an upgrade: what to type, node by node and in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hashcompat.model.escape import name_path, owner_path
from hashcompat.model.impact import Batch, Certainty, Effect, Impact, NodeImpact, Step
from hashcompat.model.words import agree, count
from hashcompat.report.collapse import collapsed
from hashcompat.report.model import Block, Bullets, Heading, Script

_NODE: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
"""What API servers accept as the name of a node (apimachinery ``IsDNS1123Subdomain``)."""

_TITLES: Final = {
    Step.CLEAN: "in place, nothing restarts",
    Step.IN_PLACE: "in place",
    Step.UNDECIDED: "undecided: decide first, or drain",
    Step.DRAIN: "drain first",
}

_OLDER: Final = "kubectl before 1.20 calls --delete-emptydir-data --delete-local-data; these files are lost"

_BARE: Final = "--force deletes pods that nothing creates again; save their manifests first"


def runbook(impact: Impact) -> Iterator[Block]:
    """Yield the pages: what to know, then each batch with the commands for each of its nodes."""
    yield Heading(f"Runbook: kubelet {impact.from_release} to {impact.to_release}", 1)
    yield Bullets([*_before(impact)])
    yield Script([_hashcompat(impact, "preflight", "--to", impact.to_release, "--no-node")])
    nodes = {node.name: node for node in impact.nodes}
    for batch in impact.batches:
        yield from _batch(impact, batch, nodes)


def _before(impact: Impact) -> Iterator[str]:
    yield "A kubelet that restarts containers asks nobody: PodDisruptionBudgets hold back drains alone."
    yield "Upgrade a batch only when the one before is done and its pods are ready again."
    yield from (f"Warning: {warning}" for warning in collapsed(impact.warnings))
    if impact.budgets_missing:
        yield f"PodDisruptionBudgets are UNKNOWN: {impact.budgets_missing}"
    if impact.unplaced or impact.unseen:
        pods = count(impact.unplaced + impact.unseen, "pod")
        yield f"On no node that is known, and so in no batch: {pods}"


def _batch(impact: Impact, batch: Batch, nodes: dict[str, NodeImpact]) -> Iterator[Block]:
    yield Heading(f"Batch {batch.number}: {count(len(batch.nodes), 'node')}, {_TITLES[batch.step]}", 2)
    if len(batch.nodes) > 1 and batch.effect:
        yield Bullets([f"Together: {line}" for line in _effect(batch.effect)])
    for name in batch.nodes:
        yield Heading(f"Node {name}", 3)
        if lines := [*_node(nodes[name])]:
            yield Bullets(lines)
        yield Script([*_commands(impact, nodes[name])])


def _effect(effect: Effect) -> Iterator[str]:
    for budget in effect.budgets:
        name = name_path(budget.namespace, budget.name)
        if budget.certainty is Certainty.YES:
            yield f"PodDisruptionBudget {name} is breached: {budget.after} of {budget.desired} healthy pods"
        else:
            yield f"PodDisruptionBudget {name} may be breached"
    for owner in effect.owners:
        sure = owner.certainty is Certainty.YES
        verb = agree(owner.replicas, "restart") if sure else "may restart"
        yield f"{owner.all_of_it} {verb} at once"


def _node(node: NodeImpact) -> Iterator[str]:
    if node.restarted or node.unknown:
        yield f"Pods that restart: {node.restarted}; more that may: {node.unknown}"
    yield from node.reasons
    pods = node.pods
    for what, places in (
        ("Not started again", pods.killed),
        ("Nothing creates it again", pods.bare),
        ("Static pod, which no drain moves", pods.static),
    ):
        yield from (f"{what}: {name_path(*place)}" for place in places)
    yield from (f"The only replica: {owner_path(*owner)}" for owner in pods.single)


def _commands(impact: Impact, node: NodeImpact) -> Iterator[str | tuple[str, ...]]:
    if not _NODE.fullmatch(node.name):
        yield "no commands: no API server accepts this name of a node"
        return
    yield _kubectl(impact, "cordon", node.name)
    if node.step in (Step.DRAIN, Step.UNDECIDED):
        yield from _drain(impact, node)
    yield f"on the node: install kubelet {impact.to_release}, then"
    yield ("systemctl", "restart", "kubelet")
    yield "from here; the plan exits with 0 once nothing of the node is left to restart"
    yield _kubectl(impact, "wait", "--for=condition=Ready", f"node/{node.name}", "--timeout=10m")
    yield _hashcompat(
        impact,
        "plan",
        "--from",
        "auto",
        "--to",
        impact.to_release,
        "--node",
        node.name,
        "--detailed-exitcode",
    )
    yield _kubectl(impact, "uncordon", node.name)


def _drain(impact: Impact, node: NodeImpact) -> Iterator[str | tuple[str, ...]]:
    if node.step is Step.UNDECIDED:
        yield "not needed where the reasons above are settled otherwise"
    if node.drain_waits:
        yield f"waits, for no eviction is allowed now by {', '.join(node.drain_waits)}"
    if "--delete-emptydir-data" in node.flags:
        yield _OLDER
    if "--force" in node.flags:
        yield _BARE
    for owner in node.effect.owners:
        yield f"all replicas of {owner_path(owner.namespace, owner.name)} are here: move one by one first"
    yield _kubectl(impact, "drain", node.name, *node.flags, "--timeout=30m")


def _kubectl(impact: Impact, *words: str) -> tuple[str, ...]:
    return ("kubectl", *_context(impact), *words)


def _hashcompat(impact: Impact, *words: str) -> tuple[str, ...]:
    return ("hashcompat", *words, *_context(impact))


def _context(impact: Impact) -> tuple[str, ...]:
    """Return the flag that names the cluster: the context that was read."""
    return (f"--context={impact.origin.context}",) if impact.origin.context else ()
