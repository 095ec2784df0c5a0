"""Where a container runtime keeps the hash that a kubelet recorded, and how to read it back.

Up to 1.5 the hash stands in the Docker name, ``k8s_<container>.<hex>_<pod>_<namespace>_<uid>_<random>``; from 1.6 on in the CRI annotation
``io.kubernetes.container.hash``, which dockershim and cri-dockerd keep as a Docker label (pkg/kubelet/dockershim/naming.go and labels.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.model import Recorded

_HASH: Final = "io.kubernetes.container.hash"
_NAME: Final = "io.kubernetes.container.name"
_POD: Final = "io.kubernetes.pod.name"
_NAMESPACE: Final = "io.kubernetes.pod.namespace"
_UID: Final = "io.kubernetes.pod.uid"
_DOCKER_TYPE: Final = "io.kubernetes.docker.type"
_SANDBOX: Final = "POD"
_HEX: Final = re.compile(r"[0-9a-f]{1,8}")

_LOG_1_8: Final = re.compile(
    r'Container "(?P<container>[^"]+)" \(\{[^}]*\}\)\s+of\s+pod\s+(?P<pod>[^_\s]+)_(?P<namespace>[^(\s]+)\((?P<uid>[^)\s]+)\):'
    r"\s+Container spec hash changed \((?P<recorded>\d+) vs (?P<expected>\d+)\)"
)
_LOG_1_7: Final = re.compile(
    r'Pod "(?P<pod>[^"]+)" container "(?P<container>[^"]+)" hash changed \((?P<recorded>\d+) vs (?P<expected>\d+)\)'
)


def from_runtime(document: Any) -> Iterator[Recorded]:
    """Yield what a runtime's JSON says: ``docker inspect``, Docker's container list, ``crictl inspect`` and ``crictl ps -o json``.

    Sandboxes and containers that are no kubelet's are passed over.
    """
    if isinstance(document, list):
        for item in document:
            yield from from_runtime(item)
    elif isinstance(document, Mapping):
        if isinstance(document.get("containers"), list):
            for item in document["containers"]:
                yield from _from_cri(item)
        elif isinstance(document.get("status"), Mapping):
            yield from _from_cri(document["status"])
        elif "Id" in document:
            yield from _from_docker(document)


def _from_cri(status: Mapping[str, Any]) -> Iterator[Recorded]:
    labels, annotations = _mapping(status, "labels"), _mapping(status, "annotations")
    if labels.get(_NAME):
        text = annotations.get(_HASH)
        yield _recorded(labels, text, running=status.get("state") in ("CONTAINER_RUNNING", 1), attempt=_attempt(status))


def _attempt(status: Mapping[str, Any]) -> int:
    attempt = _mapping(status, "metadata").get("attempt", 0)
    return attempt if isinstance(attempt, int) else 0


def _from_docker(container: Mapping[str, Any]) -> Iterator[Recorded]:
    labels = _mapping(container, "Labels") or _mapping(_mapping(container, "Config"), "Labels")
    names = container.get("Names") or [container.get("Name", "")]
    parts = str(names[0]).lstrip("/").split("_")
    if labels.get(_DOCKER_TYPE) == "podsandbox" or len(parts) < 6 or parts[0] != "k8s":
        return
    name, _, in_name = parts[1].partition(".")
    if name == _SANDBOX:
        return
    named = {_NAME: name, _POD: parts[2], _NAMESPACE: parts[3], _UID: parts[4]}
    state = container.get("State")
    running = state.get("Running") is True if isinstance(state, Mapping) else state == "running"
    text = in_name or labels.get(f"annotation.{_HASH}") or labels.get(_HASH)
    attempt = int(parts[5]) if not in_name and parts[5].isdecimal() else 0
    yield _recorded({**named, **{key: value for key, value in labels.items() if key in named}}, text, running=running, attempt=attempt)


def _mapping(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    child = value.get(key)
    return child if isinstance(child, Mapping) else {}


def _recorded(labels: Mapping[str, Any], text: Any, *, running: bool, attempt: int) -> Recorded:
    """Build the record; a missing or unreadable hash counts as 0 to a kubelet, and is None here."""
    value = int(text, 16) if isinstance(text, str) and _HEX.fullmatch(text) else None
    uid, namespace, pod, name = (str(labels.get(key, "")) for key in (_UID, _NAMESPACE, _POD, _NAME))
    return Recorded(uid, namespace, pod, name, value, running=running, attempt=attempt)


def from_log(text: str) -> Iterator[Recorded]:
    """Yield what kubelet logs say of the two formats that carry values (1.7 and 1.8 - 1.13): the recorded hash stands first."""
    for pattern in (_LOG_1_7, _LOG_1_8):
        for match in pattern.finditer(text):
            found = match.groupdict()
            yield Recorded(
                found.get("uid") or "", found.get("namespace") or "", found["pod"], found["container"], int(found["recorded"]), running=True
            )
