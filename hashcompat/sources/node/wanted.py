"""Which files of a node are read for preflight, and how, besides its runtimes and processes.

The collector reads the same ones, under the same names.
"""

from __future__ import annotations

import base64
import binascii
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.go import yaml
from hashcompat.core.records import probes
from hashcompat.core.records.probes import Probe
from hashcompat.sources import node
from hashcompat.sources.node import NodeQuery, flag
from hashcompat.sources.node.kubelets import variables
from hashcompat.sources.node.root import Root

_ROOTS: Final = (probes.KUBELET_ROOT, "/var/lib/k0s/kubelet", "/var/snap/microk8s/common/var/lib/kubelet")
"""Where kubelets keep their state."""
_STATES: Final = (
    "cpu_manager_state",
    "memory_manager_state",
    "dra_manager_state",
    "pod_status_manager_state",
    "allocated_pods_state",
    "actuated_pods_state",
    "device-plugins/kubelet_internal_checkpoint",
)
_RANCHER: Final = ("/var/lib/rancher/rke2", "/var/lib/rancher/k3s")
_FILES: Final = (
    "/etc/containerd/config.toml",
    "/etc/k0s/containerd.toml",
    "/run/k0s/containerd-cri.toml",
    "/var/snap/microk8s/current/args/containerd.toml",
    "/etc/docker/daemon.json",
    probes.CRIO_CONFIG,
    *(f"{place}/agent/etc/containerd/config.toml" for place in _RANCHER),
)
_HOST: Final = (
    "/etc/os-release",
    probes.MOUNTS,
    probes.SWAPS,
    probes.MEMINFO,
    "/proc/version",
    probes.ONLINE,
    probes.HOSTNAME,
    "/proc/sys/kernel/panic",
    "/proc/sys/kernel/panic_on_oops",
    "/proc/sys/kernel/keys/root_maxkeys",
    "/proc/sys/kernel/keys/root_maxbytes",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/panic_on_oom",
)
"""Files of the kernel and of the distribution, which name nothing but the node."""

_ACCOUNTS: Final = {
    probes.USERS: re.compile(r"^(kubelet):[^:\n]*:([0-9]+):([0-9]+):.*$", re.MULTILINE),
    **dict.fromkeys(probes.SUB_IDS, re.compile(r"^(kubelet|[0-9]+):([0-9]+):([0-9]+)$", re.MULTILINE)),
    probes.NAME_SERVICES: re.compile(r"^subid:[ \t]*([a-z_]+)", re.MULTILINE),
}
"""Files of accounts, and the lines of them that are shown: what they have of the user kubelet."""

_SHOWN: Final = {probes.USERS: "{0}:x:{1}:{2}:::", probes.NAME_SERVICES: "subid: {0}"}
"""What is shown of such a line, where that is not all of it."""

_DIRECTORIES: Final = {
    "/etc/containerd/conf.d": (".toml", ".conf"),
    "/etc/k0s/containerd.d": (".toml", ".conf"),
    probes.CRIO_DROP_INS: (".toml", ".conf"),
    probes.CNI_NETWORKS: probes.CNI_SUFFIXES,
    probes.CNI_PLUGINS: (),
    "/usr/libexec/cni": (),
    "/usr/lib/cni": (),
    "/var/snap/microk8s/current/args/cni-network": probes.CNI_SUFFIXES,
    "/var/snap/microk8s/current/opt/cni/bin": (),
    **dict.fromkeys((probes.DOCKERSHIM, probes.CRI_DOCKERD), ("",)),
    **{f"{place}/agent/etc/cni/net.d": probes.CNI_SUFFIXES for place in _RANCHER},
    **{f"{place}/data": () for place in _RANCHER},
}
"""Directories, and the ends of the names in them that are files to read."""
_FILE_SYSTEMS: Final = ("/", *probes.IMAGES.values(), "/run")
_NODE: Final = re.compile("node[0-9]+")
_CPU: Final = re.compile("cpu[0-9]+")
_LONGEST: Final = 1 << 20
"""Characters of a file that somebody writes by hand; the largest of these have some thousands."""
_CERTIFICATE: Final = re.compile(
    r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----\n?", re.ASCII
)
_PRIVATE: Final = "PRIVATE KEY-----"
_SECTION: Final = re.compile(r"^[ \t]*\[[A-Z]", re.MULTILINE)
_ASSIGNMENT: Final = re.compile(r"^[ \t]*(export +)?[A-Za-z_][A-Za-z0-9_]*=", re.MULTILINE)
_DATA: Final = re.compile(r"^[^\S\n]*client-certificate-data:\s*(\S+)", re.MULTILINE)
_PATH: Final = re.compile(r"^[^\S\n]*client-certificate:\s*(\S+)", re.MULTILINE)


