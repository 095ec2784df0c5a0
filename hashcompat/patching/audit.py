"""Which containers a kubelet patched by strip does not hash as the old release does.

Also which other hashes the global form of the patch changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hashcompat.catalog.lookup import Kubelet
from hashcompat.errors import DecodeError, InputError, UndecidedError
from hashcompat.go.jsonpath import below, element
from hashcompat.kubelet.alike import Defaults, unknown_to
from hashcompat.kubelet.hashing import hashers
from hashcompat.kubelet.staticpods import static_pod_text
from hashcompat.model.items import ContainerName, PodName, container_name, name_of
from hashcompat.model.pods import Inventory, Pod
from hashcompat.patching.stripping import Cut, cuts_between, stripped
from hashcompat.planning.view import View


class Hit(msgspec.Struct, frozen=True):
    """Why stripping fails for a container."""

    strings: tuple[str, ...]
    """The paths of strings that contain text to be removed."""

    fields: tuple[str, ...]
    """The paths of new fields that are set."""


class AuditRow(msgspec.Struct, frozen=True):
    """One container for which stripping fails, and why."""

    pod: PodName
    container: ContainerName
    hit: Hit


class Audit(msgspec.Struct, frozen=True):
    """What stripping would miss in a cluster, and what its global form would change besides."""

    old: Kubelet
    """The release whose hashes the stripped text is to have."""

    new: Kubelet
    """The release to patch."""

    cuts: tuple[Cut, ...]
    """The text that the patch removes."""

    containers: int
    """How many containers were checked."""

    rows: tuple[AuditRow, ...]
    """The containers for which stripping fails."""

    static_pods: tuple[str, ...]
    """``namespace/name`` of the static pods whose UID the global form changes."""

    templates: tuple[str, ...]
    """``namespace/Kind/name`` of the controllers whose pod-template-hash the global form changes."""


def audit_container(
    spec: Mapping[str, Any],
    old: Kubelet,
    new: Kubelet,
    cuts: Sequence[Cut],
    defaults: Defaults,
    *,
    keep_empty: bool,
) -> Hit | None:
    """Return why the stripped text of ``new`` is not the text of ``old``; None if it is.

    Raises DecodeError for a container that does not decode.
    """
    (new_hasher,), (old_hasher,) = (hashers(kubelet, keep_empty=keep_empty) for kubelet in (new, old))
    if stripped(new_hasher.text(spec), cuts) == old_hasher.text(spec):
        return None
    pieces = [cut.piece for cut in cuts]
    return Hit(
        tuple(_strings_with(spec, pieces, "")), tuple(dict.fromkeys(unknown_to(spec, new, old, defaults)))
    )


def _strings_with(value: Any, pieces: Sequence[str], path: str) -> Iterator[str]:
    """Yield the paths of strings that contain a piece, or most of one."""
    if isinstance(value, str):
        if any(piece.strip() in value or piece.rstrip("}") in value for piece in pieces):
            yield path
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _strings_with(item, pieces, below(path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings_with(item, pieces, element(path, index))


def audit(inventory: Inventory, old: Kubelet, new: Kubelet, view: View) -> Audit:
    """Return the audit of every container of a source.

    Raises UsageError if ``new`` cannot be stripped to ``old``, and InputError for a container that does not
    decode.
    """
    cuts = cuts_between(old, new, view.catalog.server_defaults())
    containers, rows, static = 0, list[AuditRow](), list[str]()
    templates: dict[str, None] = {}
    for pod in inventory.pods:
        containers += len(pod.containers)
        rows += _rows(pod, old, new, cuts, view)
        if pod.static and _uid_changes(pod, new, cuts):
            static.append(f"{pod.namespace}/{pod.name}")
        if _template_changes(pod, new, cuts, view):
            templates[f"{pod.namespace}/{pod.owner}"] = None
    return Audit(old, new, cuts, containers, tuple(rows), tuple(static), tuple(templates))


def _rows(pod: Pod, old: Kubelet, new: Kubelet, cuts: Sequence[Cut], view: View) -> Iterator[AuditRow]:
    """Yield the containers of a pod for which stripping fails; errors as ``audit``."""
    defaults, keep_empty = view.catalog.server_defaults(), view.keeps_empty(pod)
    for container in pod.containers:
        try:
            spec = view.seen(pod, container, new)
            hit = audit_container(spec, old, new, cuts, defaults, keep_empty=keep_empty)
        except DecodeError as error:
            raise InputError(f"{pod.origin}: {container.path}{error}") from None
        if hit is not None:
            yield AuditRow(name_of(pod), container_name(container.name, container.type), hit)


def _uid_changes(pod: Pod, new: Kubelet, cuts: Sequence[Cut]) -> bool:
    """Return whether the text of a static pod, or as much as its mirror pod shows of it, would be cut."""
    manifest = pod.static_manifest.content if pod.static_manifest else {"spec": dict(pod.spec)}
    try:
        text = static_pod_text(manifest, new)
    except (DecodeError, UndecidedError):
        return True
    return stripped(text, cuts) != text


def _template_changes(pod: Pod, new: Kubelet, cuts: Sequence[Cut], view: View) -> bool:
    """Return whether the text of a controller's template, which contains its containers', would be cut."""
    if not pod.owner.startswith(("ReplicaSet/", "Deployment/", "DaemonSet/", "StatefulSet/")):
        return False
    texts = (hashers(new)[0].text(view.seen(pod, container, new)) for container in pod.containers)
    return any(stripped(text, cuts) != text for text in texts)
