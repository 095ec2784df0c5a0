"""Programs that run during a test and end with it, and ports for them."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running(
    command: Sequence[str | Path], log: Path, environ: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program with all that it prints in ``log``; at the end it has 15 seconds to stop by itself.

    ``environ`` is its environment, if not this one.
    """
    with (
        log.open("wb") as stream,
        subprocess.Popen(command, stdout=stream, stderr=stream, env=environ) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()


def free_port() -> int:
    """Return a port of the loopback at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
