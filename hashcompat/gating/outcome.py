"""After the upgrade of a node: what became of its containers, compared with what the plan predicted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.gating import outcomelines
from hashcompat.gating.checks import is_static
from hashcompat.gating.policy import ABOUT_PLANS, Policy, PolicyFile
from hashcompat.gating.result import GateResult, Judged, Line, Outcome, Standing
from hashcompat.gating.seen import WORDS, Seen, seen_of
from hashcompat.gating.standings import STANDINGS
from hashcompat.model.escape import word
from hashcompat.model.items import Item
from hashcompat.model.plan import Plan
from hashcompat.model.pods import Container, Node, Pod

HashKey = tuple[str, str]
"""The UID of a pod, and the name of a container."""


class Now(msgspec.Struct, frozen=True):
    """What the cluster shows after the upgrade."""

    names: Sequence[str]
    """The nodes that were upgraded."""
    nodes: Mapping[str, Node]
    upgraded: frozenset[str]
    """The nodes whose kubelet reports the target release."""
    pods: Sequence[Pod]
    """The pods of these nodes."""
    begun: Mapping[str, datetime] = msgspec.field(default_factory=dict)
    """When the upgrade of a node began, UTC, where that is known."""
    recorded: Mapping[HashKey, int] = msgspec.field(default_factory=dict)
    """The recorded hashes of the containers that run now."""


_STILL: Final = frozenset({Seen.KEPT, Seen.SINCE_BEFORE})
"""What may change as long as a kubelet has not looked at it."""


def judge_after(plan: Plan, policy: Policy, now: Now, *, settling: bool = False) -> GateResult:
    """Return what became of the containers of some nodes, of a plan that has only these.

    ``settling`` is whether kubelets may not have looked at all of their pods yet: what runs may restart.
    """
    problems = {name: _problem(name, plan, now) for name in now.names}
    find = _finder(now.pods)
    early = {name for name, problem in problems.items() if settling or problem}
    judged = tuple(_judged(item, find(item), now, item.pod.node in early) for item in plan.items)
    nodes = (_node(name, problem, now) for name, problem in problems.items())
    lines = (outcomelines.right(judged), *nodes, *outcomelines.lines(judged))
    policy = structs.replace(policy, files=tuple(_about_plans(one) for one in policy.files))
    warnings = (*policy.warnings, *outcomelines.new_pods(plan, now.pods))
    return GateResult(plan, policy, lines, judged, warnings, after=True)


def _about_plans(file: PolicyFile) -> PolicyFile:
    """Return what of a settings file counts after the upgrade."""
    keys, loosens = (tuple(key for key in some if key in ABOUT_PLANS) for some in (file.keys, file.loosens))
    return PolicyFile(file.name, keys, loosens, tuple(one for one in file.ignored if one[0] in ABOUT_PLANS))


def _finder(pods: Sequence[Pod]) -> Callable[[Item], Pod | None]:
    """Return what finds the pod of an item; a mirror pod may be another object since, of one static pod."""
    by_uid = {pod.uid: pod for pod in pods}
    by_name = {(pod.namespace, pod.name): pod for pod in pods}

    def find(item: Item) -> Pod | None:
        if is_static(item.pod):
            return by_name.get((item.pod.namespace, item.pod.name))
        return by_uid.get(item.pod.uid)

    return find


def _judged(item: Item, pod: Pod | None, now: Now, early: bool) -> Judged:
    """Judge one container; ``early`` is whether its kubelet may not have looked at it yet."""
    if pod is None or pod.node != item.pod.node:
        return Judged(item, Standing.CHANGED, seen="its pod left the node: moved, rolled out or deleted")
    if pod.deleting and not pod.static:
        return Judged(item, Standing.CHANGED, seen="its pod is being deleted")
    container = next((one for one in pod.containers if _is_of(one, item)), None)
    seen = seen_of(item.observed, pod, container, now.begun.get(item.pod.node)) if container else Seen.UNSEEN
    standing = STANDINGS[item.verdict][seen]
    if standing is Standing.AS_PREDICTED:
        found = now.recorded.get((pod.uid, item.container.name))
        wanted = item.hashes.to if seen is Seen.RESTARTED else item.hashes.recorded
        if None not in (wanted, found) and wanted != found:
            return Judged(
                item, Standing.SURPRISE, seen=f"{WORDS[seen]} with the hash {found} in place of {wanted}"
            )
    if standing is Standing.SURPRISE and early and seen in _STILL:
        standing = Standing.UNDECIDED
    return Judged(item, standing, seen=WORDS[seen])


def _is_of(container: Container, item: Item) -> bool:
    return (container.name, container.type) == (item.container.name, item.container.type)


def _node(name: str, problem: str, now: Now) -> Line:
    """Return why nothing can be decided of a node, or that it is upgraded."""
    outcome = Outcome.UNDECIDED if problem else Outcome.PASS
    why = problem or f"its kubelet reports {word(now.nodes[name].kubelet)} and is Ready"
    return Line("after", word(name), int(bool(problem)), 0, "node", outcome, why)


def _problem(name: str, plan: Plan, now: Now) -> str:
    node = now.nodes.get(name)
    if node is None:
        return "no such node in the input"
    if name not in now.upgraded:
        return f"its kubelet reports {word(node.kubelet) if node.kubelet else 'none'}, not {plan.to_release}"
    if (node.conditions or {}).get("Ready") != "True":
        return "it is not Ready"
    begun = now.begun.get(name, plan.created)
    if begun and (node.heartbeat is None or node.heartbeat < begun):
        return "its kubelet has not renewed the node's status since the upgrade began"
    return ""
