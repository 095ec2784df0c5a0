"""What people will see of a kill: the line of the target kubelet's log, its events, a pod's status, a UID."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from hashcompat.core import rules
from hashcompat.core.catalog.behaviour import Messages
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.decide.case import Case
from hashcompat.core.kubelet.decide.sandbox import failed_check
from hashcompat.core.model.items import Item
from hashcompat.core.model.pods import ContainerType
from hashcompat.core.model.results import Count, Object, Text
from hashcompat.core.model.verdicts import HiddenHash, Reason, Verdict

_BY_HASH: Final = frozenset(
    {
        rules.ALGORITHM,
        rules.GO_ESCAPES,
        rules.FIELD_ADDED,
        rules.FIELD_REMOVED,
        rules.FIELD_DROPPED,
        rules.FIELD_RETYPED,
        rules.API_DEFAULT,
        rules.NOT_REPRODUCED,
        rules.OTHER_CREATOR,
        rules.CREATOR,
        rules.HASH_MISSING,
    }
)
"""The reasons of a RESTART for which the kubelet reports that the hash changed."""
_REFUSALS: Final[Mapping[str, str]] = {
    rules.OTHER_NODE: "node selector",
    rules.TAINT: "taint",
    rules.SIDECAR_REFUSED: "sidecars",
    rules.STRICT_GROUPS: "strict groups",
    rules.SYSCTL: "sysctls",
    rules.DEVICES: "devices",
    rules.DEADLINE: "deadline",
    rules.FEATURE_REFUSED: "features",
}
"""Why a pod is not admitted, as messages.json names it."""
_NAMED: Final = frozenset({rules.ROOM, rules.HOST_PORT, rules.OTHER_SYSTEM, rules.MANAGERS})
"""The rules whose reasons name the one in the pod's status."""
_POD_RESOURCES: Final = "PodLevelResources"
"""The feature that is looked at by itself, and refused for a reason of its own."""
_SANDBOX_STATES: Final[Mapping[str, str]] = {
    rules.RUNTIME_GONE: "none",
    rules.SANDBOX_REPLACED: "network",
    rules.PAUSE_IMAGE: "hash",
    rules.QOS: "ready",
    rules.STATIC_UID: "none",
}
"""What the target kubelet finds of the sandboxes, as messages.json names it. By the new UID of a static pod
there is none, and the pod without a cgroup was killed before the sandboxes are looked at."""


class Where(StrEnum):
    """Where something is to be seen."""

    LOG = "log"
    """In the target kubelet's log."""
    EVENT = "event"
    """Among the pod's events."""
    STATUS = "status"
    """In the pod's status."""
    UID = "uid"
    """In the annotation ``kubernetes.io/config.hash`` of the mirror pod."""


class Expected(Object, frozen=True):
    """Something that will be seen after the upgrade."""

    where: Where
    """Log: the new kubelet's log; event: the pod's events, as REASON: MESSAGE; status: the pod's status;
    uid: the annotation kubernetes.io/config.hash of the mirror pod."""
    text: Text
    """… stands for what only the node knows."""
    verbosity: Count
    """The least --v of the kubelet at which a line is in its log."""


def message_of(item: Item, new: Kubelet, case: Case | None) -> str:
    """Return what the target kubelet says of a changed hash, with the recorded one where it says that.

    Empty where another reason decides, for a sidecar, which has an event, and where a hash is not known.
    """
    if item.container.type is ContainerType.SIDECAR or not _is_restarted_by_hash(item):
        return ""
    if case is not None and case.recorded is not None and isinstance(case.recorded.hash, HiddenHash):
        return ""
    hashes = {"from": _recorded(item), "to": item.hashes.to}
    if "{from}" in new.behaviour.restart_log and None in hashes.values():
        return ""
    return new.behaviour.restart_log.format(**_names(item), **hashes)


def _recorded(item: Item) -> int | None:
    """Return the hash that the kubelet reads; None where that of its creator is not known."""
    if _has(item, rules.HASH_MISSING):
        return 0
    if item.hashes.recorded is not None:
        return item.hashes.recorded
    return None if _has(item, rules.CREATOR) else item.hashes.from_


def event_of(item: Item, new: Kubelet) -> str:
    """Return the message of the event that the target kubelet writes for a sidecar's changed hash."""
    if item.container.type is not ContainerType.SIDECAR or not _is_restarted_by_hash(item):
        return ""
    return new.behaviour.sidecar_restart_event.format(**_names(item))


