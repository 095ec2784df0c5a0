"""All targets, and the modules next to the readers that read nothing."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

from hashcompat.errors import UsageError
from hashcompat.release import parse_release
from tests.suites.fuzz import of_cluster, of_containers, of_files, of_go, of_nodes, of_records, of_texts
from tests.suites.fuzz.target import MEGABYTES, Form, Target

TARGETS: Final = (
    *of_containers.TARGETS,
    *of_files.TARGETS,
    *of_records.TARGETS,
    *of_cluster.TARGETS,
    *of_nodes.TARGETS,
    *of_go.TARGETS,
    *of_texts.TARGETS,
)
"""Those that take longest come first, so that two processes end together."""

PACKAGES: Final = ("sources", "records", "go", "preflight/facts")
"""Every module below these has a target, or a reason in NO_READERS."""

PARSERS: Final = frozenset(
    {"re", "json", "shlex", "jsontext", "yaml", "yamlscalar", "documents", "jsonstream"}
)
"""What a module elsewhere imports that takes texts apart: it has a target or a reason too."""

NO_READERS: Final = {
    "go/digest": "computes numbers of text that was read",
    "go/walk": "follows types of the release data",
    "sources/cluster/roles": "writes a role",
    "sources/cluster/rollout": "passes on what the targets api-answer and rollout read",
    "sources/files/sample": "opens the file that ships with the program",
    "sources/aside": "runs other modules' readers in a thread",
    "preflight/facts/__init__": "names the readers of the other files",
    "answers/golden": "compares what the target golden-lines reads",
    "answers/hiding": "hides what was read",
    "answers/sentences/__init__": "writes sentences",
    "answers/sentences/todo": "writes commands",
    "answers/texts": "compares texts that are hashed",
    "api/__init__": "names the functions",
    "api/answers": "passes names and documents to the readers of files",
    "api/rollout": "passes names to the readers of files",
    "apiserver/created": "writes what an API server serves; the target container reads it",
    "catalog/lookup": "reads the release data of the program",
    "catalog/nearest": "compares the name of a release with known ones; the target release reads it",
    "cli/args/source": "reads a duration of the command line",
    "cli/args/rollout": "reads a name of the command line; the target rollout reads what is below it",
    "cli/commands/adding": "asks for release data; the targets download and go-types read them",
    "cli/commands/rules": "reads an id of the command line",
    "compile/gojson": "writes JSON of values that were decoded",
    "corev1/scheduling": "compares labels and taints that were read",
    "formats/__init__": "names the formats",
    "formats/codescanning": "writes",
    "formats/documents": "writes",
    "formats/html/__init__": "writes",
    "formats/sheets": "writes",
    "gating/exceptions": "compares names with patterns that the target settings read",
    "kubelet/gaps": "compares texts that are hashed; the target replicas reads them",
    "kubelet/writing": "writes",
    "model/digest": "writes",
    "model/escape": "writes names",
    "model/mask": "hides what was read",
    "model/uids": "compares a uid that was read",
    "patching/gosource": "writes Go",
    "patching/model": "writes patches of files that the target source-file reads",
    "preflight/checks/containers": "compares ids of arguments that were read",
    "preflight/checks/host": "writes commands",
    "preflight/checks/kubelet": "writes commands",
    "preflight/checks/managers": "compares what the target probe reads",
    "preflight/checks/pods": "compares a uid that was read",
    "preflight/checks/runtime": "writes commands",
    "preflight/checks/states": "writes commands",
    "report/difference": "compares texts that are hashed",
    "report/impact": "writes commands",
    "report/notes": "shortens texts of the program, and writes commands",
    "report/rowtexts": "compares texts of the program",
    "report/rules": "writes",
    "report/snapshot": "writes",
    "regex": "compiles the expressions of the program",
    "shown": "hides what was read; tests/test_shown.py tries it with random texts",
    "sources/node/asking": "gives answers their time",
    "sources/node/filesystems": "asks the system how full file systems are",
    "sources/node/live": "asks for everything on a node",
    "sources/node/proc": "passes files of /proc on, which the target probe reads",
    "sources/node/reported": "follows what the target probe reads to further files",
    "sources/node/root": "finds files below a directory",
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
