"""Programs that run during a test and end with it."""

from __future__ import annotations

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
