"""Serve the hooks over TLS to clients with a certificate, with an end to what a request takes.

python server.py --tls /certificates --client-ca /ca/ca.crt --clusters /clusters
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from clusters import Clusters
from hooks import (
    DISCOVERY,
    HOOKS,
    BadRequestError,
    Hook,
    Json,
    Judge,
    Question,
    asked,
    checked,
    failed,
    handlers,
    judged,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What all clients together may take."""

    bytes: int = 2 << 20
    """Of a request: a Machine or MachineSet, its infrastructure and its KubeadmConfig, as they are and as
    they will be. That is some 20 kB, and more only by the files that a KubeadmConfig carries."""
    requests: int = 4
    """That are read at once; others wait, with what the sockets hold of them."""
    connections: int = 64
    """From which on a request is refused (503)."""
    read_seconds: float = 10
    """For a client to send a whole request, the wait for its turn included."""
    wait_seconds: float = 25
    """For a question to wait until those before it are judged; Cluster API itself waits 30."""


_KEEP_ALIVE_SECONDS: Final = 30
_RENEWED_SECONDS: Final = 60
"""How often the certificates are read again: cert-manager renews them in their files."""

_BY_PATH: Final = {hook.path: hook for hook in HOOKS}

_CLOSE: Final = (b"connection", b"close")
"""After a request that was not read to its end nothing more is read of its connection."""

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Extension:
    """The ASGI application. Some requests are read at once; of each no more than its question is kept.

    Bodies are parsed in a thread, one at a time, and questions judged in another, since a plan takes memory:
    the event loop goes on answering.
    """

    def __init__(self, judge: Judge, limits: Limits = Limits()) -> None:
        """``judge`` runs in a thread."""
        self._judge, self.limits = judge, limits
        self._reading = asyncio.Semaphore(limits.requests)
        self._parsing, self._judging = asyncio.Semaphore(1), asyncio.Semaphore(1)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        status, document = await self._answer(scope, receive)
        body = json.dumps(document).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        headers += [] if status == 200 else [_CLOSE]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: dict[str, Any], receive: Receive) -> tuple[int, Json]:
        hook = _BY_PATH.get(scope["path"])
        if hook is None and scope["path"] != DISCOVERY:
            return 404, {"message": "no such hook"}
        if scope["method"] != "POST":
            return 405, {"message": "want POST"}
        name = hook.name if hook else "Discovery"
        try:
            question = await self._question(hook, scope, receive)
        except TimeoutError:
            return 408, failed(name, "the request took too long")
        except _TooLongError:
            return 413, failed(name, f"the request is longer than {self.limits.bytes} bytes")
        except BadRequestError as error:
            return 400, failed(name, str(error))
        if hook is None or question is None:
            return 200, handlers()
        try:
            return 200, await self._judged(hook, question)
        except TimeoutError:
            return 503, failed(name, "the questions before this one took too long")

    async def _question(self, hook: Hook | None, scope: dict[str, Any], receive: Receive) -> Question | None:
        """Read a request; None where it is one of Discovery. Raises TimeoutError and BadRequestError."""
        async with asyncio.timeout(self.limits.read_seconds) as deadline, self._reading:
            body = await _body(scope, receive, self.limits.bytes)
            deadline.reschedule(None)
            async with self._parsing:
                return await asyncio.to_thread(_read, hook, body)

    async def _judged(self, hook: Hook, question: Question) -> Json:
        async with asyncio.timeout(self.limits.wait_seconds) as deadline, self._judging:
            deadline.reschedule(None)
            response = await asyncio.to_thread(judged, hook, question, self._judge)
        sys.stderr.write(json.dumps({"hook": hook.name, "message": response.get("message", "")}) + "\n")
        return response


class _TooLongError(Exception):
    pass


async def _body(scope: dict[str, Any], receive: Receive, most: int) -> bytes:
    """Return a request's body; raises _TooLongError, by its header before anything is read."""
    said = dict(scope["headers"]).get(b"content-length", b"0")
    if int(said) > most:  # digits alone: h11 refuses anything else
        raise _TooLongError
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequestError("the client went away in the middle of its request")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > most:
            raise _TooLongError
    return bytes(body)


def _read(hook: Hook | None, body: bytes) -> Question | None:
    try:
        request: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequestError("the request is not JSON") from None
    if hook is None:
        checked(request, "DiscoveryRequest")
        return None
    return asked(hook, request)


class _Protocol(H11Protocol):
    """uvicorn's protocol, with an end to the time in which the header of a request may arrive."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait(self._seconds())

    def on_response_complete(self) -> None:
        """Begin to wait for the next one."""
        super().on_response_complete()
        self._wait(_KEEP_ALIVE_SECONDS + self._seconds())

    def _seconds(self) -> float:
        return cast("Extension", self.config.app).limits.read_seconds

    def _wait(self, seconds: float) -> None:
        before = self.cycle
        self.loop.call_later(seconds, lambda: self._end(before))

    def _end(self, before: object) -> None:
        """Close the connection unless a request has come since."""
        if self.cycle is before and not self.transport.is_closing():
            self.transport.close()


def server(extension: Extension, port: int, certificates: Path, client_ca: Path) -> uvicorn.Server:
    """Return a server that is not running yet; OSError for certificates that cannot be read."""
    config = uvicorn.Config(
        extension,
        host="",
        port=port,
        ssl_certfile=certificates / "tls.crt",
        ssl_keyfile=certificates / "tls.key",
        ssl_ca_certs=str(client_ca),
        ssl_cert_reqs=ssl.CERT_REQUIRED,
        limit_concurrency=extension.limits.connections,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        h11_max_incomplete_event_size=64 << 10,
        http=_Protocol,
        interface="asgi3",
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        backlog=128,
    )
    config.load()
    return uvicorn.Server(config)


async def served(running: uvicorn.Server, certificates: Path, client_ca: Path) -> None:
    """Serve until a signal arrives, and read the certificates again from time to time."""
    context = running.config.ssl
    renewal = asyncio.create_task(_renew(context, certificates, client_ca)) if context else None
    await running.serve()
    if renewal:
        renewal.cancel()


async def _renew(context: ssl.SSLContext, certificates: Path, client_ca: Path) -> None:
    while True:
        await asyncio.sleep(_RENEWED_SECONDS)
        with suppress(OSError):  # the files are replaced right now: the old ones serve until the next time
            context.load_cert_chain(certificates / "tls.crt", certificates / "tls.key")
            context.load_verify_locations(client_ca)


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until a signal arrives."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=9443)
    parser.add_argument("--tls", type=Path, required=True, help="the directory of tls.crt and tls.key")
    parser.add_argument(
        "--client-ca", type=Path, required=True, help="the CA of clients; only they are answered"
    )
    parser.add_argument("--clusters", type=Path, required=True, help="where NAMESPACE/CLUSTER.json are")
    parser.add_argument("--max-age", type=float, default=3600, help="of these, in seconds; default: 3600")
    parser.add_argument("--max-bytes", type=int, default=Limits().bytes, help="of a request; default: 2 MiB")
    given = parser.parse_args(argv)
    extension = Extension(Clusters(given.clusters, given.max_age).judge, Limits(bytes=given.max_bytes))
    try:
        running = server(extension, given.port, given.tls, given.client_ca)
    except OSError as error:
        sys.exit(f"{given.tls}, {given.client_ca}: cannot read tls.crt, tls.key and the CA: {error.strerror}")
    asyncio.run(served(running, given.tls, given.client_ca))


if __name__ == "__main__":
    main()
