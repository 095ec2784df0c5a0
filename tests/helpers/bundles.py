"""What tools collect of a cluster, in their own layouts, made of the objects of a plain dump.

Sources: k8s.io/kubectl pkg/cmd/clusterinfo/clusterinfo_dump.go, troubleshoot.sh
pkg/collect/cluster_resources.go, openshift/oc pkg/cli/admin/inspect, velero pkg/backup/item_backupper.go.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from tests.helpers.pods import Json

Files = Mapping[str, str | bytes]
"""The content of files by their names."""


def packed(files: Files, mode: str = "w") -> bytes:
    """Return a tar archive of files, as GNU tar and Go's archive/tar write them."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as tar:  # type: ignore[call-overload]
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            row = tarfile.TarInfo(name)
            row.size = len(data)
            tar.addfile(row, io.BytesIO(data))
    return stream.getvalue()


def of_kind(objects: Iterable[Json], kind: str) -> list[Json]:
    return [manifest for manifest in objects if manifest["kind"] == kind]


def by_namespace(objects: Iterable[Json]) -> dict[str, list[Json]]:
    groups: dict[str, list[Json]] = {}
    for manifest in objects:
        groups.setdefault(manifest["metadata"]["namespace"], []).append(manifest)
    return groups


def bare(objects: Iterable[Json]) -> list[Json]:
    """Return objects as Go's typed lists hold them: without apiVersion and kind."""
    return [
        {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind")}
        for manifest in objects
    ]


def typed(kind: str, objects: Iterable[Json], api: str = "v1") -> str:
    document = {"kind": f"{kind}List", "apiVersion": api, "metadata": {}, "items": bare(objects)}
    return json.dumps(document, indent=4) + "\n"


KINDS = (
    ("events", "Event", "v1"),
    ("replication-controllers", "ReplicationController", "v1"),
    ("services", "Service", "v1"),
    ("daemonsets", "DaemonSet", "apps/v1"),
    ("deployments", "Deployment", "apps/v1"),
    ("replicasets", "ReplicaSet", "apps/v1"),
    ("pods", "Pod", "v1"),
)


def log(pod: Json, container: str, text: str) -> str:
    name = f"container {container} of pod {pod['metadata']['namespace']}/{pod['metadata']['name']}"
    return f"==== START logs for {name} ====\n{text}==== END logs for {name} ====\n"


def cluster_info_dump(objects: list[Json], text: str = 'a line\n{"kind": "Pod"}\n\x1b[31mno end') -> str:
    """Return what ``kubectl cluster-info dump -A`` prints."""
    return "".join(_dumped(objects, text))


def _dumped(objects: list[Json], text: str) -> Iterator[str]:
    yield typed("Node", of_kind(objects, "Node"))
    pods = by_namespace(of_kind(objects, "Pod"))
    for namespace in sorted(pods):
        for _, kind, api in KINDS:
            yield typed(kind, pods[namespace] if kind == "Pod" else (), api)
        for pod in pods[namespace]:
            for container in pod["spec"].get("initContainers", []) + pod["spec"]["containers"]:
                yield log(pod, container["name"], text)


def cluster_info_directory(objects: list[Json]) -> Files:
    """Return what ``kubectl cluster-info dump -A --output-directory`` writes."""
    pods = by_namespace(of_kind(objects, "Pod"))
    files = {"nodes.json": typed("Node", of_kind(objects, "Node"))}
    for namespace, members in pods.items():
        for name, kind, api in KINDS:
            files[f"{namespace}/{name}.json"] = typed(kind, members if kind == "Pod" else (), api)
        files[f"{namespace}/{members[0]['metadata']['name']}/logs.txt"] = "==== START logs"
    return files


def support_bundle(objects: list[Json], *, arrays: bool = False, root: str = "support-bundle-1/") -> Files:
    """Return a support bundle; ``arrays``: as the first releases wrote lists."""

    def listed(kind: str, manifests: list[Json]) -> str:
        return json.dumps(bare(manifests), indent=2) if arrays else typed(kind, manifests)

    place = f"{root}cluster-resources"
    files: dict[str, str | bytes] = {
        f"{root}version.yaml": "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec: {}\n",
        f"{root}analysis.json": '[{"name": "node.count", "severity": "debug"}]',
        f"{root}cluster-info/cluster_version.json": '{"info": {"major": "1"}}',
        f"{place}/nodes.json": listed("Node", of_kind(objects, "Node")),
        f"{place}/resources.json": "[]",
        f"{place}/pods-errors.json": "",
        f"{place}/nodes-errors.json": "null",
    }
    for namespace, pods in by_namespace(of_kind(objects, "Pod")).items():
        files[f"{place}/pods/{namespace}.json"] = listed("Pod", pods)
        files[f"{place}/events/{namespace}.json"] = "[]"
        for name, kind in (("services", "Service"), ("pod-disruption-budgets", "PodDisruptionBudget")):
            some = by_namespace(of_kind(objects, kind)).get(namespace, [])
            files[f"{place}/{name}/{namespace}.json"] = listed(kind, some)
        files[f"{place}/auth-cani-list/{namespace}.json"] = '{"status": {}}'
        files[f"{place}/pods/logs/{namespace}/{pods[0]['metadata']['name']}/c.log"] = "{"
    return files


def must_gather(objects: list[Json], root: str = "must-gather.local.1/quay-io-sha256-1/") -> Files:
    """Return a must-gather: lists, and each pod again, as it was a little later."""
    files: dict[str, str | bytes] = {
        f"{root}version": "openshift\n",
        f"{root}event-filter.html": "<html>",
        f"{root}host_service_logs/masters/kubelet_service.log": "x",
        f"{root}cluster-scoped-resources/config.openshift.io/clusterversions.yaml": "kind: List\n",
    }
    for node in of_kind(objects, "Node"):
        files[f"{root}cluster-scoped-resources/core/nodes/{node['metadata']['name']}.yaml"] = as_yaml(node)
    for namespace, pods in by_namespace(of_kind(objects, "Pod")).items():
        place = f"{root}namespaces/{namespace}"
        files[f"{place}/{namespace}.yaml"] = as_yaml(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        )
        files[f"{place}/core/pods.yaml"] = as_yaml({"apiVersion": "v1", "items": pods, "kind": "PodList"})
        files[f"{place}/core/secrets.yaml"] = "{"
        for name, kind in (
            ("core/services", "Service"),
            ("policy/poddisruptionbudgets", "PodDisruptionBudget"),
        ):
            some = by_namespace(of_kind(objects, kind)).get(namespace, [])
            files[f"{place}/{name}.yaml"] = as_yaml({"apiVersion": "v1", "items": some, "kind": "List"})
        for pod in pods:
            name = pod["metadata"]["name"]
            later = {**pod, "metadata": {**pod["metadata"], "annotations": {"later": "1"}}, "status": {}}
            files[f"{place}/pods/{name}/{name}.yaml"] = as_yaml(later)
            files[f"{place}/pods/{name}/c/c/logs/current.log"] = "x"
    return files


def as_yaml(document: Any) -> str:
    return "---\n" + yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=True)


_RESOURCES = {
    "Pod": "pods",
    "Node": "nodes",
    "Service": "services",
    "PodDisruptionBudget": "poddisruptionbudgets.policy",
}


def backup(objects: list[Json]) -> Files:
    """Return a backup of Velero: each object twice."""
    files: dict[str, str | bytes] = {"metadata/version": "1.1.0\n"}
    for manifest in objects:
        resource = _RESOURCES.get(manifest["kind"])
        if resource is None:
            continue
        name, namespace = manifest["metadata"]["name"], manifest["metadata"].get("namespace", "")
        place = f"namespaces/{namespace}" if namespace else "cluster"
        for version in ("", "v1-preferredversion/"):
            files[f"resources/{resource}/{version}{place}/{name}.json"] = json.dumps(manifest)
    files["resources/secrets/namespaces/x/y.json"] = '{"kind": "Secret"}'
    return files
