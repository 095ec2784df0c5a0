"""Custom resources of the examples, by hand: the fields that the examples use, and no others.

They are not the published definitions, which say more. Their fields are those of:
https://github.com/rancher/system-upgrade-controller/blob/v0.17.0/doc/plan.md (Plan), and Cluster API 1.12,
``api/runtime/v1beta2/extensionconfig_types.go`` (ExtensionConfig).
"""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]
_TEXT: Final[Json] = {"type": "string"}


def _object(required: tuple[str, ...] = (), /, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


_SECURITY: Final = _object(
    allowPrivilegeEscalation={"type": "boolean"},
    capabilities=_object(add=_list(_TEXT), drop=_list(_TEXT)),
    readOnlyRootFilesystem={"type": "boolean"},
    runAsNonRoot={"type": "boolean"},
    runAsUser={"type": "integer", "format": "int64"},
    privileged={"type": "boolean"},
)
_CONTAINER: Final = _object(
    ("image",), image=_TEXT, command=_list(_TEXT), args=_list(_TEXT), securityContext=_SECURITY
)
_PLAN: Final = _object(
    ("upgrade",),
    concurrency={"type": "integer", "format": "int64"},
    version=_TEXT,
    serviceAccountName=_TEXT,
    nodeSelector=_object(
        matchExpressions=_list(_object(("key", "operator"), key=_TEXT, operator=_TEXT, values=_list(_TEXT)))
    ),
    cordon={"type": "boolean"},
    tolerations=_list(_object(key=_TEXT, operator=_TEXT, value=_TEXT, effect=_TEXT)),
    secrets=_list(_object(("name", "path"), name=_TEXT, path=_TEXT)),
    prepare=_CONTAINER,
    upgrade=_CONTAINER,
)
_SERVICE: Final = _object(
    ("name", "namespace"), name=_TEXT, namespace=_TEXT, port={"type": "integer", "format": "int32"}
)
_EXTENSION: Final = _object(("clientConfig",), clientConfig=_object(service=_SERVICE))


def _definition(group: str, version: str, kind: str, scope: str, spec: Json) -> Json:
    plural = f"{kind.lower()}s"
    schema = {"openAPIV3Schema": _object(("spec",), spec=spec)}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
            "versions": [{"name": version, "served": True, "storage": True, "schema": schema}],
        },
    }


CRDS: Final = (
    _definition("upgrade.cattle.io", "v1", "Plan", "Namespaced", _PLAN),
    _definition("runtime.cluster.x-k8s.io", "v1beta2", "ExtensionConfig", "Cluster", _EXTENSION),
)
