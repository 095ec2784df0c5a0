"""Expand a replica to the pod that an API server returns: what controllers, admission and defaults add."""

from __future__ import annotations

from typing import Final

from hashcompat.core.apiserver.created import as_served
from hashcompat.core.catalog.lookup import default_catalog
from scripts.sample.status import status
from scripts.sample.workloads import (
    DUMPED,
    STATIC,
    Json,
    Replica,
    Workload,
    created,
    digest,
    stamp,
    suffix,
    uid,
)

OWNERS: Final = {
    "Deployment": ("apps/v1", "ReplicaSet"),
    "DaemonSet": ("apps/v1", "DaemonSet"),
    "StatefulSet": ("apps/v1", "StatefulSet"),
    "Job": ("batch/v1", "Job"),
}
SPEC_DEFAULTS: Final[
    Json
] = {  # SetDefaults_Pod, SetDefaults_PodSpec; preemptionPolicy comes from the Priority admission plugin
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "preemptionPolicy": "PreemptLowerPriority",
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30,
}
PRIORITIES: Final = {"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}
VOLUME_DEFAULTS: Final[Json] = {
    "hostPath": {"type": ""},
    "configMap": {"defaultMode": 0o644},
    "secret": {"defaultMode": 0o644},
}
LISTS: Final = {
    "initContainers": True,
    "containers": True,
    "ephemeralContainers": False,
}  # which of them get the token's mount
EVICTING: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
TOKEN_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105
SECRETS: Final = {("monitoring", "default"): "default-token-bks80"}
"""Accounts whose pods still mount a Secret, as all did up to 1.20; this one is a real cluster's."""


def pod(replica: Replica) -> Json:
    """Return the whole object."""
    spec = _spec(replica)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(replica),
        "spec": spec,
        "status": status(replica, spec),
    }


def _set(fields: Json) -> Json:
    """Keep the fields that are set, as omitempty does."""
    return {key: value for key, value in fields.items() if value}


def _metadata(replica: Replica) -> Json:
    work, deleted = replica.work, replica.work.state == "Terminating"
    return {
        "name": replica.name,
        "namespace": work.namespace,
        "uid": uid("Pod", *replica.key),
        "resourceVersion": str(48000000 + int(digest("version", *replica.key)[:5], 16)),
        "creationTimestamp": stamp(created(*replica.key)),
        "labels": {**work.template.get("metadata", {}).get("labels", {}), **_controller_labels(replica)},
        **_set(
            {
                "annotations": _annotations(work),
                "generateName": f"{work.owner}-" if work.kind in OWNERS else "",
                "ownerReferences": _owner_references(replica),
                "deletionTimestamp": stamp(DUMPED) if deleted else "",
                "deletionGracePeriodSeconds": 30 if deleted else 0,
            }
        ),
    }


def _controller_labels(replica: Replica) -> dict[str, str]:
    work = replica.work
    revision = f"{work.name}-{suffix(10, 'revision', work.namespace, work.name)}"
    by_kind = {
        "Deployment": {"pod-template-hash": work.owner.rpartition("-")[2]},
        "DaemonSet": {"controller-revision-hash": revision, "pod-template-generation": "1"},
        "StatefulSet": {
            "controller-revision-hash": revision,
            "statefulset.kubernetes.io/pod-name": replica.name,
        },
        "Job": {"controller-uid": work.owner_uid, "job-name": work.name},
    }
    return by_kind.get(work.kind, {})


def _annotations(work: Workload) -> dict[str, str]:
    """Return the author's annotations; a mirror pod's config.hash is what a kubelet compares, not its uid."""
    given = work.template.get("metadata", {}).get("annotations", {})
    own = {key: value for key, value in given.items() if not key.startswith("sample/")}
    if STATIC not in own:
        return own
    key, value = "kubernetes.io/config.", digest("static", work.name)[:32]
    return {
        **own,
        f"{key}hash": value,
        f"{key}mirror": value,
        f"{key}seen": stamp(created(work.namespace, work.name)),
    }


