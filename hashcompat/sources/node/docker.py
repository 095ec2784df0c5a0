"""The Docker Engine API over its Unix socket, as spoken by Docker 1.11 to 29: no docker client is needed."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import requests
from requests_unixsocket import Session
from urllib3.exceptions import HTTPError, ReadTimeoutError

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.records.probes import AbsentError, Probe, UnreadError
from hashcompat.core.shown import said
from hashcompat.sources.content import LONGEST_TEXT, RefusedError
from hashcompat.sources.documents import check_values, loads
from hashcompat.sources.http import GZIP, LateError, before, check_encoding, pieces
from hashcompat.sources.node import NodeQuery, NodeReader, NoneSuchError

SOCKETS: Final = ("/var/run/docker.sock",)
NEWEST: Final = (1, 52)
"""The API version of Docker 29; a newer daemon is asked in this one, an older one in its own."""
_TIMEOUT_SECONDS: Final = 60
"""For each whole answer."""
_LONGEST_MESSAGE: Final = 200
_VERSION: Final = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")
_MOST_CAUSES: Final = 10


class _Session(Session):
    """Leaves redirects alone, which no Docker answers with: requests would read their bodies whole."""

    def get_redirect_target(self, resp: requests.Response) -> None:  # noqa: ARG002
        return None


def documents(socket: str) -> list[Any]:
    """Return Docker's list of all containers, running or not.

    It holds names, labels and states, but not the environment of any container. Raises InputError, naming
    the socket, when Docker cannot be asked.
    """
    with _errors(socket), _Session() as session:  # type: ignore[no-untyped-call]  # its signatures are not annotated
        session.trust_env = False  # a proxy never leads to a socket
        version = negotiated(_get(session, socket, "/version"), socket)
        rows = _get(session, socket, f"/v{version}/containers/json?all=1")
        return rows if isinstance(rows, list) else [rows]


def answer(socket: str, path: str, seconds: float) -> tuple[int, str]:
    """Return the status and the text with which Docker answers one request, over a connection of its own.

    Raises LateError after so many seconds, and InputError, naming the socket, where Docker cannot be asked.
    """
    end = time.monotonic() + seconds
    try:
        with _errors(socket, late=False), _Session() as session:  # type: ignore[no-untyped-call]  # as above
            session.trust_env = False
            status, body = _within(session, socket, path, end)
    except requests.Timeout:
        raise LateError("no answer in time") from None
    return status, jsontext.decode_text(body)


def negotiated(answer: Any, socket: str) -> str:
    """Return the API version to speak: the older one of Docker's newest and ours.

    From API 1.24 on Docker reports its oldest version too. Raises InputError for an answer to ``/version``
    that is not Docker's, or of one that is too new.
    """
    offered = answer.get("ApiVersion") if isinstance(answer, dict) else None
    if not isinstance(offered, str):
        raise InputError(f"{socket}: whatever listens there is not Docker: /version has no ApiVersion")
    # Compared as numbers: as texts, 1.9 would be newer than 1.24.
    version = min(_numbers(offered, socket), NEWEST)
    oldest = _numbers(answer.get("MinAPIVersion") or offered, socket)
    if version < oldest:
        raise InputError(
            f"{socket}: Docker speaks API {_text(oldest)} and newer, "
            f"this program only {_text(NEWEST)} and older"
        )
    return _text(version)


def _numbers(version: object, socket: str) -> tuple[int, int]:
    match = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if match is None:
        raise InputError(f"{socket}: whatever listens there is not Docker: /version has no such version")
    return int(match[1]), int(match[2])


def _text(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)


def _get(session: _Session, socket: str, path: str) -> Any:
    end = time.monotonic() + _TIMEOUT_SECONDS
    status, body = _within(session, socket, path, end)
    text = jsontext.decode_text(body)
    if status != requests.codes.ok:
        raise InputError(f"{socket}: Docker answered {status}: {said(text.strip())[:_LONGEST_MESSAGE]}")
    try:
        return loads(text)
    except InputError as error:
        raise InputError(f"{socket}: {path}: {error}") from None


def _within(session: _Session, socket: str, path: str, end: float) -> tuple[int, bytes]:
    return before(end, partial(_answer, session, f"http+unix://{quote(socket, safe='')}{path}", end))


def _answer(session: _Session, url: str, end: float) -> tuple[int, bytes]:
    headers = {"Accept-Encoding": GZIP}
    # Never 0, which urllib3 takes for a mistake and not for a time that is over.
    left = max(end - time.monotonic(), 0.001)
    asked = session.get(url, timeout=left, stream=True, headers=headers)
    with closing(asked) as response:
        check_encoding(response.headers)
        try:
            return response.status_code, b"".join(pieces(response.raw, LONGEST_TEXT, end, decode=True))
        except ReadTimeoutError:  # the socket's own time, where that is over first
            raise LateError("no complete answer in time") from None


@contextmanager
def _errors(socket: str, *, late: bool = True) -> Iterator[None]:
    """Turn what requests raises into one message that names the socket; ``late``: a late answer too."""
    try:
        yield
    except RefusedError as error:
        raise InputError(f"{socket}: {error}") from None
    except (requests.Timeout, LateError):
        if not late:
            raise
        raise InputError(f"{socket}: Docker does not answer within {_TIMEOUT_SECONDS} s") from None
    except (requests.RequestException, HTTPError, ValueError) as error:
        raise InputError(f"{socket}: cannot ask Docker: {_cause(error)}") from None


def _cause(error: BaseException) -> str:
    """Return the error of the operating system (permission denied, ...), which requests wraps three times."""
    cause: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if cause is None:
            break
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__context__
    return type(error).__name__


KIND: Final = "docker"
LIST: Final = "list"
_OK: Final = 200
_NOT_FOUND: Final = 404
_ALL_CONTAINERS: Final = "containers/json?all=1"


def without(problem: str = "") -> list[Probe]:
    """Return the probes of a node without Docker, or with one that cannot be asked."""
    return [Probe(KIND, name, problem=problem) for name in (LIST, "version", "info", "images")]


def probes(asking: NodeReader, socket: str) -> list[Probe]:
    """Return Docker's version, information and list, and what it shows of each container.

    Where it is not Docker that listens, or one that is too new, that is the problem of the list.
    """
    # Without a version in the path, which every Docker answers: the other questions need what this one says.
    version = asking.ask(NodeQuery(KIND, "version", partial(_printed, asking, socket, "/version")))
    try:
        spoken = negotiated(loads(version.read()), socket)
    except (InputError, UnreadError, AbsentError) as error:
        why = version.problem or str(error)
        return [version, *(Probe(KIND, name, problem=why) for name in (LIST, "info", "images"))]
    ask = partial(_question, asking, socket, spoken)
    listed = asking.ask(ask(LIST, _ALL_CONTAINERS))
    inspects = [
        ask(f"inspect {container_id}", f"containers/{container_id}/json") for container_id in ids(listed)
    ]
    return [version, listed, *asking.ask_all([ask("info", "info"), ask("images", "images/json"), *inspects])]


def list_again(asking: NodeReader, socket: str, version: Probe) -> Probe:
    """Ask for the list once more, in the version that was negotiated before."""
    spoken = negotiated(loads(version.read()), socket)
    return asking.ask(_question(asking, socket, spoken, LIST, _ALL_CONTAINERS))


def ids(listed: Probe) -> Iterator[str]:
    """Yield the ids in a list of containers; none where there is no list."""
    for row in _rows(listed):
        container_id = row.get("Id") if isinstance(row, dict) else None
        # It becomes a part of a path: an id with a slash or dots would ask for something else.
        if isinstance(container_id, str) and container_id.isalnum():
            yield container_id


def _rows(listed: Probe) -> list[Any]:
    try:
        rows = loads(listed.text) if listed.text else []
    except InputError:
        return []
    return rows if isinstance(rows, list) else []


def _question(asking: NodeReader, socket: str, spoken: str, name: str, path: str) -> NodeQuery:
    return NodeQuery(KIND, name, partial(_printed, asking, socket, f"/v{spoken}/{path}"))


def _printed(asking: NodeReader, socket: str, path: str) -> str:
    """Return JSON as Docker writes it; raises NoneSuchError for what it does not have."""
    status, text = answer(socket, path, asking.seconds)
    if status == _NOT_FOUND:
        raise NoneSuchError(path)
    if status != _OK:
        raise InputError(f"Docker answered {status}: {said(text.strip())[:_LONGEST_MESSAGE]}")
    check_values(text)
    return text
