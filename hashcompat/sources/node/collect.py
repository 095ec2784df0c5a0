"""The container runtime of this node, asked for the hashes that its kubelet recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.model.records import Record
from hashcompat.core.records.collected import of_kubelet
from hashcompat.core.records.documents import from_node
from hashcompat.sources.node import cri, docker

AUTO: Final = "auto"


class _Runtime(msgspec.Struct, frozen=True):
    """How to ask one kind of runtime, and where its sockets usually are."""

    documents: Callable[[str], list[Any]]
    sockets: tuple[str, ...]


_RUNTIMES: Final = {
    "cri": _Runtime(cri.documents, cri.SOCKETS),
    "docker": _Runtime(docker.documents, docker.SOCKETS),
}
KINDS: Final = (AUTO, *_RUNTIMES)


def collect(kind: str, endpoint: str = "") -> list[Record]:
    """Return the records of the runtime that the kubelet uses.

    ``endpoint`` is its socket, if not a usual one. Several may answer: cri-dockerd and the Docker below
    it, or one that is left over. The kubelet's is the one with the most running containers, and CRI
    before Docker, since it shows more of sandboxes. Raises InputError, naming each socket and what is
    wrong with it, when none reports a kubelet's container.
    """
    answers: list[list[Record]] = []
    problems = []
    for ask, socket in _sockets(kind, endpoint.removeprefix("unix://")):
        try:
            answers.append(list(from_node(ask(socket))))
        except InputError as error:
            problems.append(str(error))
        else:
            problems += [] if answers[-1] else [f"{socket}: no kubelet's container in it"]
    best = of_kubelet(answers)
    if not best:
        usual = ", ".join(socket for runtime in _of_kind(kind) for socket in runtime.sockets)
        raise InputError(
            "; ".join(problems) or f"no container runtime at {usual}; name its socket with --runtime-endpoint"
        )
    return best


def _sockets(kind: str, endpoint: str) -> Iterator[tuple[Callable[[str], list[Any]], str]]:
    for runtime in _of_kind(kind):
        usual = [socket for socket in runtime.sockets if Path(socket).exists()]
        for socket in [endpoint] if endpoint else usual:
            yield runtime.documents, socket


def _of_kind(kind: str) -> list[_Runtime]:
    return list(_RUNTIMES.values()) if kind == AUTO else [_RUNTIMES[kind]]
