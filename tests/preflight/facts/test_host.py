"""The host below the kubelet: mounts, memory, file systems, certificates."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from hashcompat.analysis.preflight.facts import host
from hashcompat.analysis.preflight.facts.host import Expiry, Mount, Usage, expiries, mounts, usage
from hashcompat.core.records.probes import UnreadError
from tests.helpers.dumps import GONE, dump, failed

# The host below the kubelet: mounts.


def test_a_mount_table_is_read() -> None:
    text = "tmpfs /mnt/a\\040b tmpfs rw 0 0\nshort\n\nnfs:/x /back\\134slash nfs4 rw 0 0\n"
    assert mounts(text) == (
        Mount("tmpfs", "/mnt/a b", "tmpfs"),
        Mount("nfs:/x", "/back\\slash", "nfs4"),
    )


@pytest.mark.parametrize("text", ["", "\n", "short\n"])
def test_something_is_mounted_on_a_node(text: str) -> None:
    with pytest.raises(UnreadError, match="nothing is in the mount table"):
        mounts(text)


def test_file_systems_of_servers_and_processes() -> None:
    kinds = ("nfs", "9p", "fuse", "fuse.s3fs", "fuse.lxcfs", "fuseblk", "ext4")
    made = [Mount("x", "/x", kind) for kind in kinds]
    assert [mount.kind for mount in made if mount.is_remote] == ["nfs", "9p", "fuse", "fuse.s3fs"]
    assert [mount.kind for mount in made if mount.is_fuse] == ["fuse", "fuse.s3fs", "fuse.lxcfs"]


# Memory and file systems, and what a kubelet asks of both.

DEFAULTS = {"memory.available": "100Mi", "nodefs.available": "10%"}


def test_memory_is_in_bytes() -> None:
    assert host.meminfo("MemTotal:  2 kB\nHugePages_Total: 3\nodd\nx: y\n") == {
        "MemTotal": 2048,
        "HugePages_Total": 3072,
    }


def test_a_file_system_is_read_from_two_lines() -> None:
    text = "/dev/sda1 1000 400 600 40% /\n/dev/sda1 50 20 30 40% /\n"
    assert host.usage(text) == host.Usage(1024000, 409600, 614400, 50, 20, 30)
    assert host.usage("d 1 1 1 1% /\nd - - - - /\n") == host.Usage(1024, 1024, 1024, 0, 0, 0)


@pytest.mark.parametrize("text", ["", "d 1 1 1 1% /\n", "d x 1 1 1% /\nd 1 1 1 1% /\n", "d 1\nd 1\n"])
def test_other_lines_are_unread(text: str) -> None:
    with pytest.raises(UnreadError, match="df -Pk"):
        host.usage(text)


def test_given_thresholds_replace_all_the_defaults_unless_merged() -> None:
    assert host.thresholds(None, DEFAULTS, merged=False) == DEFAULTS
    assert host.thresholds({"a": 1}, DEFAULTS, merged=False) == {"a": "1"}
    assert host.thresholds({"a": 1}, DEFAULTS, merged=True) == {**DEFAULTS, "a": "1"}
    assert host.thresholds("a<1%, b", DEFAULTS, merged=False) == {"a": "1%"}


def test_a_threshold_is_a_quantity_or_a_share() -> None:
    assert host.least("10%", 50) == 5
    assert host.least("2.5%", 100) == Fraction(5, 2)
    assert host.least("1Ki", 0) == 1024
    for text in ("much", "much%"):
        with pytest.raises(UnreadError, match="a value that is not a threshold"):
            host.least(text, 1)


def test_what_is_reserved() -> None:
    assert host.reserved({"memory": "1Ki"}, "memory") == 1024
    assert host.reserved("cpu=1, memory=2Ki", "memory") == 2048
    assert host.reserved("cpu=1", "memory") == host.reserved(None, "memory") == 0


# What is left on a file system.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/dev/vda1 10 2 8 20% /\n/dev/vda1 5 1 4 20% /\n", Usage(10 << 10, 2 << 10, 8 << 10, 5, 1, 4)),
        ("a b 10 2 -8 20% /my mount\n\na b - - - - /my mount\n", Usage(10 << 10, 2 << 10, -8 << 10, 0, 0, 0)),
    ],
)
def test_lines_of_df(text: str, expected: Usage) -> None:
    assert usage(text) == expected


NO_BLOCKS = "/dev/vda1 - - - - /\n/dev/vda1 5 1 4 20% /\n"


@pytest.mark.parametrize(
    "text", ["", "/dev/vda1 10 2 8 20% /\n", "x\ny\n", "/dev/vda1 10 2 8 20% /\nx\n", NO_BLOCKS]
)
def test_what_is_not_of_df(text: str) -> None:
    with pytest.raises(UnreadError, match="want a line of df"):
        usage(text)


# When certificates expire: lines, PEM, and what is neither.

CLIENT = ("certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem")


def test_each_certificate_has_its_day_or_why_not() -> None:
    given = dump(
        {
            CLIENT: "notAfter=Feb  3 04:05:06 2027 GMT\n",
            ("certificate", "/x"): failed(),
            ("certificate", "/y"): GONE,
        }
    )
    assert list(expiries(given)) == [
        Expiry(CLIENT[1], datetime(2027, 2, 3, 4, 5, 6, tzinfo=UTC)),
        Expiry("/x", None, "permission denied"),
    ]


def test_what_is_neither_line_nor_pem() -> None:
    (expiry,) = expiries(dump({CLIENT: "-----BEGIN PRIVATE KEY-----"}))
    assert expiry == Expiry(CLIENT[1], None, "neither a certificate nor the line notAfter= of one")
