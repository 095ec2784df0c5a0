"""The templates of StatefulSets and of what operators run instead."""

from __future__ import annotations

import base64
import json
from random import Random
from typing import Any

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.applications import app_container, pool_spec, spread
from scripts.bench.made.platform.given import (
    DAY,
    DOMAIN,
    NOW,
    REGISTRY,
    Workload,
    compact_json,
    digits,
    stamp,
)
from scripts.bench.made.platform.owned import Pod
from scripts.bench.made.platform.parts import (
    HARDENED,
    big_config,
    claim_volume,
    config_volume,
    container,
    container_port,
    empty_volume,
    exec_probe,
    field,
    http_probe,
    mount,
    resources,
    secret_volume,
    tcp_probe,
    templated,
    variable,
)
from scripts.bench.made.platform.words import NOUNS, env_value, rand_args, rand_env


def stateful_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return the template of a database, a queue or a store that an operator runs."""
    f: Any = w.extra["flavor"]
    n = w.name
    ann, ini, vols, extra_cs = {}, [], [], []
    mem, cpu = w.mem, w.cpu
    asked = resources(cpu, mem, cpu if r.random() < 0.4 else cpu * 2, mem)
    spec: Json = {"terminationGracePeriodSeconds": r.choice([30, 60, 120, 300, 1800])}
    if f == "kafka":
        lab: Json = {
            "app.kubernetes.io/instance": n,
            "app.kubernetes.io/managed-by": "strimzi-cluster-operator",
            "app.kubernetes.io/name": "kafka",
            "app.kubernetes.io/part-of": "strimzi-" + n,
            "strimzi.io/broker-role": "true",
            "strimzi.io/cluster": n,
            "strimzi.io/component-type": "kafka",
            "strimzi.io/controller": "strimzipodset",
            "strimzi.io/controller-name": n + "-kafka",
            "strimzi.io/kind": "Kafka",
            "strimzi.io/name": n + "-kafka",
            "strimzi.io/pod-name": "@POD@",
            "strimzi.io/pool-name": "kafka",
        }
        ann = {
            "strimzi.io/broker-configuration-hash": digits(r, 8),
            "strimzi.io/clients-ca-cert-generation": "0",
            "strimzi.io/cluster-ca-cert-generation": "0",
            "strimzi.io/cluster-ca-key-generation": "0",
            "strimzi.io/inter-broker-protocol-version": "3.8",
            "strimzi.io/kafka-version": "3.8.0",
            "strimzi.io/log-message-format-version": "3.8",
            "strimzi.io/revision": digits(r, 8),
            "strimzi.io/server-cert-hash": digits(r, 40),
            "strimzi.io/storage": compact_json(
                {
                    "type": "jbod",
                    "volumes": [
                        {
                            "id": i,
                            "type": "persistent-claim",
                            "size": f"{r.randint(5, 40) * 100}Gi",
                            "class": "gp3",
                            "deleteClaim": False,
                        }
                        for i in range(2)
                    ],
                }
            ),
            DOMAIN + "/rebalance-plan": compact_json(
                {
                    "goals": ["RackAwareGoal", "ReplicaCapacityGoal", "DiskCapacityGoal"],
                    "moves": [
                        {
                            "topic": env_value(r, "TOPIC", w),
                            "partition": r.randrange(96),
                            "from": r.randrange(9),
                            "to": r.randrange(9),
                        }
                        for _ in range(r.randint(8, 30))
                    ],
                }
            ),
        }
        img = "quay.io/strimzi/kafka:0.43.0-kafka-3.8.0"
        env = [
            variable("KAFKA_METRICS_ENABLED", "true"),
            variable("STRIMZI_KAFKA_GC_LOG_ENABLED", "false"),
            variable("STRIMZI_DYNAMIC_HEAP_PERCENTAGE", "50"),
            variable("KAFKA_HEAP_OPTS", f"-Xms{mem // 2}m -Xmx{mem // 2}m"),
            variable("STRIMZI_CLUSTER", n),
            *rand_env(r, w, r.randint(1, 5)),
        ]
        ports_: list[Any] = [
            container_port(9090, "tcp-ctrlplane"),
            container_port(9091, "tcp-replication"),
            container_port(9093, "tcp-tls"),
            container_port(9404, "tcp-prometheus"),
            container_port(8443, "tcp-kafkaagent"),
        ]
        c = container(
            "kafka",
            img,
            command=["/opt/kafka/kafka_run.sh"],
            env=env,
            ports=ports_,
            livenessProbe=exec_probe(["/opt/kafka/kafka_liveness.sh"], 15),
            readinessProbe=exec_probe(["/opt/kafka/kafka_readiness.sh"], 15),
            resources=asked,
            volumeMounts=[
                mount("data-0", "/var/lib/kafka/data-0"),
                mount("data-1", "/var/lib/kafka/data-1"),
                mount("strimzi-tmp", "/tmp"),
                mount("cluster-ca", "/opt/kafka/cluster-ca-certs"),
                mount("broker-certs", "/opt/kafka/broker-certs"),
                mount("kafka-metrics-and-logging", "/opt/kafka/custom-config/"),
                mount("ready-files", "/var/opt/kafka"),
            ],
        )
        vols = [
            claim_volume("data-0", "data-0-@POD@"),
            claim_volume("data-1", "data-1-@POD@"),
            empty_volume("strimzi-tmp", medium="Memory", sizeLimit="5Mi"),
            secret_volume("cluster-ca", n + "-cluster-ca-cert", 292),
            secret_volume("broker-certs", n + "-kafka-brokers", 292),
            config_volume("kafka-metrics-and-logging", "@POD@"),
            empty_volume("ready-files", medium="Memory", sizeLimit="1Ki"),
        ]
        ini = [
            container(
                "kafka-init",
                "quay.io/strimzi/operator:0.43.0",
                args=["/opt/strimzi/bin/kafka_init_run.sh"],
                env=[
                    field("NODE_NAME", "spec.nodeName"),
                    variable("RACK_TOPOLOGY_KEY", "topology.kubernetes.io/zone"),
                    variable("INIT_FOLDER", "/opt/kafka/init"),
                ],
                volumeMounts=[mount("strimzi-tmp", "/opt/kafka/init")],
            )
        ]
        spec["subdomain"] = n + "-kafka-brokers"
    elif f == "cassandra":
        lab = {
            "app.kubernetes.io/created-by": "cass-operator",
            "app.kubernetes.io/instance": "cassandra-" + n,
            "app.kubernetes.io/managed-by": "cass-operator",
            "app.kubernetes.io/name": "cassandra",
            "app.kubernetes.io/version": "4.1.7",
            "cassandra.datastax.com/cluster": n,
            "cassandra.datastax.com/datacenter": "use1",
            "cassandra.datastax.com/node-state": "Started",
            "cassandra.datastax.com/rack": "r1",
            "cassandra.datastax.com/seed-node": "true",
        }
        cfg: Json = {
            "cassandra-yaml": big_config(r, 30),
            "jvm-server-options": {"initial_heap_size": f"{mem // 2}m", "max_heap_size": f"{mem // 2}m"},
            "cluster-info": {"name": n, "seeds": n + "-seed-service"},
        }
        ann = {
            "cassandra.datastax.com/resource-hash": base64.b64encode(r.randbytes(32)).decode(),
            "k8ssandra.io/config": compact_json(cfg),
        }
        env = [
            variable("DS_LICENSE", "accept"),
            variable("USE_MGMT_API", "true"),
            variable("MGMT_API_EXPLICIT_START", "true"),
            variable("DSE_AUTO_CONF_OFF", "all"),
            field("POD_NAME", "metadata.name"),
            field("NODE_NAME", "spec.nodeName"),
            variable("JVM_EXTRA_OPTS", "-Dcassandra.system_distributed_replication=use1:3"),
            *rand_env(r, w, r.randint(2, 9)),
        ]
        c = container(
            "cassandra",
            "cr.k8ssandra.io/k8ssandra/cass-management-api:4.1.7",
            env=env,
            ports=[
                container_port(9042, "native"),
                container_port(9142, "tls-native"),
                container_port(7000, "internode"),
                container_port(7001, "tls-internode"),
                container_port(7199, "jmx"),
                container_port(8080, "mgmt-api-http"),
                container_port(9103, "prometheus"),
            ],
            lifecycle={
                "preStop": {
                    "exec": {
                        "command": [
                            "wget",
                            "--output-document",
                            "/dev/null",
                            "--no-check-certificate",
                            "--post-data=''",
                            "http://localhost:8080/api/v0/ops/node/drain",
                        ]
                    }
                }
            },
            livenessProbe=http_probe("/api/v0/probes/liveness", 8080, delay=15, period=15, to=10),
            readinessProbe=http_probe("/api/v0/probes/readiness", 8080, delay=20, to=10),
            resources=asked,
            volumeMounts=[
                mount("server-config", "/config"),
                mount("server-logs", "/var/log/cassandra"),
                mount("server-data", "/var/lib/cassandra"),
            ],
        )
        ini = [
            container(
                "server-config-init",
                "cr.dtsx.io/datastax/cass-config-builder:1.0-ubi8",
                env=[
                    field("POD_IP", "status.podIP"),
                    field("HOST_IP", "status.hostIP"),
                    variable("USE_HOST_IP_FOR_BROADCAST", "false"),
                    variable("RACK_NAME", "r1"),
                    variable("PRODUCT_VERSION", "4.1.7"),
                    variable("PRODUCT_NAME", "cassandra"),
                    variable("CONFIG_FILE_DATA", compact_json(cfg)),
                ],
                resources=resources(1000, 256, 1000, 256),
                volumeMounts=[mount("server-config", "/config")],
            )
        ]
        extra_cs = [
            container(
                "server-system-logger",
                "cr.k8ssandra.io/k8ssandra/system-logger:v1.22.4",
                resources=resources(100, 64, None, 128),
                volumeMounts=[mount("server-logs", "/var/log/cassandra")],
            )
        ]
        vols = [
            claim_volume("server-data", "server-data-@POD@"),
            empty_volume("server-config"),
            empty_volume("server-logs"),
            secret_volume("encryption-cred-storage", "use1-keystore"),
        ]
    elif f == "elastic":
        lab = {
            "common.k8s.elastic.co/type": "elasticsearch",
            "elasticsearch.k8s.elastic.co/cluster-name": n,
            "elasticsearch.k8s.elastic.co/http-scheme": "https",
            "elasticsearch.k8s.elastic.co/node-data": "true",
            "elasticsearch.k8s.elastic.co/node-data_hot": "true",
            "elasticsearch.k8s.elastic.co/node-ingest": "true",
            "elasticsearch.k8s.elastic.co/node-master": "false",
            "elasticsearch.k8s.elastic.co/node-ml": "false",
            "elasticsearch.k8s.elastic.co/statefulset-name": w.extra["setname"],
            "elasticsearch.k8s.elastic.co/version": "8.15.3",
        }
        ann = {
            "co.elastic.logs/module": "elasticsearch",
            "elasticsearch.k8s.elastic.co/config-hash": str(r.getrandbits(31)),
            "policy.k8s.elastic.co/elasticsearch-config-mounts-hash": "",
            "update.k8s.elastic.co/timestamp": stamp(NOW - r.randrange(9 * DAY)),
            "eck.k8s.elastic.co/downward-node-labels": compact_json(["topology.kubernetes.io/zone"]),
            "topology.kubernetes.io/zone": "us-east-1a",
            DOMAIN + "/ilm": compact_json(
                {
                    "policies": [
                        {
                            "name": x,
                            "phases": {
                                "hot": {"max_age": "1d", "max_primary_shard_size": "50gb"},
                                "delete": {"min_age": f"{r.randint(3, 90)}d"},
                            },
                        }
                        for x in r.sample(NOUNS, r.randint(4, 12))
                    ]
                }
            ),
        }
        env = [
            field("POD_IP", "status.podIP"),
            field("POD_NAME", "metadata.name"),
            field("NODE_NAME", "spec.nodeName"),
            field("NAMESPACE", "metadata.namespace"),
            variable(
                "PROBE_PASSWORD_PATH", "/mnt/elastic-internal/pod-mounted-users/elastic-internal-pre-stop"
            ),
            variable("PROBE_USERNAME", "elastic-internal-pre-stop"),
            variable("READINESS_PROBE_PROTOCOL", "https"),
            variable("HEADLESS_SERVICE_NAME", w.extra["setname"]),
            variable("ES_JAVA_OPTS", f"-Xms{mem // 2}m -Xmx{mem // 2}m"),
            *rand_env(r, w, r.randint(0, 4)),
        ]
        ms: list[Any] = [
            mount("elasticsearch-data", "/usr/share/elasticsearch/data"),
            mount("elasticsearch-logs", "/usr/share/elasticsearch/logs"),
            mount(
                "elastic-internal-elasticsearch-config", "/mnt/elastic-internal/elasticsearch-config", True
            ),
            mount("elastic-internal-http-certificates", "/usr/share/elasticsearch/config/http-certs", True),
            mount("elastic-internal-probe-user", "/mnt/elastic-internal/pod-mounted-users", True),
            mount("elastic-internal-scripts", "/mnt/elastic-internal/scripts", True),
            mount("elastic-internal-unicast-hosts", "/mnt/elastic-internal/unicast-hosts", True),
            mount("elastic-internal-xpack-file-realm", "/mnt/elastic-internal/xpack-file-realm", True),
        ]
        img = "docker.elastic.co/elasticsearch/elasticsearch:8.15.3"
        c = container(
            "elasticsearch",
            img,
            env=env,
            ports=[container_port(9200, "https"), container_port(9300, "transport")],
            lifecycle={
                "preStop": {
                    "exec": {
                        "command": ["bash", "-c", "/mnt/elastic-internal/scripts/pre-stop-hook-script.sh"]
                    }
                }
            },
            readinessProbe=exec_probe(
                ["bash", "-c", "/mnt/elastic-internal/scripts/readiness-probe-script.sh"], 10, 3, 5
            ),
            resources=asked,
            volumeMounts=ms,
            securityContext={
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "privileged": False,
                "readOnlyRootFilesystem": False,
            },
        )
        ini = [
            container(
                "elastic-internal-init-filesystem",
                img,
                command=["bash", "-c", "/mnt/elastic-internal/scripts/prepare-fs.sh"],
                env=env[:4],
                resources=resources(100, 50, 100, 50),
                volumeMounts=[dict(m) for m in ms[:3]]
                + [mount("elastic-internal-scripts", "/mnt/elastic-internal/scripts", True)],
            ),
            container(
                "sysctl",
                img,
                command=["sh", "-c", "sysctl -w vm.max_map_count=262144"],
                securityContext={"privileged": True, "runAsUser": 0},
            ),
        ]
        vols = [
            claim_volume("elasticsearch-data", "elasticsearch-data-@POD@"),
            empty_volume("elasticsearch-logs"),
            secret_volume(
                "elastic-internal-elasticsearch-config", w.extra["setname"] + "-config", optional=False
            ),
            secret_volume(
                "elastic-internal-http-certificates", n + "-es-http-certs-internal", optional=False
            ),
            secret_volume("elastic-internal-probe-user", n + "-es-internal-users", optional=False),
            config_volume("elastic-internal-scripts", n + "-es-scripts", optional=False),
            config_volume("elastic-internal-unicast-hosts", n + "-es-unicast-hosts", optional=False),
            secret_volume("elastic-internal-xpack-file-realm", n + "-es-xpack-file-realm", optional=False),
        ]
        spec["automountServiceAccountToken"] = False
    elif f == "cnpg":
        lab = {
            "cnpg.io/cluster": n,
            "cnpg.io/instanceName": "@POD@",
            "cnpg.io/instanceRole": "replica",
            "cnpg.io/podRole": "instance",
            "role": "replica",
        }
        img = "ghcr.io/cloudnative-pg/postgresql:16.4-23"
        c = container(
            "postgres",
            img,
            command=["/controller/manager", "instance", "run", "--status-port-tls", "--log-level=info"],
            env=[
                variable("PGDATA", "/var/lib/postgresql/data/pgdata"),
                variable("POD_NAME", "@POD@"),
                variable("NAMESPACE", "@NS@"),
                variable("CLUSTER_NAME", n),
                variable("PGPORT", "5432"),
                variable("PGHOST", "/controller/run"),
                variable("TMPDIR", "/controller/tmp"),
                *rand_env(r, w, r.randint(0, 3)),
            ],
            ports=[
                container_port(5432, "postgresql"),
                container_port(9187, "metrics"),
                container_port(8000, "status"),
            ],
            livenessProbe=http_probe("/healthz", 8000, "HTTPS", to=5),
            readinessProbe=http_probe("/readyz", 8000, "HTTPS", to=5),
            startupProbe=http_probe("/healthz", 8000, "HTTPS", fail=360, to=5),
            resources=asked,
            volumeMounts=[
                mount("pgdata", "/var/lib/postgresql/data"),
                mount("scratch-data", "/run"),
                mount("scratch-data", "/controller"),
                mount("shm", "/dev/shm"),
            ],
            securityContext=json.loads(compact_json(HARDENED)),
        )
        ini = [
            container(
                "bootstrap-controller",
                "ghcr.io/cloudnative-pg/cloudnative-pg:1.24.1",
                command=["/manager", "bootstrap", "/controller/manager"],
                resources=json.loads(compact_json(asked)),
                volumeMounts=[mount("scratch-data", "/run"), mount("scratch-data", "/controller")],
                securityContext=json.loads(compact_json(HARDENED)),
            )
        ]
        vols = [
            claim_volume("pgdata", "@POD@"),
            empty_volume("scratch-data"),
            empty_volume("shm", medium="Memory", sizeLimit="1Gi"),
        ]
        ann = {
            "cnpg.io/nodeSerial": "@ORD@",
            "cnpg.io/operatorVersion": "1.24.1",
            "cnpg.io/podEnvHash": digits(r, 10),
            "cnpg.io/podSpec": compact_json(
                {
                    "volumes": vols,
                    "initContainers": ini,
                    "containers": [c],
                    "terminationGracePeriodSeconds": 1800,
                }
            ),
        }
        spec["hostname"] = "@POD@"
    else:
        # clickhouse, redis, zookeeper, minio, trino worker, prometheus: one shape, several images
        img, pt, path = {
            "clickhouse": ("clickhouse/clickhouse-server:24.8.5.115", 8123, "/var/lib/clickhouse"),
            "redis": ("bitnami/redis-cluster:7.4.1", 6379, "/bitnami/redis/data"),
            "zookeeper": ("bitnami/zookeeper:3.9.2", 2181, "/bitnami/zookeeper"),
            "minio": ("quay.io/minio/minio:RELEASE.2024-10-13T13-34-11Z", 9000, "/export"),
            "prometheus": ("quay.io/prometheus/prometheus:v2.54.1", 9090, "/prometheus"),
            "opensearch": ("opensearchproject/opensearch:2.17.1", 9200, "/usr/share/opensearch/data"),
        }[f]
        lab = {
            "app.kubernetes.io/name": f,
            "app.kubernetes.io/instance": n,
            "app.kubernetes.io/managed-by": f + "-operator",
            DOMAIN + "/shard-set": "main",
        }
        ann = {
            f + "." + DOMAIN + "/applied-spec": compact_json(
                {
                    "spec": {
                        "cluster": n,
                        "settings": big_config(r, r.randint(10, 45)),
                        "layout": {"shards": r.randint(1, 12), "replicas": r.randint(2, 3)},
                        "expr": "rate(x[5m]) > 0 && y < 3",
                    }
                }
            ),
            f + "." + DOMAIN + "/config-version": str(r.randint(1, 900)),
        }
        c = app_container(w, r, f, img, cpu, mem, heavy=r.random() < 0.5)
        c["ports"] = [container_port(pt, "main"), container_port(9363, "metrics")]
        for k in ("livenessProbe", "readinessProbe", "startupProbe"):
            if k in c:
                c[k] = (
                    tcp_probe(pt)
                    if k == "livenessProbe"
                    else exec_probe(["/bin/sh", "-c", "/scripts/ready.sh >/dev/null"], 5)
                )
        c["volumeMounts"] = [
            mount("data", path),
            mount("config", f"/etc/{f}/conf.d", True),
            mount("scripts", "/scripts"),
        ]
        vols = [
            claim_volume("data", "data-@POD@"),
            config_volume("config", n + "-config"),
            config_volume("scripts", n + "-scripts", defaultMode=493),
        ]
        if f == "prometheus":
            extra_cs = [
                container(
                    "config-reloader",
                    "quay.io/prometheus-operator/prometheus-config-reloader:v0.77.1",
                    args=[
                        "--listen-address=:8080",
                        "--reload-url=http://localhost:9090/-/reload",
                        "--config-file=/etc/prometheus/config/prometheus.yaml.gz",
                    ],
                    command=["/bin/prometheus-config-reloader"],
                    env=[field("POD_NAME", "metadata.name"), variable("SHARD", "0")],
                    ports=[container_port(8080, "reloader-web")],
                    resources=resources(10, 50, 10, 50),
                )
            ]
        elif r.random() < 0.6:
            extra_cs = [
                container(
                    "exporter",
                    "oliver006/redis_exporter:v1.63.0"
                    if f == "redis"
                    else REGISTRY + f"/exporters/{f}:1.4.{r.randint(0, 9)}",
                    args=rand_args(r, 3),
                    ports=[container_port(9121, "exporter")],
                    resources=resources(50, 64, None, 128),
                )
            ]
        if r.random() < 0.5:
            ini = [
                container(
                    "volume-permissions",
                    "busybox:1.36.1",
                    command=["sh", "-c", "chown -R 1000:1000 " + path],
                    securityContext={"runAsUser": 0},
                    volumeMounts=[mount("data", path)],
                )
            ]
    spec["containers"] = [c, *extra_cs]
    if ini:
        spec["initContainers"] = ini
    spec["volumes"] = vols
    spec["securityContext"] = r.choice(
        [
            {"fsGroup": 1000},
            {"fsGroup": 999, "runAsGroup": 999, "runAsUser": 999, "runAsNonRoot": True},
            {"fsGroup": 1000, "fsGroupChangePolicy": "OnRootMismatch"},
            {},
        ]
    )
    spec["hostname"] = "@POD@"
    spec.setdefault("subdomain", n + "-headless")
    spread(w, r, spec, lab)
    pool_spec(w, spec)
    return templated(lab, ann, spec)