def _owner_references(replica: Replica) -> list[Json]:
    """Refer to the controller; bare pods have none.

    That of a mirror pod is its node, as from 1.17 on: the sample is planned from any release.
    """
    work, node = replica.work, replica.node_name
    if work.kind == "Static":
        return [
            {"apiVersion": "v1", "kind": "Node", "name": node, "uid": uid("Node", node), "controller": True}
        ]
    if work.kind not in OWNERS:
        return []
    version, kind = OWNERS[work.kind]
    controlled = {"controller": True, "blockOwnerDeletion": True}
    return [{"apiVersion": version, "kind": kind, "name": work.owner, "uid": work.owner_uid, **controlled}]


def _spec(replica: Replica) -> Json:
    work, given = replica.work, replica.work.template["spec"]
    token = _token(replica)
    return {
        **SPEC_DEFAULTS,
        **given,
        **_account(work),
        "priority": PRIORITIES.get(given.get("priorityClassName", ""), 0),
        "tolerations": given.get("tolerations") or _tolerations(work),
        **{
            key: [_container(item, given, token if gets else "") for item in given[key]]
            for key, gets in LISTS.items()
            if key in given
        },
        **_set({"nodeName": replica.node_name, "volumes": _volumes(replica, token)}),
    }


def _account(work: Workload) -> Json:
    """Return what the ServiceAccount admission plugin sets; it leaves mirror pods alone."""
    name = work.template["spec"].get("serviceAccountName", "default")
    return {} if work.kind == "Static" else {"serviceAccount": name, "serviceAccountName": name}


def _tolerations(work: Workload) -> list[Json]:
    """Return what the kubelet gives a static pod and the admission plugin DefaultTolerationSeconds others."""
    every: Json = {"effect": "NoExecute", "operator": "Exists"}
    return (
        [every]
        if work.kind == "Static"
        else [{**every, "key": key, "tolerationSeconds": 300} for key in EVICTING]
    )


def _token(replica: Replica) -> str:
    """Name the token's volume, empty for none; since 1.21 an API server gives each pod its own name."""
    work = replica.work
    account = _account(work).get("serviceAccountName")
    if not account or not work.template["spec"].get("automountServiceAccountToken", True):
        return ""
    return SECRETS.get((work.namespace, account), f"kube-api-access-{suffix(5, 'token', *replica.key)}")


def _container(given: Json, spec: Json, token: str) -> Json:
    """Return the served container with the token's mount; as_served does not know targetContainerName."""
    mounts = [{"name": token, "mountPath": TOKEN_PATH, "readOnly": True}] if token else []
    whole = {**given, "volumeMounts": [*given.get("volumeMounts", ()), *mounts]}
    newest = default_catalog().api_server(default_catalog().releases()[-1])
    return {**given, **as_served(whole, newest, host_network=spec.get("hostNetwork", False))}


def _volumes(replica: Replica, token: str) -> list[Json]:
    """Return the template's volumes, then the claims of a StatefulSet, the token's last."""
    work = replica.work
    claims = [
        {"name": name, "persistentVolumeClaim": {"claimName": f"{name}-{replica.name}"}}
        for name in work.claims
    ]
    given = [*work.template["spec"].get("volumes", ()), *claims, *([token_volume(token)] if token else [])]
    return [
        {
            key: {**VOLUME_DEFAULTS[key], **part} if key in VOLUME_DEFAULTS else part
            for key, part in item.items()
        }
        for item in given
    ]


def token_volume(name: str) -> Json:
    """Return the volume of a service account's token: projected since 1.21, a Secret of the name before."""
    if name in SECRETS.values():
        return {"name": name, "secret": {"secretName": name}}
    namespace = {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": name, "projected": {"defaultMode": 0o644, "sources": sources}}
