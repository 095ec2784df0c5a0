"""The least rights with which a scope can be read: one rule for each read that ``cluster`` makes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from hashcompat.sources.cluster import (
    Request,
    Scope,
    budget_requests,
    node_requests,
    pod_requests,
    service_requests,
    system_request,
)
from hashcompat.sources.objects import SYSTEM

_API: Final = "rbac.authorization.k8s.io"
_NAME: Final = "hashcompat"
_NODE_BY_NODE: Final = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}
"""What a rollout reads of each node once that is upgraded; its plan lists them."""


class Roles(msgspec.Struct, frozen=True):
    """Roles, and their bindings where a service account is named."""

    objects: tuple[dict[str, Any], ...]
    """Kubernetes objects as plain JSON values."""


def minimal_roles(
    scope: Scope, account: tuple[str, str] | None = None, state: tuple[str, str] | None = None
) -> Roles:
    """Return a Role for each namespace that is read, and a ClusterRole for what has none.

    The UID of the namespace kube-system is part of the latter, or of a Role in that namespace.
    ``account`` is the namespace and name of a service account that they are bound to; without it there are no
    bindings. ``state`` is the namespace and name of the ConfigMap with the state of a rollout.
    """
    requests = [
        *pod_requests(scope),
        *(node_requests(scope) if scope.needs_nodes else ()),
        *((*budget_requests(scope), *service_requests(scope)) if scope.budgets else ()),
    ]
    by_namespace: dict[str, list[Request]] = {}
    for request in requests:
        by_namespace.setdefault(request.namespace, []).append(request)
    by_namespace.setdefault("" if "" in by_namespace else SYSTEM, []).append(system_request())
    rules = {namespace: _rules(found) for namespace, found in by_namespace.items()}
    if state:
        rules[""] = [*rules.get("", ()), _NODE_BY_NODE]
        core = {"apiGroups": [""], "resources": ["configmaps"]}
        rules[state[0]] = [
            *rules.get(state[0], ()),
            {**core, "resourceNames": [state[1]], "verbs": ["get", "update"]},
            # a role can name the objects of every verb but create: their names are not known then
            {**core, "verbs": ["create"]},
        ]
    roles = [_role(namespace, found) for namespace, found in rules.items()]
    return Roles((*roles, *(_binding(role, *account) for role in roles if account)))


def _rules(requests: Iterable[Request]) -> list[dict[str, Any]]:
    names: dict[tuple[str, str, str], list[str]] = {}
    for request in requests:
        key = request.group, request.resource, request.verb
        names.setdefault(key, []).extend(filter(None, [request.name]))
    return [
        {
            "apiGroups": [group],
            "resources": [resource],
            **({"resourceNames": found} if found else {}),
            "verbs": [verb],
        }
        for (group, resource, verb), found in names.items()
    ]


def _role(namespace: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "apiVersion": f"{_API}/v1",
        "kind": f"{_kind(namespace)}Role",
        "metadata": {"name": _NAME, **({"namespace": namespace} if namespace else {})},
        "rules": rules,
    }


def _binding(role: dict[str, Any], namespace: str, name: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{_API}/v1",
        "kind": f"{role['kind']}Binding",
        "metadata": dict(role["metadata"]),
        "roleRef": {"apiGroup": _API, "kind": role["kind"], "name": _NAME},
        "subjects": [{"kind": "ServiceAccount", "namespace": namespace, "name": name}],
    }


def _kind(namespace: str) -> str:
    return "" if namespace else "Cluster"
