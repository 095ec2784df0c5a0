"""Kubernetes objects for tests, as small as they can be."""

from __future__ import annotations

import json
from typing import Any

from tests.helpers.golden import container

Json = dict[str, Any]

ARTICLE: Json = container("recorded-prometheus-node-exporter")
"""The container whose hashes real kubelets logged: 1559107639 under 1.7.16 and 1428860573 under 1.9.11."""

ARTICLE_MANIFEST = """
apiVersion: v1
kind: Pod
metadata: {name: prometheus-node-exporter, namespace: monitoring}
spec:
  hostNetwork: true
  containers:
  - name: prometheus-node-exporter
    image: harbor.finupgroup.com/kubernetes/node-exporter:v0.16.0
    ports:
    - {name: prom-node-exp, containerPort: 9100}
    volumeMounts:
    - {name: default-token-bks80, readOnly: true, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}
"""
"""The same container as a person writes it: whatever an API server would default is left out."""

PLAIN: Json = {"name": "c", "image": "i"}


def pod(*containers: Json, name: str = "p", node: str = "n1", **more: Any) -> Json:
    """Return a pod as an API server does, with more ``metadata``, ``spec`` and whole other parts."""
    metadata = {"name": name, "namespace": "ns", "uid": f"uid-{name}", **more.pop("metadata", {})}
    spec = {"nodeName": node, "containers": list(containers) or [PLAIN], **more.pop("spec", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, **more}


def mirror_pod(*containers: Json, name: str = "p", node: str = "n1", **more: Any) -> Json:
    """Return a static pod as the API server shows it: ``p-n1`` of the node ``n1``."""
    metadata = {
        "annotations": {"kubernetes.io/config.mirror": "0123"},
        "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": node, "controller": True}],
    }
    return pod(*containers, name=f"{name}-{node}", node=node, metadata=metadata, **more)


SAME_UID = ((16, 17), (19, 20), (21, 22), (28, 29))
"""Minors between which the UID of a static pod stays; it changes at every other.

A few fields, which no pod in these tests has, are exceptions.
"""


def same_uid(old: str, new: str) -> bool:
    """Return whether a static pod keeps its UID between two releases from 1.6 on."""
    minors = {int(release.split(".")[1]) for release in (old, new)}
    return len(minors) == 1 or tuple(sorted(minors)) in SAME_UID


def node(kubelet: str, name: str = "n1") -> Json:
    """Return a node that reports a kubelet release."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"nodeInfo": {"kubeletVersion": kubelet}},
    }


def listed(*objects: Json) -> Json:
    """Return a List of objects."""
    return {"apiVersion": "v1", "kind": "List", "items": list(objects)}


def as_json(*objects: Json) -> bytes:
    """Return one object, or several as a List, as a file holds it."""
    return json.dumps(objects[0] if len(objects) == 1 else listed(*objects)).encode()
