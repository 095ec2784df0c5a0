"""Which files of a node are read for preflight, and how, besides its runtimes and processes.

The collector reads the same ones, under the same names.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from hashcompat.errors import InputError
from hashcompat.records.probes import Probe
from hashcompat.sources.node import filesystems
from hashcompat.sources.node.asking import Question
from hashcompat.sources.node.proc import flag
from hashcompat.sources.node.root import Root
from hashcompat.sources.node.unitfiles import UNITS, variables

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

_RANCHER: Final = ("/var/lib/rancher/rke2", "/var/lib/rancher/k3s")

_FILES: Final = (
    "/var/lib/kubelet/kubeadm-flags.env",
    "/etc/default/kubelet",
    "/etc/sysconfig/kubelet",
    "/etc/containerd/config.toml",
    "/etc/k0s/containerd.toml",
    "/run/k0s/containerd-cri.toml",
    "/var/snap/microk8s/current/args/containerd.toml",
    "/etc/docker/daemon.json",
    "/etc/crio/crio.conf",
    "/etc/os-release",
    filesystems.MOUNTS,
    "/proc/swaps",
    "/proc/meminfo",
    "/proc/version",
    "/sys/devices/system/cpu/online",
    *(f"{place}/agent/etc/containerd/config.toml" for place in _RANCHER),
    *(f"{place}/kubelet.service" for place in UNITS),
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
    **{f"{place}/kubelet.service.d": (".conf",) for place in UNITS},
}
"""Directories, and the ends of the names in them that are files to read."""

_FILE_SYSTEMS: Final = ("/", "/var/lib/containerd", "/var/lib/docker", "/var/lib/containers/storage", "/run")

_NUMA: Final = "/sys/devices/system/node"

_NODE: Final = re.compile("node[0-9]+")

_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", re.DOTALL)

_DATA: Final = re.compile(r"^\s*client-certificate-data:\s*(\S+)", re.MULTILINE)

_PATH: Final = re.compile(r"^\s*client-certificate:\s*(\S+)", re.MULTILINE)


def questions(root: Root, arguments: Probe) -> Iterator[Question]:
    """Yield the questions for all files, which depend on the kubelet's flags."""
    states = _states(root, arguments)
    config = flag(arguments, "config") or f"{states[0]}/config.yaml"
    of_states = (f"{state}/{name}" for state in states for name in _STATES)
    for path in dict.fromkeys((*_FILES, config, *of_states, *variables(root))):
        yield file(root, path)
    directories = dict(_DIRECTORIES)
    if more := flag(arguments, "config-dir"):
        directories[more] = (".conf",)
    if networks := flag(arguments, "cni-conf-dir"):
        directories[networks] = ()
    for path, ends in directories.items():
        yield directory(root, path)
        yield from (file(root, f"{path}/{name}") for name in _names(root, path, ends))
    yield from _memory(root)
    yield from (filesystems.filesystem(root, path) for path in (*_FILE_SYSTEMS, *states))
    yield from _certificates(root, arguments, states)
    yield from filesystems.remote(root)


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


def _memory(root: Root) -> Iterator[Question]:
    """Yield the questions for the NUMA nodes and the memory of each."""
    yield directory(root, _NUMA)
    for name in _names(root, _NUMA, ("",)):
        if _NODE.fullmatch(name):
            yield file(root, f"{_NUMA}/{name}/meminfo")


def _names(root: Root, path: str, ends: tuple[str, ...]) -> list[str]:
    try:
        return [name for name in root.names(path) if ends and name.endswith(ends)]
    except OSError:
        return []  # the question for the directory itself shows why


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
