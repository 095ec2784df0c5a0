"""The pods of a workload: a template, and what each pod has as its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scripts.bench.made import affinities, managed, statuses
from scripts.bench.made.chance import DUMPED, Chance, Json, stamp
from scripts.bench.made.nodes import number_of
from scripts.bench.made.shape import Shape
from scripts.bench.made.workloads import (
    BARE,
    DAEMON_SET,
    DEPLOYMENT,
    JOB,
    OPERATED,
    STATEFUL_SET,
    STATIC,
    WORKFLOW,
    Template,
    Workload,
    workload,
)

TOKEN_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path


@dataclass(frozen=True, slots=True)
class Place:
    """A pod before it is made."""

    name: str
    node: str
    template: Template
    ordinal: int


def places(app: Workload, count: int, nodes: Sequence[str], chance: Chance) -> Iterator[Place]:
    """Yield the names of a workload's pods, their nodes, and their templates: most have the newest."""
    ends: set[str] = set()
    while len(ends) < count:
        ends.add(chance.suffix())
    for ordinal, end in enumerate(sorted(ends)):
        template = app.newest if chance.hits(0.8) else chance.choice(app.templates)
        node = (
            nodes[ordinal % len(nodes)]
            if app.kind in {DAEMON_SET, STATIC}
            else _chosen(nodes, template, chance)
        )
        job = 29_530_000 - 60 * (ordinal // 2)
        tails = {
            DEPLOYMENT: f"{template.revision}-{end}",
            STATEFUL_SET: f"{ordinal}",
            OPERATED: f"{ordinal + 1}",
            JOB: f"{job}-{end}",
            WORKFLOW: f"{end}-step-{chance.randrange(10**9)}",
            STATIC: node,
        }
        yield Place(f"{app.name}-{tails.get(app.kind, end)}", node, template, ordinal)


def _chosen(nodes: Sequence[str], template: Template, chance: Chance) -> str:
    """Return a node where a pod may run; any one where the cluster is too small to have one."""
    for _ in range(40):
        node = chance.choice(nodes)
        if affinities.allows(template.spec, number_of(node)):
            break
    return node


def replicas(app: Workload, count: int, nodes: Sequence[str], chance: Chance, shape: Shape) -> Iterator[Json]:
    """Yield the pods of a workload, sorted by their names."""
    ordered = sorted(places(app, count, nodes, chance), key=lambda place: place.name)
    return (pod(app, place, chance, shape) for place in ordered)


def pod(app: Workload, place: Place, chance: Chance, shape: Shape) -> Json:
    """Return a pod as an API server serves it."""
    template = _of_its_own(app, place.template, chance) if shape.distinct else place.template
    spec = _spec(app, place, template, chance, shape.release)
    fate = statuses.PLAIN if shape.calm else statuses.fate(app.kind, chance)
    created = chance.before(DUMPED, statuses.DAYS.get(app.kind, 20))
    if not fate.scheduled:
        del spec["nodeName"]
    address = f"10.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(1, 255)}"
    status = statuses.status(spec, fate, created, address, chance, shape.release)
    metadata = _metadata(app, place, template, created, address, chance)
    if app.kind == OPERATED:
        metadata["annotations"]["operator.example.com/podSpec"] = json.dumps(spec, separators=(",", ":"))
    if fate.deleted:
        metadata |= {
            "deletionGracePeriodSeconds": 30,
            "deletionTimestamp": stamp(DUMPED + chance.randint(1, 30)),
        }
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
    if shape.managed_fields:
        metadata["managedFields"] = managed.of_pod(manifest, created, DUMPED)
    return manifest


def _of_its_own(app: Workload, given: Template, chance: Chance) -> Template:
    """Return another template for the same nodes."""
    template = workload(chance, chance.randrange(10**6), app.kind).newest
    spec = {key: value for key, value in template.spec.items() if key != "affinity"}
    affinity = {"affinity": given.spec["affinity"]} if "affinity" in given.spec else {}
    return replace(template, spec={**spec, **affinity}, revision=given.revision, owner_uid=given.owner_uid)


def _metadata(
    app: Workload, place: Place, template: Template, created: int, address: str, chance: Chance
) -> Json:
    labels, annotations = dict(template.labels), dict(template.annotations)
    metadata: Json = {
        "creationTimestamp": stamp(created),
        "name": place.name,
        "namespace": app.namespace,
        "resourceVersion": str(chance.randrange(10**8, 10**9)),
        "uid": chance.uid(),
    }
    if app.kind == STATIC:
        config = chance.hex(16)
        annotations |= {
            "kubernetes.io/config.hash": config,
            "kubernetes.io/config.mirror": config,
            "kubernetes.io/config.seen": f"{stamp(created - 5)[:-1]}.{chance.randrange(10**9):09}Z",
            "kubernetes.io/config.source": "file",
        }
        metadata["ownerReferences"] = [
            {"apiVersion": "v1", "controller": True, "kind": "Node", "name": place.node, "uid": chance.uid()}
        ]
    elif app.kind != BARE:
        labels |= _controller_labels(app, place, template)
        metadata |= _owned(app, place, template)
    if not template.spec.get("hostNetwork"):
        annotations |= _NETWORKS[app.network](address, chance)
    if app.kind == WORKFLOW:
        annotations |= {
            "workflows.argoproj.io/node-name": f"{app.name}.step({place.ordinal})",
            "kubectl.kubernetes.io/default-container": "main",
        }
    if app.kind == OPERATED:
        annotations |= {"operator.example.com/nodeSerial": str(place.ordinal + 1)}
    metadata["labels"] = labels
    return {**metadata, "annotations": annotations} if annotations or app.kind == OPERATED else metadata


def _controller_labels(app: Workload, place: Place, template: Template) -> dict[str, str]:
    """Return the labels that controllers add."""
    revision = f"{app.name}-{template.revision}"
    job = place.name.rpartition("-")[0]
    rows = {
        DEPLOYMENT: {"pod-template-hash": template.revision},
        STATEFUL_SET: {
            "apps.kubernetes.io/pod-index": str(place.ordinal),
            "controller-revision-hash": revision,
            "statefulset.kubernetes.io/pod-name": place.name,
        },
        DAEMON_SET: {"controller-revision-hash": template.revision, "pod-template-generation": "3"},
        JOB: {
            "batch.kubernetes.io/controller-uid": template.owner_uid,
            "batch.kubernetes.io/job-name": job,
            "controller-uid": template.owner_uid,
            "job-name": job,
        },
        WORKFLOW: {"workflows.argoproj.io/completed": "true", "workflows.argoproj.io/workflow": app.name},
        OPERATED: {"operator.example.com/cluster": app.name, "operator.example.com/instanceName": place.name},
    }
    return rows.get(app.kind, {})


_OWNERS: Final = {
    DEPLOYMENT: ("apps/v1", "ReplicaSet"),
    STATEFUL_SET: ("apps/v1", "StatefulSet"),
    DAEMON_SET: ("apps/v1", "DaemonSet"),
    JOB: ("batch/v1", "Job"),
    WORKFLOW: ("argoproj.io/v1alpha1", "Workflow"),
    OPERATED: ("operator.example.com/v1", "Database"),
}


def _owned(app: Workload, place: Place, template: Template) -> Json:
    """Return what names the controller of a pod."""
    version, kind = _OWNERS[app.kind]
    name = {DEPLOYMENT: f"{app.name}-{template.revision}", JOB: place.name.rpartition("-")[0]}.get(
        app.kind, app.name
    )
    reference = {
        "apiVersion": version,
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": kind,
        "name": name,
        "uid": template.owner_uid,
    }
    generated = {} if app.kind in {WORKFLOW, OPERATED} else {"generateName": f"{name}-"}
    return {**generated, "ownerReferences": [reference]}


def _calico(address: str, chance: Chance) -> dict[str, str]:
    key = "cni.projectcalico.org/"
    return {
        f"{key}containerID": chance.hex(),
        f"{key}podIP": f"{address}/32",
        f"{key}podIPs": f"{address}/32",
    }


def _multus(address: str, chance: Chance) -> dict[str, str]:
    mac = ":".join(chance.hex(1) for _ in range(6))
    rows = [
        {
            "name": "cluster-network",
            "interface": "eth0",
            "ips": [address],
            "mac": mac,
            "default": True,
            "dns": {},
        }
    ]
    return {"k8s.v1.cni.cncf.io/network-status": json.dumps(rows, indent=4)}


_NETWORKS: Final = {"calico": _calico, "multus": _multus, "": lambda *_: {}}


def _spec(app: Workload, place: Place, template: Template, chance: Chance, release: str) -> Json:
    """Return a template's spec with the token, the node, and what controllers write into each pod."""
    spec = {**template.spec, "nodeName": place.node}
    if app.kind == STATIC:
        return {key: value for key, value in spec.items() if not key.startswith("serviceAccount")}
    token = (
        f"kube-api-access-{chance.suffix()}"
        if since(release, 21)
        else f"{app.name}-token-{template.revision[:5]}"
    )
    for key in ("initContainers", "containers"):
        if key in spec:
            spec[key] = [_with(app, place, container, token, chance) for container in spec[key]]
    spec["volumes"] = [*spec["volumes"], token_volume(token)]
    if app.kind == DAEMON_SET and since(release, 12):  # ScheduleDaemonSetPods
        spec["affinity"] = affinities.its_node(place.node)
    if app.kind in {STATEFUL_SET, OPERATED}:
        claim = {"name": "data", "persistentVolumeClaim": {"claimName": f"data-{place.name}"}}
        spec |= {"hostname": place.name, "subdomain": app.name, "volumes": [claim, *spec["volumes"]]}
    return spec


def _with(app: Workload, place: Place, container: Json, token: str, chance: Chance) -> Json:
    """Return a container with the token's mount, and with what operators write into it."""
    mounts = [*container.get("volumeMounts", ())]
    if app.kind in {STATEFUL_SET, OPERATED}:
        mounts.append({"mountPath": "/var/lib/data", "name": "data"})
    mounts.append({"mountPath": TOKEN_PATH, "name": token, "readOnly": True})
    own: list[Json] = []
    if app.kind == OPERATED:
        own = [{"name": "INSTANCE", "value": place.name}, {"name": "CLUSTER", "value": app.name}]
    if app.kind == WORKFLOW:
        step = {"name": place.name, "inputs": {"parameters": [{"name": "day", "value": chance.hex(6)}]}}
        own = [
            {"name": "ARGO_TEMPLATE", "value": json.dumps(step)},
            {"name": "ARGO_NODE_ID", "value": place.name},
        ]
    return {
        **container,
        "volumeMounts": mounts,
        **({"env": [*container.get("env", ()), *own]} if own else {}),
    }


def since(release: str, minor: int) -> bool:
    """Return whether a release is 1.``minor`` or a later one."""
    return int(release.split(".")[1]) >= minor


def token_volume(name: str) -> Json:
    """Return the volume of a service account's token: projected from 1.21 on, a Secret of the name before."""
    if not name.startswith("kube-api-access-"):
        return {"name": name, "secret": {"defaultMode": 420, "secretName": name}}
    namespace = {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": name, "projected": {"defaultMode": 420, "sources": sources}}