def expectations(item: Item, new: Kubelet, messages: Messages, case: Case | None) -> tuple[Expected, ...]:
    """Return what will be seen of a container's verdict; nothing of what is kept or unknown."""
    if item.verdict not in (Verdict.RESTART, Verdict.KILL) or case is None:
        return ()
    seen = list[Expected]()
    if message := message_of(item, new, case):
        line = messages.restart_line.format(**_names(item), message=message)
        seen.append(Expected(Where.LOG, line, messages.restart_verbosity))
        seen.append(_killing(messages.killing.format(message=message)))
    elif event := event_of(item, new):
        seen.append(_killing(event))
    if _has(item, rules.RESIZE_POLICY):
        seen.append(_killing(messages.resize.format(**_names(item))))
    return tuple(seen) or (
        *_refused(item, messages),
        *_uids(item, case),
        *_by_sandbox(item, new, messages, case),
    )


def _names(item: Item) -> dict[str, str]:
    pod = item.pod
    return {
        "pod": pod.name,
        "namespace": pod.namespace,
        "uid": pod.uid or "…",
        "container": item.container.name,
    }


def _refused(item: Item, messages: Messages) -> Iterator[Expected]:
    if _has(item, rules.STATIC_REFUSED):
        yield Expected(Where.LOG, messages.static_refusal, 0)
    for reason in item.reasons:
        if reason_of := _out_of(reason):
            yield Expected(Where.STATUS, f"phase Failed, reason {reason_of}", 0)
            yield Expected(Where.EVENT, f"Warning {reason_of}", 0)
        why = _REFUSALS.get(reason.id, "")
        if why == "features" and _POD_RESOURCES in reason.text:
            why = "pod resources"
        if refusal := messages.refusals.get(why):
            yield Expected(Where.STATUS, f"phase Failed, reason {refusal}", 0)
            kind = "Normal" if reason.id == rules.DEADLINE else "Warning"
            yield Expected(Where.EVENT, f"{kind} {refusal}", 0)


def _out_of(reason: Reason) -> str:
    """Return the reason in the status of a refused pod, where the text begins with it; else empty."""
    if reason.id not in _NAMED:
        return ""
    if reason.text.startswith("preempted: "):
        return "Preempting"
    return reason.text.removeprefix("not admitted again: ").partition(":")[0]


def _uids(item: Item, case: Case) -> Iterator[Expected]:
    """Yield the old and the new UID, as far as they are known: a mirror pod shows the old one."""
    if _has(item, rules.STATIC_UID):
        uids = [uid.uid for uid in case.static_uids] or [case.pod.config_hash, None]
        if any(uids):
            yield Expected(Where.UID, " -> ".join(uid or "another one" for uid in uids), 0)


def _by_sandbox(item: Item, new: Kubelet, messages: Messages, case: Case) -> Iterator[Expected]:
    lost = item.verdict is Verdict.KILL and _has(item, rules.RUNTIME_GONE)  # failed before that is looked at
    if lost or not (state := _sandbox_state(item, new, case)):
        return
    if line := messages.sandbox_logs.get(state):
        # the UID of a static pod is another one by then
        names = {**_names(item), **({"uid": "…"} if _has(item, rules.STATIC_UID) else {})}
        yield Expected(Where.LOG, line.format(**names), 2)
    # Where no new sandbox follows, as for a Never pod, no CRI kubelet writes its event
    # (pkg/kubelet/kuberuntime/kuberuntime_manager.go ``computePodActions``, 1.31.14).
    is_left_dead = case.pod.restart_policy == "Never" and new.behaviour.sandbox_maker == "CRI"
    if (event := messages.sandbox_events.get(state)) and not is_left_dead:
        yield Expected(Where.EVENT, event, 0)
    if not _has(item, rules.RUNTIME_GONE):  # the target kubelet does not see what stays behind
        yield _killing(messages.killing_with_pod.format(**_names(item)))


def _sandbox_state(item: Item, new: Kubelet, case: Case) -> str:
    if _has(item, rules.SANDBOX_BROKEN):
        return failed_check(case)[0]
    if _has(item, rules.SANDBOX_REPLACED) and new.behaviour.sandbox_maker != "CRI":
        return ""  # what an older kubelet writes of sandboxes that the CRI made is not determined
    return next((_SANDBOX_STATES[reason.id] for reason in item.reasons if reason.id in _SANDBOX_STATES), "")


def _killing(message: str) -> Expected:
    return Expected(Where.EVENT, f"Killing: {message}", 0)


def _is_restarted_by_hash(item: Item) -> bool:
    created = item.verdict is Verdict.RESTART or _has(item, rules.NOT_CREATED)
    return created and any(reason.id in _BY_HASH for reason in item.reasons)


def _has(item: Item, rule: str) -> bool:
    return any(reason.id == rule for reason in item.reasons)
