"""Inputs that are small on the disk and large in memory, each of about a size in bytes, piece by piece."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice
from typing import Any, Final

from hashcompat.core.go.allowance import MOST_CONTAINERS

Pieces = Iterator[str]

OBJECT: Final = 7 << 20
"""Characters of one large object, a little below the most that is read."""


def _pod(number: int, *containers: Any, **more: Any) -> dict[str, Any]:
    """Return a small pod as an API server returns it."""
    return {
        "kind": "Pod",
        "metadata": {"name": f"p{number}", "uid": f"u{number}", **more},
        "spec": {"containers": list(containers) or [{"name": "c", "image": "i"}]},
    }


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


def _filled(size: int, piece: Callable[[int], str]) -> Pieces:
    """Yield numbered pieces, as many as there is space for."""
    left = size
    for number in count():
        text = piece(number)
        left -= len(text.encode())
        if left < 0:
            return
        yield text


def _lines(value: Callable[[int], Any]) -> Callable[[int], Pieces]:
    return lambda size: _filled(size, lambda number: _line(value(number)))


def _listed(size: int) -> Pieces:
    """Yield one JSON list of tiny manifests."""
    yield '{"kind":"List","items":[\n'
    yield from _filled(size - 200, lambda number: _line(_manifest(number)).rstrip() + ",\n")
    yield _line(_manifest(-1)) + "]}"


def _manifest(number: int) -> dict[str, Any]:
    return {**_pod(number), "metadata": {"name": f"p{number}"}}


def _different(number: int) -> dict[str, Any]:
    env = [{"name": f"E{index}", "value": f"{number} {index}"} for index in range(20)]
    return _pod(number, {"name": "c", "image": f"i{number}", "args": [f"{number}"], "env": env})


def _arguments(text: str) -> Callable[[int], Any]:
    return lambda number: _pod(number, {"name": "c", "image": "i", "args": [text]})


def _many_arguments(number: int) -> dict[str, Any]:
    return _pod(number, {"name": "c", "image": "i", "args": ["a"] * 400_000})


def _nested(number: int) -> dict[str, Any]:
    """Return a pod with a field that is nested as deep as one may be."""
    value: Any = 1
    for _ in range(690):
        value = [value]
    return _pod(number, {"name": "c", "image": "i", "unknown": value})


def _keys(number: int) -> dict[str, Any]:
    limits = {f"k{index}": "1" for index in range(200_000)}
    return _pod(number, {"name": "c", "image": "i", "resources": {"limits": limits}})


def _node(number: int) -> dict[str, Any]:
    info = {"kubeletVersion": "v1.13.12"}
    return {"kind": "Node", "metadata": {"name": f"n{number}"}, "status": {"nodeInfo": info}}


def _nodes(size: int) -> Pieces:
    yield _line(_pod(0))
    yield from _lines(_node)(size)


def _aliases(size: int) -> Pieces:
    """Yield pods in YAML, each with a list that is named and repeated."""

    def document(number: int) -> str:
        return (
            f"---\nkind: Pod\nmetadata: {{name: p{number}, uid: u{number}}}\nspec:\n  containers:\n"
            "  - {name: c, image: i, args: &a [x, y, z]}\n"
            + "".join(f"  - {{name: c{index}, image: i, args: *a}}\n" for index in range(20))
            + "status: {phase: Running}\n"
        )

    return _filled(size, document)


def _empty_containers(number: int) -> dict[str, Any]:
    return _pod(number, *({"name": ""} for _ in range(500)))


def _emoji(number: int) -> dict[str, Any]:
    """Return a pod with a text in which one character makes all others take four bytes."""
    text = "\N{GRINNING FACE}" + "a" * (OBJECT // 2)
    return _pod(number, {"name": "c", "image": "i", "args": [text]})


def _long_names(number: int) -> dict[str, Any]:
    name = f"{number}\N{GRINNING FACE}" + "a" * 1000
    return _pod(number, {"name": name, "image": "i"}, name=name, namespace=name)


CASES: Final[Mapping[str, Callable[[int], Pieces]]] = {
    "tiny pods in JSON lines": _lines(_pod),
    "tiny manifests in one JSON list": _listed,
    "as many containers as one run may have": lambda size: islice(_lines(_pod)(size), MOST_CONTAINERS),
    "different containers": lambda size: islice(_lines(_different)(size), 40_000),
    "pods of 500 empty containers": _lines(_empty_containers),
    "long names": _lines(_long_names),
    "one object": lambda size: iter([_line(_arguments("a" * size)(0))]),
    "long texts": _lines(_arguments("a" * OBJECT)),
    "texts of astral characters": _lines(_arguments("\N{GRINNING FACE}" * (OBJECT // 4))),
    "texts with one astral character": _lines(_emoji),
    "lists of many values": _lines(_many_arguments),
    "objects of many keys": lambda size: islice(_lines(_keys)(size), 12),
    "deep nesting": _lines(_nested),
    "nodes": _nodes,
    "YAML aliases": _aliases,
}
"""What ``-f`` may be given, by a name: each returns the pieces of a file of about so many bytes."""


def log(size: int) -> Pieces:
    """Yield a kubelet's log in which every line records another container's hash."""
    return _filled(
        size,
        lambda number: (
            f'I0101 00:00:00.000000 1 kuberuntime_manager.go:1] pod "p{number}_default(u{number})" '
            f'container "c" hash changed (1 vs {number}), it will be killed and re-created.\n'
        ),
    )


def crictl(pods: range) -> tuple[str, str]:
    """Return what ``crictl ps -o json`` and ``crictl pods -o json`` print of pods of two containers."""
    containers = [_container(pod, name) for pod in pods for name in ("app", "proxy")]
    return json.dumps({"containers": containers}), json.dumps({"items": [_sandbox(pod) for pod in pods]})


def _container(pod: int, name: str) -> dict[str, Any]:
    labels = {**_labels(pod), "io.kubernetes.container.name": name}
    annotations = {
        "io.kubernetes.container.hash": f"{pod:x}",
        "io.kubernetes.container.restartCount": "0",
        "io.kubernetes.pod.terminationGracePeriod": "30",
    }
    return {
        "id": f"{pod:032x}{name:0>32}",
        "podSandboxId": f"{pod:064x}",
        "metadata": {"name": name, "attempt": 0},
        "image": {"image": f"sha256:{1:064x}", "annotations": {}},
        "imageRef": f"sha256:{1:064x}",
        "state": "CONTAINER_RUNNING",
        "createdAt": str(1_700_000_000_000_000_000 + pod),
        "labels": labels,
        "annotations": annotations,
    }


def _sandbox(pod: int) -> dict[str, Any]:
    labels = _labels(pod)
    name, namespace, uid = labels.values()
    return {
        "id": f"{pod:064x}",
        "metadata": {"name": name, "uid": uid, "namespace": namespace, "attempt": 0},
        "state": "SANDBOX_READY",
        "createdAt": str(1_700_000_000_000_000_000 + pod),
        "labels": labels,
        "annotations": {"kubernetes.io/config.source": "api"},
    }


def _labels(pod: int) -> dict[str, str]:
    return {
        "io.kubernetes.pod.name": f"deployment-{pod:010x}-{pod % 99991:05x}",
        "io.kubernetes.pod.namespace": f"namespace-{pod % 20}",
        "io.kubernetes.pod.uid": f"{pod:08x}-0000-4000-8000-{pod:012x}",
    }
