"""After the upgrade of a node: what became of its containers, compared with what the plan predicted.

Only what the data prove is told apart. A container that crashes by itself while its kubelet is upgraded
looks like one that the kubelet restarted, and counts as that; one that had ended before the upgrade began
does not.

In order: what became of one container (``seen_of``), how that counts by its verdict (``STANDINGS``), the
lines of the result, and the comparison of a whole node (``judge_after``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum, auto
from typing import Final

import msgspec
from msgspec import structs

from hashcompat.analysis.gating import GateResult, Judged, Line, Outcome, Standing
from hashcompat.analysis.gating.judge import is_static
from hashcompat.core.model.escape import count, name_path, some, word
from hashcompat.core.model.items import Item, Observed
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Container, ContainerType, Node, Pod
from hashcompat.core.model.uids import SKEW
from hashcompat.core.model.verdicts import Recorded, Verdict, number_of
from hashcompat.core.policies import ABOUT_PLANS, Policy, PolicyFile

_FAILED: Final = "Failed"

_ONCE: Final = frozenset({ContainerType.INIT, ContainerType.EPHEMERAL})
"""Containers that are not started again after success, whatever the restart policy."""

_NOT_AFTER_SUCCESS: Final = ("Never", "OnFailure")
"""Restart policies under which others are not."""


class Observation(Enum):
    """What became of a container since the plan was made."""

    KEPT = auto()
    """The same one runs."""
    RESTARTED = auto()
    """Another one runs."""
    CRASHED = auto()
    """There was another one, which does not run."""
    ENDED = auto()
    """The same one ended, and that is its state."""
    COMPLETED = auto()
    """The same one ended with success, and nothing starts it again."""
    STOPPED = auto()
    """It ended and waits to be started again."""
    DOUBTFUL = auto()
    """The same one runs, and its count of restarts or its start is another."""
    BEFORE = auto()
    """It ended before the upgrade began, which so did not end it."""
    SINCE_BEFORE = auto()
    """Another one runs, and did before the upgrade began."""
    IDLE = auto()
    """It did not run when the plan was made, and is as it was."""
    WOKEN = auto()
    """It did not run when the plan was made, and something changed."""
    UNSEEN = auto()
    """The plan, which an older version may have saved, or the input does not show it."""


def seen_of(before: Observed | None, pod: Pod, now: Container, begun: datetime | None) -> Observation:
    """Return what became of a container, which is one of ``pod``.

    ``begun`` is when the upgrade began, None where nothing shows it.
    """
    if before is None or before.running is None:
        return Observation.UNSEEN
    if not before.running:
        same = (before.id, before.restarts, False) == (now.id, now.restarts, bool(now.running))
        return Observation.IDLE if same else Observation.WOKEN
    was, is_now = (before.id, now.id) if before.id and now.id else (before.started, now.started)
    if not was or not is_now or now.running is None:
        return Observation.UNSEEN
    return _left(before, pod, now, begun) if was == is_now else _replaced(now, begun)


def _replaced(now: Container, begun: datetime | None) -> Observation:
    """Return what became of a container in whose place there is another one."""
    if now.running and _is_before(now.started, begun):
        return Observation.SINCE_BEFORE
    if _is_before(now.ended.finished if now.ended else None, begun):
        return Observation.BEFORE
    return Observation.RESTARTED if now.running else Observation.CRASHED


def _left(before: Observed, pod: Pod, now: Container, begun: datetime | None) -> Observation:
    """Return what became of a container that is still the last one."""
    if now.running:
        pairs = ((before.restarts, now.restarts), (before.started, now.started))
        differ = any(old is not None and new is not None and old != new for old, new in pairs)
        return Observation.DOUBTFUL if differ else Observation.KEPT
    if now.ended is None:
        return Observation.UNSEEN
    if _is_before(now.ended.finished, begun):
        return Observation.BEFORE
    if not now.ended.final:
        return Observation.STOPPED
    is_completed = before.restarts == now.restarts and _is_completed(pod, now)
    return Observation.COMPLETED if is_completed else Observation.ENDED


def _is_completed(pod: Pod, container: Container) -> bool:
    """Return whether a container that ended did its work: with success, and nothing starts it again.

    A pod that a kubelet refused or evicted has failed, whatever its containers exited with. A sidecar is
    ended by the kubelet once the others are done. Source: k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go
    ``getPhase``, pkg/kubelet/container/helpers.go ``ShouldContainerBeRestarted``.
    """
    if container.type is ContainerType.SIDECAR:
        return pod.phase == "Succeeded"
    policy = container.spec.get("restartPolicy") or pod.restart_policy
    once = container.type in _ONCE or policy in _NOT_AFTER_SUCCESS
    return once and pod.phase != _FAILED and container.ended is not None and container.ended.code == 0


def _is_before(time: datetime | None, begun: datetime | None) -> bool:
    """Return whether something was before the upgrade began, however far the two clocks are apart."""
    return bool(time and begun and time < begun - SKEW)


_SURPRISE, _OPEN = Standing.SURPRISE, Standing.UNDECIDED
_CHANGED, _RIGHT = Standing.CHANGED, Standing.AS_PREDICTED

_DOUBTFUL: Final = "has its ID, and not its count of restarts or its start"
_SINCE_BEFORE: Final = "was restarted before the upgrade began, and still runs"

_ROWS: Final[Mapping[Observation, tuple[str, Standing, Standing, Standing]]] = {
    Observation.KEPT: ("still runs", _RIGHT, _SURPRISE, _SURPRISE),
    Observation.RESTARTED: ("was restarted", _SURPRISE, _RIGHT, _SURPRISE),
    Observation.CRASHED: ("was restarted, and does not run", _SURPRISE, _OPEN, _SURPRISE),
    Observation.ENDED: ("ended", _SURPRISE, _OPEN, _RIGHT),
    Observation.COMPLETED: ("completed", _CHANGED, _OPEN, _RIGHT),
    Observation.STOPPED: ("ended, and does not run again yet", _SURPRISE, _OPEN, _OPEN),
    Observation.DOUBTFUL: (_DOUBTFUL, _SURPRISE, _OPEN, _SURPRISE),
    Observation.SINCE_BEFORE: (_SINCE_BEFORE, _CHANGED, _SURPRISE, _SURPRISE),
    # what a kubelet found not running it did not kill
    Observation.BEFORE: ("ended before the upgrade began", _CHANGED, _CHANGED, _CHANGED),
    Observation.IDLE: ("did not run before, and is as it was", _RIGHT, _RIGHT, _RIGHT),
    Observation.WOKEN: ("did not run before, and changed since", _CHANGED, _CHANGED, _CHANGED),
    Observation.UNSEEN: ("plan and input do not show what became of it", _OPEN, _OPEN, _OPEN),
}
"""Each of them for people, and how it counts where the plan predicts KEEP, RESTART or KILL."""

WORDS: Final[Mapping[Observation, str]] = {seen: row[0] for seen, row in _ROWS.items()}
"""Each of them for people."""

STANDINGS: Final[Mapping[Verdict, Mapping[Observation, Standing]]] = {
    Verdict.KEEP: {seen: row[1] for seen, row in _ROWS.items()},
    Verdict.RESTART: {seen: row[2] for seen, row in _ROWS.items()},
    Verdict.KILL: {seen: row[3] for seen, row in _ROWS.items()},
    Verdict.UNKNOWN: dict.fromkeys(Observation, Standing.UNPREDICTED),
}
"""How each of them counts, by the verdict that the plan predicts."""

_GONE: Final = {
    Verdict.KEEP: _SURPRISE,
    Verdict.RESTART: _SURPRISE,
    Verdict.KILL: Standing.AS_PREDICTED,
    Verdict.UNKNOWN: Standing.UNPREDICTED,
}
"""How a static pod counts without a mirror pod: nobody moves one, so its kubelet does not run it."""


_NAMED: Final = 5
"""Pods that are named in one line."""

_DEVIATIONS: Final[Mapping[Standing, str]] = {
    Standing.CHANGED: "changed for other reasons",
    Standing.UNPREDICTED: "not predicted",
    Standing.SURPRISE: "not as predicted",
    Standing.UNDECIDED: "not decided",
}

_COUNTED: Final[Mapping[Standing, tuple[str, Outcome]]] = {
    Standing.SURPRISE: ("surprise", Outcome.FAIL),
    Standing.UNDECIDED: ("undecided container", Outcome.UNDECIDED),
}


def after_line(judged: Sequence[Judged]) -> Line:
    """Return the line that decides where nothing is wrong."""
    numbers = Counter(judgement.standing for judgement in judged)
    rest = ", ".join(
        f"{numbers[standing]} {words}" for standing, words in _DEVIATIONS.items() if numbers[standing]
    )
    right = f"{numbers[Standing.AS_PREDICTED]} of {count(len(judged), 'container')} as predicted"
    return Line("after", "", 0, 0, "", Outcome.PASS, f"{right}; {rest}" if rest else right)


def container_lines(judged: Sequence[Judged]) -> Iterator[Line]:
    """Yield a line for each surprise, or else one for all, and the same of what is undecided."""
    for standing, (noun, bad) in _COUNTED.items():
        matching = [judgement for judgement in judged if judgement.standing is standing]
        for judgement in matching:
            pod = judgement.item.pod
            name = name_path(pod.namespace, pod.name, judgement.item.container.name)
            yield Line(
                "after", name, 1, 0, noun, bad, f"{judgement.seen}, predicted {judgement.item.verdict}"
            )
        if not matching:
            yield Line("after", "", 0, 0, f"{noun}s", Outcome.PASS)


def new_pods(plan: Plan, pods: Sequence[Pod]) -> Iterator[str]:
    """Yield which pods of the nodes the plan does not know: they were created since, or it left them out."""
    uids = {item.pod.uid for item in plan.items}
    names = {(item.pod.namespace, item.pod.name) for item in plan.items if is_static(item.pod)}
    new: dict[str, list[str]] = {}
    for pod in pods:
        if pod.uid not in uids and (pod.namespace, pod.name) not in names:
            new.setdefault(pod.node, []).append(name_path(pod.namespace, pod.name))
    for node, unknown in new.items():
        shown = some(unknown, _NAMED)
        yield f"{word(node)}: {count(len(unknown), 'pod')} that the plan does not know: {shown}"


HashKey = tuple[str, str]
"""The UID of a pod, and the name of a container."""

Path = tuple[str, str, str]
"""A namespace, and the names of a pod and of a container."""


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
    static: Mapping[Path, Recorded] = msgspec.field(default_factory=dict)
    """The containers of static pods that run now, as a runtime shows them."""


_STILL: Final = frozenset({Observation.KEPT, Observation.SINCE_BEFORE})
"""What may change as long as a kubelet has not looked at it."""


def judge_after(plan: Plan, policy: Policy, now: Now, *, settling: bool = False) -> GateResult:
    """Return what became of the containers of some nodes, of a plan that has only these.

    ``settling`` is whether kubelets may not have looked at all of their pods yet: what runs may restart.
    """
    shown = {pod.node for pod in now.pods}
    missing = Counter(item.pod.node for item in plan.items if item.pod.node not in shown)
    left_out = _left_out(plan, now)
    problems = {name: _problem(name, plan, now, missing[name], left_out.get(name, "")) for name in now.names}
    by_uid = {pod.uid: pod for pod in now.pods}
    by_name = {(pod.namespace, pod.name): pod for pod in now.pods}

    def find(item: Item) -> Pod | None:
        if is_static(item.pod):  # whose mirror pod may be another object since
            return by_name.get((item.pod.namespace, item.pod.name))
        return by_uid.get(item.pod.uid)

    early = {name for name, problem in problems.items() if settling or problem}
    judged = tuple(_judged(item, find(item), now, item.pod.node in early) for item in plan.items)
    nodes = (_node(name, problem, now) for name, problem in problems.items())
    lines = (after_line(judged), *nodes, *container_lines(judged))
    policy = structs.replace(policy, files=tuple(_about_plans(file) for file in policy.files))
    warnings = (*policy.warnings, *new_pods(plan, now.pods))
    return GateResult(plan, policy, lines, judged, warnings, after=True)


def _about_plans(file: PolicyFile) -> PolicyFile:
    keys, loosens = (tuple(key for key in names if key in ABOUT_PLANS) for names in (file.keys, file.loosens))
    return PolicyFile(file.name, keys, loosens, tuple(row for row in file.ignored if row[0] in ABOUT_PLANS))


def _judged(item: Item, pod: Pod | None, now: Now, early: bool) -> Judged:
    """Judge one container; ``early`` is whether its kubelet may not have looked at it yet."""
    if pod is None and is_static(item.pod) and item.observed is None and not item.pod.uid:
        # Neither plan nor input has a mirror pod; a static pod whose manifest no kubelet reads has none.
        if item.verdict is Verdict.KILL or (item.verdict is Verdict.KEEP and not item.compared):
            return Judged(item, Standing.AS_PREDICTED, seen="its pod has no mirror pod, as before")
        return Judged(item, STANDINGS[item.verdict][Observation.UNSEEN], seen=WORDS[Observation.UNSEEN])
    if pod is None and is_static(item.pod) and (item.observed is None or item.observed.running):
        return _mirror_gone(item, now, early)
    if pod is None or pod.node != item.pod.node:
        return Judged(item, Standing.CHANGED, seen="its pod left the node: moved, rolled out or deleted")
    if pod.deleting and not pod.static:
        return Judged(item, Standing.CHANGED, seen="its pod is being deleted")
    name, begun = item.container, now.begun.get(item.pod.node)
    container = next(
        (
            candidate
            for candidate in pod.containers
            if (candidate.name, candidate.type) == (name.name, name.type)
        ),
        None,
    )
    seen = seen_of(item.observed, pod, container, begun) if container else Observation.UNSEEN
    if seen is Observation.UNSEEN and pod.phase == _FAILED and container and container.running is None:
        # a kubelet that refuses a pod reports no containers of it, and it stays Failed
        seen = Observation.ENDED
    recorded = now.recorded.get((pod.uid, item.container.name))
    return _counted(item, seen, recorded, early=early)


def _counted(
    item: Item, seen: Observation, recorded: int | None, *, early: bool, besides: str = ""
) -> Judged:
    """Return how what became of a container counts; ``recorded`` is the hash of the one that runs now."""
    standing = STANDINGS[item.verdict][seen]
    # what looks as predicted may still have another hash than the plan computed
    if standing is Standing.AS_PREDICTED:
        wanted = item.hashes.to if seen is Observation.RESTARTED else item.hashes.recorded
        if None not in (wanted, recorded) and wanted != recorded:
            words = f"{WORDS[seen]} with the hash {recorded} in place of {wanted}"
            return Judged(item, Standing.SURPRISE, seen=words)
    # a kubelet that has not looked at its pods yet may still restart what runs
    if standing is Standing.SURPRISE and early and seen in _STILL:
        standing = Standing.UNDECIDED
    return Judged(item, standing, seen=WORDS[seen] + besides)


def _mirror_gone(item: Item, now: Now, early: bool) -> Judged:
    """Judge a container of a static pod whose mirror pod is gone: by the runtime, where that is shown.

    A kubelet runs a static pod whether or not the API server takes its mirror pod.
    """
    key = item.pod.namespace, item.pod.name, item.container.name
    record, before = now.static.get(key), item.observed
    if record is None or before is None or not (record.id and before.id):
        return Judged(item, _OPEN if early else _GONE[item.verdict], seen="its mirror pod is gone")
    seen = Observation.KEPT
    if record.id != before.id:
        is_before = _is_before(record.created, now.begun.get(item.pod.node))
        seen = Observation.SINCE_BEFORE if is_before else Observation.RESTARTED
    besides = ", and its mirror pod is gone"
    return _counted(item, seen, number_of(record.hash), early=early, besides=besides)


def _node(name: str, problem: str, now: Now) -> Line:
    """Return why nothing can be decided of a node, or that it is upgraded."""
    outcome = Outcome.UNDECIDED if problem else Outcome.PASS
    why = problem or f"its kubelet reports {word(now.nodes[name].kubelet)} and is Ready"
    return Line("after", word(name), int(bool(problem)), 0, "node", outcome, why)


def _left_out(plan: Plan, now: Now) -> Mapping[str, str]:
    """Return by node a namespace in which the plan has a DaemonSet's pod, and the input no pod.

    Such a pod does not leave its node, so the input was saved without its namespace.
    """
    shown = {pod.namespace for pod in now.pods}
    return {
        item.pod.node: item.pod.namespace
        for item in plan.items
        if item.pod.owner.startswith("DaemonSet/") and item.pod.namespace not in shown
    }


def _problem(name: str, plan: Plan, now: Now, missing: int, left_out: str) -> str:
    """Return why nothing can be decided of a node, or nothing.

    ``missing``: how many containers the plan has of it, if the input has no pod of it. ``left_out``: a
    namespace of which the input should have pods.
    """
    node = now.nodes.get(name)
    if node is None:
        return "no such node in the input"
    if name not in now.upgraded:
        return f"its kubelet reports {word(node.kubelet) if node.kubelet else 'none'}, not {plan.to_release}"
    if (node.conditions or {}).get("Ready") != "True":
        return "it is not Ready"
    if missing:
        return (
            f"the input has no pod of it, and the plan {count(missing, 'container')}: -A saves all namespaces"
        )
    if left_out:
        return (
            f"the input has no pod in the namespace {word(left_out)}, where the plan has a DaemonSet's: -A "
            "saves all namespaces"
        )
    begun = now.begun.get(name, plan.created)
    if begun and (node.heartbeat is None or node.heartbeat < begun):
        return "its kubelet has not renewed the node's status since the upgrade began"
    return ""
