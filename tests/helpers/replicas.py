"""Replicas of one plain workload, and small clusters, as kubectl lists them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from scripts.bench import cluster
from scripts.bench.made import pods, workloads
from scripts.bench.made.chance import Chance, Json
from scripts.bench.made.nodes import node
from scripts.bench.made.shape import Shape

NODES = ("node-1", "node-2")

_CONTAINER: Json = {
    "args": ["--config=/etc/app/config.yaml", "--listen=:8080"],
    "command": ["/usr/local/bin/app"],
    "env": [
        {"name": "APP_CACHE", "value": "cache.app.svc:6379"},
        {"name": "APP_LIMIT", "value": "17"},
        {
            "name": "POD_NAME",
            "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}},
        },
    ],
    "image": "registry.example.com/platform/app:v1.2.0",
    "imagePullPolicy": "IfNotPresent",
    "livenessProbe": {
        "failureThreshold": 3,
        "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
        "periodSeconds": 10,
        "successThreshold": 1,
        "timeoutSeconds": 1,
    },
    "name": "app",
    "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
    "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "volumeMounts": [{"mountPath": "/etc/app", "name": "config", "readOnly": True}],
}


def replicas(
    count: int = 8, *, own_names: bool = False, managed_fields: bool = False, number: int = 0
) -> list[Json]:
    """Return pods of one Deployment of two containers, all running; with their names in them if asked to."""
    manifests: list[Json] = json.loads(_replicas(count, own_names, managed_fields, number))
    return manifests


@cache
def _replicas(count: int, own_names: bool, managed_fields: bool, number: int) -> str:
    """Return them as JSON: to read it takes a fraction of the time that making them does."""
    chance = Chance(number)
    workload = workloads.workload(chance, number)
    spec = {**workload.newest.spec, "containers": [_CONTAINER, {**_CONTAINER, "name": "proxy"}]}
    plain = {key: value for key, value in spec.items() if key not in {"affinity", "initContainers"}}
    template = replace(workload.newest, spec=plain)
    shape = Shape(managed_fields=managed_fields, calm=True)
    made = list(
        pods.replicas(replace(workload, templates=(template,), network=""), count, NODES, chance, shape)
    )
    for pod in made if own_names else ():
        for container in pod["spec"]["containers"]:
            own = {"name": "OWN_NAME", "value": pod["metadata"]["name"]}
            container["env"] = [*container["env"], own]
    return json.dumps(made)


def deployments(number: int, each: int, *, own_names: bool = False) -> Iterator[Json]:
    """Yield the pods of so many Deployments, and then their nodes."""
    for index in range(number):
        yield from replicas(each, own_names=own_names, number=index)
    yield from (node(name, "1.30.14") for name in NODES)


def pods_and_nodes(count: int, release: str = "1.30.14", *, calm: bool = True) -> Iterator[Json]:
    """Yield the pods of a small cluster and then its nodes."""
    manifests: list[Json] = json.loads(_cluster(count, release, calm))
    yield from (manifest for manifest in manifests if manifest["kind"] == "Pod")
    yield from (manifest for manifest in manifests if manifest["kind"] == "Node")


@cache
def _cluster(count: int, release: str, calm: bool) -> str:
    return json.dumps(list(cluster.objects(count, Shape(release, calm=calm))))
