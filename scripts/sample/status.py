"""Say how each pod of the sample fares, as its kubelet last reported it.

The statuses are those of nodes that know every field, because the same dump serves any pair of releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from ipaddress import ip_network
from typing import Final, NamedTuple

from scripts.sample.workloads import Json, Replica, created, digest, stamp


class State(NamedTuple):
    """What one `sample/state` means: the pod's phase, its containers' state (empty: none yet), readiness."""

    phase: str
    containers: str
    ready: bool


STATES: Final = {
    "Running": State("Running", "running", ready=True),
    "Terminating": State("Running", "running", ready=True),
    "Succeeded": State("Succeeded", "terminated", ready=False),
    "Crashing": State("Running", "CrashLoopBackOff", ready=False),
    "Unpullable": State("Pending", "ImagePullBackOff", ready=False),
    "Unschedulable": State("Pending", "", ready=False),
}
UNSCHEDULABLE: Final = {
    "reason": "Unschedulable",
    "message": "0/5 nodes are available: 5 Insufficient cpu, 5 Insufficient memory.",
}
COMPUTE: Final = ("cpu", "memory")


def status(replica: Replica, spec: Json) -> Json:
    """Return the status of the pod that has this spec."""
    state, when = STATES[replica.work.state], created(*replica.key)
    return {
        "phase": state.phase,
        "qosClass": _qos_class([*spec.get("initContainers", ()), *spec["containers"]]),
        "conditions": _conditions(state, stamp(when)),
        **({"startTime": stamp(when), **_addresses(replica, spec)} if replica.node else {}),
        **(_container_statuses(replica, spec, state) if state.containers else {}),
    }


def _qos_class(items: Sequence[Json]) -> str:
    """Return the class that the API server computes (pkg/apis/core/helper/qos) from cpu and memory alone."""
    wanted, limited = ([_compute(item, side) for item in items] for side in ("requests", "limits"))
    if not any(wanted) and not any(limited):
        return "BestEffort"
    return (
        "Guaranteed"
        if wanted == limited and all(len(limit) == len(COMPUTE) for limit in limited)
        else "Burstable"
    )


def _compute(item: Json, side: str) -> Json:
    return {key: value for key, value in item["resources"].get(side, {}).items() if key in COMPUTE}


def _conditions(state: State, when: str) -> list[Json]:
    """Return the pod's conditions; one that no node has taken has only the scheduler's."""
    if not state.containers:
        return [_condition("PodScheduled", when, "False", **UNSCHEDULABLE)]
    why = (
        {}
        if state.ready
        else {"reason": "PodCompleted" if state.containers == "terminated" else "ContainersNotReady"}
    )
    return [
        _condition("Initialized", when, "True"),
        _condition("Ready", when, str(state.ready), **why),
        _condition("PodScheduled", when, "True"),
    ]


def _condition(kind: str, when: str, value: str, **why: str) -> Json:
    """Return one condition; its time of the last probe has never been set and prints as null."""
    return {"type": kind, "status": value, "lastTransitionTime": when, "lastProbeTime": None, **why}


def _addresses(replica: Replica, spec: Json) -> Json:
    """Return the addresses of a pod on a node; hostNetwork shares the node's, an ended pod has none."""
    node = replica.node or {}
    host = node["status"]["addresses"][0]["address"]
    own = str(ip_network(node["spec"]["podCIDR"])[replica.serial + 2])
    return {
        "hostIP": host,
        **({} if replica.work.state == "Succeeded" else {"podIP": host if spec.get("hostNetwork") else own}),
    }


def _container_statuses(replica: Replica, spec: Json, state: State) -> Json:
    """Return the lists of statuses; in a started pod sidecars run, and other init containers have ended."""
    init = {
        item["name"]: "running" if item.get("restartPolicy") == "Always" else "terminated"
        for item in spec.get("initContainers", ())
    }
    lists = {
        "containerStatuses": [
            _container(item, replica, state.containers, ready=state.ready) for item in spec["containers"]
        ],
        "initContainerStatuses": [
            _container(item, replica, init[item["name"]], ready=True)
            for item in spec.get("initContainers", ())
        ],
        "ephemeralContainerStatuses": [
            _container(item, replica, "running", ready=False) for item in spec.get("ephemeralContainers", ())
        ],
    }
    return {key: value for key, value in lists.items() if value}


def _container(item: Json, replica: Replica, kind: str, *, ready: bool) -> Json:
    """Return one ContainerStatus; without a pulled image there is no container id."""
    container_id = f"docker://{digest('container', *replica.key, item['name'])}"
    pulled, crashing = kind != "ImagePullBackOff", kind == "CrashLoopBackOff"
    image_id = f"docker-pullable://{item['image'].rpartition(':')[0]}@sha256:{digest('image', item['image'])}"
    start = created(*replica.key) + timedelta(seconds=8)
    return {
        "name": item["name"],
        "image": item["image"],
        "imageID": image_id if pulled else "",
        **({"containerID": container_id} if pulled else {}),
        "ready": ready,
        "restartCount": 41 if crashing else 0,
        "state": _state(kind, start, container_id),
        "lastState": _terminated(start, container_id, 1, "Error") if crashing else {},
    }


def _state(kind: str, start: datetime, container_id: str) -> Json:
    """Return one ContainerState; what is neither running nor terminated waits for the reason given."""
    if kind == "running":
        return {"running": {"startedAt": stamp(start)}}
    return (
        _terminated(start, container_id, 0, "Completed")
        if kind == "terminated"
        else {"waiting": {"reason": kind}}
    )


def _terminated(start: datetime, container_id: str, code: int, reason: str) -> Json:
    times = {"startedAt": stamp(start), "finishedAt": stamp(start + timedelta(seconds=4))}
    return {"terminated": {"exitCode": code, "reason": reason, **times, "containerID": container_id}}
