"""PF-513: mounts that end with the kubelet's own processes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dumps import dump, failed, found, status, upgrade

MOUNTS = ("file", "/proc/1/mounts")
UNIT = ("file", "/etc/systemd/system/kubelet.service")
VOLUME = "/var/lib/kubelet/pods/x/volumes/kubernetes.io~glusterfs/data"
FUSE = {MOUNTS: f"a:/v {VOLUME} fuse.glusterfs rw 0 0\n"}
PLAIN = {UNIT: "[Service]\nExecStart=/usr/bin/kubelet\n"}


@pytest.mark.parametrize(
    ("current", "changes", "expected"),
    [
        ("1.7.5", {**FUSE, **PLAIN}, ("ERROR", VOLUME)),
        ("1.7.5", {**FUSE}, ("ERROR", VOLUME)),
        ("1.7.5", {**FUSE, UNIT: "[Service]\nKillMode=process\n"}, ("OK", "")),
        ("1.7.5", {**FUSE, UNIT: "[Service]\nKillMode=process\nKillMode=mixed\n"}, ("ERROR", VOLUME)),
        ("1.7.5", {MOUNTS: "a:/v /mnt fuse.glusterfs rw 0 0\n"}, ("OK", "")),
        ("1.7.5", {MOUNTS: f"a:/v {VOLUME} nfs rw 0 0\n"}, ("OK", "")),
        ("1.8.15", {**FUSE, **PLAIN}, ("OK", "")),
        ("", {**FUSE, **PLAIN}, ("UNKNOWN", "")),
        ("", {MOUNTS: f"a:/v {VOLUME} nfs rw 0 0\n", **PLAIN}, ("OK", "")),
        ("", {**FUSE, UNIT: "[Service]\nKillMode=process\n"}, ("OK", "")),
        ("1.7.5", {MOUNTS: failed()}, ("UNKNOWN", "")),
        ("1.7.5", {**FUSE, UNIT: failed()}, ("UNKNOWN", "")),
    ],
)
def test_pf513_a_helper_in_the_kubelet_s_cgroup(
    current: str, changes: Any, expected: tuple[str, str]
) -> None:
    assert status("PF-513", dump(changes), upgrade("1.9.11", current)) == [expected]


def test_pf513_names_the_kubelet_that_started_it() -> None:
    ((_, _, text),) = found("PF-513", dump({**FUSE, **PLAIN}), upgrade("1.9.11", "1.7.5"))
    assert text == (
        f"{VOLUME} (fuse.glusterfs) is served by a process in the cgroup of kubelet 1.7.5: systemd ends it "
        "with the kubelet, and the pod loses its volume"
    )
