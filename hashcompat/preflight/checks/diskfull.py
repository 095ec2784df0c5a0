"""PF-212: a file system with nothing left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, filesystems
from hashcompat.records.probes import AbsentError, UnreadError
from hashcompat.rules import Rule


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    facts.dump.read("filesystem", facts.root)
    others = _others(facts)
    for probe in facts.dump.of_kind("filesystem"):
        own = probe.name == facts.root
        if probe.name in others and not own:
            continue
        try:
            usage = filesystems.usage(probe.read())
        except AbsentError:
            continue
        except UnreadError as error:
            yield Problem(Status.UNKNOWN, probe.name, str(error))
            continue
        for what in _used_up(usage):
            yield Problem(
                Status.ERROR if own else Status.WARN,
                probe.name,
                f"{what} on the file system of {probe.name}: kubelet {upgrade.target.release} "
                f"{'cannot write its state' if own else 'cannot start containers there'}",
                f"remove what is not needed there: {'df -Pi' if 'inode' in what else 'df -Pk'} {probe.name}",
            )


def _others(facts: Facts) -> frozenset[str]:
    """Return where file systems of pods are mounted: the kubelet and the runtime keep nothing there."""
    try:
        return frozenset(mount.path for mount in facts.mounts if mount.is_remote or mount.is_fuse)
    except (UnreadError, AbsentError):
        return frozenset()


def _used_up(usage: filesystems.Usage) -> Iterator[str]:
    if usage.kilobytes and usage.kilobytes <= usage.used:
        yield "no block is left"
    if usage.inodes and usage.inodes <= usage.inodes_used:
        yield "no inode is left"


DISK_FULL: Final = Check(
    Rule(
        "PF-212",
        "full file systems",
        "No block or no inode is left where the kubelet or the container runtime keeps its files. A kubelet "
        "that cannot write its root directory does not start.",
        "pkg/kubelet/kubelet.go setupDataDirs; pkg/kubelet/util/store/filestore.go Write",
    ),
    ("blocks and inodes of the file systems of the kubelet's root directory and of the container runtime",),
    _find,
)
