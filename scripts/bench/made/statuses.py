"""How pods fare: phases, conditions, and the states of their containers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from scripts.bench.made.chance import DUMPED, Chance, Json, stamp
from scripts.bench.made.nodes import address_of
from scripts.bench.made.workloads import DAEMON_SET, JOB, OPERATED, STATEFUL_SET, STATIC, WORKFLOW

DAYS: Final = {DAEMON_SET: 60, STATIC: 90, STATEFUL_SET: 45, OPERATED: 40, JOB: 2, WORKFLOW: 4}
"""How old pods are on average, by what created them; others 20 days."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a pod."""

    phase: str = "Running"
    reason: str = ""
    """Why its first container waits, or why the pod failed."""
    restarts: bool = False
    """Whether containers were restarted."""
    scheduled: bool = True
    deleted: bool = False


PLAIN: Final = Fate()
_USUAL: Final = (
    (0.92, PLAIN),
    (0.045, Fate(restarts=True)),
    (0.01, Fate(reason="CrashLoopBackOff", restarts=True)),
    (0.007, Fate("Failed", "Evicted")),
    (0.004, Fate("Pending", "Unschedulable", scheduled=False)),
    (0.004, Fate("Pending", "ImagePullBackOff")),
    (0.003, Fate("Pending", "ContainerCreating")),
    (0.003, Fate("Failed", "NodeShutdown")),
    (0.004, Fate(deleted=True)),
)
_OF_NODES: Final = (
    (0.8, PLAIN),
    (0.19, Fate(restarts=True)),
    (0.01, Fate(reason="CrashLoopBackOff", restarts=True)),
)
_ENDED: Final = ((0.7, Fate("Succeeded", "Completed")), (0.2, Fate("Failed", "Error")), (0.1, PLAIN))
_FATES: Final = {DAEMON_SET: _OF_NODES, STATIC: _OF_NODES, JOB: _ENDED, WORKFLOW: _ENDED}


def fate(kind: str, chance: Chance) -> Fate:
    """Return what became of a pod, by what created it."""
    rows = _FATES.get(kind, _USUAL)
    return chance.choices([outcome for _, outcome in rows], [share for share, _ in rows])[0]


def _qos_class(spec: Json) -> str:
    """Return the class of a pod, by the cpu and memory of its containers (pkg/apis/core/helper/qos)."""
    given = [
        container["resources"] for key in ("initContainers", "containers") for container in spec.get(key, ())
    ]
    if not any(requirements.get("requests") or requirements.get("limits") for requirements in given):
        return "BestEffort"
    whole = all(
        {"cpu", "memory"} <= requirements.get("limits", {}).keys()
        and requirements["limits"] == requirements["requests"]
        for requirements in given
    )
    return "Guaranteed" if whole else "Burstable"


_WHOLE: Final = {"Evicted", "NodeShutdown"}
"""Reasons of pods that have no containers any more."""

_EXITS: Final = (("Error", 1), ("OOMKilled", 137), ("Completed", 0), ("Error", 143), ("Unknown", 255))


def status(spec: Json, outcome: Fate, created: int, address: str, chance: Chance, release: str) -> Json:
    """Return the status of a pod."""
    fields: Json = {"phase": outcome.phase, "qosClass": _qos_class(spec)}
    if not outcome.scheduled:
        message = f"0/{chance.randint(3, 500)} nodes are available: 4 Insufficient memory."
        row = {"message": message, "reason": "Unschedulable", "status": "False", "type": "PodScheduled"}
        return {
            **fields,
            "conditions": [{"lastProbeTime": None, "lastTransitionTime": stamp(created), **row}],
        }
    began = created + chance.randint(0, 4)
    fields["startTime"] = stamp(began)
    if outcome.reason in _WHOLE:
        message = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 71284Ki. "
        return {
            **fields,
            "message": message,
            "reason": outcome.reason,
            "conditions": _conditions(outcome, began, began + 600),
        }
    host = address_of(spec["nodeName"])
    ip = host if spec.get("hostNetwork") else address
    fields |= {"hostIP": host, "hostIPs": [{"ip": host}]}
    if outcome.reason != "ContainerCreating":
        fields |= {"podIP": ip, "podIPs": [{"ip": ip}]}
    at = began
    inits, ready = [], began
    waits = outcome.phase == "Pending" and outcome.reason == "ContainerCreating"
    for container in spec.get("initContainers", ()):
        at += chance.randint(1, 20)
        state = (
            {"waiting": {"reason": "PodInitializing"}}
            if waits
            else _init_state(container, at, outcome, chance)
        )
        inits.append(_row(container, state, release, is_init=True))
    rows = []
    for container in spec["containers"]:
        at += chance.randint(0, 3)
        rows.append(_row(container, _state(outcome, at, chance), release))
        ready = at + chance.randint(1, 30)
    restarted = max((_began(row) for row in rows), default=0)
    fields["conditions"] = _conditions(outcome, began, max(ready, min(restarted + 5, DUMPED)))
    fields["containerStatuses"] = rows
    return {**fields, "initContainerStatuses": inits} if inits else fields


def _began(row: Json) -> int:
    return int(row.pop("began"))


