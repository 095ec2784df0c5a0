"""A node's CRI runtime: containerd, CRI-O or cri-dockerd, through crictl, which speaks every version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import part, text
from hashcompat.core.records.probes import Probe
from hashcompat.sources import programs
from hashcompat.sources.documents import check_values, load_all, loads
from hashcompat.sources.node import NodeQuery, NodeReader, NoneSuchError

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


_MOST_ENDED: Final = 200
"""Containers that ended and are asked for their exit codes."""


def documents(socket: str) -> list[Any]:
    """Return the output of ``crictl ps -a`` and ``crictl inspectp``: all containers and sandboxes.

    And of ``crictl inspect`` for those that ended and were not created again, whose exit codes decide.

    Raises InputError, naming the socket, when crictl is missing or the runtime cannot be asked.
    """
    containers = _crictl(socket, "ps", "-a", "-o", "json")
    pods = _crictl(socket, "pods", "-o", "json")
    sandboxes = [_id(row, socket) for document in pods for row in _items(document, socket)]
    outputs = containers + (_crictl(socket, "inspectp", "-o", "json", *sandboxes) if sandboxes else [])
    if ended := ended_in([row for document in containers for row in _containers(document)]):
        with suppress(InputError):  # one was removed meanwhile: what no code shows of the others is UNKNOWN
            outputs += _crictl(socket, "inspect", "-o", "json", *ended)
    return outputs


def ended_in(containers: Sequence[Any]) -> list[str]:
    """Return the ids of containers that ended and were not created again, of each the newest one."""
    newest, running = dict[tuple[str, str], tuple[int, str]](), set[tuple[str, str]]()
    for row in containers:
        container = row if isinstance(row, Mapping) else {}
        of = text(container, "podSandboxId"), text(part(container, "metadata"), "name")
        attempt = part(container, "metadata").get("attempt")
        rank = attempt if type(attempt) is int else 0
        if container.get("state") not in ("CONTAINER_EXITED", 2):
            running.add(of)
        elif _ID.fullmatch(text(container, "id")) and rank >= newest.get(of, (0, ""))[0]:
            newest[of] = rank, text(container, "id")
    return [container_id for of, (_, container_id) in newest.items() if of not in running][:_MOST_ENDED]


def _items(document: Any, socket: str) -> Iterator[Any]:
    items = document.get("items", []) if isinstance(document, Mapping) else None
    if not isinstance(items, list | None) or not isinstance(document, Mapping):
        raise InputError(f"{socket}: crictl pods: want an object with a list of items")
    yield from items or ()


def _id(row: Any, socket: str) -> str:
    sandbox_id = row.get("id") if isinstance(row, Mapping) else None
    if not isinstance(sandbox_id, str) or not _ID.fullmatch(sandbox_id):
        raise InputError(f"{socket}: crictl pods: an item without the id of a sandbox")
    return sandbox_id


def _crictl(socket: str, *arguments: str) -> list[Any]:
    try:
        program = programs.find("crictl")
    except InputError as error:
        raise InputError(
            f"{socket}: cannot ask the runtime: {error}; install it, or give files with --recorded"
        ) from None
    endpoint = ("--runtime-endpoint", f"unix://{socket}", "--timeout", f"{_TIMEOUT_SECONDS}s")
    try:
        # Twice as long as crictl waits, so that crictl itself says what was late.
        printed = programs.output([program, *endpoint, *arguments], 2 * _TIMEOUT_SECONDS, "/")
        return list(load_all(jsontext.decode_text(printed)))
    except programs.ExitCodeError as error:
        raise InputError(f"{socket}: crictl {arguments[0]} failed: {error}") from None
    except InputError as error:
        raise InputError(f"{socket}: crictl {arguments[0]}: {error}") from None


KIND: Final = "cri"
LIST: Final = "containers"
_LISTS: Final = {LIST: ("ps", "-a", "-o", "json"), "pods": ("pods", "-o", "json")}
_NONE_SUCH: Final = re.compile(r"code = NotFound|not found", re.IGNORECASE)
_LATE: Final = re.compile(r"DeadlineExceeded|deadline exceeded")


def without(problem: str = "") -> list[Probe]:
    """Return the probes of a node without such a runtime, or with one that cannot be asked."""
    return [Probe(KIND, name, problem=problem) for name in (LIST, "pods", "version", "info", "images")]


def list_of(asking: NodeReader, socket: str) -> NodeQuery:
    """Return the question for the containers of a runtime."""
    return _question(asking, socket, LIST, _LISTS[LIST])


def probes(asking: NodeReader, socket: str, listed: Probe) -> list[Probe]:
    """Return what a runtime shows besides its list of containers: itself, sandboxes, containers that run."""
    ask = partial(_question, asking, socket)
    # Those that ended have no process and no statistics: asking for these would fail for each of them.
    running = list(_running(listed))
    questions = [
        ask("version", ("version",)),
        ask("info", ("info",)),
        ask("images", ("images", "-o", "json")),
        ask("pods", _LISTS["pods"]),
        *(
            ask(f"stats {container_id}", ("stats", "-o", "json", "--id", container_id))
            for container_id in running
        ),
        *(
            ask(f"ended {container_id}", ("inspect", "-o", "json", container_id))
            for container_id in ended_in(rows(listed))
        ),
    ]
    return [*_inspected(asking, socket, running), *asking.ask_all(questions)]


def _inspected(asking: NodeReader, socket: str, running: Sequence[str]) -> list[Probe]:
    """Inspect all running containers by one crictl, or each by its own where that fails."""
    if not running:
        return []
    together = asking.ask(_question(asking, socket, "inspect", ("inspect", "-o", "json", *running)))
    texts = dict(_documents(together))
    # One container that was removed meanwhile makes crictl fail for all of them, so each is asked by its own.
    if set(texts) == set(running):
        return [Probe(KIND, f"inspect {container_id}", text) for container_id, text in texts.items()]
    arguments = (("inspect", "-o", "json", container_id) for container_id in running)
    names = (f"inspect {container_id}" for container_id in running)
    return asking.ask_all(
        _question(asking, socket, name, words) for name, words in zip(names, arguments, strict=True)
    )


def _documents(together: Probe) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each document that ``crictl inspect`` printed."""
    try:
        printed = list(load_all(together.text or ""))
    except InputError:
        return
    for container in [
        row for document in printed for row in (document if isinstance(document, list) else [document])
    ]:
        status = container.get("status") if isinstance(container, Mapping) else None
        if isinstance(status, Mapping) and isinstance(status.get("id"), str):
            yield status["id"], jsontext.dumps(container)


