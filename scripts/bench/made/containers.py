"""Containers of many structures, as an API server serves them: with its defaults."""

from __future__ import annotations

from typing import Any, Final

from scripts.bench.made.chance import Chance, Json

_SETTINGS: Final = (
    *("BROKER", "CACHE", "DATABASE", "ENDPOINT", "FLAGS", "LIMIT", "LOCALE", "LOG_LEVEL", "QUEUE", "REGION"),
    *("RETRIES", "TIMEOUT", "TRACE", "URL", "JAVA_OPTS", "FEATURES", "TOPIC", "BUCKET", "ISSUER", "PROXY"),
)
_NEEDED: Final = ("postgres", "kafka", "redis")
_BINARIES: Final = ("server", "worker", "manager", "agent", "controller", "gateway", "exporter")
_FLAGS: Final = (
    "--log-format=json",
    "--leader-elect",
    "--v=2",
    "--enable-profiling=false",
    "--insecure=false",
)
_FIELDS: Final = {
    "POD_NAME": "metadata.name",
    "POD_NAMESPACE": "metadata.namespace",
    "POD_IP": "status.podIP",
    "NODE_NAME": "spec.nodeName",
    "HOST_IP": "status.hostIP",
    "SERVICE_ACCOUNT": "spec.serviceAccountName",
    "APP_NAME": "metadata.labels['app.kubernetes.io/name']",
}


def container(chance: Chance, name: str, image: str) -> Json:
    """Return a container of a service: what it sets, and how many of each, is random."""
    port = chance.randint(1024, 32000)
    made: Json = {
        "image": image,
        "imagePullPolicy": chance.choice(("IfNotPresent", "IfNotPresent", "IfNotPresent", "Always")),
        "name": name,
        "resources": resources(chance),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": chance.choice(("File", "File", "File", "FallbackToLogsOnError")),
        **_program(chance, name, port),
        **_environment(chance, name),
        **_network(chance, port),
        **_security(chance),
    }
    if chance.hits(0.3):
        made["lifecycle"] = _lifecycle(chance, port)
    if chance.hits(0.05):
        made |= {"stdin": True, "tty": True}
    mounts = chance.some(_MOUNTS, 0, len(_MOUNTS))
    return {**made, "volumeMounts": mounts} if mounts else made


_MOUNTS: Final[tuple[Json, ...]] = (
    {"mountPath": "/etc/app", "name": "config", "readOnly": True},
    {"mountPath": "/scratch", "name": "scratch"},
    {"mountPath": "/etc/app/tls.crt", "name": "certs", "readOnly": True, "subPath": "tls.crt"},
)
"""What containers mount of the volumes that each workload has."""

VOLUMES: Final = ("config", "scratch", "certs")


def init_container(chance: Chance, name: str, image: str) -> Json:
    """Return a container that prepares something and ends."""
    return {
        "args": [
            "-c",
            f"until nc -z {chance.choice(_NEEDED)} {chance.randint(1024, 9999)}; do sleep 2; done",
        ],
        "command": ["/bin/sh"],
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "name": name,
        "resources": resources(chance),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }


def sidecar_container(chance: Chance, name: str, image: str) -> Json:
    """Return an init container that keeps running, as from 1.28 on."""
    made = container(chance, name, image)
    made.pop("lifecycle", None)
    return {**made, "restartPolicy": "Always"}


def _program(chance: Chance, name: str, port: int) -> Json:
    args = [
        f"--listen=:{port}",
        f"--name={name}",
        f"--workers={chance.randint(1, 9)}",
        *chance.some(_FLAGS, 0, 5),
    ]
    if chance.hits(0.1):
        script = f'set -e\nexec /app/{name} \\\n  --port {port} && echo "<{name}> done"\n'
        return {"command": ["/bin/sh", "-c", script]}
    fields: Json = {"args": args[: chance.randint(1, len(args))]} if chance.hits(0.8) else {}
    if chance.hits(0.5):
        fields["command"] = [f"/usr/local/bin/{chance.choice(_BINARIES)}"]
    if chance.hits(0.1):
        fields["workingDir"] = f"/srv/{name}"
    return fields


def _environment(chance: Chance, name: str) -> Json:
    rows: list[Json] = [
        {"name": f"APP_{setting}", "value": _value(chance, setting, name)}
        for setting in chance.some(_SETTINGS, 0, 10)
    ]
    rows += [field(key, _FIELDS[key]) for key in chance.some(tuple(_FIELDS), 0, 4)]
    rows += [
        {"name": key, "valueFrom": {"secretKeyRef": {"key": key.lower(), "name": f"{name}-secrets"}}}
        for key in chance.some(("TOKEN", "PASSWORD", "API_KEY"), 0, 3)
    ]
    if chance.hits(0.3):
        reference = {
            "key": "level",
            "name": f"{name}-config",
            **({"optional": True} if chance.hits(0.4) else {}),
        }
        rows.append({"name": "LEVEL", "valueFrom": {"configMapKeyRef": reference}})
    if chance.hits(0.2):
        limit = {"containerName": name, "divisor": "0", "resource": "limits.memory"}
        rows.append({"name": "GOMEMLIMIT", "valueFrom": {"resourceFieldRef": limit}})
    fields: Json = {"env": rows} if rows else {}
    if chance.hits(0.3):
        sources: list[Json] = [{"configMapRef": {"name": f"{name}-env"}}]
        if chance.hits(0.4):
            sources.append({"prefix": "DB_", "secretRef": {"name": f"{name}-db", "optional": True}})
        fields["envFrom"] = sources
    return fields


