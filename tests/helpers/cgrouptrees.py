"""Trees of cgroups, and what both collectors show of their slices and services."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.helpers.dumps import CGROUP

ALL: Final = "cpuset cpu io memory hugetlb pids"
V2: Final = {
    "": ALL,
    "kube.slice": "memory pids",
    "a": ALL,
    "a/b": "cpu",
    "a/b/c": "",
    "a/b/c/too-deep": ALL,
    "system.slice/x@1.service": "cpu",
    "system.slice/run-1.scope": "cpu",
    "user.slice/user-0.slice": "cpu",
    "docker/x": "cpu",
    "lxc.payload.x": "cpu",
    CGROUP[1:]: ALL,
    "kubelet.slice/kubelet-kubepods.slice": ALL,
    f"made/{'e' * 64}": "cpu",
    "two words": "cpu",
    "two\nlines": "cpu",
}
V1: Final = {"cpu,cpuacct": ("kube", "kube/proxy"), "memory": ("kube",), "systemd": (), "net_cls": ("other",)}
"""Hierarchies, each with its cgroups."""

SHOWN_V2: Final = {
    f"/ {ALL}",
    "/kube.slice memory pids",
    f"/a {ALL}",
    "/a/b cpu",
    "/a/b/c",
    "/system.slice",
    "/system.slice/x@1.service cpu",
    "/kubelet.slice",
    "/made",
}
SHOWN_V1: Final = {"/ cpu cpuacct memory systemd", "/kube cpu cpuacct memory", "/kube/proxy cpu cpuacct"}


def make_v2(host: Path) -> None:
    """Make the tree of cgroup v2 below a node's root."""
    for path, controllers in V2.items():
        place = host / "sys/fs/cgroup" / path
        place.mkdir(parents=True, exist_ok=True)
        (place / "cgroup.controllers").write_text(f"{controllers}\n")


def make_v1(host: Path) -> None:
    """Make the trees of cgroup v1, two of which are the same by links."""
    for hierarchy, paths in V1.items():
        for path in ("", *paths):
            (host / "sys/fs/cgroup" / hierarchy / path).mkdir(parents=True, exist_ok=True)
    for name in ("cpu", "cpuacct"):
        (host / "sys/fs/cgroup" / name).symlink_to("cpu,cpuacct")


def shown(text: str) -> set[str]:
    """Return the lines of a probe, of which the first one is the root's."""
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[0].startswith("/ ")
    assert len(set(lines)) == len(lines)
    return {*lines}


TREES: Final = pytest.mark.parametrize(
    ("make", "lines"), [(make_v2, SHOWN_V2), (make_v1, SHOWN_V1)], ids=["v2", "v1"]
)
"""Each tree with the lines that are shown of it."""
