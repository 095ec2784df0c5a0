"""Ask containerd, CRI-O or cri-dockerd through crictl, which speaks every version of the CRI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.go import jsontext
from hashcompat.sources import programs
from hashcompat.sources.wholejson import load_all

SOCKETS: Final = (
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/cri-dockerd.sock",
    "/run/k3s/containerd/containerd.sock",
    "/run/k0s/containerd.sock",
    "/var/snap/microk8s/common/run/containerd.sock",
)

_TIMEOUT_SECONDS: Final = 60

_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,255}")
"""The id of a sandbox, which becomes an argument."""


def documents(socket: str) -> list[Any]:
    """Return the output of ``crictl ps -a`` and ``crictl inspectp``: all containers and sandboxes.

    Raises InputError, naming the socket, when crictl is missing or the runtime cannot be asked.
    """
    containers = _crictl(socket, "ps", "-a", "-o", "json")
    pods = _crictl(socket, "pods", "-o", "json")
    sandboxes = [_id(row, socket) for document in pods for row in _items(document, socket)]
    return containers + (_crictl(socket, "inspectp", "-o", "json", *sandboxes) if sandboxes else [])


def _items(document: Any, socket: str) -> Iterator[Any]:
    items = document.get("items", []) if isinstance(document, Mapping) else None
    if not isinstance(items, list | None) or not isinstance(document, Mapping):
        raise InputError(f"{socket}: crictl pods: want an object with a list of items")
    yield from items or ()


def _id(row: Any, socket: str) -> str:
    found = row.get("id") if isinstance(row, Mapping) else None
    if not isinstance(found, str) or not _ID.fullmatch(found):
        raise InputError(f"{socket}: crictl pods: an item without the id of a sandbox")
    return found


def _crictl(socket: str, *arguments: str) -> list[Any]:
    try:
        program = programs.find("crictl")
    except InputError as error:
        raise InputError(
            f"{socket}: cannot ask the runtime: {error}; install it, or give files with --recorded"
        ) from None
    endpoint = ("--runtime-endpoint", f"unix://{socket}", "--timeout", f"{_TIMEOUT_SECONDS}s")
    try:
        printed = programs.output([program, *endpoint, *arguments], 2 * _TIMEOUT_SECONDS, "/")
        return list(load_all(jsontext.decode_text(printed)))
    except programs.FailedError as error:
        raise InputError(f"{socket}: crictl {arguments[0]} failed: {error}") from None
    except InputError as error:
        raise InputError(f"{socket}: crictl {arguments[0]}: {error}") from None