def field(name: str, path: str) -> Json:
    """Return a variable of the downward API."""
    return {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}


def _value(chance: Chance, key: str, name: str) -> str:
    return chance.choice(
        (
            f"{key.lower()}.{name}.svc.cluster.local:{chance.randint(1, 65535)}",
            str(chance.randint(0, 100_000)),
            chance.choice(("true", "false", "info", "eu-central-1", "")),
            f'{{"{key.lower()}":{{"rate":{chance.random():.3f},"of":["a","b"]}}}}',
            f"-Xmx{chance.randint(1, 16)}g -XX:+UseG1GC -Dkey={chance.hex(8)}",
        )
    )


def resources(chance: Chance) -> Json:
    """Return requests and limits; a share of containers has none."""
    if chance.hits(0.1):
        return {}
    cpu = chance.choice(("10m", "50m", "100m", "250m", "500m", "1", "2", "1500m"))
    memory = chance.choice(("64Mi", "128Mi", "256Mi", "512Mi", "1Gi", "2Gi", "1536Mi", "500M"))
    requirements: Json = {"requests": {"cpu": cpu, "memory": memory}}
    if chance.hits(0.7):
        requirements["limits"] = {"memory": memory, **({"cpu": cpu} if chance.hits(0.5) else {})}
    if chance.hits(0.05):
        requirements["requests"]["ephemeral-storage"] = "1Gi"
    return requirements


def _network(chance: Chance, port: int) -> Json:
    fields: Json = {}
    if chance.hits(0.8):
        ports: list[Json] = [{"containerPort": port, "name": "http", "protocol": "TCP"}]
        if chance.hits(0.4):
            ports.append({"containerPort": port + 1, "name": "metrics", "protocol": "TCP"})
        if chance.hits(0.1):
            ports.append({"containerPort": 8125, "protocol": "UDP"})
        fields["ports"] = ports
    for key, share in (("livenessProbe", 0.7), ("readinessProbe", 0.8), ("startupProbe", 0.2)):
        if chance.hits(share):
            fields[key] = _probe(chance, port)
    return fields


def _probe(chance: Chance, port: int) -> Json:
    handlers: tuple[Json, ...] = (
        {"httpGet": {"path": chance.choice(("/healthz", "/ready", "/")), "port": port, "scheme": "HTTP"}},
        {
            "httpGet": {
                "httpHeaders": [{"name": "X-Probe", "value": "kubelet"}],
                "path": "/health?full=1&from=kubelet",
                "port": "http",
                "scheme": "HTTPS",
            }
        },
        {"tcpSocket": {"port": port}},
        {"exec": {"command": ["/bin/sh", "-c", "test -f /tmp/ready || exit 1"]}},
        {"grpc": {"port": port, "service": chance.choice(("", "health"))}},
    )
    times = {
        "failureThreshold": chance.choice((3, 3, 5, 30)),
        "periodSeconds": chance.choice((5, 10, 10, 30)),
        "successThreshold": 1,
        "timeoutSeconds": chance.choice((1, 1, 5)),
    }
    if chance.hits(0.4):
        times["initialDelaySeconds"] = chance.choice((5, 10, 30, 60))
    return {**chance.choice(handlers), **times}


def _lifecycle(chance: Chance, port: int) -> Json:
    stop: Json = {"exec": {"command": ["/bin/sh", "-c", f"sleep {chance.randint(1, 30)}"]}}
    if chance.hits(0.3):
        stop = {"httpGet": {"path": "/quit", "port": port, "scheme": "HTTP"}}
    start: Json = {"exec": {"command": ["/app/warm-up"]}}
    return {"preStop": stop, **({"postStart": start} if chance.hits(0.2) else {})}


def _security(chance: Chance) -> Json:
    context: Json = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], **({"add": ["NET_BIND_SERVICE"]} if chance.hits(0.2) else {})},
        "readOnlyRootFilesystem": chance.hits(0.7),
        "runAsGroup": 1000,
        "runAsNonRoot": True,
        "runAsUser": chance.randint(1, 65535),
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    kept: list[Any] = chance.some(tuple(context), 0, len(context))
    return {"securityContext": {key: context[key] for key in kept}} if kept else {}
