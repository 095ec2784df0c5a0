"""PF-212: full file systems."""

from __future__ import annotations

import pytest

from tests.helpers.dumps import GONE, Key, dump, failed, findings, found, upgrade

KUBELET: Key = ("filesystem", "/var/lib/kubelet")
DOCKER: Key = ("filesystem", "/var/lib/docker")
FREE = "/dev/vda1 1000 200 700 21% /\n/dev/vda1 500 30 470 5% /\n"
FULL = "/dev/vda1 1000 1000 0 100% /\n/dev/vda1 500 30 470 5% /\n"
RESERVED = "/dev/vda1 1000 950 0 100% /\n/dev/vda1 500 30 470 5% /\n"
INODES = "/dev/my disk 1000 200 700 21% /my mount\n/dev/my disk 500 500 0 100% /my mount\n"
UNCOUNTED = "none 1000 200 700 21% /\nnone 0 0 0 - /\n"
MOUNTS: Key = ("file", "/proc/1/mounts")
VOLUME: Key = ("filesystem", "/mnt")
SNAP: Key = ("filesystem", "/snap/x")
ROWS = "s:/x /mnt nfs4 rw 0 0\nx /snap/x fuse.snapfuse ro 0 0\n"
CONTAINERS = "cannot start containers there"
WRITES = "no block is left on the file system of /var/lib/kubelet: kubelet 1.30.14 cannot write its state"
TEXT = "no {} is left on the file system of {}: kubelet 1.30.14 {}"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({KUBELET: FREE}, [("OK", "", "nothing found: full file systems")]),
        ({KUBELET: RESERVED}, [("OK", "", "nothing found: full file systems")]),
        ({KUBELET: UNCOUNTED}, [("OK", "", "nothing found: full file systems")]),
        (
            {KUBELET: FULL},
            [("ERROR", KUBELET[1], TEXT.format("block", KUBELET[1], "cannot write its state"))],
        ),
        (
            {KUBELET: INODES},
            [("ERROR", KUBELET[1], TEXT.format("inode", KUBELET[1], "cannot write its state"))],
        ),
        (
            {MOUNTS: ROWS, VOLUME: FULL, SNAP: FULL, ("filesystem", "/gone"): failed()},
            [("UNKNOWN", "/gone", "/gone: permission denied")],
        ),
        ({MOUNTS: failed(), VOLUME: FULL}, [("WARN", "/mnt", TEXT.format("block", "/mnt", CONTAINERS))]),
        ({MOUNTS: "s:/x /var/lib/kubelet nfs4 rw 0 0\n", KUBELET: FULL}, [("ERROR", KUBELET[1], WRITES)]),
        (
            {DOCKER: FULL},
            [("WARN", DOCKER[1], TEXT.format("block", DOCKER[1], "cannot start containers there"))],
        ),
        ({DOCKER: failed()}, [("UNKNOWN", DOCKER[1], f"{DOCKER[1]}: permission denied")]),
        ({DOCKER: GONE}, [("OK", "", "nothing found: full file systems")]),
        ({KUBELET: "x\n"}, [("UNKNOWN", KUBELET[1], "want a line of df -Pk and one of df -Pi")]),
        ({KUBELET: failed()}, [("UNKNOWN", "", f"{KUBELET[1]}: permission denied")]),
        ({("arguments", "kubelet"): failed()}, [("UNKNOWN", "", "kubelet: permission denied")]),
    ],
)
def test_pf212_blocks_and_inodes(changes: dict[Key, object], expected: list[tuple[str, str, str]]) -> None:
    assert found("PF-212", dump(changes), upgrade("1.30.14")) == expected  # type: ignore[arg-type]


def test_pf212_says_where_to_look() -> None:
    (finding,) = findings("PF-212", dump({KUBELET: INODES}), upgrade("1.30.14"))
    assert finding.advice == "remove what is not needed there: df -Pi /var/lib/kubelet"
