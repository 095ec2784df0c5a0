"""Write a large cluster as ``kubectl get pods,nodes -A -o json`` prints it, indented and sorted by names.

Its pods are the replicas of a few hundred templates, of Deployments, StatefulSets and DaemonSets, with all
that an API server's defaults fill in, a status, and as in every real cluster the mount of a service
account's token, whose name is another one in each pod.

    python -m scripts.bench.cluster --pods 15000 > large.json
    python -m scripts.bench.cluster --pods 15000 --distinct --managed-fields > distinct.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scripts.lib.yamltext import as_yaml
from scripts.sample.pods import TOKEN_PATH, token_volume

_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
"""What names that an API server generates are made of (k8s.io/apimachinery/pkg/util/rand)."""

_PODS_OF_NODE: Final = 30
"""Of 150,000 pods on 5,000 nodes, as many as Kubernetes supports."""

_PODS_OF_TEMPLATE: Final = 50
"""At least; a large cluster has more replicas, not more workloads."""

_TEMPLATES: Final = 300
_NAMESPACES: Final = 40
_STARTED: Final = "2026-03-02T08:15:00Z"

_WORDS: Final = "api auth batch billing cache cart catalog edge events feed gateway index ledger mail orders"
_SETTINGS: Final = (
    "BROKER CACHE DATABASE ENDPOINT FLAGS LIMIT LOCALE LOG QUEUE REGION RETRIES TIMEOUT TRACE URL"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a cluster is like, besides its number of pods."""

    release: str
    """The kubelet release of its nodes."""
    distinct: bool
    """Whether no two containers are alike, as after a sidecar injector that writes the pod's name."""
    managed_fields: bool
    """Whether the pods have managedFields, which kubectl shows only where it is asked to."""


@dataclass(frozen=True, slots=True)
class Template:
    """A workload's pod template."""

    namespace: str
    name: str
    kind: str
    spec: dict[str, Any]


