"""Read the sample's manifests, and derive the names, owners, ids and times that a control plane gives."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from hashcompat.core.go.yaml import load_all

Json = dict[str, Any]

AREAS: Final = (
    "kube-system",
    "ingress-nginx",
    "monitoring",
    "data",
    "shop",
    "batch",
    "platform",
)  # in the order of pod IPs
SEED: Final = "hashcompat sample cluster 1"
DUMPED: Final = datetime(2024, 6, 3, tzinfo=UTC)
STATIC: Final = "kubernetes.io/config.source"  # a manifest with this annotation lies in a file on its node
_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"  # k8s.io/apimachinery/pkg/util/rand: no vowels, no 0, 1, 3


def digest(*parts: object) -> str:
    """Return 64 hex digits for a name, so that adding one workload never renames another."""
    return hashlib.sha256("/".join(map(str, (SEED, *parts))).encode()).hexdigest()


def uid(*parts: object) -> str:
    """Return a version 4 UUID for a name, as API servers have given since 1.15."""
    h = digest("uid", *parts)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:32]}"


def suffix(length: int, *parts: object) -> str:
    """Return the random-looking end of a generated name."""
    return "".join(_ALPHABET[b % len(_ALPHABET)] for b in bytes.fromhex(digest("suffix", *parts))[:length])


def stamp(when: datetime) -> str:
    """Return a metav1.Time as JSON prints it: whole seconds, UTC."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def created(*parts: object) -> datetime:
    """Return when an object was made: some time in the forty days before the dump."""
    return DUMPED - timedelta(seconds=int(digest("created", *parts)[:8], 16) % (40 * 86400))


@dataclass(frozen=True)
class Workload:
    """Hold one manifest, reduced to what its pods are made from."""

    kind: str  # the manifest's kind, or Static
    namespace: str
    name: str
    template: Json
    claims: tuple[str, ...]  # the names of a StatefulSet's volumeClaimTemplates
    state: str  # a key of status.STATES

    @property
    def owner(self) -> str:
        """Return the controlling object's name: for a Deployment its ReplicaSet's."""
        return (
            f"{self.name}-{suffix(10, self.namespace, self.name)}" if self.kind == "Deployment" else self.name
        )

    @property
    def owner_uid(self) -> str:
        """Return the controlling object's uid, the same for all its pods."""
        return uid(self.kind, self.namespace, self.owner)


@dataclass(frozen=True)
class Replica:
    """A pod that is to be made: its number in its workload, and its Node, None while it is not scheduled."""

    work: Workload
    index: int
    node: Json | None
    serial: int  # its place in the cluster, which its IP ends in

    @property
    def node_name(self) -> str:
        """Return the node's name, empty for a pod without one, as in ``spec.nodeName``."""
        return str(self.node["metadata"]["name"]) if self.node else ""

    @property
    def name(self) -> str:
        """Return the name that the controller gives; a mirror pod is named after its node."""
        work = self.work
        if work.kind == "Pod":
            return work.name
        tails = {"StatefulSet": str(self.index), "Static": self.node_name}
        return f"{work.owner}-{tails.get(work.kind) or suffix(5, work.namespace, work.name, self.index)}"

    @property
    def key(self) -> tuple[str, str]:
        """Return namespace and name, which the pod's ids and times are made from."""
        return self.work.namespace, self.name


def documents(area: str) -> Iterator[Json]:
    """Yield the YAML documents of one file next to this module."""
    yield from load_all(
        Path(__file__).with_name("manifests").joinpath(f"{area}.yaml").read_text(encoding="utf-8")
    )


def nodes() -> list[Json]:
    """Return the Node objects, completed with the ids that a node reports."""
    (listed,) = documents("nodes")
    return [_identified(node, node["metadata"]["name"]) for node in listed["items"]]


def _identified(node: Json, name: str) -> Json:
    ids = {
        "bootID": uid("boot", name),
        "machineID": digest("machine", name)[:32],
        "systemUUID": uid("system", name).upper(),
    }
    status = {**node["status"], "nodeInfo": {**node["status"]["nodeInfo"], **ids}}
    return {**node, "metadata": {**node["metadata"], "uid": uid("Node", name)}, "status": status}


def replicas() -> list[Replica]:
    """Return every replica in the order of the manifests; a DaemonSet has one on each node."""
    by_name: dict[str, Json] = {node["metadata"]["name"]: node for node in nodes()}
    placed: list[Replica] = []
    for manifest in (document for area in AREAS for document in documents(area)):
        everywhere = [*by_name] if manifest["kind"] == "DaemonSet" else [""]
        for index, name in enumerate(_note(manifest, "nodes").split() or everywhere):
            placed.append(Replica(_workload(manifest), index, by_name[name] if name else None, len(placed)))
    return placed


def _note(manifest: Json, key: str) -> str:
    """Return what a manifest cannot say of its pods, from the annotation `sample/nodes` or `sample/state`."""
    return str(manifest["metadata"].get("annotations", {}).get(f"sample/{key}", ""))


def _workload(manifest: Json) -> Workload:
    meta, spec = manifest["metadata"], manifest["spec"]
    kind = "Static" if STATIC in meta.get("annotations", {}) else manifest["kind"]
    claims = tuple(claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", ()))
    return Workload(
        kind,
        meta["namespace"],
        meta["name"],
        spec.get("template", manifest),
        claims,
        _note(manifest, "state") or "Running",
    )
