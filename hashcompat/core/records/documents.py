"""Where a container runtime keeps the hash that a kubelet recorded, and how to read it back.

Up to 1.5 the hash is part of the Docker name, in hex; from 1.6 on in the CRI annotation
``io.kubernetes.container.hash``, which dockershim and cri-dockerd keep as a Docker label
(pkg/kubelet/kuberuntime/labels.go). rkt held a decimal annotation (pkg/kubelet/rkt/rkt.go, 1.5.8).

Docker names: ``k8s_<container>.<hex>_<pod>_<namespace>_<uid>_<random>`` up to 1.5
(pkg/kubelet/dockertools/docker.go ``BuildDockerName``), ``k8s_<container>_<pod>_<namespace>_<uid>_<attempt>``
from 1.6 on (pkg/kubelet/dockershim/naming.go); labels are those of pkg/kubelet/types/labels.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.core.errors import DecodeError, InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import mapping, part, rows, text
from hashcompat.core.go.metav1 import is_time
from hashcompat.core.go.quantity import from_json
from hashcompat.core.model.pods import OUT_OF_MEMORY
from hashcompat.core.model.verdicts import Applied, Record, Recorded, Sandbox
from hashcompat.core.shown import MASK

_HEX: Final = re.compile(r"[0-9a-f]{1,8}")
_DECIMAL: Final = re.compile(r"[0-9]{1,10}")
_EXITED: Final = re.compile(r"Exited \(([0-9]{1,10})\)")
"""How Docker's list says that a container ended."""
_RELEASE: Final = re.compile(r"v?[0-9]{1,3}\.[0-9]{1,3}[0-9a-z.+-]{0,40}")
_RKT_HASH: Final = "rkt.kubernetes.io/container-hash"
_RKT_ATTEMPT: Final = "rkt.kubernetes.io/restart-count"


_CREATED_STATES: Final = ("CONTAINER_CREATED", "0")
_EXITED_STATES: Final = ("CONTAINER_EXITED", "2")
_LOST_STATES: Final = ("CONTAINER_UNKNOWN", "3")
_RUNS: Final = {
    "CONTAINER_RUNNING": True,
    "1": True,
    **dict.fromkeys((*_CREATED_STATES, *_EXITED_STATES), False),
}
"""Whether a container runs, by the name or the number of its state; another one does not show it."""


def from_node(document: Any) -> Iterator[Record]:
    """Yield what a node's JSON records; containers that no kubelet created are skipped.

    Known are ``docker inspect``, Docker's container list, crictl's ``ps``, ``inspect``, ``pods`` and
    ``inspectp`` with ``-o json``, ``rkt cat-manifest``, and the kubelet's own ``actuated_pods_state``. Raises
    InputError for what no kubelet writes, and for labels that an image could imitate.
    """
    if isinstance(document, list):
        for item in document:
            yield from from_node(item)
    elif not isinstance(document, Mapping):
        return
    elif is_checkpoint(document):
        yield from from_checkpoint(document)
    elif document.get("acKind") == "PodManifest":
        yield from _from_rkt(document)
    elif isinstance(document.get("status"), Mapping):
        yield from _from_cri(document["status"])
    elif isinstance(document.get("containers") or document.get("items"), list):
        listed = document.get("containers") or document["items"]
        for row in [row for row in listed if isinstance(row, Mapping)]:
            # A row of a crictl list, or what ``inspect`` shows of it.
            yield from _from_cri(part(row, "status") or row)
    elif "Id" in document or "ID" in document:
        yield from _from_docker(document)


def _from_cri(status: Mapping[str, Any]) -> Iterator[Recorded | Sandbox]:
    labels, annotations = part(status, "labels"), part(status, "annotations")
    if labels.get(NAME):
        state = str(status.get("state"))
        yield structs.replace(
            _recorded(labels, annotations),
            id=text(status, "id"),
            created=time_of(status.get("createdAt")),
            running=_RUNS.get(state),
            attempt=cri_attempt(status),
            code=_number(status.get("exitCode")) if state in _EXITED_STATES else None,
            out_of_memory=status.get("reason") == OUT_OF_MEMORY,
            begun=state not in _CREATED_STATES,
            lost=state in _LOST_STATES,
        )
    else:
        yield from from_cri_pod(status)


