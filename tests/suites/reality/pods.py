"""The pods of the lab, from pods.yaml and static.yaml: each is a kind of what kubelets treat differently."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml

Json = dict[str, Any]

IMAGE, OTHER_IMAGE = "localhost/lab/busybox:1", "localhost/lab/busybox:2"
NODE: Final = "lab"
LABEL: Final = "lab.example/label"
"""A label of the node that a disturbance removes."""
TAINT: Final = {"key": "lab.example/taint", "effect": "NoExecute"}
"""A taint that a disturbance sets; pods tolerate it unless they say what they tolerate."""
SLEEP: Final = ["/bin/sleep", "1000000"]
_METADATA: Final = ("annotations", "finalizers", "labels", "namespace", "uid")
_HERE: Final = Path(__file__).parent


def api_pods() -> list[Json]:
    """Return every pod that the API server gets."""
    return [pod(name, entry, nodeName=NODE) for name, entry in read("pods.yaml").items()]


def static_pods(name: str = "static.yaml") -> dict[str, Json]:
    """Return the static pods that a file here describes, by the name of their manifest."""
    return {f"{name}.json": pod(name, entry) for name, entry in read(name).items()}


def read(name: str) -> dict[str, Json]:
    """Return the entries of a file here by the names of their pods."""
    entries: dict[str, Json] = yaml.safe_load((_HERE / name).read_text(encoding="utf-8"))
    return entries


def pod(name: str, entry: Json, **spec: Any) -> Json:
    """Return the pod that an entry of these files describes."""
    spec |= {
        "hostNetwork": True,
        "terminationGracePeriodSeconds": 1,
        "tolerations": [{"operator": "Exists"}],
        "containers": [{"name": "c"}],
        **{key: value for key, value in entry.items() if key not in _METADATA},
    }
    for kind in {"initContainers", "containers"} & spec.keys():
        spec[kind] = [{"image": IMAGE, "command": SLEEP, **container} for container in spec[kind]]
    metadata = {key: entry[key] for key in _METADATA if key in entry}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": spec,
    }