def objects(pods: int, shape: Shape) -> Iterator[dict[str, Any]]:
    """Yield the pods of a cluster and then its nodes; the same ones each time."""
    chance = random.Random(pods)
    names = [f"node-{number:04}" for number in range(max(1, pods // _PODS_OF_NODE))]
    number = max(1, min(_TEMPLATES, pods // _PODS_OF_TEMPLATE))
    templates = sorted(
        (template(chance, index) for index in range(number)), key=lambda one: (one.namespace, one.name)
    )
    for index, one in enumerate(templates):
        count = pods * (index + 1) // number - pods * index // number
        yield from replicas(one, names, count, chance, shape)
    yield from (node(name, shape.release) for name in names)


def template(chance: random.Random, number: int) -> Template:
    """Return a workload of one to three containers."""
    name = f"{chance.choice(_WORDS.split())}-{number}"
    kind = chance.choice(("ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet"))
    containers = [
        container(chance, f"{name}-{part}")
        for part in ("main", "proxy", "exporter")[: chance.choice((1, 1, 2, 3))]
    ]
    spec = {
        "affinity": {},
        "containers": containers,
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {"fsGroup": 2000, "runAsNonRoot": True},
        "serviceAccount": name,
        "serviceAccountName": name,
        "terminationGracePeriodSeconds": 30,
        "tolerations": [_toleration("not-ready"), _toleration("unreachable")],
    }
    return Template(f"team-{number % _NAMESPACES:02}", name, kind, spec)


def container(chance: random.Random, name: str) -> dict[str, Any]:
    """Return a container with what usual ones have, as an API server serves it."""
    settings = chance.sample(_SETTINGS.split(), chance.randint(3, 12))
    variables: list[dict[str, Any]] = [
        {"name": f"APP_{one}", "value": f"{one.lower()}.{name}.svc:{chance.randint(1, 65535)}"}
        for one in settings
    ]
    variables.append(
        {"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}
    )
    variables.append(
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"key": "token", "name": f"{name}-token"}}}
    )
    port = chance.randint(1024, 65535)
    cpu = f"{chance.randint(1, 40) * 50}m"
    return {
        "args": [
            "--config=/etc/app/config.yaml",
            f"--listen=:{port}",
            f"--name={name}",
            f"--workers={chance.randint(1, 9)}",
        ],
        "command": [f"/usr/local/bin/{name.rpartition('-')[2]}"],
        "env": variables,
        "image": f"registry.example.com/platform/{name}:v{chance.randint(1, 9)}.{chance.randint(0, 40)}.0",
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": _probe("/healthz", port),
        "name": name,
        "ports": [{"containerPort": port, "name": "http", "protocol": "TCP"}],
        "readinessProbe": _probe("/ready", port),
        "resources": {
            "limits": {"cpu": cpu, "memory": f"{chance.randint(1, 8) * 128}Mi"},
            "requests": {"cpu": "50m", "memory": "64Mi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {"mountPath": "/etc/app", "name": "config", "readOnly": True},
            {"mountPath": "/scratch", "name": "scratch"},
        ],
    }


def _probe(path: str, port: int) -> dict[str, Any]:
    seconds = {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}
    return {**seconds, "httpGet": {"path": path, "port": port, "scheme": "HTTP"}}


def _toleration(condition: str) -> dict[str, Any]:
    key = f"node.kubernetes.io/{condition}"
    return {"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300}


def replicas(
    one: Template, nodes: Sequence[str], count: int, chance: random.Random, shape: Shape
) -> Iterator[dict[str, Any]]:
    """Yield the pods of a template."""
    revision = _random(chance, 9)
    for number, end in enumerate(_distinct(chance, count)):
        tail = {"ReplicaSet": f"{revision}-{end}", "StatefulSet": str(number)}.get(one.kind, end)
        yield pod(one, f"{one.name}-{tail}", chance.choice(nodes), chance, shape)


def pod(one: Template, name: str, on: str, chance: random.Random, shape: Shape) -> dict[str, Any]:
    """Return one pod of a template."""
    token = f"kube-api-access-{_random(chance, 5)}"
    owner = f"{one.name}-{name.split('-')[-2]}" if one.kind == "ReplicaSet" else one.name
    labels = {"app.kubernetes.io/name": one.name, "pod-template-hash": owner.rpartition("-")[2]}
    metadata = {
        "creationTimestamp": _STARTED,
        "generateName": f"{owner}-",
        "labels": labels,
        "name": name,
        "namespace": one.namespace,
        "ownerReferences": [
            {
                "apiVersion": "apps/v1",
                "blockOwnerDeletion": True,
                "controller": True,
                "kind": one.kind,
                "name": owner,
                "uid": _uid(owner),
            }
        ],
        "resourceVersion": str(chance.randrange(10**9)),
        "uid": _uid(f"{one.namespace}/{name}"),
    }
    containers = [_own(each, token, name if shape.distinct else "") for each in one.spec["containers"]]
    affinity = {"affinity": _affinity(on)} if one.kind == "DaemonSet" else {}
    spec = {
        **one.spec,
        **affinity,
        "containers": containers,
        "nodeName": on,
        "volumes": _volumes(one.name, token),
    }
    status = _status(containers, chance)
    if shape.managed_fields:
        metadata["managedFields"] = [_managed(spec, "kube-controller-manager"), _managed(status, "kubelet")]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _own(one: dict[str, Any], token: str, name: str) -> dict[str, Any]:
    mount = {"mountPath": TOKEN_PATH, "name": token, "readOnly": True}
    own = [{"name": "OWN_NAME", "value": name}] if name else []
    return {**one, "env": [*one["env"], *own], "volumeMounts": [*one["volumeMounts"], mount]}


def _affinity(name: str) -> dict[str, Any]:
    """Return what the controller of DaemonSets makes a pod for a node ask for."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]}]
    required = {"nodeSelectorTerms": [{"matchFields": fields}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def _volumes(name: str, token: str) -> list[dict[str, Any]]:
    return [
        {"configMap": {"defaultMode": 420, "name": f"{name}-config"}, "name": "config"},
        {"emptyDir": {}, "name": "scratch"},
        token_volume(token),
    ]


def _status(containers: Iterable[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    address = f"10.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(1, 255)}"
    kinds = ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    return {
        "conditions": [
            {"lastProbeTime": None, "lastTransitionTime": _STARTED, "status": "True", "type": kind}
            for kind in kinds
        ],
        "containerStatuses": [
            {
                "containerID": f"containerd://{chance.randbytes(32).hex()}",
                "image": one["image"],
                "imageID": _digested(one["image"]),
                "lastState": {},
                "name": one["name"],
                "ready": True,
                "restartCount": 0,
                "started": True,
                "state": {"running": {"startedAt": _STARTED}},
            }
            for one in containers
        ],
        "hostIP": "192.168.7.1",
        "phase": "Running",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "qosClass": "Burstable",
        "startTime": _STARTED,
    }


def _digested(image: str) -> str:
    return f"{image.partition(':')[0]}@sha256:{hashlib.sha256(image.encode()).hexdigest()}"


def _managed(value: Any, manager: str) -> dict[str, Any]:
    row = {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": _fields(value), "manager": manager}
    return {**row, "operation": "Update", "time": _STARTED}


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a value as managedFields name them."""
    if isinstance(value, dict):
        return {f"f:{key}": _fields(item) for key, item in value.items()}
    if isinstance(value, list) and all(isinstance(item, dict) and "name" in item for item in value):
        return {f'k:{{"name":"{item["name"]}"}}': {".": {}, **_fields(item)} for item in value}
    return {}


def node(name: str, release: str) -> dict[str, Any]:
    """Return a node."""
    labels = {"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
    info = {
        "containerRuntimeVersion": "containerd://1.7.29",
        "kubeletVersion": f"v{release}",
        "operatingSystem": "linux",
    }
    conditions = [{"lastHeartbeatTime": _STARTED, "status": "True", "type": "Ready"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"labels": labels, "name": name, "uid": _uid(name)},
        "spec": {},
        "status": {"conditions": conditions, "nodeInfo": info},
    }


def _random(chance: random.Random, length: int) -> str:
    return "".join(chance.choices(_ALPHABET, k=length))


def _distinct(chance: random.Random, count: int) -> list[str]:
    """Return the ends of so many names, each another one."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[_random(chance, 5)] = None
    return list(found)


def _uid(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, name))


def texts(found: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the text of a List of objects, as kubectl writes it."""
    yield '{\n    "apiVersion": "v1",\n    "items": [\n'
    between = ""
    for one in found:
        text = json.dumps(one, indent=4, sort_keys=True, ensure_ascii=False).replace("\n", "\n        ")
        yield f"{between}        {text}"
        between = ",\n"
    yield '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n'


def yaml_texts(found: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the text of a List of objects, as ``kubectl get -o yaml`` writes it."""
    yield "apiVersion: v1\nitems:\n"
    yield from (as_yaml([one]) for one in found)
    yield 'kind: List\nmetadata:\n  resourceVersion: ""\n'


def main() -> None:
    """Write a cluster to stdout."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pods", type=int, default=15_000)
    parser.add_argument("--release", default="1.30.14", help="of the nodes (default: %(default)s)")
    parser.add_argument("--distinct", action="store_true", help="no two containers are alike")
    parser.add_argument("--managed-fields", action="store_true", help="with managedFields")
    parser.add_argument("--yaml", action="store_true", help="as YAML, which takes ten times as long")
    given = parser.parse_args()
    shape = Shape(given.release, given.distinct, given.managed_fields)
    write = yaml_texts if given.yaml else texts
    sys.stdout.writelines(write(objects(given.pods, shape)))


if __name__ == "__main__":
    main()