def questions(root: Root, arguments: Probe) -> Iterator[NodeQuery]:
    """Yield the questions for all files, which depend on the kubelet's flags.

    A file that a flag or a unit names is read where a kubelet's own files can be, and only if it is what it
    should be: whoever may choose a path must not choose what is shown.
    """
    root_dir = flag(arguments, "root-dir").rstrip("/")
    roots = [path for path in _ROOTS if root.holds(path)]
    states = [root_dir] if root_dir else roots or [_ROOTS[0]]
    yield from (NodeQuery("file", path, partial(root.text, path)) for path in _HOST)
    yield from (NodeQuery("file", path, partial(_account, root, path)) for path in _ACCOUNTS)
    yield from (there(root, f"{place}/{probes.GETSUBIDS}") for place in probes.SERVICE_PATH)
    yield from (kubelet_file(root, path) for path in _FILES)
    yield from (kubelet_file(root, f"{state}/{name}") for state in states for name in _STATES)
    for state in states:
        yield NodeQuery("mappings", f"{state}/pods", partial(_mappings, root, state))
    flags = (f"{state}/{probes.KUBEADM_FLAGS}" for state in states)
    # Units of OpenShift name /etc/os-release, which is read as it is.
    named = (path for path in variables(root) if path not in _HOST)
    for path in dict.fromkeys((*probes.VARIABLE_FILES, *flags, *named)):
        yield kubelet_file(root, path, check_variables)
    config = flag(arguments, "config") or f"{states[0]}/config.yaml"
    yield kubelet_file(root, config, check_config)
    for path in probes.UNITS:
        yield kubelet_file(root, f"{path}/{probes.KUBELET_UNIT}", check_unit)
        yield from _below(root, f"{path}/{probes.KUBELET_UNIT}.d", (".conf",), check_unit)
    for path, ends in _DIRECTORIES.items():
        yield from _below(root, path, ends)
    if more := flag(arguments, "config-dir"):
        yield from _drop_ins(root, more)
    if networks := flag(arguments, "cni-conf-dir"):
        yield from _named(root, networks, probes.CNI_SUFFIXES)
    plugins = filter(None, flag(arguments, "cni-bin-dir").split(","))
    yield from (named_directory(root, path) for path in plugins)
    yield from _providers(root, arguments)
    given_paths = (flag(arguments, name) for name in ("cloud-config", "bootstrap-kubeconfig"))
    yield from (there(root, path, root.why_not_read) for path in given_paths if path)
    if manifests := flag(arguments, "pod-manifest-path") or static_pods(root, config):
        yield named_directory(root, manifests)
    yield from _memory(root)
    yield from _cores(root)
    yield from (node.filesystem(root, path) for path in _FILE_SYSTEMS)
    yield from (node.filesystem(root, path, root.why_not_read) for path in states)
    yield from _certificates(root, arguments, states)
    yield from node.remote(root)


def _anywhere(path: str) -> str:  # noqa: ARG001 - as Root.why_not_read
    return ""


def _as_it_is(text: str) -> None:
    """Take a file of any form: whether it is damaged is what preflight asks."""


def kubelet_file(root: Root, path: str, check: Callable[[str], None] = _as_it_is) -> NodeQuery:
    """Return the question for a file of the kubelet or its runtime; ``check`` raises for what is none."""
    return NodeQuery("file", path, partial(_checked_text, root, path, check))


def _checked_text(root: Root, path: str, check: Callable[[str], None]) -> str:
    text = root.trusted_text(path)
    check(text)
    return text


def check_config(text: str) -> None:
    """Raise InputError for what is not one KubeletConfiguration; nothing of it is quoted."""
    _demand("a KubeletConfiguration", is_one=len(text) <= _LONGEST)
    try:
        document = yaml.first(text, [])
    except InputError:
        document = None
    if not isinstance(document, Mapping) or document.get("kind") != "KubeletConfiguration":
        raise InputError(probes.NO_CONFIGURATION)
    # What follows the first document is not read by the kubelet, and could be anything.
    _demand("one KubeletConfiguration", is_one=_is_alone(text))


def _is_alone(text: str) -> bool:
    try:
        return sum(1 for _ in yaml.load_all(text, [])) == 1
    except InputError:
        return text.lstrip().startswith("{")  # JSON that is not YAML, with a tab


