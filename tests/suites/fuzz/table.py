"""All targets, and the modules next to the readers that read nothing."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

from hashcompat.core.errors import UsageError
from hashcompat.core.release import parse_release
from tests.suites.fuzz import (
    of_cluster,
    of_containers,
    of_files,
    of_go,
    of_nodes,
    of_records,
    of_rewriting,
    of_texts,
)
from tests.suites.fuzz.target import MEGABYTES, Form, Target

TARGETS: Final = (
    *of_containers.TARGETS,
    *of_files.TARGETS,
    *of_records.TARGETS,
    *of_cluster.TARGETS,
    *of_nodes.TARGETS,
    *of_rewriting.TARGETS,
    *of_go.TARGETS,
    *of_texts.TARGETS,
)
"""Those that take longest come first, so that two processes end together."""

PACKAGES: Final = ("sources", "core/records", "core/go", "analysis/preflight/facts")
"""Every module below these has a target, or a reason in NO_READERS."""

PARSERS: Final = frozenset(
    {"re", "json", "shlex", "go.jsontext", "yaml", "sources.documents", "records.documents", "go.jsonstream"}
)
"""What a module elsewhere imports that takes texts apart: it has a target or a reason too."""

NO_READERS: Final = {
    "core/go/digest": "computes numbers of text that was read",
    "sources/cluster/own": "writes a role, and passes on what the targets api-answer and rollout read",
    "analysis/preflight/facts/__init__": "names the readers of the other files",
    "analysis/planning/normalized": "asks the module of the target manifest-uid",
    "analysis/preflight/checks/formats": "judges values that the target kubelet-settings reads",
    "analysis/preflight/checks/forms": "judges values that the target kubelet-settings reads",
    "analysis/preflight/checks/values": "judges values that the target kubelet-settings reads",
    "cli/args/__init__": "writes",
    "analysis/answers/changes": "compares what the target compared reads",
    "analysis/answers/comparison": "writes",
    "analysis/answers/hiding": "hides what was read",
    "analysis/answers/sentences/__init__": "writes sentences",
    "analysis/answers/texts": "compares texts that are hashed",
    "api/__init__": "names the functions",
    "api/answers": "passes names and documents to the readers of files",
    "api/rollout": "passes names to the readers of files",
    "core/apiserver/created": "writes what an API server serves; the target container reads it",
    "core/catalog/lookup": "reads the release data of the program",
    "core/catalog/__init__": "compares the name of a release with known ones; the target release reads it",
    "cli/args/source": "reads a duration of the command line",
    "cli/args/gate": "reads a name of the command line; the target rollout reads what is below it",
    "cli/commands/fleet": "splits what options say of labels and shards at a character",
    "cli/commands/about": "checks the arguments of a question by patterns",
    "cli/commands/releases": "asks for data that the targets download and go-types read; reads ids of rules",
    "cli/commands/saved": "checks names and labels of the command line by patterns",
    "core/corev1/scheduling": "compares labels and taints that were read",
    "output/formats/__init__": "names the formats",
    "output/formats/pipelines": "writes",
    "output/formats/documents": "writes",
    "output/formats/html/__init__": "writes",
    "core/policies/exceptions": "compares names with patterns that the target settings read",
    "core/kubelet/sections": "prints what was decoded",
    "core/kubelet/template": "writes",
    "core/model/results": "writes",
    "core/model/documents": "says of what form documents are; the target saved-plan reads them",
    "core/model/escape": "writes names",
    "core/model/uids": "compares a uid that was read",
    "analysis/patching/gosource": "writes Go",
    "analysis/preflight/checks/containers": "compares ids of arguments that were read",
    "analysis/preflight/checks/host": "writes commands",
    "analysis/preflight/checks/kubelet": "writes commands",
    "analysis/preflight/facts/managers": "compares what the target probe reads",
    "analysis/preflight/facts/nodemanagers": "compares what the target probe reads",
    "analysis/preflight/checks/pods": "compares a uid that was read",
    "analysis/preflight/checks/runtime": "writes commands",
    "analysis/preflight/checks/states": "compares what the target probe reads, and writes commands",
    "output/report/changes": "writes",
    "output/report/releases": "compares texts that are hashed",
    "output/report/runbook": "writes commands",
    "output/report/model": "writes commands",
    "output/report/page": "writes",
    "output/report/notes": "shortens texts of the program, and writes commands",
    "output/report/rowtexts": "compares texts of the program",
    "output/report/rules": "writes",
    "output/report/snapshot": "writes",
    "core/regex": "compiles the expressions of the program",
    "core/shown": "hides what was read; tests/test_shown.py tries it with random texts",
    "sources/node/__init__": "gives answers their time",
    "sources/node/live": "asks for everything on a node",
    "sources/node/root": "finds files below a directory",
    "sources/programs": "passes bytes on; tests/sources/test_programs.py has programs that misbehave",
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
    Target("probe-that-fails", _fail, ("core/release",), Form.BYTES, 8): ("KeyError", "KeyError"),
    Target("probe-that-hangs", _hang, ("core/release",), Form.BYTES, 8): ("ALARM", "SIGALRM"),
    Target("probe-that-grows", _grow, ("core/release",), Form.BYTES, 8): ("out-of-memory", "MemoryError"),
}
"""No readers: they show that what goes wrong in one is seen, each with a word that is printed then.

The first one is printed where coverage guides, the second one where known inputs are changed.
"""


def find(name: str) -> Target:
    """Return a target by its name."""
    return next(target for target in (*TARGETS, *PROBES) if target.name == name)
