"""The words of a cluster: teams, names, variables and arguments."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import Workload, compact_json, digits

TEAMS: Final = [
    "ingest",
    "feature-store",
    "ml-serving",
    "recsys",
    "search",
    "billing",
    "identity",
    "catalog",
    "lineage",
    "notebooks",
    "query-engine",
    "metadata",
    "experimentation",
    "observability",
    "dev-portal",
    "artifact-store",
    "pricing",
    "fraud",
    "streaming",
    "reporting",
]


NOUNS: Final = [
    "orders",
    "events",
    "sessions",
    "profiles",
    "invoices",
    "clicks",
    "embeddings",
    "features",
    "vectors",
    "ledger",
    "catalog",
    "payments",
    "inventory",
    "geo",
    "device",
    "audit",
    "tenant",
    "quota",
    "schema",
    "dataset",
    "lineage",
    "billing",
    "usage",
    "alerts",
    "webhook",
    "graph",
    "ranking",
    "feed",
    "ads",
    "tokens",
    "usermap",
    "crawl",
    "labels",
]


ROLES: Final = [
    "api",
    "gateway",
    "worker",
    "consumer",
    "indexer",
    "router",
    "scheduler",
    "sync",
    "exporter",
    "relay",
    "resolver",
    "enricher",
    "proxy",
    "controller",
    "ui",
    "aggregator",
    "compactor",
    "writer",
    "reader",
    "dispatcher",
    "loader",
]


VERBS: Final = [
    "daily",
    "hourly",
    "backfill",
    "train",
    "compact",
    "export",
    "dedupe",
    "score",
    "aggregate",
    "snapshot",
    "vacuum",
    "reindex",
    "validate",
    "join",
    "sample",
    "merge",
    "partition",
    "tokenize",
    "evaluate",
    "distill",
]


PREFIXES: Final = [
    "DB",
    "REDIS",
    "KAFKA",
    "S3",
    "GRPC",
    "HTTP",
    "AUTH",
    "OTEL",
    "FEATURE",
    "CACHE",
    "QUEUE",
    "METRICS",
    "SENTRY",
    "POOL",
    "BATCH",
    "STREAM",
    "SCHEMA_REGISTRY",
    "UPSTREAM",
    "TENANT",
    "BILLING",
    "SEARCH",
    "MODEL",
    "VECTOR_INDEX",
    "RATE_LIMIT",
    "RETRY",
    "SHARD",
    "CLICKHOUSE",
    "SNOWFLAKE",
    "ICEBERG",
    "TRINO",
    "LAKE",
    "WEBHOOK",
    "SESSION",
    "OIDC",
    "TLS",
    "JOB",
]


SUFFIXES: Final = [
    "URL",
    "HOST",
    "PORT",
    "TIMEOUT_MS",
    "ENABLED",
    "LEVEL",
    "TOKEN",
    "PASSWORD",
    "PATH",
    "BUCKET",
    "TOPIC",
    "MAX_CONNS",
    "CONCURRENCY",
    "PREFIX",
    "REGION",
    "MODE",
    "TTL_SECONDS",
    "VERSION",
    "BROKERS",
    "OPTS",
    "CLIENT_ID",
    "RATIO",
    "CONFIG",
]


FLAG_WORDS: Final = [
    "max",
    "min",
    "batch",
    "flush",
    "interval",
    "retry",
    "queue",
    "size",
    "window",
    "shard",
    "lag",
    "buffer",
    "worker",
    "threads",
    "timeout",
    "cache",
    "prefetch",
    "sample",
    "rate",
    "limit",
    "trace",
    "grace",
    "lease",
    "sync",
    "poll",
]


def env_value(r: Random, sfx: str, w: Workload) -> str:
    """Return a value of a variable, by what its name ends with."""
    n: Any = r.choice(NOUNS)
    if sfx == "URL":
        return r.choice(
            [
                "http://%s-%s.%s.svc.cluster.local:%d/v%d",
                "https://%s-%s.%s.internal.nimbusgrid.io:%d/api/v%d?x=1&strict=true",
            ]
        ) % (n, r.choice(ROLES), r.choice(TEAMS), r.choice([80, 8080, 8443, 9090]), r.randint(1, 3))
    if sfx == "HOST":
        return f"{n}-{r.choice(['rw', 'ro', 'headless', 'primary'])}.{w.ns}.svc.cluster.local"
    if sfx == "PORT":
        return str(r.choice([5432, 6379, 9092, 9000, 8123, 4317, 50051, 8080, 3306]))
    if sfx == "TIMEOUT_MS":
        return str(r.choice([250, 500, 1500, 3000, 5000, 30000, 120000]))
    if sfx == "ENABLED":
        return r.choice(["true", "false"])
    if sfx == "LEVEL":
        return r.choice(["info", "debug", "warn", "INFO", "error"])
    if sfx == "PATH":
        return f"/{r.choice(['data', 'var/lib', 'etc', 'opt', 'mnt'])}/{n}/{r.choice(['current', 'config.yaml', 'index', 'cache'])}"
    if sfx == "BUCKET":
        return f"nimbusgrid-{r.choice(['prod', 'lake', 'raw', 'curated'])}-{n}-us-east-1"
    if sfx == "TOPIC":
        return f"{r.choice(TEAMS)}.{n}.v{r.randint(1, 7)}"
    if sfx == "REGION":
        return "us-east-1"
    if sfx == "BROKERS":
        return ",".join(f"{n}-kafka-{i}.{n}-kafka-brokers.kafka.svc:9093" for i in range(r.randint(2, 5)))
    if sfx == "OPTS":
        return f"-Xms{r.randint(1, 4)}g -Xmx{r.randint(4, 12)}g -XX:+UseG1GC -XX:MaxGCPauseMillis={r.choice([50, 100, 200])} -Dfile.encoding=UTF-8"
    if sfx == "CONFIG":
        return compact_json(
            {
                "mode": r.choice(["strict", "lenient"]),
                "limits": {"rps": r.randrange(10, 9000), "burst": r.randrange(10, 900)},
                "targets": [r.choice(NOUNS) for _ in range(r.randint(1, 4))],
            }
        )
    if sfx == "RATIO":
        return f"0.{r.randint(1, 99)}"
    if sfx == "VERSION":
        return f"{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 12)}"
    if sfx == "MODE":
        return r.choice(["shadow", "primary", "async", "exactly_once", "at_least_once", "readonly"])
    if sfx == "CLIENT_ID":
        return f"{w.name}-{digits(r, 6)}"
    if sfx == "PREFIX":
        return f"{r.choice(TEAMS)}/{n}/"
    return str(r.randint(1, 4096))


def rand_env(r: Random, w: Workload, n: int) -> list[Json]:
    """Return so many variables of a workload."""
    out: list[Json] = []
    seen: set[str] = set()
    while len(out) < n:
        p, s = r.choice(PREFIXES), r.choice(SUFFIXES)
        k = p + "_" + s
        if k in seen:
            continue
        seen.add(k)
        if s in ("TOKEN", "PASSWORD"):
            ref: Json = {"key": s.lower(), "name": f"{w.name}-{p.lower().replace('_', '-')}"}
            if r.random() < 0.2:
                ref["optional"] = True
            out.append({"name": k, "valueFrom": {"secretKeyRef": ref}})
        elif r.random() < 0.07:
            out.append(
                {
                    "name": k,
                    "valueFrom": {
                        "configMapKeyRef": {"key": k.lower().replace("_", "."), "name": w.name + "-config"}
                    },
                }
            )
        else:
            out.append({"name": k, "value": env_value(r, s, w)})
    return out


def rand_args(r: Random, n: int) -> list[str]:
    """Return so many arguments."""
    out: list[Any] = []
    for _ in range(n):
        f = "--" + "-".join(r.sample(FLAG_WORDS, r.randint(1, 3)))
        k = r.random()
        if k < 0.5:
            out.append(
                f"{f}={r.choice([str(r.randint(1, 9999)), f'{r.randint(1, 300)}s', 'true', f'{r.randint(16, 512)}Mi'])}"
            )
        elif k < 0.8:
            out.append(f)
            out.append(str(r.randint(1, 999)))
        else:
            out.append(f)
    return out
