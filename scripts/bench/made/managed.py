"""managedFields, as an API server keeps them and kubectl shows where it is asked to."""

from __future__ import annotations

from typing import Any

from scripts.bench.made.chance import Json, stamp

_OF_CONTROLLERS = ("annotations", "generateName", "labels", "ownerReferences")


def of_pod(pod: Json, created: int, updated: int) -> list[Json]:
    """Return the rows of the controller that created a pod, and of its kubelet.

    What admission adds is in none (k8s.io/apiserver pkg/endpoints/handlers/create.go, 1.37.2: fields are
    noted before it). Of that only the token's mount counts here, for it has another name in each pod.
    """
    metadata = {key: pod["metadata"][key] for key in _OF_CONTROLLERS if key in pod["metadata"]}
    spec = _sent({key: value for key, value in pod["spec"].items() if key != "nodeName"})
    return [
        _row("kube-controller-manager", created, {"metadata": metadata, "spec": spec}),
        {**_row("kubelet", updated, {"status": pod["status"]}), "subresource": "status"},
    ]


def _sent(value: Any) -> Any:
    """Return a part of a spec without the token's mount."""
    if isinstance(value, dict):
        return {key: _sent(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    return [_sent(item) for item in value if not (isinstance(item, dict) and _is_token(item.get("name")))]


def _is_token(name: Any) -> bool:
    return isinstance(name, str) and name.startswith("kube-api-access-")


def _row(manager: str, at: int, value: Json) -> Json:
    return {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields(value),
        "manager": manager,
        "operation": "Update",
        "time": stamp(at),
    }


_KEYS = ("name", "type", "uid", "ip")


def fields(value: Any) -> Json:
    """Return the fields of a value as managedFields name them."""
    if isinstance(value, dict):
        return {f"f:{key}": fields(item) for key, item in value.items()}
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        key = next((candidate for candidate in _KEYS if all(candidate in item for item in value)), None)
        if key:
            return {".": {}, **{f'k:{{"{key}":"{item[key]}"}}': {".": {}, **fields(item)} for item in value}}
    return {}