def _from_docker(container: Mapping[str, Any]) -> Iterator[Recorded | Sandbox]:
    named = docker_container(container)
    if named is None:
        return
    if named.sandbox:
        yield from_docker_sandbox(named, container)
        return
    labels = {NAME: named.name, POD: named.pod, NAMESPACE: named.namespace, UID: named.uid}
    # Dockershim keeps annotations as labels with a prefix; before 1.6 the hash is a label or in the name.
    hashes = {key: named.labels.get(f"annotation.{key}") for key in (HASH, HASH_WITHOUT_RESOURCES)}
    hashes[HASH] = named.hex or hashes[HASH] or named.labels.get(HASH)
    state = container.get("State")
    yield structs.replace(
        _recorded(labels, hashes),
        id=text(container, "Id") or text(container, "ID"),
        created=time_of(container.get("Created")),
        running=named.running if _shows_state(container) else None,
        attempt=named.attempt,
        code=_docker_code(container),
        out_of_memory=part(container, "State").get("OOMKilled") is True,
        begun=(state.get("Status") if isinstance(state, Mapping) else state) != "created",
        docker=True,
    )


def _docker_code(container: Mapping[str, Any]) -> int | None:
    """Return the exit code of a container that ended: of ``docker inspect``, or in the words of the list."""
    state = container.get("State")
    if isinstance(state, Mapping):
        return _number(state.get("ExitCode")) if state.get("Status") == "exited" else None
    match = _EXITED.match(text(container, "Status"))
    return int(match[1]) if match else None


def _number(value: object) -> int | None:
    return value if type(value) is int else None  # true is an int too


def _from_rkt(manifest: Mapping[str, Any]) -> Iterator[Recorded]:
    """Read the pod manifest that a kubelet gave rkt; it does not show any state."""
    pod = _annotations(manifest)
    for app in rows(manifest, "apps"):
        annotations = _annotations(app) if isinstance(app, Mapping) else {}
        if name := annotations.get(NAME):
            value, attempt = annotations.get(_RKT_HASH, ""), pod.get(_RKT_ATTEMPT, "")
            uid, namespace, pod_name = (pod.get(key, "") for key in (UID, NAMESPACE, POD))
            yield Recorded(
                uid, namespace, pod_name, name, _decimal(value), running=None, attempt=_decimal(attempt)
            )


def _decimal(written: str) -> int | None:
    """Read an unsigned 32-bit number."""
    value = int(written) if _DECIMAL.fullmatch(written) else None
    return value if value is not None and value < 1 << 32 else None


def _annotations(value: Mapping[str, Any]) -> Mapping[str, str]:
    """Return an appc object's annotations, a list of names and values."""
    return {
        str(row["name"]): str(row["value"])
        for row in rows(value, "annotations")
        if isinstance(row, Mapping) and {"name", "value"} <= row.keys()
    }


def _recorded(labels: Mapping[str, Any], annotations: Mapping[str, Any]) -> Recorded:
    """Return what labels and annotations show; a missing or unreadable hash, 0 to a kubelet, is None here."""
    uid, namespace, pod, name = (str(labels.get(key, "")) for key in (UID, NAMESPACE, POD, NAME))
    value, without = (_hex(annotations.get(key)) for key in (HASH, HASH_WITHOUT_RESOURCES))
    # the release that the hash is of: that it is another one counts, whatever stands for it
    release = str(annotations.get(HASH_VERSION) or "")
    return Recorded(
        uid,
        namespace,
        pod,
        name,
        value,
        running=None,
        hash_version=release if not release or _RELEASE.fullmatch(release) else MASK,
        without_resources=without,
    )


def _hex(text: Any) -> int | None:
    return int(text, 16) if isinstance(text, str) and _HEX.fullmatch(text) else None


# Read sandboxes as a runtime reports them, for what a kubelet checks before any container.
#
# Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go ``podSandboxChanged`` (1.6.13, 1.8.15;
# kuberuntime/util/util.go ``PodSandboxChanged``, 1.36.0); up to 1.5 pkg/kubelet/dockertools/docker_manager.go
# ``podInfraContainerChanged`` (1.5.8).

_STATES: Final = {"SANDBOX_READY": True, "0": True, "SANDBOX_NOTREADY": False, "1": False}


