"""Which workloads, pods and nodes a cluster has, and which pod runs on which node."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.applications import app_template, preview_template
from scripts.bench.made.platform.batch import (
    airflow_template,
    argo_template,
    gitlab_template,
    job_template,
    spark_template,
    tekton_template,
    train_template,
)
from scripts.bench.made.platform.daemons import daemon_template, static_template
from scripts.bench.made.platform.given import (
    DAY,
    GIVEN,
    NOW,
    Workload,
    chance_for,
    digest,
    digits,
    letters,
    stamp,
)
from scripts.bench.made.platform.nodes import Node, plan_nodes
from scripts.bench.made.platform.owned import Pod
from scripts.bench.made.platform.stateful import stateful_template
from scripts.bench.made.platform.words import NOUNS, ROLES, TEAMS, VERBS

GPU_DAEMON_SETS: Final = ("nvidia-device-plugin", "dcgm-exporter")


DAEMON_SETS: Final = [
    ("kube-system", "cilium"),
    ("kube-system", "ebs-csi-node"),
    ("kube-system", "efs-csi-node"),
    ("monitoring", "node-exporter"),
    ("kube-system", "kube-proxy"),
    ("datadog", "datadog-agent"),
    ("logging", "fluent-bit"),
    ("kube-system", "node-local-dns"),
    ("falco", "falco"),
    ("gpu-operator", "nvidia-device-plugin"),
    ("gpu-operator", "dcgm-exporter"),
]


SYSTEM_APPS: Final = [
    ("kube-system", "coredns", "registry.k8s.io/coredns/coredns:v1.11.3"),
    ("ingress-nginx", "ingress-nginx-controller", "registry.k8s.io/ingress-nginx/controller:v1.11.3"),
    ("cert-manager", "cert-manager", "quay.io/jetstack/cert-manager-controller:v1.15.3"),
    ("argo", "workflow-controller", "quay.io/argoproj/workflow-controller:v3.5.11"),
    ("istio-system", "istiod", "docker.io/istio/pilot:1.23.2"),
    ("kube-system", "metrics-server", "registry.k8s.io/metrics-server/metrics-server:v0.7.2"),
    ("kube-system", "cluster-autoscaler", "registry.k8s.io/autoscaling/cluster-autoscaler:v1.30.3"),
    ("argocd", "argocd-repo-server", "quay.io/argoproj/argocd:v2.12.6"),
]


def sizes(r: Random, total: int, k: int, lo: int = 1) -> list[int]:
    """Return so many positive sizes of a long tail that sum to a total."""
    k = max(1, min(k, total))
    ws: list[Any] = [r.paretovariate(1.15) for _ in range(k)]
    sw = sum(ws)
    out: list[Any] = [max(lo, int(total * x / sw)) for x in ws]
    d = total - sum(out)
    i = 0
    while d:
        j = i % k
        if d > 0:
            out[j] += 1
            d -= 1
        elif out[j] > lo or (out[j] > 1 and i > 50 * k):
            out[j] -= 1
            d += 1
        i += 1
    return out


def planned(number: int, distinct: bool) -> tuple[list[Node], list[Pod]]:
    """Return the nodes and the pods of a cluster, before they are made."""
    nodes = plan_nodes(number)
    GIVEN.nodes = len(nodes)
    r = chance_for("plan")
    pods, names, wn = [], set(), [0]
    taken = set()

    def workload(kind: Any, ns: Any, name: Any, b: Any, **kw: Any) -> Any:
        wn[0] += 1
        return Workload(wn[0], kind, ns, name, b, **kw)

    def add(p: Any) -> Any:
        k = (p.ns, p.name)
        if k in names:
            return False
        names.add(k)
        pods.append(p)
        return True

    def app_name(ns: Any, fmt: Any) -> Any:
        while True:
            n = fmt()
            if (ns, n) not in taken:
                taken.add((ns, n))
                return n
            n = n + "-" + r.choice(NOUNS) + (("-" + digits(r, 3)) if r.random() < 0.5 else "")
            if (ns, n) not in taken:
                taken.add((ns, n))
                return n

    def rs_name(n: Any) -> Any:
        return n + "-" + letters(r, r.choice([8, 9, 9, 10, 10]))

    def pname(prefix: Any, suffix: Any) -> Any:
        return prefix[: 63 - len(suffix)] + suffix

    cpn: list[Any] = [n for n in nodes if n.pool == "control-plane"]
    for c in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        w = workload(
            "static", "kube-system", c, static_template, prio="system-node-critical", cpu=150, mem=100
        )
        for n in cpn:
            p = Pod(w, w.ns, c + "-" + n.name, 0, n.created + r.randint(5, 90), "run", f"st-{c}-{n.i}")
            p.node = n
            add(p)
    for ns, name in DAEMON_SETS:
        w = workload(
            "ds",
            ns,
            name,
            daemon_template,
            prio="system-node-critical" if ns in ("kube-system", "gpu-operator") else "prod-critical",
            sa=name,
            cpu=150,
            mem=200,
        )
        roll = NOW - int(r.uniform(1, 40) * DAY)
        rev, gen = letters(r, r.choice([9, 10])), str(r.randint(1, 40))
        for n in nodes:
            if name in GPU_DAEMON_SETS and n.pool != "gpu":
                continue
            t: Any = (
                max(n.created + r.randint(2, 40), roll + r.randint(0, 7200))
                if r.random() < 0.97
                else NOW - r.randint(60, 3 * DAY)
            )
            t = max(t, n.created + 2)
            while True:
                p = Pod(
                    w,
                    ns,
                    name + "-" + letters(r, 5),
                    0,
                    min(t, NOW - 30),
                    "crash" if r.random() < 0.002 else "run",
                    f"ds-{w.id}-{n.i}",
                    rev=rev,
                    gen=gen,
                )
                p.node = n
                if add(p):
                    break
    fixed = len(pods)
    n_job, n_sts, n_prev = round(number * 0.25), round(number * 0.11), round(number * 0.09)
    n_dep = max(0, number - fixed - n_job - n_sts - n_prev)

    # --- StatefulSets
    flv: list[Any] = [
        "kafka",
        "cassandra",
        "elastic",
        "cnpg",
        "clickhouse",
        "redis",
        "zookeeper",
        "minio",
        "prometheus",
        "opensearch",
    ]
    k = max(1, min(44, n_sts // 4))
    for i, sz in enumerate(sizes(r, n_sts, k, 1 if n_sts < 9 else 3)):
        f: str = flv[i % len(flv)]
        ns = {
            "kafka": "kafka",
            "cassandra": "cassandra",
            "elastic": "elastic-system",
            "prometheus": "monitoring",
            "cnpg": r.choice(TEAMS),
        }.get(f, r.choice(TEAMS))
        name = app_name(
            ns,
            lambda f=f: (
                f"{r.choice(NOUNS)}-{ ({'kafka': 'stream', 'cnpg': 'pg', 'elastic': 'logs', 'cassandra': 'cass'}.get(f, f)) }"
            ),
        )
        st: Any = {
            "kafka": name + "-kafka",
            "cassandra": name + "-use1-r1-sts",
            "elastic": name + "-es-hot",
        }.get(f, name)
        w = workload(
            "sts",
            ns,
            name,
            stateful_template,
            pool="data" if r.random() < 0.85 else "general",
            cpu=r.choice([500, 1000, 1000, 2000, 2000, 4000]),
            mem=r.choice([2048, 4096, 8192, 16384]),
            prio="prod-critical",
            sa=name,
            strict=sz < number / 30 * 0.1,
            vault=r.random() < 0.12,
            extra={"flavor": f, "setname": st},
        )
        base = NOW - int(r.uniform(2, 55) * DAY)
        rev = letters(r, 9)
        for j in range(sz):
            o: Any = j + 1 if f == "cnpg" else j
            t = base + j * r.randint(20, 90) if r.random() < 0.9 else NOW - int(r.uniform(0.01, 2) * DAY)
            add(
                Pod(
                    w,
                    ns,
                    f"{st}-{o}",
                    o,
                    min(t, NOW - 20),
                    r.choices(["run", "crash", "creating", "term"], [985, 9, 3, 3])[0],
                    f"ss-{w.id}-{o}",
                    set=st,
                    rev=rev,
                )
            )

    # --- previews: one namespace a pull request
    apps: list[Any] = [
        ("web", 100, 256),
        ("api", 150, 512),
        ("worker", 100, 384),
        ("postgres", 100, 256),
        ("redis", 50, 128),
        ("admin", 50, 256),
        ("search", 200, 768),
        ("docs", 50, 128),
    ]
    pw: list[Any] = [
        workload(
            "deploy",
            "preview",
            a,
            preview_template,
            cpu=c,
            mem=m,
            prio="preview",
            sa="preview",
            extra={"app": a},
        )
        for a, c, m in apps
    ]
    left, prn = n_prev, 48000 + r.randrange(3000)
    while left > 0:
        prn += r.randint(1, 17)
        ns = f"preview-pr-{prn}"
        born = NOW - int(r.uniform(0.01, 9) * DAY)
        sha = digits(r, 40)
        bad = r.random() < 0.12
        for w in pw:
            if left <= 0:
                break
            s: Any = r.choices(
                ["run", "crash", "pull", "creating", "initrun"],
                [70, 15, 12, 2, 3] if bad else [98, 1, 0, 1, 0],
            )[0]
            t = min(NOW - 30, born + r.randint(0, 20) if s != "initrun" else NOW - 200)
            if w.name == "postgres":
                p = Pod(
                    w,
                    ns,
                    "postgres-0",
                    0,
                    t,
                    "run" if s != "creating" else s,
                    f"pv-{prn}-{w.name}",
                    kind="sts",
                    set="postgres",
                    rev=letters(r, 9),
                    pr=prn,
                    sha=sha,
                )
            else:
                rs = rs_name(w.name)
                p = Pod(
                    w, ns, rs + "-" + letters(r, 5), 0, t, s, f"pv-{prn}-{w.name}", rs=rs, pr=prn, sha=sha
                )
            if add(p):
                left -= 1

    # --- jobs and workflows
    share: Json = {
        "spark": 0.2,
        "argo": 0.2,
        "tekton": 0.14,
        "airflow": 0.16,
        "job": 0.16,
        "gitlab": 0.09,
        "train": 0.05,
    }
    nw: Json = {"spark": 8, "argo": 12, "tekton": 8, "airflow": 12, "job": 16, "gitlab": 5, "train": 6}
    bl: Json = {
        "spark": spark_template,
        "argo": argo_template,
        "tekton": tekton_template,
        "airflow": airflow_template,
        "job": job_template,
        "gitlab": gitlab_template,
        "train": train_template,
    }
    nsm: Json = {
        "spark": ["spark-jobs", "spark-adhoc"],
        "argo": ["argo", "ml-pipelines"],
        "tekton": ["tekton-ci"],
        "airflow": ["airflow"],
        "job": TEAMS[:9],
        "gitlab": ["gitlab-runners"],
        "train": ["ml-training", "research"],
    }
    jid: list[Any] = [7400000 + r.randrange(10**5)]
    kc: list[Any] = [0]
    for kind, sh in share.items():
        want: Any = (
            round(n_job * sh)
            if kind != "train"
            else n_job - sum(round(n_job * s) for q_, s in share.items() if q_ != "train")
        )
        ws: list[Any] = []
        for _ in range(max(1, min(nw[kind], want // 3 + 1))):
            ns = r.choice(nsm[kind])
            nm = app_name(ns, lambda: f"{r.choice(VERBS)}-{r.choice(NOUNS)}")
            gpu: Any = r.choice([1, 1, 2, 4, 8]) if kind == "train" else 0
            ws.append(
                workload(
                    kind,
                    ns,
                    nm,
                    bl[kind],
                    pool={"tekton": "ci", "gitlab": "ci", "train": "gpu"}.get(kind, "batch"),
                    cpu=r.choice([500, 1000, 1000, 2000, 4000]) if not gpu else gpu * 8000,
                    mem=r.choice([1024, 2048, 4096, 8192]) if not gpu else gpu * 65536,
                    gpu=gpu,
                    prio="gpu-training" if gpu else r.choice(["batch-high", "batch-low", "batch-low", None]),
                    sa={
                        "spark": "spark",
                        "argo": "argo-workflow",
                        "tekton": "tekton-bot",
                        "airflow": "airflow-worker",
                    }.get(kind, "default" if kind == "gitlab" else nm),
                    vault=kind in ("argo", "job") and r.random() < 0.1,
                )
            )
        got, _c0 = 0, len(pods)
        while got < want:
            w = r.choice(ws)
            kc[0] += 1
            active = r.random() < {"train": 0.6, "spark": 0.5}.get(kind, 0.26)
            t = NOW - (
                r.randint(20, 9 * 3600)
                if active and kind != "train"
                else int(r.uniform(0.05, 12) * DAY)
                if active
                else int(min(r.expovariate(0.45) + 0.1, 14) * DAY)
            )
            dur: Any = r.choice([r.randint(15, 300), r.randint(200, 5000), r.randint(1000, 20000)])

            def state(active: bool = active) -> str:
                if active:
                    return r.choices(["run", "creating", "pull", "initrun"], [93, 3, 1, 3])[0]
                return r.choices(["succ", "fail", "evicted"], [79, 19, 2])[0]

            new: list[Any] = []
            if kind == "spark":
                app = f"{w.name}-{letters(r, 5) if r.random() < 0.5 else str(t) + '000'}"
                sel = "spark-" + digits(r, 32)
                s = state() if not active else "run"
                drv = app + "-driver"
                new.append(Pod(w, w.ns, drv, 0, t, s, f"j{kc[0]}", app=app, sel=sel, role="driver", n=0))
                eh = digits(r, 16)
                executors = r.choice([4, 8, 12, 20, 40]) if active else r.choice([0, 0, 0, 1, 2])
                new.extend(
                    Pod(
                        w,
                        w.ns,
                        f"{app[:36].rstrip('-')}-{eh}-exec-{j + 1}",
                        0,
                        min(NOW - 15, t + r.randint(15, 90)),
                        "run" if active else r.choice(["fail", "fail", "succ", "evicted"]),
                        f"j{kc[0]}-{j}",
                        app=app,
                        sel=sel,
                        role="executor",
                        n=j + 1,
                        driver=drv,
                    )
                    for j in range(executors)
                )
            elif kind == "argo":
                wf: Any = f"{w.name}-{letters(r, 5)}" if r.random() < 0.5 else f"{w.name}-{t}"
                for j in range(r.choice([1, 2, 3, 5, 9])):
                    step = r.choice(VERBS) + "-step"
                    new.append(
                        Pod(
                            w,
                            w.ns,
                            f"{wf}-{step}-{r.getrandbits(32)}",
                            0,
                            min(NOW - 15, t + j * 30),
                            state(),
                            f"j{kc[0]}-{j}",
                            wf=wf,
                            step=step,
                            n=j,
                        )
                    )
            elif kind == "tekton":
                pr = f"{w.name}-run-{letters(r, 5)}"
                q0 = r.randrange(40000, 60000)
                for j in range(r.choice([1, 2, 3])):
                    task: Any = r.choice(["build", "test", "scan", "deploy", "e2e"])
                    new.append(
                        Pod(
                            w,
                            w.ns,
                            f"{pr}-{task}-pod",
                            0,
                            min(NOW - 15, t + j * 40),
                            state(),
                            f"j{kc[0]}-{j}",
                            pr=pr,
                            task=task,
                            prn=q0,
                        )
                    )
            elif kind == "airflow":
                task = f"{r.choice(VERBS)}_{r.choice(NOUNS)}"
                run: Any = (
                    "scheduled__" + stamp(t - 3600)[:-1] + "+00:00"
                    if r.random() < 0.8
                    else "manual__" + stamp(t)[:-1] + f".{r.randrange(10**6):06d}+00:00"
                )
                new.append(
                    Pod(
                        w,
                        w.ns,
                        f"{w.name}-{task.replace('_', '-')}-{letters(r, 8, 'abcdefghijklmnopqrstuvwxyz0123456789')}",
                        0,
                        t,
                        state(),
                        f"j{kc[0]}",
                        task=task,
                        run=run,
                        **{"try": r.choice([1, 1, 1, 2, 3])},
                    )
                )
            elif kind == "job":
                job: Any = f"{w.name}-{t // 60}" if r.random() < 0.6 else f"{w.name}-{letters(r, 5)}"
                par: Any = r.choice([1, 1, 1, 1, 4, 16])
                for j in range(par):
                    x: Json = {"job": job}
                    if par > 1:
                        x["i"] = j
                    new.append(
                        Pod(
                            w,
                            w.ns,
                            job + (f"-{j}-" if par > 1 else "-") + letters(r, 5),
                            j,
                            t,
                            state(),
                            f"j{kc[0]}-{j}",
                            **x,
                        )
                    )
            elif kind == "gitlab":
                jid[0] += r.randint(1, 40)
                pj = int(digest(5, "proj", w.name), 16) % 3000
                new.append(
                    Pod(
                        w,
                        w.ns,
                        f"runner-{digest(8, 'runner', w.name)}-project-{pj}-concurrent-{r.randrange(20)}-{letters(r, 8, 'abcdefghijklmnopqrstuvwxyz0123456789')}",
                        0,
                        t,
                        state(),
                        f"j{kc[0]}",
                        proj=pj,
                        jid=jid[0],
                    )
                )
            else:
                job = f"{w.name}-{digits(r, 6)}"
                kk: Any = r.choice([1, 1, 2, 4, 8]) if w.gpu == 8 else r.choice([1, 1, 2, 4])
                s = state()
                for j in range(kk):
                    role: Any = "master" if j == 0 else "worker"
                    new.append(
                        Pod(
                            w,
                            w.ns,
                            f"{job}-{role}-{max(0, j - 1)}",
                            j,
                            t + (j > 0),
                            s if s != "fail" or j == 0 else r.choice(["fail", "succ"]),
                            f"j{kc[0]}-{j}",
                            job=job,
                            role=role,
                            i=max(0, j - 1),
                            k=kk,
                        )
                    )
            for p in new:
                if got < want:
                    p.dur = dur + r.randint(0, 30)
                    if p.state in ("creating", "pull", "initrun"):
                        p.created = max(p.created, NOW - r.randint(16, 900))
                    if add(p):
                        got += 1

    # --- Deployments
    n_dep = max(0, number - len(pods))
    if n_dep:
        k = n_dep if distinct else max(1, min(115, n_dep // 5 + 1))
        szs: Any = [1] * n_dep if distinct else sizes(r, n_dep, k)
        for i, sz in enumerate(szs):
            if i < len(SYSTEM_APPS):
                ns, name, img = SYSTEM_APPS[i]
                taken.add((ns, name))
            else:
                ns, img = r.choice(TEAMS), None
                role = r.choice(ROLES)
                name = app_name(ns, lambda role=role: f"{r.choice(NOUNS)}-{role}")
            gpu = 1 if i % 29 == 20 else 0
            mesh: Any = (
                None if i < len(SYSTEM_APPS) else r.choices([None, "istio", "linkerd"], [50, 35, 15])[0]
            )
            w = workload(
                "deploy",
                ns,
                name,
                app_template,
                cpu=r.choice([100, 200, 250, 500, 500, 1000]),
                mem=r.choice([256, 512, 512, 1024, 2048, 4096]),
                mesh=mesh,
                vault=i >= len(SYSTEM_APPS) and r.random() < 0.16,
                strict=sz <= 5 and r.random() < 0.3,
                prio="system-cluster-critical"
                if ns == "kube-system"
                else r.choice(["prod-default", "prod-default", "prod-critical", None]),
                sa=name if r.random() < 0.8 else "default",
                extra={"image": img} if img else {},
            )
            cur, old = rs_name(name), rs_name(name)
            tc = NOW - int(min(r.expovariate(0.12) + 0.05, 40) * DAY)
            to = tc - int(r.uniform(0.5, 12) * DAY)
            two: Any = sz > 1 and r.random() < 0.2
            sick = r.random() < 0.06
            for j in range(sz):
                rs, t = (old, to) if two and j < max(1, sz // 5) else (cur, tc)
                t = t + r.randint(0, 40) if r.random() < 0.6 else int(r.uniform(t, NOW - 40))
                s = r.choices(
                    ["run", "crash", "pull", "creating", "term", "evicted", "initrun"],
                    [60, 25, 10, 2, 1, 2, 2] if sick else [985, 2, 1, 3, 4, 4, 1],
                )[0]
                if s in ("creating", "initrun"):
                    t = NOW - r.randint(15, 300)
                while True:
                    p = Pod(w, ns, rs + "-" + letters(r, 5), 0, min(t, NOW - 15), s, f"dp-{w.id}-{j}", rs=rs)
                    p.dur = r.randint(3000, 4 * DAY)
                    if r.random() < 0.006 and s == "run":
                        p.x["debug"] = True
                    if add(p):
                        break
    if len(pods) > number:
        keep = sorted(r.sample(range(len(pods)), number))
        pods = [pods[i] for i in keep]

    # --- nodes for them: what is bound first, then running, then what has ended
    by: dict[str, list[Node]] = {}
    for n in nodes:
        by.setdefault(n.pool, []).append(n)
    used: dict[tuple[int, str], set[int]] = {}

    def ip(p: Any, n: Any) -> Any:
        n.ipno += 1
        if n.ipno > 250:
            n.ipno = 20
        p.ip = f"{n.cidr}.{n.ipno}"

    for p in pods:
        if p.node:
            p.node.usecpu += 150
            p.node.usemem += 250
            p.node.npod += 1
            ip(p, p.node)
    for phase in (0, 1):
        for p in pods:
            w = p.w
            if p.node or (p.state in ("succ", "fail", "evicted")) != bool(phase):
                continue
            # the pools' control-plane nodes take none of these
            pool: Any = by[w.pool]
            u = used.setdefault((w.id, p.ns), set())
            if phase:
                n = r.choice(pool)
            else:
                nc = w.cpu + 120 + (150 if w.mesh else 0) + (60 if w.vault else 0)
                nm = w.mem + 250 + (200 if w.mesh else 0)
                best = None
                for cand in (r.sample(pool, min(14, len(pool))), pool):
                    for n in cand:
                        if (
                            n.usecpu + nc > n.cpu * 0.93
                            or n.usemem + nm > n.mem * 0.93
                            or n.usegpu + w.gpu > n.ngpu
                            or n.npod > 190
                            or (w.strict and n.i in u)
                        ):
                            continue
                        sc = (n.i in u, n.usecpu / n.cpu)
                        if best is None or sc < best[0]:
                            best = (sc, n)
                    if best:
                        break
                if best is None:
                    p.created = max(p.created, NOW - r.randint(30, 2 * DAY))
                    continue
                n = best[1]
                n.usecpu += nc
                n.usemem += nm
                n.usegpu += w.gpu
                n.npod += 1
                if w.kind == "sts":
                    n.vols += 1
            u.add(n.i)
            p.node = n
            if p.created < n.created + 60:
                p.created = min(
                    NOW - 15, n.created + 60 + r.randrange(max(1, min(40000, NOW - n.created - 120)))
                )
            ip(p, n)
    # a Pod that another Pod's creation follows must not be younger: a Spark driver
    drivers = {(p.ns, p.name): p for p in pods if p.x.get("role") == "driver"}
    for p in pods:
        d: Any = drivers.get((p.ns, p.x.get("driver")))
        if d and p.created <= d.created:
            d.created = max(p.created - 20, (d.node.created + 5) if d.node else 0)
            p.created = max(p.created, min(NOW - 12, d.created + 2))
    pods.sort(key=lambda p: (p.ns, p.name))
    return nodes, pods
