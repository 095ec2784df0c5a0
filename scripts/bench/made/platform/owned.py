"""A pod before it is made, and who owns it."""

from __future__ import annotations

from random import Random
from typing import Any

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import Workload, uid


class Pod:
    """A pod before it is made."""

    __slots__ = ("created", "dur", "idx", "ip", "key", "name", "node", "ns", "r", "state", "w", "x")

    def __init__(
        self, w: Workload, ns: str, name: str, idx: int, created: int, state: str, key: str, **x: Any
    ) -> None:
        self.w, self.ns, self.name, self.idx, self.created = w, ns, name, idx, created
        self.state, self.key, self.x = state, key, x
        self.node: Any = None
        self.ip: Any = None
        self.r: Any = None
        self.dur = 0


def owner(p: Pod, r: Random) -> list[Json] | None:
    """Return the owner references of a pod."""
    w, x = p.w, p.x
    k: Any = x.get("kind", w.kind)

    def o(api: Any, kind: Any, name: Any, u: Any, block: Any = True) -> list[Json]:
        d = {"apiVersion": api, "controller": True, "kind": kind, "name": name, "uid": u}
        if block is not None:
            d["blockOwnerDeletion"] = block
        return [d]

    if k == "deploy":
        return o("apps/v1", "ReplicaSet", x["rs"], uid("rs", p.ns, x["rs"]))
    if k == "ds":
        return o("apps/v1", "DaemonSet", w.name, uid("ds", p.ns, w.name))
    if k == "static":
        return o("v1", "Node", p.node.name, uid("node", p.node.i), None)
    if k == "sts":
        f: Any = w.extra.get("flavor")
        n: Any = x["set"]
        if f == "kafka":
            return o("core.strimzi.io/v1beta2", "StrimziPodSet", n, uid("set", p.ns, n), False)
        if f == "cnpg":
            return o("postgresql.cnpg.io/v1", "Cluster", w.name, uid("set", p.ns, n))
        return o("apps/v1", "StatefulSet", n, uid("set", p.ns, n))
    if k == "spark":
        if x["role"] == "driver":
            return o(
                "sparkoperator.k8s.io/v1beta2",
                "SparkApplication",
                x["app"],
                uid("spark", p.ns, x["app"]),
                None,
            )
        return o("v1", "Pod", x["driver"], uid("pod", p.ns, x["driver"]), None)
    if k == "argo":
        return o("argoproj.io/v1alpha1", "Workflow", x["wf"], uid("wf", x["wf"]))
    if k == "tekton":
        return o("tekton.dev/v1", "TaskRun", p.name[:-4], uid("tr", p.ns, p.name))
    if k == "job":
        return o("batch/v1", "Job", x["job"], uid("job", p.ns, x["job"]))
    if k == "train":
        return o("kubeflow.org/v1", "PyTorchJob", x["job"], uid("ptj", p.ns, x["job"]))
    return None
