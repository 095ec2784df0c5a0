"""The processes of a node below a directory, as its /proc shows them, and files that only root can write."""

from __future__ import annotations

from pathlib import Path

HOST, OTHER = "4026531840", "4026532999"
KUBELET = "/system.slice/kubelet.service"
K3S: tuple[tuple[str, dict[str, str], list[str] | None], ...] = (
    ("", {}, []),
    ("  '--kubelet-arg=max-pods=200' --node-label a=b", {}, ["--max-pods=200", "--node-labels=a=b"]),
    ("  --protect-kernel-defaults --token hidden", {}, ["--protect-kernel-defaults=true"]),
    (
        "",
        {"config.yaml": "token: hidden\nkubelet-arg:\n- max-pods=200\n  # no\n- 'v=2'\n"},
        ["--max-pods=200", "--v=2"],
    ),
    (
        "",
        {"config.yaml": 'node-label: "a=b"\nprotect-kernel-defaults: true # x\n'},
        ["--node-labels=a=b", "--protect-kernel-defaults=true"],
    ),
    ("  --kubelet-arg=v=3", {"config.yaml": "kubelet-arg: [max-pods=200]\n"}, ["--v=3"]),
    (
        "",
        {
            "config.yaml": "kubelet-arg:\n  - v=1\nnode-label:\n  - a=b\n",
            "config.yaml.d/10-a.yaml": "kubelet-arg:\n  - v=2\nnode-label+:\n  - c=d\n",
            "config.yaml.d/note.txt": "kubelet-arg:\n  - v=9\n",
        },
        ["--v=2", "--node-labels=a=b", "--node-labels=c=d"],
    ),
    ("  --config=/root/k3s.yaml", {}, None),
    ("  --kubelet-arg=$MORE", {}, None),
)
"""What the unit of k3s and its files have, and what its kubelet is given; None if that is unknown."""

MICROK8S = """# The kubelet of this node.
--root-dir=${SNAP_COMMON}/var/lib/kubelet
  --node-labels="a=b"  --cert-dir=$SNAP_DATA/c

--config='${SNAP}/config'
#--v=4
"""
"""The arguments of a kubelet within kubelite, in the file of MicroK8s."""
OF_MICROK8S = (
    "kubelet",
    "--root-dir=/var/snap/microk8s/common/var/lib/kubelet",
    "--node-labels=a=b",
    "--cert-dir=/var/snap/microk8s/current/c",
    "--config=/snap/microk8s/current/config",
)
"""The same as the kubelet takes them."""


def write(root: Path, path: str, text: str | bytes, mode: int = 0o644) -> Path:
    """Write a file; no directory above it is writable by others."""
    made = root / path.lstrip("/")
    for above in (root, *(root / each for each in reversed(Path(path.lstrip("/")).parents))):
        above.mkdir(parents=True, exist_ok=True)
        above.chmod(0o755)
    made.write_bytes(text if isinstance(text, bytes) else text.encode())
    made.chmod(mode)
    return made


def process(
    root: Path,
    pid: int,
    state: str,
    name: str,
    cgroup: str,
    *arguments: str,
    parent: int = 1,
    uids: str = "0 0 0 0",
    mnt: str = HOST,
    user: str = HOST,
) -> None:
    """Add a process: of the node itself, unless its cgroup, its uids or its namespaces say otherwise."""
    write(root, f"proc/{pid}/stat", f"{pid} ({name}) {state} {parent} {pid} 0\n")
    write(root, f"proc/{pid}/cgroup", cgroup if cgroup[:1].isdecimal() else f"0::{cgroup}\n")
    write(root, f"proc/{pid}/cmdline", "".join(f"{word}\0" for word in (name, *arguments)))
    identify(root, pid, uids, mnt, user)


def identify(root: Path, pid: int, uids: str = "0 0 0 0", mnt: str = HOST, user: str = HOST) -> None:
    """Write whose process it is, and in which namespaces."""
    write(root, f"proc/{pid}/status", "Uid:\t" + "\t".join(uids.split()) + "\n")
    for kind, number in (("mnt", mnt), ("user", user)):
        link = root / f"proc/{pid}/ns/{kind}"
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(f"{kind}:[{number}]")


def program(root: Path, path: str, release: str = "v1.23.13", mark: Path | None = None) -> Path:
    """Write a program that prints its release and, with ``mark``, leaves a file that shows that it ran."""
    left = f"touch {mark}\n" if mark else ""
    return write(root, path, f"#!/bin/sh\n{left}echo Kubernetes {release}\n", 0o755)
