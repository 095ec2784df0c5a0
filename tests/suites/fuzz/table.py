"""All targets, and the modules next to the readers that read nothing."""

from __future__ import annotations

import time
from typing import Final

from tests.suites.fuzz import of_cluster, of_containers, of_files, of_go, of_records
from tests.suites.fuzz.target import MEGABYTES, Form, Target

TARGETS: Final = (
    *of_containers.TARGETS,
    *of_files.TARGETS,
    *of_records.TARGETS,
    *of_cluster.TARGETS,
    *of_go.TARGETS,
)
"""Those that take longest come first, so that two processes end together."""

PACKAGES: Final = ("sources", "records", "go")
"""Every module below these has a target, or a reason in NO_READERS."""

NO_READERS: Final = {
    "go/digest": "computes numbers of text that was read",
    "go/walk": "follows types of the release data",
    "sources/cluster/roles": "writes a role",
    "sources/files/copy": "keeps bytes as they are",
    "sources/files/sample": "opens the file that ships with the program",
    "sources/filters": "compares names with arguments",
    "sources/node/collect": "chooses among the answers that other modules read",
    "sources/programs": "passes bytes on; tests/sources/test_programs.py has programs that misbehave",
    "sources/replacing": "writes files",
}
"""Why a module reads nothing that others wrote."""


def _fail(data: bytes) -> None:
    if len(data) > 1:
        raise KeyError("missing")


def _hang(data: bytes) -> None:
    while len(data) > 1:
        time.sleep(0.01)


def _grow(data: bytes) -> None:
    if len(data) > 1:
        held = bytearray(2 * MEGABYTES << 20)
        held[:: 1 << 12] = b"x" * len(range(0, len(held), 1 << 12))
        time.sleep(2)


PROBES: Final = (
    Target("probe-that-fails", _fail, ("rules",), Form.BYTES, 8),
    Target("probe-that-hangs", _hang, ("rules",), Form.BYTES, 8),
    Target("probe-that-grows", _grow, ("rules",), Form.BYTES, 8),
)
"""No readers: they show that what goes wrong in one is seen."""


def find(name: str) -> Target:
    """Return a target by its name."""
    return next(target for target in (*TARGETS, *PROBES) if target.name == name)
