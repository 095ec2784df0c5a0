"""A command as a process of its own: what it printed, and how much memory it had at the most."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.helpers.program import SCRIPTS

_REPORT: Final = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
    "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
    "print(used.ru_maxrss * 1024, file=sys.stderr); sys.exit(code)"
)
"""A program that runs another one, and reports its largest child."""


@dataclass(frozen=True)
class Measured:
    """What a command printed, and what it took."""

    code: int
    out: Path
    err: str
    peak: int
    """Bytes."""


def measured(tmp_path: Path, *argv: str | Path, seconds: float | None = None) -> Measured:
    """Run the command under a program of its own; raises TimeoutExpired after so many seconds."""
    out = tmp_path / "out"
    with out.open("wb") as stream:
        command = [SCRIPTS / "python", "-c", _REPORT, SCRIPTS / "python", "-m", "hashcompat", *argv]
        done = subprocess.run(
            command, stdout=stream, stderr=subprocess.PIPE, text=True, check=False, timeout=seconds
        )
    *err, peak = done.stderr.splitlines()
    return Measured(done.returncode, out, "\n".join(err), int(peak))
