"""What a node's Docker reports, as probes: asked over its socket, each container by itself and once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.records.probes import AbsentError, Probe, UnreadError
from hashcompat.shown import said
from hashcompat.sources.node import docker
from hashcompat.sources.node.asking import Asking, NoneSuchError, Question
from hashcompat.sources.wholejson import check_values, loads

KIND: Final = "docker"

LIST: Final = "list"

_OK: Final = 200

_NOT_FOUND: Final = 404

_ALL: Final = "containers/json?all=1"

_LONGEST_MESSAGE: Final = 200


def without(problem: str = "") -> list[Probe]:
    """Return the probes of a node without Docker, or with one that cannot be asked."""
    return [Probe(KIND, name, problem=problem) for name in (LIST, "version", "info")]


def probes(asking: Asking, socket: str) -> list[Probe]:
    """Return Docker's version, information and list, and what it shows of each container.

    Where it is not Docker that listens, or one that is too new, that is the problem of the list.
    """
    version = asking.ask(Question(KIND, "version", partial(_text, asking, socket, "/version")))
    try:
        spoken = docker.negotiated(loads(version.read()), socket)
    except (InputError, UnreadError, AbsentError) as error:
        why = version.problem or str(error)
        return [version, *(Probe(KIND, name, problem=why) for name in (LIST, "info"))]
    ask = partial(_question, asking, socket, spoken)
    listed = asking.ask(ask(LIST, _ALL))
    inspects = [ask(f"inspect {one}", f"containers/{one}/json") for one in ids(listed)]
    return [version, listed, *asking.every([ask("info", "info"), *inspects])]


def list_again(asking: Asking, socket: str, version: Probe) -> Probe:
    """Ask for the list once more, in the version that was negotiated before."""
    spoken = docker.negotiated(loads(version.read()), socket)
    return asking.ask(_question(asking, socket, spoken, LIST, _ALL))


def ids(listed: Probe) -> Iterator[str]:
    """Yield the ids in a list of containers; none where there is no list."""
    for row in _rows(listed):
        found = row.get("Id") if isinstance(row, dict) else None
        if isinstance(found, str) and found.isalnum():
            yield found


def _rows(listed: Probe) -> list[Any]:
    try:
        found = loads(listed.text) if listed.text else []
    except InputError:
        return []
    return found if isinstance(found, list) else []


def _question(asking: Asking, socket: str, spoken: str, name: str, path: str) -> Question:
    return Question(KIND, name, partial(_text, asking, socket, f"/v{spoken}/{path}"))


def _text(asking: Asking, socket: str, path: str) -> str:
    """Return JSON as Docker writes it; raises NoneSuchError for what it does not have."""
    status, text = docker.answer(socket, path, asking.each)
    if status == _NOT_FOUND:
        raise NoneSuchError(path)
    if status != _OK:
        raise InputError(f"Docker answered {status}: {said(text.strip())[:_LONGEST_MESSAGE]}")
    check_values(text)
    return text
