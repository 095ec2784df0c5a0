"""The host below the kubelet: mounts."""

from __future__ import annotations

from hashcompat.preflight.facts.host import Mount, mounts


def test_a_mount_table_is_read() -> None:
    text = "tmpfs /mnt/a\\040b tmpfs rw 0 0\nshort\n\nnfs:/x /back\\134slash nfs4 rw 0 0\n"
    assert mounts(text) == (
        Mount("tmpfs", "/mnt/a b", "tmpfs"),
        Mount("nfs:/x", "/back\\slash", "nfs4"),
    )


def test_file_systems_of_servers_and_processes() -> None:
    kinds = ("nfs", "9p", "fuse", "fuse.s3fs", "fuse.lxcfs", "fuseblk", "ext4")
    made = [Mount("x", "/x", kind) for kind in kinds]
    assert [one.kind for one in made if one.is_remote] == ["nfs", "9p", "fuse", "fuse.s3fs"]
    assert [one.kind for one in made if one.is_fuse] == ["fuse", "fuse.s3fs", "fuse.lxcfs"]
