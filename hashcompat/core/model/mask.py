"""What is shown of a container: names, words and numbers; every other text may be a secret and is hidden."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Final

from hashcompat.core import shown

MASK: Final = shown.MASK

_DEEPEST: Final = 50
"""Levels; no Go type below Container is nearly as deep, so decoding drops what is deeper."""

_NAME: Final = re.compile(r"[A-Za-z0-9_./'\[\]-]*")
"""Names, words and paths of fields; what has ``=``, ``:`` or ``@`` in it may be more than a name."""

_PORT: Final = re.compile(r"[0-9]{1,5}|(?=[a-z0-9-]{1,15}\Z)[a-z0-9-]*[a-z][a-z0-9-]*")
"""A port by its number or its name (IANA_SVC_NAME)."""

_QUANTITIES: Final = ("resources.limits.", "resources.requests.")
"""Below these every text is an amount; the keys are names of resources."""

_HANDLERS: Final = (
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle.postStart",
    "lifecycle.preStop",
)

_OF_HANDLERS: Final = ("httpGet.httpHeaders.name", "httpGet.scheme", "httpGet.protocol", "grpc.mode")

_NAMES: Final = (
    "imagePullPolicy",
    "env.name",
    "env.valueFrom.configMapKeyRef.key",
    "env.valueFrom.configMapKeyRef.name",
    "env.valueFrom.fieldRef.apiVersion",
    "env.valueFrom.fieldRef.fieldPath",
    "env.valueFrom.fileKeyRef.key",
    "env.valueFrom.fileKeyRef.volumeName",
    "env.valueFrom.resourceFieldRef.containerName",
    "env.valueFrom.resourceFieldRef.resource",
    "env.valueFrom.secretKeyRef.key",
    "env.valueFrom.secretKeyRef.name",
    "envFrom.configMapRef.name",
    "envFrom.prefix",
    "envFrom.secretRef.name",
    "lifecycle.stopSignal",
    "ports.name",
    "ports.protocol",
    "resizePolicy.resourceName",
    "resizePolicy.restartPolicy",
    "resources.claims.name",
    "resources.claims.request",
    "restartPolicy",
    "restartPolicyRules.action",
    "restartPolicyRules.exitCodes.operator",
    "securityContext.appArmorProfile.type",
    "securityContext.capabilities.add",
    "securityContext.capabilities.drop",
    "securityContext.procMount",
    "securityContext.seccompProfile.type",
    "securityContext.windowsOptions.gmsaCredentialSpecName",
    "terminationMessagePolicy",
    "volumeDevices.name",
    "volumeMounts.mountPropagation",
    "volumeMounts.name",
    "volumeMounts.recursiveReadOnly",
    *map(".".join, product(_HANDLERS, _OF_HANDLERS)),
)

_PATHS: Final = (
    "env.valueFrom.fileKeyRef.path",
    "terminationMessagePath",
    "volumeDevices.devicePath",
    "volumeMounts.mountPath",
    "volumeMounts.subPath",
    "volumeMounts.subPathExpr",
    "workingDir",
    *(f"{handler}.httpGet.path" for handler in _HANDLERS),
)

_PORTS: Final = tuple(map(".".join, product(_HANDLERS, ("httpGet.port", "tcpSocket.port"))))


def masked(container: Mapping[str, Any]) -> dict[str, Any]:
    """Return the container's JSON, every text hidden that may be a secret; a hidden one is ``***``.

    The structure, numbers and truth values stay, and so do names. Of images user and password are hidden, of
    paths what is not made of usual words.
    """
    result: dict[str, Any] = _masked(container, "", 0)
    return result


def _masked(value: Any, path: str, depth: int) -> Any:
    if depth > _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return {key: _masked(item, f"{path}.{key}".lstrip("."), depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, path, depth + 1) for item in value]
    return _text(value, path) if isinstance(value, str) else value


def _text(value: str, path: str) -> str:
    if path.startswith(_QUANTITIES):
        return value
    return _SHOWN.get(path, _hidden)(value)


def _hidden(_: str) -> str:
    return MASK


def _where(pattern: re.Pattern[str]) -> Callable[[str], str]:
    """Show a text that is of a form."""
    return lambda value: value if pattern.fullmatch(value) else MASK


_SHOWN: Final[Mapping[str, Callable[[str], str]]] = {
    **dict.fromkeys(_NAMES, _where(_NAME)),
    **dict.fromkeys(_PATHS, shown.path),
    **dict.fromkeys(_PORTS, _where(_PORT)),
    "image": shown.image,
    "name": str,
    "env.valueFrom.resourceFieldRef.divisor": str,
}
"""What is shown of a text, by its place; elsewhere nothing is."""