def check_unit(text: str) -> None:
    """Raise InputError for what is not a unit of systemd or a drop-in."""
    _demand("a unit of systemd", is_one=_has(text, _SECTION))


def check_variables(text: str) -> None:
    """Raise InputError for what is not a file of variables."""
    _demand("a file of variables", is_one=_has(text, _ASSIGNMENT) and _PRIVATE not in text)


def _has(text: str, line: re.Pattern[str]) -> bool:
    """Return whether a file has such a line, or nothing in it."""
    return not text.strip() or (len(text) <= _LONGEST and line.search(text) is not None)


def _demand(what: str, *, is_one: bool) -> None:
    if not is_one:
        raise InputError(f"not read: it is not {what}")


def directory(root: Root, path: str) -> NodeQuery:
    """Return the question for the names in a directory."""
    return NodeQuery("directory", path, lambda: "".join(f"{name}\n" for name in root.names(path)))


def named_directory(root: Root, path: str) -> NodeQuery:
    """Return the question for the names in a directory that a flag or a runtime names."""
    return NodeQuery("directory", path, lambda: "".join(f"{name}\n" for name in root.trusted_names(path)))


def _below(
    root: Root, path: str, ends: tuple[str, ...], check: Callable[[str], None] = _as_it_is
) -> Iterator[NodeQuery]:
    yield directory(root, path)
    yield from (kubelet_file(root, f"{path}/{name}", check) for name in _names(root, path, ends))


def _named(
    root: Root, path: str, ends: tuple[str, ...] = (), check: Callable[[str], None] = _as_it_is
) -> Iterator[NodeQuery]:
    yield named_directory(root, path)
    if not root.why_not_read(path):
        yield from (kubelet_file(root, f"{path}/{name}", check) for name in _names(root, path, ends))


_MOST_DIRECTORIES: Final = 50
"""How many directories of drop-ins are read; nobody has more than a few."""


def _drop_ins(root: Root, path: str) -> Iterator[NodeQuery]:
    """Yield the questions for the files of --config-dir: a kubelet goes down into directories, and no link.

    What is neither a directory nor a drop-in is named with its kind, so that it is not taken for one that was
    not read.
    """
    left = [path.rstrip("/") or "/"]
    for _ in range(_MOST_DIRECTORIES):
        if not left:
            return
        place = left.pop(0)
        yield named_directory(root, place)
        for name in () if root.why_not_read(place) else _names(root, place, ("",)):
            below = f"{place}/{name}"
            kind = _entry(root, place, name)
            if kind == "directory":
                left.append(below)
            elif name.endswith(".conf"):
                yield kubelet_file(root, below, check_config)
            else:
                yield NodeQuery("path", below, partial(str, kind))


def _entry(root: Root, path: str, name: str) -> str:
    """Return the kind of what is in a directory under a name, without following a link."""
    try:
        return _kind(root.place(path).joinpath(name).lstat().st_mode)
    except OSError:
        return "other"  # it is gone meanwhile


_MAPPING: Final = re.compile(r'[^A-Za-z0-9{}\[\]":,]')
"""What is not part of a recorded mapping of ids, which has no blanks."""


def _mappings(root: Root, state: str) -> str:
    """Return what kubelets recorded of the ids of pods with user namespaces, a line behind each pod's UID.

    Of the pods' directories, below which they write, nothing else is looked at, and no link is followed.
    """
    root.trusted_names(state)  # raises where it is not one of a kubelet
    pods, lines = root.place(state) / "pods", list[str]()
    if not stat.S_ISDIR(pods.lstat().st_mode):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for pod in sorted(pods.iterdir()):
        try:
            about = (pod / "userns").lstat()
            if pod.is_symlink() or not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid():
                continue
            content = (pod / "userns").read_bytes()[:_LONGEST].partition(b"\n")[0].decode("ascii", "replace")
        except OSError:
            continue  # most pods have none
        lines.append(f"{pod.name} {_MAPPING.sub('', content)[:1000]}\n")
    return "".join(lines)


def _account(root: Root, path: str) -> str:
    """Return what a file of accounts has of the user kubelet, without passwords, names and directories."""
    shown = _SHOWN.get(path, "{0}:{1}:{2}")
    matches = _ACCOUNTS[path].finditer(root.text(path))
    return "".join(f"{shown.format(*match.groups())}\n" for match in matches)


def there(root: Root, path: str, why_not: Callable[[str], str] = _anywhere) -> NodeQuery:
    """Return the question whether there is something at a path, and what kind; nothing of it is read."""
    return NodeQuery("path", path, partial(_kind_of, root, path, why_not))