def _running(listed: Probe) -> Iterator[str]:
    for row in rows(listed):
        container_id = row.get("id") if isinstance(row, Mapping) else None
        runs = isinstance(row, Mapping) and row.get("state") in ("CONTAINER_RUNNING", 1)
        if runs and isinstance(container_id, str) and _ID.fullmatch(container_id):
            yield container_id


def rows(listed: Probe) -> list[Any]:
    """Return the containers in a list; none where there is no list."""
    try:
        return _containers(loads(listed.text) if listed.text else {})
    except InputError:
        return []


def _containers(document: Any) -> list[Any]:
    containers = document.get("containers") if isinstance(document, Mapping) else None
    return containers if isinstance(containers, list) else []


def _question(asking: NodeReader, socket: str, name: str, words: Sequence[str]) -> NodeQuery:
    return NodeQuery(KIND, name, partial(_printed, asking.seconds, socket, words))


def _printed(seconds: float, socket: str, words: Sequence[str]) -> str:
    try:
        program = programs.find("crictl")
    except InputError as error:
        raise InputError(f"{error}; install it, or give the output of hashcompat collector") from None
    endpoint = ("--runtime-endpoint", f"unix://{socket}", "--timeout", f"{2 * seconds:g}s")
    try:
        text = jsontext.decode_text(programs.output([program, *endpoint, *words], seconds, "/"))
    except programs.ExitCodeError as error:
        if _LATE.search(str(error)):
            raise InputError(f"no answer within {seconds:g} s") from None
        if words[0] in ("inspect", "stats") and _NONE_SUCH.search(str(error)):
            raise NoneSuchError(str(error)) from None
        raise InputError(f"crictl {words[0]} failed: {error}") from None
    check_values(text)
    return text
