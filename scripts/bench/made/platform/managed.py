"""managedFields, as an API server keeps them."""

from __future__ import annotations

from typing import Any, Final

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import compact_json, stamp


def managed_row(mgr: str, t: float, f: Json, sub: Any = None) -> Json:
    """Return a row of managedFields."""
    d: Json = {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": f,
        "manager": mgr,
        "operation": "Update",
        "time": stamp(t),
    }
    if sub:
        d["subresource"] = sub
    return d


MERGE_KEYS: Final[Any] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "env": ("name",),
    "volumeMounts": ("mountPath",),
    "ports": ("containerPort", "protocol"),
    "volumes": ("name",),
    "conditions": ("type",),
    "podIPs": ("ip",),
    "hostIPs": ("ip",),
    "ownerReferences": ("uid",),
    "imagePullSecrets": ("name",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "hostAliases": ("ip",),
    "volumeDevices": ("devicePath",),
}


ATOMIC: Final = {
    "nodeSelector",
    "labelSelector",
    "fieldRef",
    "secretKeyRef",
    "configMapKeyRef",
    "resourceFieldRef",
}


def field_set(o: Json) -> Json:
    """Return the fields of an object as managedFields name them."""
    d: Json = {".": {}}
    for k, v in o.items():
        d["f:" + k] = field_value(k, v)
    return d


def field_value(k: str, v: Any) -> Json:
    """Return the fields of a value under a key."""
    if type(v) is dict:
        if k in ATOMIC:
            return {}
        return (
            {"f:" + a: field_value(a, b) for a, b in v.items()}
            if k in ("httpGet", "exec", "tcpSocket", "securityContext")
            else field_set(v)
            if v
            else {}
        )
    if type(v) is list and k in MERGE_KEYS and v and type(v[0]) is dict:
        d: Json = {".": {}}
        for e in v:
            d["k:" + compact_json({a: e[a] for a in MERGE_KEYS[k] if a in e})] = field_set(e)
        return d
    if k == "finalizers":
        d = {".": {}}
        for e in v:
            d[f'v:"{e}"'] = {}
        return d
    return {}
