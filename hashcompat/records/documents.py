"""Where a container runtime keeps the hash that a kubelet recorded, and how to read it back.

Up to 1.5 the hash is part of the Docker name, in hex; from 1.6 on in the CRI annotation
``io.kubernetes.container.hash``, which dockershim and cri-dockerd keep as a Docker label
(pkg/kubelet/kuberuntime/labels.go). rkt held a decimal annotation (pkg/kubelet/rkt/rkt.go, 1.5.8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec import structs

from hashcompat.go.jsonpath import part, rows, text
from hashcompat.model.records import Record, Recorded, Sandbox
from hashcompat.records import labels as names
from hashcompat.records.applied import from_checkpoint, is_checkpoint
from hashcompat.records.sandboxes import from_cri_pod, from_docker_sandbox
from hashcompat.records.times import time_of
from hashcompat.shown import MASK

_HEX: Final = re.compile(r"[0-9a-f]{1,8}")

_DECIMAL: Final = re.compile(r"[0-9]{1,10}")

_RELEASE: Final = re.compile(r"v?[0-9]{1,3}\.[0-9]{1,3}[0-9a-z.+-]{0,40}")

_RKT_HASH: Final = "rkt.kubernetes.io/container-hash"

_RKT_ATTEMPT: Final = "rkt.kubernetes.io/restart-count"


class _Made(msgspec.Struct, frozen=True):
    """What a runtime reports of a container besides labels and annotations."""

    id: str
    created: datetime | None
    running: bool
    attempt: int | None


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
        for item in document.get("containers") or document["items"]:
            yield from _from_cri_row(item)
    elif "Id" in document or "ID" in document:
        yield from _from_docker(document)


def _from_cri_row(row: Any) -> Iterator[Recorded | Sandbox]:
    """Read one row of a crictl list, or what ``inspect`` says of it."""
    if isinstance(row, Mapping):
        yield from _from_cri(part(row, "status") or row)


def _from_cri(status: Mapping[str, Any]) -> Iterator[Recorded | Sandbox]:
    labels, annotations = part(status, "labels"), part(status, "annotations")
    if labels.get(names.NAME):
        made = _Made(
            text(status, "id"),
            time_of(status.get("createdAt")),
            status.get("state") in ("CONTAINER_RUNNING", 1),
            names.cri_attempt(status),
        )
        yield _recorded(labels, annotations, made)
    else:
        yield from from_cri_pod(status)


def _from_docker(container: Mapping[str, Any]) -> Iterator[Recorded | Sandbox]:
    found = names.docker_container(container)
    if found is None:
        return
    if found.sandbox:
        yield from_docker_sandbox(found, container)
        return
    named = {
        names.NAME: found.name,
        names.POD: found.pod,
        names.NAMESPACE: found.namespace,
        names.UID: found.uid,
    }
    hashes = {
        key: found.labels.get(f"annotation.{key}") for key in (names.HASH, names.HASH_WITHOUT_RESOURCES)
    }
    hashes[names.HASH] = found.hex or hashes[names.HASH] or found.labels.get(names.HASH)
    identity = text(container, "Id") or text(container, "ID")
    made = _Made(identity, time_of(container.get("Created")), found.running, found.attempt)
    yield structs.replace(_recorded(named, hashes, made), docker=True)


def _from_rkt(manifest: Mapping[str, Any]) -> Iterator[Recorded]:
    """Read the pod manifest that a kubelet gave rkt; it does not show any state."""
    pod = _annotations(manifest)
    for app in rows(manifest, "apps"):
        told = _annotations(app) if isinstance(app, Mapping) else {}
        if name := told.get(names.NAME):
            value, attempt = told.get(_RKT_HASH, ""), pod.get(_RKT_ATTEMPT, "")
            uid, namespace, pod_name = (pod.get(key, "") for key in (names.UID, names.NAMESPACE, names.POD))
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


def _recorded(labels: Mapping[str, Any], annotations: Mapping[str, Any], made: _Made) -> Recorded:
    """Build the record; a missing or unreadable hash counts as 0 to a kubelet, and is None here."""
    uid, namespace, pod, name = (
        str(labels.get(key, "")) for key in (names.UID, names.NAMESPACE, names.POD, names.NAME)
    )
    value, without = (_hex(annotations.get(key)) for key in (names.HASH, names.HASH_WITHOUT_RESOURCES))
    return Recorded(
        uid,
        namespace,
        pod,
        name,
        value,
        running=made.running,
        attempt=made.attempt,
        hash_version=_version(annotations.get(names.HASH_VERSION)),
        without_resources=without,
        id=made.id,
        created=made.created,
    )


def _version(value: Any) -> str:
    """Return the release that a hash is of; that it is of another one counts, whatever stands for it."""
    found = str(value or "")
    return found if not found or _RELEASE.fullmatch(found) else MASK


def _hex(text: Any) -> int | None:
    return int(text, 16) if isinstance(text, str) and _HEX.fullmatch(text) else None
