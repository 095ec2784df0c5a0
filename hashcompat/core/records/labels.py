"""Parse the names and labels that kubelets give to containers and sandboxes in a runtime.

Docker names: ``k8s_<container>.<hex>_<pod>_<namespace>_<uid>_<random>`` up to 1.5
(pkg/kubelet/dockertools/docker.go ``BuildDockerName``), ``k8s_<container>_<pod>_<namespace>_<uid>_<attempt>``
from 1.6 on (pkg/kubelet/dockershim/naming.go); labels are those of pkg/kubelet/types/labels.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import part

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

_ATTEMPT: Final = re.compile(r"[0-9]{1,9}")


class DockerContainer(msgspec.Struct, frozen=True):
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
    return part(container, "Labels") or part(part(container, "Config"), "Labels")


def cri_attempt(status: Mapping[str, Any]) -> int | None:
    """Return how often a CRI object was created before; None where the attempt is not a number.

    The first attempt, 0, may be left out (proto3).
    """
    attempt = part(status, "metadata").get("attempt", 0)
    return attempt if isinstance(attempt, int) and not isinstance(attempt, bool) else None
