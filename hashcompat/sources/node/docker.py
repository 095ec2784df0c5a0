"""The Docker Engine API over its Unix socket, as spoken by Docker 1.11 to 29: no docker client is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote

import requests
from requests_unixsocket import Session

from hashcompat.errors import InputError

SOCKETS: Final = ("/var/run/docker.sock",)

NEWEST: Final = (1, 52)
"""The API version of Docker 29; a newer daemon is asked in this one, an older one in its own."""

_TIMEOUT_SECONDS: Final = 60

_MOST_CAUSES: Final = 10


def documents(socket: str) -> list[Any]:
    """Return Docker's list of all containers, running or not.

    It holds names, labels and states, but not the environment of any container. Raises InputError, naming
    the socket, when Docker cannot be asked.
    """
    with _errors(socket), Session() as session:  # type: ignore[no-untyped-call]  # its signatures are not annotated
        session.trust_env = False  # a proxy never leads to a socket
        version = _negotiated(_get(session, socket, "/version"), socket)
        rows: list[Any] = _get(session, socket, f"/v{version}/containers/json?all=1")
        return rows


def _negotiated(answer: Any, socket: str) -> str:
    """Return the API version to speak: the older one of Docker's newest and ours.

    From API 1.24 on Docker reports its oldest version too.
    """
    offered = answer.get("ApiVersion") if isinstance(answer, dict) else None
    if not isinstance(offered, str):
        raise InputError(f"{socket}: whatever listens there is not Docker: /version has no ApiVersion")
    version = min(_numbers(offered), NEWEST)
    if version < _numbers(answer.get("MinAPIVersion") or offered):
        raise InputError(
            f"{socket}: Docker speaks API {answer['MinAPIVersion']} and newer, "
            f"this program only {_text(NEWEST)} and older"
        )
    return _text(version)


def _numbers(version: str) -> tuple[int, int]:
    major, _, minor = version.partition(".")
    return int(major), int(minor)


def _text(version: tuple[int, int]) -> str:
    return "{}.{}".format(*version)


def _get(session: Session, socket: str, path: str) -> Any:
    response = session.get(f"http+unix://{quote(socket, safe='')}{path}", timeout=_TIMEOUT_SECONDS)
    response.raise_for_status()
    return response.json()


@contextmanager
def _errors(socket: str) -> Iterator[None]:
    """Turn what requests raises into one message that names the socket."""
    try:
        yield
    except requests.HTTPError as error:
        raise InputError(
            f"{socket}: Docker answered {error.response.status_code}: {error.response.text.strip()[:200]}"
        ) from None
    except requests.Timeout:
        raise InputError(f"{socket}: Docker does not answer within {_TIMEOUT_SECONDS} s") from None
    except (requests.RequestException, ValueError) as error:
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