def _state(outcome: Fate, at: int, chance: Chance) -> Json:
    """Return the state of a container, and what it was before that."""
    container = f"containerd://{chance.hex()}"
    if outcome.phase == "Pending":
        message = (
            {"message": 'Back-off pulling image "registry.example.com/a:b"'}
            if outcome.reason == "ImagePullBackOff"
            else {}
        )
        return {"waiting": {**message, "reason": outcome.reason}}
    if outcome.phase in {"Succeeded", "Failed"}:
        code = 0 if outcome.phase == "Succeeded" else chance.choice((1, 2, 137))
        ended = {
            "containerID": container,
            "exitCode": code,
            "finishedAt": stamp(at + chance.randint(2, 4000)),
            "reason": outcome.reason,
            "startedAt": stamp(at),
        }
        return {"terminated": ended, "id": container}
    if not outcome.restarts or chance.hits(0.3):
        return {"running": {"startedAt": stamp(at)}, "id": container, "began": at}
    return _restarted(outcome, at, container, chance)


def _restarted(outcome: Fate, at: int, container: str, chance: Chance) -> Json:
    """Return the state of a container that was restarted."""
    count = min(1 + int(chance.expovariate(0.5)), 900)
    again = min(chance.randint(at + 1, DUMPED - 2) if at < DUMPED - 3 else DUMPED - 2, DUMPED - 2)
    reason, code = chance.choice(_EXITS)
    begin = chance.randint(at, again)
    last = {
        "containerID": f"containerd://{chance.hex()}",
        "exitCode": code,
        "finishedAt": stamp(max(begin, again - 1)),
        "reason": reason,
        "startedAt": stamp(begin),
    }
    before: Json = {"last": {"terminated": last}, "restarts": count}
    if outcome.reason == "CrashLoopBackOff":
        message = "back-off 5m0s restarting failed container=main pod=main_team"
        before["last"]["terminated"]["containerID"] = container
        return {"waiting": {"message": message, "reason": outcome.reason}, "id": container, **before}
    return {"running": {"startedAt": stamp(again)}, "id": container, "began": again, **before}


def _init_state(container: Json, at: int, outcome: Fate, chance: Chance) -> Json:
    """Return the state of an init container: ended, but for a sidecar."""
    identity = f"containerd://{chance.hex()}"
    if container.get("restartPolicy") == "Always" and outcome.phase == "Running":
        return {"running": {"startedAt": stamp(at)}, "id": identity, "ready": True}
    ended = {
        "containerID": identity,
        "exitCode": 0,
        "finishedAt": stamp(at + chance.randint(1, 15)),
        "reason": "Completed",
        "startedAt": stamp(at),
    }
    return {"terminated": ended, "id": identity, "ready": True}


_STATES: Final = ("running", "terminated", "waiting")


def _row(container: Json, state: Json, release: str, *, is_init: bool = False) -> Json:
    """Return the status of a container."""
    runs = "running" in state
    image = container["image"]
    row: dict[str, Any] = {
        "image": image
        if "waiting" in state or not image.startswith("docker.io")
        else image.removeprefix("docker.io/"),
        "imageID": "" if "id" not in state else digested(image),
        "lastState": state.get("last", {}),
        "name": container["name"],
        "ready": state.get("ready", runs),
        "restartCount": state.get("restarts", 0),
        "started": runs,
        "state": {key: state[key] for key in _STATES if key in state},
    }
    if "id" in state:
        row["containerID"] = state["id"]
    if not is_init:
        row["began"] = state.get("began", 0)
    return row | _reported(container, release)


_REPORTED: Final = {"volumeMounts": 31, "resources": 33}
"""From which minor release on a kubelet reports a field of a container's spec in its status as well."""


def _reported(container: Json, release: str) -> Json:
    minor = int(release.split(".")[1])
    fields = {
        key: container[key] for key, since in _REPORTED.items() if minor >= since and container.get(key)
    }
    if "volumeMounts" in fields:
        fields["volumeMounts"] = [
            {**mount, **({"recursiveReadOnly": "Disabled"} if mount.get("readOnly") else {})}
            for mount in fields["volumeMounts"]
        ]
    return fields


def digested(image: str) -> str:
    """Return what a runtime calls an image: its repository and its digest."""
    if "@" in image:
        return image
    return f"{image.rpartition(':')[0]}@sha256:{_digest(image)}"


def _digest(image: str) -> str:
    return Chance(image).hex()


def _conditions(outcome: Fate, began: int, ready: int) -> list[Json]:
    """Return the conditions of a pod that is on a node."""
    runs = outcome.phase == "Running" and outcome.reason != "CrashLoopBackOff"
    why = {"Succeeded": {"reason": "PodCompleted"}, "Failed": {"reason": "PodFailed"}}.get(
        outcome.phase, {"message": "containers with unready status: [main]", "reason": "ContainersNotReady"}
    )
    whole = outcome.reason in _WHOLE
    rows = {
        "PodReadyToStartContainers": (runs or outcome.reason == "CrashLoopBackOff", began + 2, {}),
        "Initialized": (True, began, {"reason": "PodCompleted"} if outcome.phase == "Succeeded" else {}),
        "Ready": (runs, ready, {} if runs else why),
        "ContainersReady": (runs, ready, {} if runs else why),
        "PodScheduled": (True, began, {}),
    }
    made = [
        {
            "lastProbeTime": None,
            "lastTransitionTime": stamp(min(at, DUMPED)),
            "status": str(holds),
            "type": kind,
            **more,
        }
        for kind, (holds, at, more) in rows.items()
    ]
    if whole:
        text = {"message": "The node was low on resource: memory.", "reason": "TerminationByKubelet"}
        made.insert(
            0,
            {
                "lastProbeTime": None,
                "lastTransitionTime": stamp(ready),
                "status": "True",
                "type": "DisruptionTarget",
                **text,
            },
        )
    return made