def _kind_of(root: Root, path: str, why_not: Callable[[str], str]) -> str:
    if why := why_not(path):
        raise InputError(f"not read: {path}: {why}")
    return _kind(root.place(path).lstat().st_mode)


def _kind(mode: int) -> str:
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


_PROVIDER: Final = "image-credential-provider-{}"

_PROVIDER_FILES: Final = (".json", ".yaml", ".yml")

_KIND: Final = re.compile(r"""\bkind["']?\s*:\s*["']?CredentialProviderConfig\b""")


def _providers(root: Root, arguments: Probe) -> Iterator[NodeQuery]:
    """Yield the questions for credential providers: their configuration, in a file or files, and programs."""
    if config := flag(arguments, _PROVIDER.format("config")):
        if root.holds(config) and root.place(config).is_dir():
            yield from _named(root, config, _PROVIDER_FILES, check_providers)
        else:
            yield kubelet_file(root, config, check_providers)
    if programs := flag(arguments, _PROVIDER.format("bin-dir")):
        yield named_directory(root, programs)


def check_providers(text: str) -> None:
    """Raise InputError for what is not a CredentialProviderConfig."""
    _demand("a CredentialProviderConfig", is_one=len(text) <= _LONGEST and _KIND.search(text) is not None)


def static_pods(root: Root, path: str) -> str:
    """Return the directory of static pods that a configuration file names; empty where it names none."""
    try:
        text = root.trusted_text(path)
        document = yaml.first(text, []) if len(text) <= _LONGEST else None
    except (OSError, InputError):
        return ""
    manifests = document.get("staticPodPath") if isinstance(document, Mapping) else None
    return manifests if isinstance(manifests, str) else ""


def _memory(root: Root) -> Iterator[NodeQuery]:
    """Yield the questions for the NUMA nodes, and for memory and CPUs of each."""
    yield directory(root, probes.NUMA)
    for name in _names(root, probes.NUMA, ("",)):
        if _NODE.fullmatch(name):
            for path in (f"{probes.NUMA}/{name}/meminfo", f"{probes.NUMA}/{name}/cpulist"):
                yield NodeQuery("file", path, partial(root.text, path))


def _cores(root: Root) -> Iterator[NodeQuery]:
    for name in _names(root, probes.CPUS, ("",)):
        path = f"{probes.CPUS}/{name}/topology/thread_siblings_list"
        if _CPU.fullmatch(name) and root.holds(path):
            yield NodeQuery("file", path, partial(root.text, path))


def _names(root: Root, path: str, ends: tuple[str, ...]) -> list[str]:
    try:
        return [name for name in root.names(path) if ends and name.endswith(ends)]
    except OSError:
        return []  # the question for the directory itself shows why


def _certificates(root: Root, arguments: Probe, states: list[str]) -> Iterator[NodeQuery]:
    for path in (f"{state}/pki" for state in states):
        yield named_directory(root, path)
        names = [] if root.why_not_read(path) else _names(root, path, (".pem", ".crt"))
        yield from (_certificate(root, f"{path}/{name}") for name in names)
    authority = flag(arguments, "client-ca-file") or "/etc/kubernetes/pki/ca.crt"
    agents = (f"{place}/agent/client-kubelet.crt" for place in _RANCHER)
    for path in filter(None, (authority, flag(arguments, "tls-cert-file"), *agents)):
        yield _certificate(root, path)
    user = flag(arguments, "kubeconfig") or "/etc/kubernetes/kubelet.conf"
    yield NodeQuery("certificate", user, partial(_of_kubeconfig, root, user))


def _certificate(root: Root, path: str) -> NodeQuery:
    return NodeQuery("certificate", path, partial(_blocks, root, path))


def _blocks(root: Root, path: str) -> str:
    """Return the certificates in a file, and no key."""
    return _only_certificates(_checked_text(root, path, _check_length))


def _check_length(text: str) -> None:
    _demand("of the length of certificates", is_one=len(text) <= _LONGEST)


def _only_certificates(text: str) -> str:
    if certificates := "".join(_CERTIFICATE.findall(text)):
        return certificates
    raise InputError("no certificate in it")


def _of_kubeconfig(root: Root, path: str) -> str:
    text = _checked_text(root, path, _check_length)
    if data := _DATA.search(text):
        try:
            return _only_certificates(base64.b64decode(data[1]).decode(errors="replace"))
        except binascii.Error:
            raise InputError("its client certificate is not base64") from None
    if named := _PATH.search(text):
        return _blocks(root, str(PurePosixPath(path).parent / named[1].strip("\"'")))
    raise InputError("no certificate in it")
