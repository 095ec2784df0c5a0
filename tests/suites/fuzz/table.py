"""All targets, and the modules next to the readers that read nothing."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

from hashcompat.errors import UsageError
from hashcompat.release import parse_release
from tests.suites.fuzz import of_cluster, of_containers, of_files, of_go, of_nodes, of_records
from tests.suites.fuzz.target import MEGABYTES, Form, Target

TARGETS: Final = (
    *of_containers.TARGETS,
    *of_files.TARGETS,
    *of_records.TARGETS,
    *of_cluster.TARGETS,
    *of_nodes.TARGETS,
    *of_go.TARGETS,
)
"""Those that take longest come first, so that two processes end together."""

PACKAGES: Final = ("sources", "records", "go")
"""Every module below these has a target, or a reason in NO_READERS."""

NO_READERS: Final = {
    "go/allowance": "counts what is kept",
    "go/digest": "computes numbers of text that was read",
    "go/walk": "follows types of the release data",
    "sources/clock": "reads a number of seconds",
    "sources/cluster/roles": "writes a role",
    "sources/cluster/rollout": "passes on what the targets api-answer and rollout read",
    "sources/files/copy": "keeps bytes as they are",
    "sources/workloads": "compares names and labels of pods that were read",
    "sources/files/ownfiles": "looks at owners and modes, and opens nothing",
    "sources/files/sample": "opens the file that ships with the program",
    "records/keeping": "keeps records that others read, in less memory",
    "records/tables": "finds records that others read",
    "sources/aside": "runs other modules' readers in a thread",
    "sources/filters": "compares names with arguments",
    "sources/node/asking": "gives answers their time",
    "sources/node/cri_probes": "asks crictl; the targets crictl and probe read what it answers",
    "sources/node/docker_probes": "asks Docker; the targets docker and probe read what it answers",
    "sources/node/filesystems": "asks the system how full file systems are",
    "sources/node/live": "asks for everything on a node",
    "sources/node/proc": "passes files of /proc on, which the target probe reads",
    "sources/node/reported": "follows what the target probe reads to further files",
    "sources/node/root": "finds files below a directory",
    "sources/node/places": "compares paths with a list",
    "sources/node/collect": "chooses among the answers that other modules read",
    "sources/programs": "passes bytes on; tests/sources/test_programs.py has programs that misbehave",
    "sources/replacing": "writes files",
}
"""Why a module reads nothing that others wrote."""


def _fail(data: bytes) -> None:
    if _is_long(data):
        raise KeyError("missing")


def _hang(data: bytes) -> None:
    while _is_long(data):
        time.sleep(0.01)


def _grow(data: bytes) -> None:
    if _is_long(data):
        held = bytearray((MEGABYTES + 100) << 20)
        held[:: 1 << 12] = b"x" * len(range(0, len(held), 1 << 12))
        time.sleep(5)


def _is_long(data: bytes) -> bool:
    """Read something, because libFuzzer wants coverage, and return whether to go wrong."""
    with suppress(UsageError):
        parse_release(data.decode(errors="replace"))
    return len(data) > 2


PROBES: Final = {
    Target("probe-that-fails", _fail, ("release",), Form.BYTES, 8): ("KeyError", "KeyError"),
    Target("probe-that-hangs", _hang, ("release",), Form.BYTES, 8): ("ALARM", "SIGALRM"),
    Target("probe-that-grows", _grow, ("release",), Form.BYTES, 8): ("out-of-memory", "MemoryError"),
}
"""No readers: they show that what goes wrong in one is seen, each with a word that is printed then.

The first one is printed where coverage guides, the second one where known inputs are changed.
"""


def find(name: str) -> Target:
    """Return a target by its name."""
    return next(target for target in (*TARGETS, *PROBES) if target.name == name)
