"""Which files of a node are read for preflight, and how, besides its runtimes and processes.

The collector reads the same ones, under the same names.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from hashcompat.errors import InputError
from hashcompat.records.probes import Probe
from hashcompat.sources.node.asking import Question
from hashcompat.sources.node.proc import flag
from hashcompat.sources.node.root import Root

_ROOTS: Final = (
    "/var/lib/kubelet",
    "/var/lib/k0s/kubelet",
    "/var/snap/microk8s/common/var/lib/kubelet",
)
"""Where kubelets keep their state."""

_STATES: Final = (
    "cpu_manager_state",
    "memory_manager_state",
    "dra_manager_state",
    "pod_status_manager_state",
    "allocated_pods_state",
    "actuated_pods_state",
    "kubeadm-flags.env",
    "device-plugins/kubelet_internal_checkpoint",
)

_UNITS: Final = tuple(f"{place}/systemd/system" for place in ("/etc", "/run", "/usr/lib", "/lib"))

_RANCHER: Final = ("/var/lib/rancher/rke2", "/var/lib/rancher/k3s")

_FILES: Final = (
    "/etc/default/kubelet",
    "/etc/sysconfig/kubelet",
    "/etc/containerd/config.toml",
    "/etc/k0s/containerd.toml",
    "/run/k0s/containerd-cri.toml",
    "/var/snap/microk8s/current/args/containerd.toml",
    "/etc/docker/daemon.json",
    "/etc/crio/crio.conf",
    "/etc/os-release",
    "/proc/1/mounts",
    "/proc/swaps",
    "/proc/meminfo",
    "/proc/version",
    *(f"{place}/agent/etc/containerd/config.toml" for place in _RANCHER),
    *(f"{place}/kubelet.service" for place in _UNITS),
)

_DIRECTORIES: Final = {
    "/etc/containerd/conf.d": (".toml", ".conf"),
    "/etc/k0s/containerd.d": (".toml", ".conf"),
    "/etc/crio/crio.conf.d": (".toml", ".conf"),
    "/etc/cni/net.d": (),
    "/opt/cni/bin": (),
    "/var/snap/microk8s/current/args/cni-network": (),
    "/var/snap/microk8s/current/opt/cni/bin": (),
    "/var/lib/dockershim/sandbox": ("",),
    "/var/lib/cri-dockerd/sandbox": ("",),
    **{f"{place}/agent/etc/cni/net.d": () for place in _RANCHER},
    **{f"{place}/kubelet.service.d": (".conf",) for place in _UNITS},
}
"""Directories, and the ends of the names in them that are files to read."""

_FILE_SYSTEMS: Final = ("/", "/var/lib/containerd", "/var/lib/docker", "/var/lib/containers/storage", "/run")

_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", re.DOTALL)

_DATA: Final = re.compile(r"^\s*client-certificate-data:\s*(\S+)", re.MULTILINE)

_PATH: Final = re.compile(r"^\s*client-certificate:\s*(\S+)", re.MULTILINE)


def questions(root: Root, arguments: Probe) -> Iterator[Question]:
    """Yield the questions for all files, which depend on the kubelet's flags."""
    states = _states(root, arguments)
    config = flag(arguments, "config") or f"{states[0]}/config.yaml"
    for path in (*_FILES, config, *(f"{state}/{name}" for state in states for name in _STATES)):
        yield file(root, path)
    directories = dict(_DIRECTORIES)
    if more := flag(arguments, "config-dir"):
        directories[more] = (".conf",)
    for path, ends in directories.items():
        yield directory(root, path)
        yield from (file(root, f"{path}/{name}") for name in _names(root, path, ends))
    yield from (_file_system(root, path) for path in (*_FILE_SYSTEMS, *states) if root.holds(path))
    yield from _certificates(root, arguments, states)


def _states(root: Root, arguments: Probe) -> list[str]:
    given = flag(arguments, "root-dir").rstrip("/")
    found = [path for path in _ROOTS if root.holds(path)]
    return [given] if given else found or [_ROOTS[0]]


def file(root: Root, path: str) -> Question:
    """Return the question for a file."""
    return Question("file", path, partial(root.text, path))


def directory(root: Root, path: str) -> Question:
    """Return the question for the names in a directory."""
    return Question("directory", path, lambda: "".join(f"{name}\n" for name in root.names(path)))


def _names(root: Root, path: str, ends: tuple[str, ...]) -> list[str]:
    try:
        return [name for name in root.names(path) if ends and name.endswith(ends)]
    except OSError:
        return []  # the question for the directory itself shows why


def _file_system(root: Root, path: str) -> Question:
    return Question("filesystem", path, partial(_usage, root, path))


def _usage(root: Root, path: str) -> str:
    """Return how full a file system is, as ``df -Pk`` and ``df -Pi`` write it."""
    found = os.statvfs(root.place(path))
    total, free, available = (
        count * found.f_frsize // 1024 for count in (found.f_blocks, found.f_bfree, found.f_bavail)
    )
    return _row(total, free, available, path) + _row(found.f_files, found.f_ffree, found.f_favail, path)


def _row(total: int, free: int, available: int, path: str) -> str:
    used = total - free
    share = f"{-(-used * 100 // (used + available))}%" if used + available else "-"
    return f"- {total} {used} {available} {share} {path}\n"


def _certificates(root: Root, arguments: Probe, states: list[str]) -> Iterator[Question]:
    for state in states:
        yield directory(root, f"{state}/pki")
        for name in _names(root, f"{state}/pki", (".pem", ".crt")):
            yield _certificate(root, f"{state}/pki/{name}")
    authority = flag(arguments, "client-ca-file") or "/etc/kubernetes/pki/ca.crt"
    agents = (f"{place}/agent/client-kubelet.crt" for place in _RANCHER)
    for path in filter(None, (authority, flag(arguments, "tls-cert-file"), *agents)):
        yield _certificate(root, path)
    user = flag(arguments, "kubeconfig") or "/etc/kubernetes/kubelet.conf"
    yield Question("certificate", user, partial(_of_kubeconfig, root, user))


def _certificate(root: Root, path: str) -> Question:
    return Question("certificate", path, partial(_blocks, root, path))


def _blocks(root: Root, path: str) -> str:
    """Return the certificates in a file, and no key."""
    return _only_certificates(root.text(path))


def _only_certificates(text: str) -> str:
    if found := "".join(_CERTIFICATE.findall(text)):
        return found
    raise InputError("no certificate in it")


def _of_kubeconfig(root: Root, path: str) -> str:
    text = root.text(path)
    if data := _DATA.search(text):
        try:
            return _only_certificates(base64.b64decode(data[1]).decode(errors="replace"))
        except binascii.Error:
            raise InputError("its client certificate is not base64") from None
    if named := _PATH.search(text):
        return _blocks(root, named[1].strip("\"'"))
    raise InputError("no certificate in it")
