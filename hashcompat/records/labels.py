"""Parse the names and labels that kubelets give to containers and sandboxes in a runtime.

Docker names: ``k8s_<container>.<hex>_<pod>_<namespace>_<uid>_<random>`` up to 1.5
(pkg/kubelet/dockertools/docker.go ``BuildDockerName``), ``k8s_<container>_<pod>_<namespace>_<uid>_<attempt>``
from 1.6 on (pkg/kubelet/dockershim/naming.go); labels are those of pkg/kubelet/types/labels.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.go.metav1 import is_time

HASH: Final = "io.kubernetes.container.hash"

HASH_WITHOUT_RESOURCES: Final = "io.kubernetes.container.hashWithoutResources"

HASH_VERSION: Final = "alibabacloud.com/container-hash-version"

NAME: Final = "io.kubernetes.container.name"

POD: Final = "io.kubernetes.pod.name"

NAMESPACE: Final = "io.kubernetes.pod.namespace"

UID: Final = "io.kubernetes.pod.uid"

SANDBOX_ID: Final = "io.kubernetes.sandbox.id"
"""Of a container in Docker, its sandbox."""

DOCKER_TYPE: Final = "io.kubernetes.docker.type"

_SANDBOX: Final = "POD"

_NANOSECONDS: Final = re.compile(r"[0-9]{1,19}")

_ATTEMPT: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class DockerContainer:
    """A kubelet's container in Docker: the parts of its name, and its labels.

    ``hex`` is the hash in names up to 1.5.
    """

    name: str
    hex: str
    pod: str
    namespace: str
    uid: str
    attempt: int | None
    sandbox: bool
    running: bool
    labels: Mapping[str, Any]


def docker_container(container: Mapping[str, Any]) -> DockerContainer | None:
    """Read one object of Docker's JSON; return None where no kubelet created it.

    Known are ``docker inspect`` and Docker's container list. The parts of the name count before labels, and
    up to 1.5 alone: an image may have labels of the same names, which only a kubelet's own replace. Raises
    InputError for labels in one text.
    """
    parts = docker_name(container).split("_")
    if len(parts) < 6 or parts[0] != "k8s":
        return None
    name, _, in_name = parts[1].partition(".")
    labels = {} if in_name else _labels(container)
    state = container.get("State")
    return DockerContainer(
        name,
        in_name,
        pod=parts[2],
        namespace=parts[3],
        uid=parts[4],
        attempt=int(parts[5]) if not in_name and _ATTEMPT.fullmatch(parts[5]) else None,
        sandbox=name == _SANDBOX or labels.get(DOCKER_TYPE) == "podsandbox",
        running=state.get("Running") is True if isinstance(state, Mapping) else state == "running",
        labels=labels,
    )


def docker_name(container: Mapping[str, Any]) -> str:
    """Return a container's first name, without the slash before it; empty where it has none."""
    names = container.get("Names") or container.get("Name") or ""
    first = next(iter(names), "") if isinstance(names, list) else str(names).split(",")[0]
    return str(first).lstrip("/")


def _labels(container: Mapping[str, Any]) -> Mapping[str, Any]:
    labels = container.get("Labels")
    if isinstance(labels, str):
        raise InputError(
            "labels in one text, as docker ps writes them, where an image's can look like the kubelet's;"
            " give the output of docker inspect"
        )
    return mapping(container, "Labels") or mapping(mapping(container, "Config"), "Labels")


def mapping(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return an object below a key, empty where there is none."""
    child = value.get(key)
    return child if isinstance(child, Mapping) else {}


def text(value: Mapping[str, Any], key: str) -> str:
    """Return a string below a key, empty where there is none."""
    child = value.get(key)
    return child if isinstance(child, str) else ""


def rows(value: Mapping[str, Any], key: str) -> Sequence[Any]:
    """Return a list below a key, empty where there is none."""
    child = value.get(key)
    return child if isinstance(child, list) else ()


def cri_attempt(status: Mapping[str, Any]) -> int | None:
    """Return how often a CRI object was created before; None where the attempt is not a number.

    The first attempt, 0, may be left out (proto3).
    """
    attempt = mapping(status, "metadata").get("attempt", 0)
    return attempt if isinstance(attempt, int) and not isinstance(attempt, bool) else None


def nanoseconds(created: object) -> int | None:
    """Return when something was created, in nanoseconds since 1970; None for what is not a time.

    crictl and ``docker inspect`` write RFC 3339, or the former the nanoseconds in a text; Docker's container
    list has seconds.
    """
    if isinstance(created, int) and not isinstance(created, bool):
        return created * 10**9
    text = str(created)
    if _NANOSECONDS.fullmatch(text):
        return int(text)
    if not is_time(text):
        return None
    try:
        seconds = datetime.fromisoformat(text[:19] + re.sub(r"[.,]\d+", "", text[19:])).timestamp()
    except (ValueError, OverflowError):
        return None
    fraction = re.match(r"[.,](\d+)", text[19:])
    return int(seconds) * 10**9 + (int(fraction[1].ljust(9, "0")[:9]) if fraction else 0)


def time_of(created: object) -> datetime | None:
    """Return when something was created as a time in UTC; None for what is not a time."""
    found = nanoseconds(created)
    try:
        return None if found is None else datetime.fromtimestamp(found // 10**9, UTC)
    except (ValueError, OverflowError, OSError):
        return None
