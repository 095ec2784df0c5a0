"""PF-113: a mounted file system whose server does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.host import Mount
from hashcompat.rules import Rule

_DEAD: Final = ("no answer", "timed out", "not connected", "stale", "host is down", "input/output error")
"""What a probe or the system says of a mount whose server is gone."""


def _find(facts: Facts, _upgrade: Upgrade) -> Iterator[Problem]:
    for mount in facts.mounts:
        if mount.is_remote:
            yield from _of_mount(facts, mount)


def _of_mount(facts: Facts, mount: Mount) -> Iterator[Problem]:
    problem = facts.dump.probe("filesystem", mount.path).problem
    if not problem:
        return
    if not any(sign in problem.lower() for sign in _DEAD):
        yield Problem(Status.UNKNOWN, mount.path, f"{mount.path} ({mount.kind}): {problem}")
        return
    below = mount.path.startswith(f"{facts.root}/")
    yield Problem(
        Status.ERROR if below else Status.WARN,
        mount.path,
        f"{mount.path} ({mount.kind}) does not answer: {problem}"
        + ("; a kubelet looks at it when it starts, and hangs" if below else ""),
        f"bring the server back, or umount -l {quote(mount.path)}",
    )


DEAD_MOUNTS: Final = Check(
    Rule(
        "PF-113",
        "dead mount",
        "A network or FUSE file system is mounted whose server does not answer. Below the kubelet's own "
        "directory a starting kubelet hangs on it.",
        "kubernetes/kubernetes#122491, #101622, #90593",
    ),
    ("the mount table", "df of every network and FUSE file system, with a time limit"),
    _find,
)
