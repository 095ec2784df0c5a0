"""The templates of services, and of previews of pull requests."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import (
    DAY,
    DOMAIN,
    NOW,
    REGISTRY,
    Workload,
    compact_json,
    digits,
    label,
    stamp,
)
from scripts.bench.made.platform.nodes import TAINTS
from scripts.bench.made.platform.owned import Pod
from scripts.bench.made.platform.parts import (
    HARDENED,
    claim_volume,
    config_volume,
    container,
    container_port,
    empty_volume,
    grpc_probe,
    http_probe,
    image_of,
    mount,
    pod_env,
    resource_field,
    resources,
    secret,
    secret_volume,
    tcp_probe,
    templated,
    variable,
)
from scripts.bench.made.platform.words import TEAMS, rand_args, rand_env


def pool_spec(w: Workload, spec: Json) -> None:
    """Let a workload run on the nodes of its pool."""
    if w.pool != "general":
        spec["nodeSelector"] = {DOMAIN + "/pool": w.pool}
        tol: list[Any] = []
        for t in TAINTS[w.pool]:
            d: Json = {
                "effect": t["effect"],
                "key": t["key"],
                "operator": "Equal" if "value" in t else "Exists",
            }
            if "value" in t:
                d["value"] = t["value"]
            tol.append(d)
        spec["tolerations"] = tol + spec.get("tolerations", [])


def spread(w: Workload, r: Random, spec: Json, labels: Json) -> None:
    """Spread the pods of a workload, in one of several ways."""
    k = r.random()
    sel: Json = {"matchLabels": dict(list(labels.items())[:2])}
    if k < 0.35:
        c: list[Any] = [
            {
                "labelSelector": sel,
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway",
            }
        ]
        if r.random() < 0.4:
            c.append(
                {
                    "labelSelector": sel,
                    "maxSkew": r.randint(1, 3),
                    "topologyKey": "kubernetes.io/hostname",
                    "whenUnsatisfiable": "ScheduleAnyway",
                }
            )
        if r.random() < 0.3:
            for e in c:
                e["matchLabelKeys"] = ["pod-template-hash"]
                e["nodeTaintsPolicy"] = "Honor"
                e["nodeAffinityPolicy"] = "Honor"
        spec["topologySpreadConstraints"] = c
    elif k < 0.6:
        spec["affinity"] = {
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "podAffinityTerm": {
                            "labelSelector": {
                                "matchExpressions": [
                                    {
                                        "key": next(iter(labels)),
                                        "operator": "In",
                                        "values": [next(iter(labels.values()))],
                                    }
                                ]
                            },
                            "topologyKey": r.choice(
                                ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
                            ),
                        },
                        "weight": 100,
                    }
                ]
            }
        }
    elif k < 0.7:
        spec["affinity"] = {
            "nodeAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "preference": {
                            "matchExpressions": [
                                {"key": DOMAIN + "/capacity-type", "operator": "In", "values": ["on-demand"]}
                            ]
                        },
                        "weight": r.choice([1, 50, 100]),
                    }
                ]
            }
        }
    if w.strict:
        spec.setdefault("affinity", {})["podAntiAffinity"] = {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": sel, "topologyKey": "kubernetes.io/hostname"}
            ]
        }


def common_labels(w: Workload, r: Random, comp: str) -> Json:
    """Return the labels of a workload."""
    if w.extra.get("labels", r.random()) < 0.6:
        lab: Json = {
            "app.kubernetes.io/name": label(w.name),
            "app.kubernetes.io/instance": label(w.name + "-prod"),
            "app.kubernetes.io/component": comp,
            "app.kubernetes.io/managed-by": r.choice(["Helm", "argocd", "kustomize"]),
            "app.kubernetes.io/part-of": w.ns,
            "app.kubernetes.io/version": f"{r.randint(0, 6)}.{r.randint(0, 40)}.{r.randint(0, 9)}",
            "helm.sh/chart": f"service-{r.randint(1, 5)}.{r.randint(0, 30)}.0",
        }
    else:
        lab = {
            "app": label(w.name),
            "component": comp,
            "team": w.ns,
            "tier": r.choice(["backend", "frontend", "async"]),
            "cost-center": f"cc-{r.randint(1000, 1999)}",
        }
    lab[DOMAIN + "/owner"] = r.choice(TEAMS)
    return lab


def app_container(
    w: Workload, r: Random, name: str, image: str, cpu: Any, mem: Any, ports: bool = True, heavy: bool = True
) -> Json:
    """Return a container of a service."""
    env = (pod_env() if r.random() < 0.7 else []) + rand_env(
        r, w, r.randint(6, 30) if heavy else r.randint(1, 7)
    )
    if r.random() < 0.5:
        env.append(
            resource_field("GOMEMLIMIT" if r.random() < 0.5 else "MEMORY_LIMIT_BYTES", "limits.memory", name)
        )
    if r.random() < 0.4:
        env += [
            variable("OTEL_EXPORTER_OTLP_ENDPOINT", "http://otel-agent.observability:4317"),
            variable("OTEL_SERVICE_NAME", w.name),
            variable(
                "OTEL_RESOURCE_ATTRIBUTES",
                f"k8s.namespace.name=@NS@,k8s.pod.name=$(POD_NAME),service.version={digits(r, 7)}",
            ),
        ]
    kw: Json = {"env": env}
    ef: list[Any] = []
    if r.random() < 0.45:
        ef.append({"configMapRef": {"name": w.name + "-env"}})
    if r.random() < 0.35:
        d: Json = {"name": w.name + "-secrets"}
        if r.random() < 0.3:
            d["optional"] = True
        ef.append({"secretRef": d})
    kw["envFrom"] = ef
    if r.random() < 0.4:
        kw["command"] = r.choice(
            [
                ["/app/server"],
                ["python", "-m", w.name.replace("-", "_")],
                ["/bin/sh", "-c", f"exec /srv/bin/{name} 2>&1 | tee /tmp/out.log && exit 0"],
                ["java", "-jar", f"/app/{name}.jar"],
                ["node", "dist/main.js"],
                ["/usr/bin/tini", "--"],
            ]
        )
    if r.random() < 0.7:
        kw["args"] = rand_args(r, r.randint(2, 10))
    if ports:
        p0: Any = r.choice([8080, 8000, 3000, 9000, 5000, 50051])
        pn: Any = r.choice(["http", "web", "http-api"])
        kw["ports"] = [container_port(p0, pn)]
        if r.random() < 0.6:
            kw["ports"].append(container_port(r.choice([9090, 9102, 15090, 2112]), "metrics"))
        if r.random() < 0.25:
            kw["ports"].append(container_port(50052, "grpc"))
        k = r.random()
        if k < 0.75:
            kw["livenessProbe"] = http_probe(
                r.choice(["/healthz", "/livez", "/-/healthy", "/health/live"]),
                r.choice([pn, p0]),
                delay=r.choice([0, 5, 15, 30]),
                period=r.choice([5, 10, 20]),
                to=r.choice([1, 3, 5]),
            )
        elif k < 0.85:
            kw["livenessProbe"] = tcp_probe(p0)
        elif k < 0.93:
            kw["livenessProbe"] = grpc_probe(p0)
        if r.random() < 0.85:
            kw["readinessProbe"] = http_probe(
                r.choice(["/readyz", "/ready", "/health/ready?full=1&deps=true"]),
                r.choice([pn, p0]),
                delay=r.choice([0, 3, 10]),
                period=r.choice([3, 5, 10]),
                to=r.choice([1, 2, 5]),
            )
        if r.random() < 0.3:
            kw["startupProbe"] = http_probe("/readyz", pn, fail=r.choice([30, 60, 90]), period=5)
        if r.random() < 0.45:
            kw["lifecycle"] = (
                {"preStop": {"exec": {"command": ["/bin/sh", "-c", f"sleep {r.choice([5, 10, 15, 20])}"]}}}
                if r.random() < 0.8
                else {"preStop": {"httpGet": {"path": "/drain", "port": p0, "scheme": "HTTP"}}}
            )
    k = r.random()
    kw["resources"] = (
        resources(cpu, mem, cpu if k < 0.15 else cpu * 2 if k < 0.5 else None, mem if k < 0.7 else mem * 2)
        if k < 0.95
        else resources(cpu, mem)
    )
    k = r.random()
    if k < 0.55:
        kw["securityContext"] = json.loads(compact_json(HARDENED))
        if r.random() < 0.4:
            kw["securityContext"]["runAsUser"] = r.choice([1000, 10001, 65532])
    elif k < 0.7:
        kw["securityContext"] = {"runAsUser": 1000, "runAsGroup": 1000}
    if r.random() < 0.08:
        kw["terminationMessagePolicy"] = "FallbackToLogsOnError"
    mounts: list[Any] = []
    return container(name, image, volumeMounts=mounts, **kw)


def app_volumes(w: Workload, r: Random, c: Json, spec: Json) -> None:
    """Give a service its volumes, and the container their mounts."""
    vs: list[Any] = []
    if r.random() < 0.7:
        vs.append(empty_volume("tmp"))
        c["volumeMounts"].append(mount("tmp", "/tmp"))
    if r.random() < 0.65:
        vs.append(
            config_volume("config", w.name + "-config")
            if r.random() < 0.7
            else config_volume(
                "config",
                w.name + "-config",
                items=[{"key": "app.yaml", "path": "app.yaml"}, {"key": "log.json", "path": "log.json"}],
            )
        )
        c["volumeMounts"].append(mount("config", "/etc/" + w.name, True))
    if r.random() < 0.4:
        vs.append(secret_volume("tls", w.name + "-tls"))
        c["volumeMounts"].append(mount("tls", "/etc/tls", True))
    if r.random() < 0.25:
        vs.append(empty_volume("cache", sizeLimit=f"{r.randint(1, 20)}Gi"))
        c["volumeMounts"].append(mount("cache", "/var/cache/app"))
    if r.random() < 0.15:
        vs.append(
            {
                "name": "aws-iam-token",
                "projected": {
                    "defaultMode": 420,
                    "sources": [
                        {
                            "serviceAccountToken": {
                                "audience": "sts.amazonaws.com",
                                "expirationSeconds": 86400,
                                "path": "token",
                            }
                        }
                    ],
                },
            }
        )
        c["volumeMounts"].append(
            mount("aws-iam-token", "/var/run/secrets/eks.amazonaws.com/serviceaccount", True)
        )
        c["env"] += [
            variable("AWS_STS_REGIONAL_ENDPOINTS", "regional"),
            variable("AWS_REGION", "us-east-1"),
            variable("AWS_ROLE_ARN", "arn:aws:iam::402817365519:role/prod-" + w.name),
            variable(
                "AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/secrets/eks.amazonaws.com/serviceaccount/token"
            ),
        ]
    if r.random() < 0.08:
        vs.append(claim_volume("shared", w.name + "-shared"))
        c["volumeMounts"].append(mount("shared", "/mnt/shared", sub=w.name))
    spec["volumes"] = vs


def app_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return the template of a service."""
    lab = common_labels(w, r, w.extra.get("role", "api"))
    img: Any = w.extra.get("image") or image_of(r, f"{w.ns}/{w.name}")
    spec: Json = {}
    c = app_container(w, r, w.name if r.random() < 0.5 else "app", img, w.cpu, w.mem)
    app_volumes(w, r, c, spec)
    cs: list[Any] = [c]
    if r.random() < 0.22:
        cs.append(
            app_container(
                w,
                r,
                r.choice(
                    [
                        "config-reloader",
                        "oauth2-proxy",
                        "statsd-exporter",
                        "cloudsql-proxy",
                        "envoy-ratelimit",
                        "log-shipper",
                    ]
                ),
                r.choice(
                    [
                        "quay.io/oauth2-proxy/oauth2-proxy:v7.7.1",
                        "prom/statsd-exporter:v0.27.2",
                        "jimmidyson/configmap-reload:v0.13.1",
                        "fluent/fluent-bit:3.1.9",
                    ]
                ),
                50,
                64,
                ports=False,
                heavy=False,
            )
        )
    spec["containers"] = cs
    ini: list[Any] = []
    if r.random() < 0.3:
        ini.append(
            container(
                r.choice(["migrate", "wait-for-db", "fetch-config", "warm-cache"]),
                img,
                command=[
                    "/bin/sh",
                    "-ec",
                    "until nc -z $DB_HOST 5432; do echo waiting >&2; sleep 2; done && /app/migrate up",
                ],
                env=rand_env(r, w, r.randint(2, 8)),
                resources=resources(50, 64, None, 128),
            )
        )
    if r.random() < 0.1:
        ini.append(
            container(
                "copy-assets",
                "busybox:1.36.1",
                command=["cp", "-a", "/assets/.", "/out/"],
                volumeMounts=[mount("tmp", "/out")]
                if any(v["name"] == "tmp" for v in spec["volumes"])
                else None,
            )
        )
    if ini:
        spec["initContainers"] = ini
    ann: Json = {}
    if r.random() < 0.7:
        ann["checksum/config"] = digits(r, 64)
    if r.random() < 0.3:
        ann["checksum/secret"] = digits(r, 64)
    if r.random() < 0.5:
        ann.update(
            {"prometheus.io/scrape": "true", "prometheus.io/port": "9090", "prometheus.io/path": "/metrics"}
        )
    if r.random() < 0.25:
        ann["kubectl.kubernetes.io/restartedAt"] = stamp(NOW - r.randint(1, 20) * DAY - r.randrange(DAY))
    if r.random() < 0.3:
        ann[f"ad.datadoghq.com/{c['name']}.logs"] = compact_json(
            [
                {
                    "source": r.choice(["go", "java", "python"]),
                    "service": w.name,
                    "log_processing_rules": [
                        {"type": "exclude_at_match", "name": "drop_health", "pattern": "GET /healthz"}
                    ],
                }
            ]
        )
    if r.random() < 0.15:
        ann["cluster-autoscaler.kubernetes.io/safe-to-evict"] = r.choice(["true", "false"])
    k = r.random()
    spec["securityContext"] = (
        {}
        if k < 0.5
        else {"fsGroup": 1000, "runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
        if k < 0.8
        else {"fsGroup": 65532, "fsGroupChangePolicy": "OnRootMismatch", "runAsUser": 65532}
    )
    if r.random() < 0.5:
        spec["imagePullSecrets"] = [{"name": "regcred"}]
    spec["terminationGracePeriodSeconds"] = r.choice([30, 30, 30, 45, 60, 120, 300])
    if r.random() < 0.1:
        spec["dnsConfig"] = {"options": [{"name": "ndots", "value": "2"}, {"name": "single-request-reopen"}]}
    if r.random() < 0.03:
        spec["hostAliases"] = [
            {
                "hostnames": ["legacy-db.corp.nimbusgrid.io"],
                "ip": f"10.9.{r.randint(0, 9)}.{r.randint(2, 250)}",
            }
        ]
    spread(w, r, spec, lab)
    pool_spec(w, spec)
    return templated(lab, ann, spec)


def preview_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return the template of a part of a pull request's preview."""
    app: Any = w.extra["app"]
    lab: Json = {
        "app.kubernetes.io/name": app,
        "app.kubernetes.io/instance": "@NS@",
        "app.kubernetes.io/managed-by": "Helm",
        DOMAIN + "/preview": "true",
        DOMAIN + "/pull-request": "@PR@",
        "helm.sh/chart": "preview-0.14.2",
    }
    host = f"{app}-pr-@PR@.preview.nimbusgrid.dev"
    env = [
        *pod_env(),
        variable("PUBLIC_HOST", host),
        variable("PUBLIC_URL", "https://" + host + "/"),
        variable(
            "ALLOWED_ORIGINS",
            "https://web-pr-@PR@.preview.nimbusgrid.dev,https://admin-pr-@PR@.preview.nimbusgrid.dev",
        ),
        variable("PULL_REQUEST", "@PR@"),
        variable("GIT_SHA", "@SHA@"),
        variable("API_URL", "http://api.@NS@.svc.cluster.local:8080"),
        variable(
            "DATABASE_URL",
            "postgres://preview:$(PGPASSWORD)@postgres.@NS@.svc:5432/pr_@PR@?sslmode=disable&pool=4",
        ),
        secret("PGPASSWORD", "@NS@-postgres", "password"),
        variable("REDIS_URL", "redis://redis.@NS@.svc:6379/0"),
        variable("S3_PREFIX", "previews/@NS@/"),
        variable("SENTRY_ENVIRONMENT", "@NS@"),
    ]
    env += rand_env(r, w, r.randint(4, 14))
    img: Any = {"postgres": "postgres:16.4-alpine", "redis": "redis:7.4.1-alpine"}.get(
        app, REGISTRY + f"/preview/{app}:@SHA@"
    )
    p0: Any = {"postgres": 5432, "redis": 6379}.get(app, 8080)
    c = container(
        app,
        img,
        env=env,
        ports=[container_port(p0, app if p0 != 8080 else "http")],
        resources=resources(w.cpu, w.mem, None, w.mem),
        readinessProbe=http_probe("/readyz", "http", period=5) if p0 == 8080 else tcp_probe(p0),
        livenessProbe=http_probe("/healthz", "http", delay=20) if p0 == 8080 else tcp_probe(p0, 30),
        envFrom=[{"secretRef": {"name": "preview-shared"}}],
        volumeMounts=[mount("scratch", "/scratch"), mount("config", "/etc/preview", True)],
    )
    spec: Json = {
        "containers": [c],
        "volumes": [empty_volume("scratch", sizeLimit="2Gi"), config_volume("config", "@NS@-" + app)],
        "imagePullSecrets": [{"name": "regcred"}],
        "terminationGracePeriodSeconds": 5,
        "tolerations": [{"effect": "NoSchedule", "key": DOMAIN + "/preview", "operator": "Exists"}],
    }
    if p0 == 8080:
        spec["initContainers"] = [
            container(
                "wait-db",
                "busybox:1.36.1",
                command=["sh", "-c", "until nc -z postgres.@NS@.svc 5432; do sleep 1; done"],
                resources=resources(10, 16),
            )
        ]
    return templated(
        lab,
        {
            "checksum/config": digits(r, 64),
            "janitor/expires": stamp(NOW + 3 * DAY),
            DOMAIN + "/commit": "@SHA@",
            DOMAIN + "/hosts": compact_json([host]),
        },
        spec,
    )
