"""From a template to that of one pod: webhooks, defaults, placeholders."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.applications import app_template
from scripts.bench.made.platform.batch import (
    airflow_template,
    argo_template,
    gitlab_template,
    job_template,
    spark_template,
    tekton_template,
    train_template,
)
from scripts.bench.made.platform.given import (
    DOMAIN,
    GIVEN,
    Workload,
    chance_for,
    compact_json,
    digest,
    digits,
    letters,
)
from scripts.bench.made.platform.injected import inject_istio, inject_linkerd, inject_vault
from scripts.bench.made.platform.owned import Pod
from scripts.bench.made.platform.parts import (
    PRIORITIES,
    container,
    container_port,
    empty_volume,
    mount,
    resources,
    variable,
)
from scripts.bench.made.platform.words import rand_args, rand_env


def make_distinct(t: Json, w: Workload, r: Random) -> None:
    """Make each container unlike all others."""
    s: Any = t["spec"]
    for k in ("containers", "initContainers"):
        for c in s.get(k, []):
            have = {e["name"] for e in c.get("env", [])}
            e = c.get("env", []) + [x for x in rand_env(r, w, r.randint(1, 7)) if x["name"] not in have]
            e.insert(r.randrange(len(e) + 1), variable("INSTANCE_" + digits(r, 6).upper(), digits(r, 10)))
            c["env"] = e
            if "args" in c or r.random() < 0.7:
                c["args"] = (
                    c.get("args", []) + rand_args(r, r.randint(1, 4)) + ["--instance=" + digits(r, 12)]
                )
            i = c["image"].split("@")[0].rfind(":")
            base: Any = c["image"].split("@")[0]
            base = base[:i] if i > base.rfind("/") else base
            c["image"] = f"{base}:{r.randint(0, 9)}.{r.randint(0, 40)}.{r.randint(0, 20)}-{digits(r, 7)}"
            if k == "containers":
                if r.random() < 0.3:
                    c.pop(r.choice(["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"]), None)
                for pb in ("livenessProbe", "readinessProbe", "startupProbe"):
                    if pb in c:
                        c[pb] = dict(
                            c[pb],
                            periodSeconds=r.randint(3, 60),
                            failureThreshold=r.randint(2, 40),
                            timeoutSeconds=r.randint(1, 9),
                        )
                        if r.random() < 0.5:
                            c[pb]["initialDelaySeconds"] = r.randint(1, 120)
                if r.random() < 0.3 and not s.get("hostNetwork"):
                    c["ports"] = [
                        *c.get("ports", []),
                        container_port(r.randint(20000, 29999), "x-" + digits(r, 4)),
                    ]
            if r.random() < 0.4:
                v = "scratch-" + digits(r, 5)
                s["volumes"] = [*s.get("volumes", []), empty_volume(v, sizeLimit=f"{r.randint(16, 9000)}Mi")]
                c["volumeMounts"] = [*c.get("volumeMounts", []), mount(v, "/scratch/" + digits(r, 4))]
    t["annotations"][DOMAIN + "/variant"] = digits(r, 16)


def finished(t: Json, w: Workload, static: bool = False) -> Json:
    """Return a template with defaults and what admission adds, and placeholders for what a pod alone has."""
    s: Any = t["spec"]
    s.setdefault("dnsPolicy", "ClusterFirst")
    s.setdefault("enableServiceLinks", w.kind != "deploy" or is_chosen(w, 7))
    s.setdefault("restartPolicy", "Always")
    s.setdefault("schedulerName", "default-scheduler")
    s.setdefault("securityContext", {})
    s.setdefault("terminationGracePeriodSeconds", 30)
    s["preemptionPolicy"] = "PreemptLowerPriority"
    s["priority"] = PRIORITIES.get(w.prio or "", 0)
    if w.prio:
        s["priorityClassName"] = w.prio
    tol: Any = s.get("tolerations", [])
    if static:
        pass
    elif w.kind == "ds":
        keys: list[Any] = [
            ("not-ready", "NoExecute"),
            ("unreachable", "NoExecute"),
            ("disk-pressure", "NoSchedule"),
            ("memory-pressure", "NoSchedule"),
            ("pid-pressure", "NoSchedule"),
            ("unschedulable", "NoSchedule"),
        ]
        if s.get("hostNetwork"):
            keys.append(("network-unavailable", "NoSchedule"))
        tol = tol + [{"effect": e, "key": "node.kubernetes.io/" + k, "operator": "Exists"} for k, e in keys]
    else:
        tol = tol + [
            {
                "effect": "NoExecute",
                "key": "node.kubernetes.io/" + k,
                "operator": "Exists",
                "tolerationSeconds": 300,
            }
            for k in ("not-ready", "unreachable")
        ]
    s["tolerations"] = tol
    for k in ("nodeSelector", "initContainers", "volumes", "imagePullSecrets"):
        if k in s and not s[k]:
            del s[k]
    cs = s["containers"] + s.get("initContainers", [])
    if not static:
        s["serviceAccount"] = s["serviceAccountName"] = w.sa or "default"
        if s.get("automountServiceAccountToken", True):
            n = "kube-api-access-@K5@"
            for c in cs:
                c["volumeMounts"] = [
                    *c.get("volumeMounts", []),
                    mount(n, "/var/run/secrets/kubernetes.io/serviceaccount", True),
                ]
            s["volumes"] = [
                *s.get("volumes", []),
                {
                    "name": n,
                    "projected": {
                        "defaultMode": 420,
                        "sources": [
                            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                            {
                                "configMap": {
                                    "items": [{"key": "ca.crt", "path": "ca.crt"}],
                                    "name": "kube-root-ca.crt",
                                }
                            },
                            {
                                "downwardAPI": {
                                    "items": [
                                        {
                                            "fieldRef": {
                                                "apiVersion": "v1",
                                                "fieldPath": "metadata.namespace",
                                            },
                                            "path": "namespace",
                                        }
                                    ]
                                }
                            },
                        ],
                    },
                },
            ]
    for c in cs:
        if s.get("hostNetwork"):
            for p in c.get("ports", []):
                p["hostPort"] = p["containerPort"]
        if "ports" in c:
            seen, out = set(), []
            for p in c["ports"]:
                if (p["containerPort"], p["protocol"]) not in seen:
                    seen.add((p["containerPort"], p["protocol"]))
                    out.append(p)
            c["ports"] = out
        if "env" in c:
            have: Json = {}
            for e in c["env"]:
                have.setdefault(e["name"], e)
            c["env"] = list(have.values())
        if "volumeMounts" in c and not c["volumeMounts"]:
            del c["volumeMounts"]
    asks_for_gpu = any("nvidia.com/gpu" in c["resources"].get("limits", {}) for c in cs) and w.kind != "ds"
    if asks_for_gpu and not any(x.get("key") == "nvidia.com/gpu" for x in tol):
        s["tolerations"].append({"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"})
    g, b = True, True
    for c in cs:
        rq, li = c["resources"].get("requests", {}), c["resources"].get("limits", {})
        if any(k in d for d in (rq, li) for k in ("cpu", "memory")):
            b = False
        for k in ("cpu", "memory"):
            if k not in li or li[k] != rq.get(k):
                g = False
    t["qos"] = "BestEffort" if b else "Guaranteed" if g else "Burstable"
    return t


def is_chosen(w: Workload, m: int) -> bool:
    """Return whether a workload is not one of each so many."""
    return int(digest(4, "hb", w.ns, w.name), 16) % m != 0


PER_POD: Final[Any] = (
    spark_template,
    argo_template,
    tekton_template,
    airflow_template,
    job_template,
    gitlab_template,
    train_template,
)


def build(w: Workload, p: Pod) -> Json:
    """Return a template with all that webhooks add."""
    key: Any = ("t", w.id, p.key) if GIVEN.distinct else ("t", w.id)
    r = chance_for(*key)
    t = w.builder(w, r, p)
    if w.mesh == "istio":
        inject_istio(t, w, r)
    elif w.mesh == "linkerd":
        inject_linkerd(t, w, r)
    if w.vault:
        inject_vault(t, w, r)
    if w.kind == "deploy" and w.builder is app_template and r.random() < 0.05:
        s: Any = t["spec"]
        s.setdefault("initContainers", []).append(
            container(
                "log-tail",
                "fluent/fluent-bit:3.1.9",
                args=["-c", "/cfg/fluent.conf"],
                restartPolicy="Always",
                resources=resources(20, 32, None, 64),
                volumeMounts=[mount("log-tail", "/logs")],
            )
        )
        s["volumes"] = [*s.get("volumes", []), empty_volume("log-tail")]
    if GIVEN.distinct:
        make_distinct(t, w, r)
    return finished(t, w, w.kind == "static")


def template(w: Workload, p: Pod) -> Json:
    """Return a pod's template with its own texts in the places of placeholders."""
    if GIVEN.distinct or w.builder in PER_POD:
        s = compact_json(build(w, p))
    else:
        if w.id not in GIVEN.cache:
            GIVEN.cache[w.id] = compact_json(build(w, p))
        s = GIVEN.cache[w.id]
    x = p.x
    for k, v in (
        ("@NS@", p.ns),
        ("@POD@", p.name),
        ("@ORD@", str(p.idx)),
        ("@HOSTN@", p.node.name if p.node else ""),
        ("@NIP@", p.node.ip if p.node else ""),
        ("@K5@", letters(p.r, 5)),
        ("@PR@", str(x.get("pr", ""))),
        ("@SHA@", x.get("sha", "")),
        ("@RELEASE@", GIVEN.release),
    ):
        if k in s:
            s = s.replace(k, v)
    pod_template: Json = json.loads(s)
    return pod_template
