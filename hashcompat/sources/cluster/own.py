"""What this program has of its own in a cluster: least rights to read it, and the state of a rollout.

There is one rule for each read that the package makes. The state is in a ConfigMap, which pipelines anywhere
share: each write has the resourceVersion of what was read as its precondition, so of two that begin together
the API server takes one (409 Conflict for the other, which then reads again).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import part
from hashcompat.core.model.escape import printable
from hashcompat.core.model.impact import Rollout
from hashcompat.sources.cluster import (
    Access,
    ReadScope,
    Request,
    Say,
    budget_requests,
    connect,
    node_requests,
    pod_requests,
    service_requests,
    system_request,
)
from hashcompat.sources.cluster.kubeapi import Client, StatusError, UnreachableError
from hashcompat.sources.files.rollout import rollout_of, text_of
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
    scope: ReadScope, account: tuple[str, str] | None = None, state: tuple[str, str] | None = None
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
    rules = {namespace: _rules(reads) for namespace, reads in by_namespace.items()}
    if state:
        rules[""] = [*rules.get("", ()), _NODE_BY_NODE]
        core = {"apiGroups": [""], "resources": ["configmaps"]}
        rules[state[0]] = [
            *rules.get(state[0], ()),
            {**core, "resourceNames": [state[1]], "verbs": ["get", "update"]},
            # a role can name the objects of every verb but create: their names are not known then
            {**core, "verbs": ["create"]},
        ]
    roles = [_role(namespace, role_rules) for namespace, role_rules in rules.items()]
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
            **({"resourceNames": resource_names} if resource_names else {}),
            "verbs": [verb],
        }
        for (group, resource, verb), resource_names in names.items()
    ]


def _role(namespace: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "apiVersion": f"{_API}/v1",
        "kind": "Role" if namespace else "ClusterRole",
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


T = TypeVar("T")
Json = dict[str, Any]


# The state of a rollout, in a ConfigMap.

_KEY: Final = "state.json"
_NOT_FOUND: Final = 404
_CONFLICT: Final = 409
_TRIES: Final = 20
"""Each try that conflicts is one in which another pipeline wrote."""


class StateConfigMap(msgspec.Struct, frozen=True):
    """A ConfigMap; one that is not there is a rollout in which no node was started."""

    access: Access
    say: Say
    namespace: str
    name: str

    def read(self) -> Rollout:
        """Return the state; raises InputError, naming the ConfigMap, where it cannot be read."""
        with self._reached("read"), connect(self.access, self.say, self._path) as client:
            return self._state(self._config_map(client))

    def update(self, edit: Callable[[Rollout], tuple[Rollout | None, T]]) -> T:
        """Write the state that ``edit`` returns, if any; errors as ``read``.

        ``edit`` is asked again where another pipeline wrote meanwhile. It must know its own writing again: an
        answer may be lost, and the same request made twice.
        """
        with self._reached("read"), connect(self.access, self.say, self._path) as client:
            for _ in range(_TRIES):
                config_map = self._config_map(client)
                state = self._state(config_map)
                changed, result = edit(state)
                if changed is None or self._is_written(client, config_map, text_of(changed)):
                    return result
        holder = max((turn.started, turn.holder) for turn in state.turns.values())[1] if state.turns else ""
        last = f"; the last turn in it is that of {printable(holder)}" if holder else ""
        raise InputError(f"{self}: others changed it {_TRIES} times before it could be written{last}")

    def __str__(self) -> str:
        return f"configmap {self.namespace}/{self.name}"

    @property
    def _folder(self) -> str:
        return Request("configmaps", self.namespace).path

    @property
    def _path(self) -> str:
        return Request("configmaps", self.namespace, self.name).path

    @contextmanager
    def _reached(self, verb: str) -> Iterator[None]:
        """Name the ConfigMap where the API server is not reached."""
        try:
            yield
        except UnreachableError as error:
            raise InputError(f"cannot {verb} the state {self}: {error}") from None

    def _config_map(self, client: Client) -> Json | None:
        try:
            return client.get(self._path)
        except StatusError as error:
            if error.code == _NOT_FOUND:
                return None
            raise self._refused("get", error) from None

    def _state(self, config_map: Json | None) -> Rollout:
        """Return the state in an object; one that others made for something else is not taken for empty."""
        if config_map is None:
            return Rollout()
        text = part(config_map, "data").get(_KEY)
        if not isinstance(text, str):
            raise InputError(f"{self}: $.data['{_KEY}']: missing, so it is not the state of a rollout")
        try:
            return rollout_of(text)
        except InputError as error:
            raise InputError(f"{self}: {_KEY}: {error}") from None

    def _is_written(self, client: Client, config_map: Json | None, text: str) -> bool:
        """Write, and return whether nobody else did since it was read."""
        try:
            with self._reached("write"):
                self._write(client, config_map, text)
        except StatusError as error:
            if error.code == _CONFLICT:
                return False
            raise self._refused("update" if config_map else "create", error) from None
        return True

    def _write(self, client: Client, config_map: Json | None, text: str) -> None:
        if config_map is None:
            client.write("POST", self._folder, self._object({"name": self.name}, {_KEY: text}))
            return
        changed = self._object(part(config_map, "metadata"), {**part(config_map, "data"), _KEY: text})
        # all of the object as it was read: its resourceVersion is the precondition, its labels are others'
        client.write("PUT", self._path, {**config_map, **changed})

    def _object(self, metadata: Mapping[str, Any], data: Mapping[str, Any]) -> Json:
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}

    def _refused(self, verb: str, error: StatusError) -> InputError:
        hint = (
            f"'hashcompat rbac --state configmap:{self.namespace}/{self.name}' prints the role that is needed"
        )
        return InputError(f"cannot {verb} the {self}: {error}; {hint}")
