"""Serve the hooks over TLS, with an end to how long a request may be and how much time it may take.

python server.py --tls /certificates --clusters /clusters [--client-ca /ca/ca.crt]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import uvicorn

from clusters import Clusters
from hooks import DISCOVERY, HOOKS, BadRequestError, Hook, Json, Judge, answered, discovered, failed

_MOST_BYTES: Final = 16 << 20
"""Of a request: six objects, each of at most the 1.5 MB that etcd stores."""

_READ_SECONDS: Final = 10
_CONNECTIONS: Final = 64
_RENEWED_SECONDS: Final = 60
"""How often the certificate is read again: cert-manager renews it in its file."""

_BY_PATH: Final = {hook.path: hook for hook in HOOKS}

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Extension:
    """The ASGI application; it judges one request at a time, since a plan takes memory."""

    def __init__(self, judge: Judge, read_seconds: float = _READ_SECONDS) -> None:
        """``judge`` runs in a thread; ``read_seconds`` is how long a client may take for its request."""
        self._judge, self._read_seconds, self._one = judge, read_seconds, asyncio.Semaphore(1)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        status, document = await self._answer(scope, receive)
        body = json.dumps(document).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
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
            async with asyncio.timeout(self._read_seconds):
                request = json.loads(await _body(receive))
        except TimeoutError:
            return 408, failed(name, "the request took too long")
        except _TooLongError:
            return 413, failed(name, f"the request is longer than {_MOST_BYTES} bytes")
        except (ValueError, RecursionError):
            return 400, failed(name, "the request is not JSON")
        try:
            return 200, await self._response(hook, request)
        except BadRequestError as error:
            return 400, failed(name, str(error))

    async def _response(self, hook: Hook | None, request: object) -> Json:
        if hook is None:
            return discovered(request)
        async with self._one:
            response = await asyncio.to_thread(answered, hook, request, self._judge)
        sys.stderr.write(json.dumps({"hook": hook.name, "message": response.get("message", "")}) + "\n")
        return response


class _TooLongError(Exception):
    pass


async def _body(receive: Receive) -> bytes:
    parts, length, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ValueError("the client went away in the middle of its request")
        part, more = message.get("body", b""), message.get("more_body", False)
        length += len(part)
        if length > _MOST_BYTES:
            raise _TooLongError
        parts.append(part)
    return b"".join(parts)


def server(extension: Extension, port: int, certificates: Path, client_ca: Path | None) -> uvicorn.Server:
    """Return a server that is not running yet; OSError for certificates that cannot be read."""
    config = uvicorn.Config(
        extension,
        host="",
        port=port,
        ssl_certfile=certificates / "tls.crt",
        ssl_keyfile=certificates / "tls.key",
        ssl_ca_certs=str(client_ca) if client_ca else None,
        ssl_cert_reqs=ssl.CERT_REQUIRED if client_ca else ssl.CERT_NONE,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=64 << 10,
        http="h11",
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
    )
    config.load()
    return uvicorn.Server(config)


async def served(running: uvicorn.Server, certificates: Path) -> None:
    """Serve until a signal arrives, and read the certificate again from time to time."""
    context = running.config.ssl
    renewal = asyncio.create_task(_renew(context, certificates)) if context else None
    await running.serve()
    if renewal:
        renewal.cancel()


async def _renew(context: ssl.SSLContext, certificates: Path) -> None:
    while True:
        await asyncio.sleep(_RENEWED_SECONDS)
        with suppress(OSError):  # the files are replaced right now: the old pair serves until the next time
            context.load_cert_chain(certificates / "tls.crt", certificates / "tls.key")


def main(argv: Sequence[str] | None = None) -> None:
    """Serve until a signal arrives."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=9443)
    parser.add_argument("--tls", type=Path, required=True, help="the directory of tls.crt and tls.key")
    parser.add_argument("--client-ca", type=Path, help="the CA of clients; only they are answered then")
    parser.add_argument("--clusters", type=Path, required=True, help="where NAMESPACE/CLUSTER.json are")
    parser.add_argument("--max-age", type=float, default=3600, help="of these, in seconds; default: 3600")
    given = parser.parse_args(argv)
    extension = Extension(Clusters(given.clusters, given.max_age).judge)
    try:
        running = server(extension, given.port, given.tls, given.client_ca)
    except OSError as error:
        sys.exit(f"{given.tls}: cannot read tls.crt and tls.key: {error.strerror}")
    asyncio.run(served(running, given.tls))


if __name__ == "__main__":
    main()
