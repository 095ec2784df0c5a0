"""The container runtime that a kubelet drives: its name, version, and what it reports of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.go import jsontext
from hashcompat.go.jsonpath import mapping, rows
from hashcompat.model.pods import Node
from hashcompat.records.probes import AbsentError, Dump, UnreadError

_DRIVERS: Final = {True: "systemd", False: "cgroupfs"}

_DIRECTORIES: Final = {
    "docker": "/var/lib/docker",
    "containerd": "/var/lib/containerd",
    "cri-o": "/var/lib/containers/storage",
}
"""Where runtimes keep images by default."""


def document(dump: Dump, kind: str, name: str) -> Mapping[str, Any]:
    """Return the JSON of a probe; raises UnreadError for what is none."""
    try:
        found = jsontext.loads(dump.read(kind, name))
    except InputError as error:
        raise UnreadError(f"{kind} {name}: {error}") from None
    if not isinstance(found, Mapping):
        raise UnreadError(f"{kind} {name}: want a JSON object")
    return found


def version(dump: Dump, node: Node | None) -> str:
    """Return the runtime as a Node object reports it: from there, or as the runtime answers itself.

    CRI comes before Docker: a node with both has Docker's own containerd, whose CRI is off.
    """
    if node is not None and node.runtime:
        return node.runtime
    try:
        return _by_cri(dump)
    except (UnreadError, AbsentError) as error:
        try:
            return f"docker://{_text(document(dump, 'docker', 'version'), 'Version')}"
        except (UnreadError, AbsentError):
            raise error from None


def _answer(dump: Dump) -> Mapping[str, Any]:
    """Return what ``crictl version`` prints: JSON, or lines such as ``RuntimeName:  containerd``."""
    text = dump.read("cri", "version")
    if text.lstrip().startswith(("{", "[")):
        return document(dump, "cri", "version")
    pairs = (line.partition(":") for line in text.splitlines())
    return {name[:1].lower() + name[1:]: value.strip() for name, _, value in pairs}


def _by_cri(dump: Dump) -> str:
    found = _answer(dump)
    return f"{_text(found, 'runtimeName')}://{_text(found, 'runtimeVersion').removeprefix('v')}"


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key)
    if not isinstance(value, str) or not value:
        raise UnreadError(f"the runtime does not report its {key}")
    return value


def api_version(dump: Dump) -> str:
    """Return the version of CRI in which the runtime answered; empty where it was not asked."""
    try:
        return str(_answer(dump).get("runtimeApiVersion", ""))
    except (UnreadError, AbsentError):
        return ""


def cgroup_driver(info: Mapping[str, Any]) -> str:
    """Return the cgroup driver by ``docker info`` or, of containerd, ``crictl info``."""
    if isinstance(info.get("CgroupDriver"), str):
        return str(info["CgroupDriver"])
    runtimes = mapping(mapping(info.get("config")).get("containerd"))
    name = runtimes.get("defaultRuntimeName") or "runc"
    found = mapping(runtimes.get("runtimes")).get(str(name))
    if not isinstance(found, Mapping):
        raise UnreadError("the runtime does not report its cgroup driver")
    return _DRIVERS[mapping(found.get("options")).get("SystemdCgroup") is True]


def image_directory(runtime: str, info: Mapping[str, Any]) -> str:
    """Return where a runtime keeps images, as it reports it or by default."""
    found = info.get("DockerRootDir") or mapping(info.get("config")).get("containerdRootDir")
    found = found or _DIRECTORIES.get(runtime.partition("://")[0])
    if not isinstance(found, str):
        raise UnreadError(f"where {runtime} keeps images is not known")
    return found


def sandbox_image(info: Mapping[str, Any]) -> str:
    """Return the image of sandboxes by ``crictl info``: of containerd 1 and CRI-O, or of containerd 2."""
    config = mapping(info.get("config"))
    found = config.get("sandboxImage") or mapping(config.get("pinnedImages")).get("sandbox")
    if not isinstance(found, str):
        raise UnreadError("the runtime does not report the image of its sandboxes")
    return found


def conditions(info: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the conditions of ``crictl info`` by their types."""
    found = (row for row in rows(mapping(info.get("status")), "conditions") if isinstance(row, Mapping))
    return {str(row.get("type")): row for row in found}


def image_names(images: Mapping[str, Any]) -> Iterator[str]:
    """Yield every name in ``crictl images``."""
    for row in rows(images, "images"):
        for key in ("repoTags", "repoDigests"):
            yield from map(str, rows(mapping(row), key))
