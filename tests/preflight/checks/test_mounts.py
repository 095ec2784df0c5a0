"""PF-113: a mounted file system whose server does not answer."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.records.probes import Probe
from tests.helpers.dumps import GONE, dump, failed, findings, status, upgrade

MOUNTS = ("file", "/proc/1/mounts")
VOLUME = "/var/lib/kubelet/pods/1/volumes/kubernetes.io~nfs/v"


def mounted(path: str, kind: str, state: str | Probe | None) -> Any:
    """Return a node with one more mount, and what df says of it."""
    rows = f"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\nserver:/x {path} {kind} rw 0 0\n"
    return {MOUNTS: rows, **({("filesystem", path): state} if state is not None else {})}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (mounted("/mnt", "nfs4", "server:/x 1 1 1 1% /mnt\nserver:/x 1 1 1 1% /mnt"), ("OK", "")),
        (mounted("/mnt", "nfs4", failed("no answer within 10 s")), ("WARN", "/mnt")),
        (mounted("/mnt", "nfs", failed("Stale file handle")), ("WARN", "/mnt")),
        (mounted(VOLUME, "nfs4", failed("no answer within 10 s")), ("ERROR", VOLUME)),
        (mounted("/x", "fuse.s3fs", failed("Transport endpoint is not connected")), ("WARN", "/x")),
        (mounted("/x", "fuse.lxcfs", failed("no answer within 10 s")), ("OK", "")),
        (mounted("/x", "ext4", failed("no answer within 10 s")), ("OK", "")),
        (mounted("/mnt", "nfs4", failed()), ("UNKNOWN", "/mnt")),
        (mounted("/mnt", "nfs4", None), ("UNKNOWN", "/mnt")),
        (mounted("/mnt", "nfs4", GONE), ("OK", "")),
        ({MOUNTS: failed()}, ("UNKNOWN", "")),
    ],
)
def test_pf113_a_dead_mount(changes: Any, expected: tuple[str, str]) -> None:
    assert status("PF-113", dump(changes), upgrade("1.31.0")) == [expected]


def test_pf113_the_command_is_safe_to_paste() -> None:
    given = dump(mounted("/a;reboot", "nfs4", failed("no answer within 10 s")))
    (finding,) = findings("PF-113", given, upgrade("1.31.0"))
    assert finding.advice == "bring the server back, or umount -l '/a;reboot'"
