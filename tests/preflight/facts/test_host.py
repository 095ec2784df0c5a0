"""The host below the kubelet: mounts."""

from __future__ import annotations

from hashcompat.preflight.facts.host import Mount, mounts


def test_a_mount_table_is_read() -> None:
    text = "tmpfs /mnt/a\\040b tmpfs rw 0 0\nshort\n\nnfs:/x /back\\134slash nfs4 rw 0 0\n"
    assert mounts(text) == (
        Mount("tmpfs", "/mnt/a b", "tmpfs"),
        Mount("nfs:/x", "/back\\slash", "nfs4"),
    )
