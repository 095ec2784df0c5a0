"""A pod as an API server serves it."""

from __future__ import annotations

from typing import Any

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import (
    NOW,
    REGISTRY,
    chance_for,
    digits,
    label,
    letters,
    stamp,
    uid,
    version,
)
from scripts.bench.made.platform.managed import field_set, field_value, managed_row
from scripts.bench.made.platform.owned import Pod, owner
from scripts.bench.made.platform.parts import container
from scripts.bench.made.platform.statuses import status
from scripts.bench.made.platform.templates import template


def pod_obj(p: Pod, mf: bool) -> Json:
    """Return a pod as an API server serves it."""
    w = p.w
    p.r = r = chance_for("pod", p.key)
    t = template(w, p)
    spec, lab, ann = t["spec"], t["labels"], t["annotations"]
    u = uid("pod", p.ns, p.name)
    k: Any = p.x.get("kind", w.kind)
    meta: Json = {"creationTimestamp": stamp(p.created), "name": p.name, "namespace": p.ns, "uid": u}
    if k == "deploy":
        lab["pod-template-hash"] = p.x["rs"].rsplit("-", 1)[1]
        meta["generateName"] = p.x["rs"] + "-"
    elif k == "ds":
        lab["controller-revision-hash"] = p.x["rev"]
        lab["pod-template-generation"] = p.x["gen"]
        meta["generateName"] = w.name + "-"
    elif k == "sts" and w.extra.get("flavor") not in ("kafka", "cnpg"):
        n: Any = p.x["set"]
        lab["apps.kubernetes.io/pod-index"] = str(p.idx)
        lab["controller-revision-hash"] = label(n + "-" + p.x["rev"])
        lab["statefulset.kubernetes.io/pod-name"] = p.name
        meta["generateName"] = n + "-"
        spec["hostname"] = p.name
        spec.setdefault("subdomain", n)
    elif k == "job":
        meta["generateName"] = p.x["job"] + (f"-{p.x['i']}-" if "i" in p.x else "-")
        if p.state not in ("succ", "fail", "evicted"):
            meta["finalizers"] = ["batch.kubernetes.io/job-tracking"]
    elif k == "static":
        h = digits(r, 32)
        ann.update(
            {
                "kubernetes.io/config.hash": h,
                "kubernetes.io/config.mirror": h,
                "kubernetes.io/config.source": "file",
                "kubernetes.io/config.seen": stamp(p.created - r.randint(1, 50))[:-1]
                + f".{r.randrange(10**9):09d}Z",
            }
        )
    if k == "sts" and w.extra.get("flavor") == "cnpg" and p.idx == 1:
        lab["cnpg.io/instanceRole"] = lab["role"] = "primary"
    if p.node:
        spec["nodeName"] = p.node.name
    if p.x.get("debug"):
        spec["ephemeralContainers"] = [
            dict(
                container(
                    "debugger-" + letters(r, 5),
                    r.choice(
                        ["busybox:1.36.1", "nicolaka/netshoot:v0.13", REGISTRY + "/debug/toolbox:2026.10"]
                    ),
                ),
                stdin=True,
                tty=True,
                targetContainerName=spec["containers"][0]["name"],
            )
            for _ in range(r.randint(1, 2))
        ]
    if k in ("static", "ds") and "hostname" in spec:
        del spec["hostname"]
    st, change = status(p, spec, t["qos"], u)
    if p.state == "term":
        g: Any = spec["terminationGracePeriodSeconds"] or 1
        meta["deletionGracePeriodSeconds"] = g
        meta["deletionTimestamp"] = stamp(max(p.created + 1, NOW - 1 - r.randint(0, max(1, g // 2))) + g)
        change = NOW - 1
    if lab:
        meta["labels"] = lab
    if ann:
        meta["annotations"] = ann
    o = owner(p, r)
    if o:
        meta["ownerReferences"] = o
    meta["resourceVersion"] = version(change, r)
    if mf:
        fm: Json = {
            k: v
            for k, v in (
                ("f:labels", field_set(lab)),
                (
                    "f:ownerReferences",
                    {".": {}, **{f'k:{{"uid":"{e["uid"]}"}}': {} for e in o or []}} if o else None,
                ),
                ("f:generateName", {} if "generateName" in meta else None),
                ("f:annotations", field_set(ann) if ann else None),
            )
            if v is not None
        }
        fs: Json = {}
        for a, whole in spec.items():
            b = whole
            if a in (
                "nodeName",
                "priority",
                "preemptionPolicy",
                "serviceAccountName",
                "tolerations",
                "ephemeralContainers",
            ):
                continue
            if a == "volumes":
                b = [v for v in b if not v["name"].startswith("kube-api-access")]
                if not b:
                    continue
            if a in ("containers", "initContainers"):
                b = [
                    dict(
                        c,
                        volumeMounts=[
                            m
                            for m in c.get("volumeMounts", [])
                            if not m["name"].startswith("kube-api-access")
                        ],
                    )
                    for c in b
                ]
                b = [
                    c if c["volumeMounts"] else {x: y for x, y in c.items() if x != "volumeMounts"} for c in b
                ]
            fs["f:" + a] = field_value(a, b)
        mgr: Any = {
            "argo": "workflow-controller",
            "spark": "okhttp",
            "tekton": "controller",
            "airflow": "OpenAPI-Generator",
            "gitlab": "gitlab-runner",
            "train": "training-operator",
            "static": "kubelet",
        }.get(
            k,
            {"kafka": "strimzi-cluster-operator", "cnpg": "manager"}.get(
                w.extra.get("flavor", ""), "kube-controller-manager"
            ),
        )
        ms: list[Any] = [managed_row(mgr, p.created, {"f:metadata": fm, "f:spec": fs})]
        if p.node is None:
            ms.append(
                managed_row(
                    "kube-scheduler",
                    change,
                    {
                        "f:status": {
                            "f:conditions": {
                                ".": {},
                                'k:{"type":"PodScheduled"}': field_set(st["conditions"][0]),
                            }
                        }
                    },
                    "status",
                )
            )
        else:
            f: Json = {
                "f:" + a: field_value(a, b) for a, b in st.items() if a not in ("qosClass", "conditions")
            }
            f["f:conditions"] = {
                f'k:{{"type":"{c["type"]}"}}': field_set(c)
                for c in st["conditions"]
                if c["type"] != "PodScheduled"
            }
            ms.append(managed_row("kubelet", change, {"f:status": f}, "status"))
        if "ephemeralContainers" in spec:
            ms.insert(
                1,
                managed_row(
                    "kubectl-debug",
                    change,
                    {
                        "f:spec": {
                            "f:ephemeralContainers": field_value(
                                "ephemeralContainers", spec["ephemeralContainers"]
                            )
                        }
                    },
                    "ephemeralcontainers",
                ),
            )
        meta["managedFields"] = ms
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": st}
