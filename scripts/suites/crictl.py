"""Build crictl from its Go module, for the tests that talk to real container runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program

PROGRAM: Final = Program(
    CACHE / "crictl" / "crictl",
    SCRIPTS / "suites" / "crictl",
    package="sigs.k8s.io/cri-tools/cmd/crictl",
)


def programs() -> dict[str, Program]:
    """Describe the one program."""
    return {"crictl": PROGRAM}


def built() -> Path:
    """Return where the program is, after building it unless nothing changed since."""
    PROGRAM.build()
    return PROGRAM.binary
