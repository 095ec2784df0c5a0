"""The first sentence of an explanation: what the target kubelet does, to the container or the whole pod."""

from __future__ import annotations

from typing import Final

from hashcompat import rules
from hashcompat.answers.sentences.situation import Situation
from hashcompat.model.pods import ContainerType
from hashcompat.model.verdicts import Verdict

REFUSED: Final = (
    rules.OTHER_NODE,
    rules.TAINT,
    rules.SIDECAR_REFUSED,
    rules.STRICT_GROUPS,
    rules.SYSCTL,
    rules.DEVICES,
)
"""The rules by which a kubelet does not admit a pod again."""

_EVERY: Final = "every container of this pod, this one among them"


def what(given: Situation) -> str:
    """Say what happens, in one sentence without its full stop."""
    match given.item.verdict:
        case Verdict.RESTART:
            return _restart(given)
        case Verdict.KILL:
            return _kill(given)
        case Verdict.KEEP:
            return _keep(given)
    return _unknown(given)


def _restart(given: Situation) -> str:
    start = _start(given)
    if given.has(rules.RUNTIME_GONE):
        where = "the old one" if given.decided.other_runtime else "Docker"
        return (
            f"{start} it creates {_EVERY}, again in another container runtime, and the old containers "
            f"stay behind in {where}"
        )
    if given.has(rules.STATIC_UID):
        return f"{start} it treats this static pod as a new one: it kills {_EVERY}, and creates all again"
    if given.item.pod_recreated:
        return f"{start} it kills {_EVERY}, and creates the pod's sandbox and its containers again"
    return f"{start} it kills this container and creates it again; the pod and its IP address stay"


def _start(given: Situation) -> str:
    if given.has(rules.API_DEFAULT):
        return f"when the kubelet {given.new} gets the pod from the target API server,"
    later = "some time after" if given.has(rules.STARTUP_PROBE) else "when"
    return f"{later} the kubelet {given.new} starts,"


def _kill(given: Situation) -> str:
    start = _start(given)
    if given.has(rules.STATIC_REFUSED):
        return f"{start} it no longer runs this static pod: it kills {_EVERY}, and the pod disappears"
    if given.has(rules.NOT_CREATED):
        return f"{start} it kills this container, and fails to create it again"
    if given.has(*REFUSED):
        return f"{start} it does not admit this pod again: it kills {_EVERY}, for good, and the pod is Failed"
    if given.item.container.type is ContainerType.EPHEMERAL:
        return (
            f"{start} it kills {_EVERY}, and creates the pod's sandbox again, but no ephemeral container "
            "is started a second time"
        )
    return f"{start} it kills {_EVERY}, and starts none of them again because the restartPolicy is Never"


def _keep(given: Situation) -> str:
    if given.has(rules.STATIC_UID):
        return (
            f"the kubelet {given.new} treats this static pod as a new one, and creates this container again"
        )
    if given.item.rests:
        return f"the kubelet {given.new} leaves this container as it is"
    return f"the kubelet {given.new} keeps this container running"


def _unknown(given: Situation) -> str:
    kubelet = f"whether the kubelet {given.new}"
    if given.has(rules.STATIC_POD):
        return f"{kubelet} recreates this static pod, and so this container, is not known"
    if given.has(*REFUSED):
        return f"{kubelet} admits this pod again, or kills it for good, is not known"
    return f"{kubelet} restarts this container is not known"
