"""What became of one container after the upgrade of its node, as far as its status shows that.

Only what the data prove is told apart. A container that crashes by itself while its kubelet is upgraded looks
like one that the kubelet restarted, and counts as that; one that had ended before the upgrade began does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum, auto
from typing import Final

from hashcompat.model.dating import SKEW
from hashcompat.model.items import Observed
from hashcompat.model.pods import Container, ContainerType, Pod

_SUCCEEDED: Final = "Succeeded"
_FAILED: Final = "Failed"

_ONCE: Final = frozenset({ContainerType.INIT, ContainerType.EPHEMERAL})
"""Containers that are not started again after success, whatever the restart policy."""

_NOT_AFTER_SUCCESS: Final = ("Never", "OnFailure")
"""Restart policies under which others are not."""


class Seen(Enum):
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


WORDS: Final[Mapping[Seen, str]] = {
    Seen.KEPT: "still runs",
    Seen.RESTARTED: "was restarted",
    Seen.CRASHED: "was restarted, and does not run",
    Seen.ENDED: "ended",
    Seen.COMPLETED: "completed",
    Seen.STOPPED: "ended, and does not run again yet",
    Seen.DOUBTFUL: "has its ID, and not its count of restarts or its start",
    Seen.BEFORE: "ended before the upgrade began",
    Seen.SINCE_BEFORE: "was restarted before the upgrade began, and still runs",
    Seen.IDLE: "did not run before, and is as it was",
    Seen.WOKEN: "did not run before, and changed since",
    Seen.UNSEEN: "plan and input do not show what became of it",
}
"""Each of them for people."""


def seen_of(before: Observed | None, pod: Pod, now: Container, begun: datetime | None) -> Seen:
    """Return what became of a container, which is one of ``pod``.

    ``begun`` is when the upgrade began, None where nothing shows it.
    """
    if before is None or before.running is None:
        return Seen.UNSEEN
    if not before.running:
        same = (before.id, before.restarts, False) == (now.id, now.restarts, bool(now.running))
        return Seen.IDLE if same else Seen.WOKEN
    changed = _is_changed(before, now)
    if changed is None or now.running is None:
        return Seen.UNSEEN
    return _replaced(now, begun) if changed else _left(before, pod, now, begun)


def _is_changed(before: Observed, now: Container) -> bool | None:
    """Return whether it is another container; None where nothing shows that."""
    if before.id and now.id:
        return before.id != now.id
    if before.started and now.started:
        return before.started != now.started
    return None


def _replaced(now: Container, begun: datetime | None) -> Seen:
    """Return what became of a container in whose place there is another one."""
    if now.running and _is_before(now.started, begun):
        return Seen.SINCE_BEFORE
    if _is_before(now.ended.finished if now.ended else None, begun):
        return Seen.BEFORE
    return Seen.RESTARTED if now.running else Seen.CRASHED


def _left(before: Observed, pod: Pod, now: Container, begun: datetime | None) -> Seen:
    """Return what became of a container that is still the last one."""
    if now.running:
        pairs = ((before.restarts, now.restarts), (before.started, now.started))
        differ = any(old is not None and new is not None and old != new for old, new in pairs)
        return Seen.DOUBTFUL if differ else Seen.KEPT
    if now.ended is None:
        return Seen.UNSEEN
    if _is_before(now.ended.finished, begun):
        return Seen.BEFORE
    if not now.ended.final:
        return Seen.STOPPED
    return Seen.COMPLETED if before.restarts == now.restarts and _is_completed(pod, now) else Seen.ENDED


def _is_completed(pod: Pod, container: Container) -> bool:
    """Return whether a container that ended did its work: with success, and nothing starts it again.

    A pod that a kubelet refused or evicted has failed, whatever its containers exited with. A sidecar is
    ended by the kubelet once the others are done. Source: k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go
    ``getPhase``, pkg/kubelet/container/helpers.go ``ShouldContainerBeRestarted``.
    """
    if container.type is ContainerType.SIDECAR:
        return pod.phase == _SUCCEEDED
    policy = container.spec.get("restartPolicy") or pod.restart_policy
    once = container.type in _ONCE or policy in _NOT_AFTER_SUCCESS
    return once and pod.phase != _FAILED and container.ended is not None and container.ended.code == 0


def _is_before(time: datetime | None, begun: datetime | None) -> bool:
    """Return whether something was before the upgrade began, however far the two clocks are apart."""
    return bool(time and begun and time < begun - SKEW)