def from_cri_pod(status: Mapping[str, Any]) -> Iterator[Sandbox]:
    """Yield the sandbox of ``crictl pods`` or ``crictl inspectp``; only the latter shows its network."""
    metadata = part(status, "metadata")
    ready = _STATES.get(str(status.get("state")))
    if ready is None or not metadata.get("name"):
        return
    options = part(part(part(status, "linux"), "namespaces"), "options")
    host_network = options.get("hostNetwork")
    if not isinstance(host_network, bool):  # CRI up to 1.10 had a truth value here, later ones have a word
        host_network = {"NODE": True, "POD": False}.get(str(options.get("network")))
    ip = part(status, "network").get("ip")
    uid, namespace, pod = (str(metadata.get(key, "")) for key in ("uid", "namespace", "name"))
    yield Sandbox(
        uid,
        namespace,
        pod,
        ready=ready,
        attempt=cri_attempt(status) or 0,
        host_network=host_network,
        ip=ip if isinstance(ip, str) else None,
        created=nanoseconds(status.get("createdAt")),
        id=text(status, "id"),
    )


def from_docker_sandbox(named: DockerContainer, container: Mapping[str, Any]) -> Sandbox:
    """Return an infra container as a sandbox; its IP is the network plugin's, unknown to Docker."""
    mode = part(container, "HostConfig").get("NetworkMode")
    host_network = mode == "host" if isinstance(mode, str) and mode else None
    return Sandbox(
        named.uid,
        named.namespace,
        named.pod,
        ready=named.running,
        attempt=named.attempt or 0,
        host_network=host_network,
        created=nanoseconds(container.get("Created")),
        docker=True,
        id=text(container, "Id") or text(container, "ID"),
    )


# Read which resources a kubelet applied: the file ``actuated_pods_state`` below its root directory.
#
# A kubelet of 1.33 or later writes it; older ones neither read nor remove it. Source:
# pkg/kubelet/allocation/state/checkpoint.go and state.go (1.33.13, 1.37.1).


def is_checkpoint(document: Mapping[str, Any]) -> bool:
    """Return whether a document is a kubelet's checkpoint: JSON in a text, and its checksum."""
    return isinstance(document.get("data"), str) and "checksum" in document


def from_checkpoint(document: Mapping[str, Any]) -> Iterator[Applied]:
    """Yield the resources of each container.

    Raises InputError for data that no kubelet wrote: with such a file it does not start.
    """
    try:
        pods = jsontext.loads(document["data"]).get("entries") or {}
        for uid, entry in pods.items():
            for name, resources in (entry.get("ContainerResources") or {}).items():
                for kind in ("limits", "requests"):
                    for amount in (resources.get(kind) or {}).values():
                        from_json(amount)  # raises DecodeError for what is not a quantity
                yield Applied(uid, name, resources)
    except (InputError, AttributeError, TypeError, DecodeError) as error:
        raise InputError(f"actuated_pods_state: $.data: not what a kubelet writes: {error}") from None


def of_pods_in(document: Mapping[str, Any]) -> Iterator[Applied]:
    """Yield the resources of pods themselves, under empty names (from 1.35 on); of ``from_checkpoint``."""
    for uid, entry in mapping(jsontext.loads(document["data"]).get("entries")).items():
        if own := mapping(mapping(entry).get("PodLevelResources")):
            yield Applied(uid, "", own)


# When a runtime created a container or sandbox, in whatever form it reports that.

_NANOSECONDS: Final = re.compile(r"[0-9]{1,19}")


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
    time = nanoseconds(created)
    try:
        return None if time is None else datetime.fromtimestamp(time // 10**9, UTC)
    except (ValueError, OverflowError, OSError):
        return None


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
        running=state.get("Running") is True if isinstance(state, Mapping) else is_listed_running(container),
        labels=labels,
    )


def _shows_state(container: Mapping[str, Any]) -> bool:
    """Return whether Docker's JSON shows if a container runs, which a tool may have left out."""
    state = container.get("State")
    if isinstance(state, Mapping):
        return isinstance(state.get("Running"), bool)
    return bool(text(container, "State") or text(container, "Status"))


def is_listed_running(row: Mapping[str, Any]) -> bool:
    """Return whether Docker's list has a container as running, paused included.

    Up to API 1.22 it has only words for people. Source: pkg/kubelet/dockershim/convert.go, 1.22.17.
    """
    return text(row, "State") in ("running", "paused") or text(row, "Status").startswith("Up")


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
