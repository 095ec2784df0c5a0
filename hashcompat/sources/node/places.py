"""Where a kubelet's own files can be: what an argument, a unit or a runtime names is read nowhere else.

Whoever chooses such a path must not choose what root reads. The list is what distributions use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

OWN: Final = (
    "/etc/kubernetes",  # kubeadm, kubespray, AKS, EKS, OpenShift, RKE, Bottlerocket
    "/etc/default",  # Debian's packages
    "/etc/sysconfig",  # those of Fedora and SUSE
    "/etc/environment",  # kops, Flatcar: a file of variables
    "/etc/node-sizing.env",  # OpenShift: one too
    "/etc/kubelet.conf",
    "/etc/kubelet.d",
    "/etc/kubelet",
    "/run/metadata",  # Flatcar: files of variables
    "/etc/systemd",
    "/run/systemd/system",
    "/usr/local/lib/systemd",
    "/usr/lib/systemd",
    "/lib/systemd",
    "/var/lib/kubelet",
    "/etc/eks",  # EKS
    "/home/kubernetes",  # GKE
    "/etc/srv/kubernetes",  # GKE, kube-up
    "/srv/kubernetes",  # kops
    "/etc/origin",  # OpenShift 3
    "/root/cdk",  # Charmed Kubernetes
    "/opt/kubernetes",  # installations made by hand
    "/opt/kubelet",
    "/etc/rancher",  # k3s, RKE2
    "/var/lib/rancher",
    "/etc/k0s",
    "/var/lib/k0s",
    "/run/k0s",
    "/var/snap/microk8s",
    "/var/snap/k8s",  # Canonical Kubernetes
    "/var/snap/kubelet",
    "/etc/containerd",
    "/etc/crio",
    "/etc/docker",
    "/etc/cni",
    "/opt/cni",
    "/var/lib/cni",
    "/run/multus/cni",
    "/var/lib/dockershim",
    "/var/lib/cri-dockerd",
)
"""Files and directories of kubelets, of the runtimes below them, and of systemd."""

_OF_TENANTS: Final = re.compile(
    r"/(pods|plugins|plugins_registry|checkpoints)(/|$)"  # volumes, and what CSI drivers write
    r"|^/var/lib/rancher/[^/]+/(storage|agent/containerd)(/|$)"  # volumes of local-path, images, containers
    r"|^/var/lib/k0s/containerd(/|$)"
    r"|^/var/snap/[^/]+/common/(default-storage|var/lib/containerd)(/|$)"
)
"""What is below these and holds the files of containers, whose root owns them as the node's does."""

_KEY: Final = re.compile(r"[._-]key(\.pem)?$")
"""How the names of private keys end."""

PROGRAMS: Final = {
    "kubelet": (
        "/usr/bin",
        "/usr/local/bin",
        "/usr/sbin",
        "/bin",
        "/opt/bin",  # Flatcar, kubespray
        "/home/kubernetes/bin",  # GKE
        "/var/lib/rancher/rke2/bin",
        "/var/lib/k0s/bin",
    ),
    "hyperkube": ("/usr/bin", "/usr/local/bin", "/opt/bin"),
    "k3s": ("/var/lib/rancher/k3s/data/current/bin", "/usr/local/bin", "/usr/bin", "/bin", "/opt/bin"),
    "kubelite": ("/snap/microk8s/current",),
}
"""The programs with a kubelet in them, and the directories in which distributions have them."""

_NO_DISK: Final = ("/proc", "/sys", "/dev")

_VOLATILE: Final = (*_NO_DISK, "/run", "/tmp", "/var/tmp", "/var/run", "/var/lib")  # noqa: S108
"""Where no program is that a unit may name, but for those of PROGRAMS."""


def why_not_read(path: str, also: Sequence[str] = ()) -> str:
    """Return why a path is not one that a kubelet's own file can have; empty where it can.

    ``also`` names more directories with such files, by the word of whoever runs this program.
    """
    if not path.startswith("/") or ".." in path.split("/") or "\0" in path:
        return "it is not an absolute path without .."
    if _KEY.search(path):
        return "it is a private key, by its name"
    if not _is_below(path, (*OWN, *also)) or _is_of_tenants(path):
        return "no file of a kubelet is there, see --read-also"
    return ""


def why_not_asked(path: str) -> str:
    """Return why a path is not one whose file system may be asked how full it is; empty where it is one.

    Runtimes keep their files on whatever disk there is, and of that no more than numbers is read.
    """
    if not path.startswith("/") or ".." in path.split("/") or _is_below(path, _NO_DISK):
        return "it is not the path of a disk"
    return ""


def why_not_run(path: str) -> str:
    """Return why a path is not one at which a kubelet's program can be; empty where it can."""
    if not path.startswith("/") or ".." in path.split("/"):
        return "it is not an absolute path without .."
    usual = {directory for directories in PROGRAMS.values() for directory in directories}
    is_volatile = _is_below(path, _VOLATILE) and not _is_below(path, (*usual, "/var/lib/rancher"))
    if is_volatile or _is_of_tenants(path):
        return "no program of a node is there"
    return ""


def _is_below(path: str, places: tuple[str, ...]) -> bool:
    found = PurePosixPath(re.sub("/+", "/", path))
    return any(found.is_relative_to(place) for place in places)


def _is_of_tenants(path: str) -> bool:
    return _OF_TENANTS.search(re.sub("/+", "/", path)) is not None
