"""Build what collects a cluster into archives: support-bundle, and a program around Velero's own backup.

Both need many modules of clouds and databases: building them takes a quarter of an hour each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from scripts.lib.paths import CACHE, SCRIPTS
from scripts.lib.program import Program

_PROGRAMS: Final = {
    "support-bundle": Program(
        CACHE / "collectors" / "support-bundle",
        SCRIPTS / "suites" / "supportbundle",
        package="github.com/replicatedhq/troubleshoot/cmd/troubleshoot",
    ),
    "velero": Program(CACHE / "collectors" / "velero", SCRIPTS / "suites" / "velero"),
}


def programs() -> dict[str, Program]:
    """Describe both by their names."""
    return _PROGRAMS


def built(name: str) -> Path:
    """Return where a program is, after building it unless nothing changed since."""
    _PROGRAMS[name].build()
    return _PROGRAMS[name].binary
