"""Nodes with little room, their pods, and which of these this program refuses for that."""

from __future__ import annotations

from typing import Any

from hashcompat.api.inputs import collect
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.kubelet.decide.room.admitting import outcomes
from hashcompat.core.kubelet.decide.room.requests import asking
from hashcompat.core.kubelet.decide.room.tenants import Tenant, node_resources
from tests.helpers.pods import Json, as_json, node, pod
from tests.helpers.program import Run

CRITICAL = {"priority": 2_000_000_000}
MORE_CRITICAL = {"priority": 2_000_001_000}


def host(**allocatable: str) -> Json:
    made = node("v1.33.5")
    made["status"]["allocatable"] = {"cpu": "4", "memory": "8Gi", "pods": "110", **allocatable}
    return made


def sized(name: str, created: str = "", spec: Any = None, **requests: str) -> Json:
    """Return a pod of a container that asks for something, created at a time of one day."""
    container = {"name": "c", "image": "i", "resources": {"requests": requests}}
    made = pod(container, name=name, spec={"restartPolicy": "Always", **(spec or {})})
    if created:
        made["metadata"]["creationTimestamp"] = f"2026-01-01T{created}:00Z"
    made["status"] = {
        "phase": "Running",
        "containerStatuses": [{"name": "c", "restartCount": 0, "state": {"running": {}}}],
    }
    return made


def verdicts(
    run: Run, *objects: Json, old: str = "1.33.5", new: str = "1.33.13", more: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return the verdict of each pod's first container, with the resource that is missing."""
    flags = more if old == "auto" else ("--override-node-releases", *more)
    result = run("plan", "--from", old, "--to", new, "-f", "-", "-o", "json", *flags, stdin=as_json(*objects))
    assert result.code == 0, result.err
    pod_verdicts = {}
    for item in result.items:
        why = next((reason["text"] for reason in item["reasons"] if reason["id"] == "HC048"), "")
        out = why.removeprefix("not admitted again: ").partition(":")[0]
        pod_verdicts[item["pod"]] = f"{item['verdict']} {out}".strip()
    return pod_verdicts


def refused(case: dict[str, Any], kubelet: Kubelet, wanted: dict[str, str]) -> dict[str, str]:
    """Return the pods that do not run after a start, by uid, each with its reason.

    Where chance decides between pods that are alike, these are those that are ``wanted``.
    """
    allocatable = case["node"]["status"]["allocatable"]
    node = {"apiVersion": "v1", "kind": "Node", **case["node"]}
    pods = collect([node, *case["pods"]]).pods
    tenants = [Tenant(pod, asking(pod, allocatable, kubelet), devices={}) for pod in pods]
    shortages = outcomes(tenants, node_resources(allocatable), kubelet)
    return {
        uid: short.reason
        for uid, short in shortages.items()
        if uid in wanted or short.certain or not short.preemptor
    }
