"""The host below the kubelet: cgroups, mounts, swap, certificates: PF-102, 113, 114, 146, 213, 214, 513."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from shlex import quote
from typing import Any, Final

from hashcompat.analysis.preflight.checks import Check, KubeletStart, Problem
from hashcompat.analysis.preflight.checks.runtime import cgroup_driver
from hashcompat.analysis.preflight.facts import Facts, host, runtime, runtimefiles, units
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import (
    CGROUPS,
    CNI_NETWORKS,
    CNI_PLUGINS,
    SWAPS,
    AbsentError,
    UnreadError,
)
from hashcompat.core.shown import name, said

# PF-102: cgroup v1 under a kubelet that refuses it.


def _find_cgroup_v1(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if upgrade.hazards.cgroup_v1 == "supported":
        return
    if host.cgroups(facts.dump) == host.CGROUP_V2 or not facts.is_set(
        "fail-cgroupv1", "failCgroupV1", default=True
    ):
        return
    text = f"this node has cgroup v1, on which kubelet {upgrade.target.release} does not start"
    advice = "move the node to cgroup v2 (systemd.unified_cgroup_hierarchy=1), or set failCgroupV1: false"
    yield Problem(Status.ERROR, CGROUPS, text, advice)


CGROUP_V1: Final = Check("PF-102", _find_cgroup_v1)


# PF-146: a cgroup that the kubelet is given, and that is not there or lacks a controller.

_ROOT: Final = "cgroupRoot"
_ENFORCED: Final = {
    "system-reserved": ("system-reserved-cgroup", "systemReservedCgroup"),
    "kube-reserved": ("kube-reserved-cgroup", "kubeReservedCgroup"),
}
"""What enforceNodeAllocatable may hold, and by which setting its cgroup is given."""
_SLICE: Final = ".slice"
_COMPRESSIBLE: Final = "-compressible"
"""The end of such a value, from 1.32 on, that enforces the processor's share alone."""


def _find_configured_cgroups(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    cgroups = list(_configured_cgroups(facts))
    if not cgroups:
        return
    there = host.controllers(facts.dump)
    is_v2 = host.cgroups(facts.dump) == host.CGROUP_V2
    hazards = upgrade.hazards
    asked = hazards.cgroup_v2_controllers if is_v2 else hazards.cgroup_v1_controllers
    needed = there["/"].intersection(asked)
    by_systemd = cgroup_driver(facts, upgrade) == "systemd"
    for setting, cgroup, without in cgroups:
        way = hazards.reserved_cgroup
        if setting == _ROOT and way == "by name":
            way = "by path"  # ParseCgroupfsToCgroupName, as before 1.16
        path = _slice(cgroup, way) if by_systemd else f"/{cgroup.strip('/')}"
        if not host.shows_cgroup(path):
            raise UnreadError(f"{setting} is {name(cgroup)}, and whether {name(path)} is there is not shown")
        lacks = sorted(needed - there.get(path, frozenset()))
        # With cgroup v2 it has given the root's children all controllers, to create the cgroup of all pods in
        # its cgroupRoot, before it sets limits on the others.
        is_given_them = is_v2 and setting != _ROOT and path in there and path.count("/") == 1
        if not lacks or is_given_them:
            continue
        if path not in there:
            how, make = f"the node has no cgroup {name(path)}", f"create {name(path)} before it starts"
        else:
            how, make = f"{name(path)} lacks {', '.join(lacks)}", _controllers_to(path, lacks, is_v2=is_v2)
        text = f"{setting} is {name(cgroup)}, and {how}: kubelet {upgrade.target.release} does not start"
        yield Problem(Status.ERROR, path, text, f"{make}, or {without}")


def _controllers_to(path: str, lacks: Sequence[str], *, is_v2: bool) -> str:
    if is_v2:
        return f"give {name(path)} these controllers before it starts (Delegate=yes in its unit)"
    places = " ".join(quote(f"{CGROUPS}/{controller}{path}") for controller in lacks)
    return f"mkdir -p {places} before it starts (ExecStartPre=)"


def _configured_cgroups(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """Yield the setting and the cgroup of each that has to be there, and how to do without it.

    Source: pkg/kubelet/cm/container_manager_linux.go ``NewContainerManager`` and
    node_container_manager_linux.go ``enforceNodeAllocatableCgroups``, 1.7.5 - 1.37.1.
    """
    root = str(facts.setting("cgroup-root", "cgroupRoot") or "")
    if root.strip("/") and facts.is_set("cgroups-per-qos", "cgroupsPerQOS", default=True):
        yield _ROOT, root, f"give it another {_ROOT}"
    enforced = facts.setting("enforce-node-allocatable", "enforceNodeAllocatable") or ()
    words = enforced.split(",") if isinstance(enforced, str) else map(str, enforced)
    for word in dict.fromkeys(value.strip().removesuffix(_COMPRESSIBLE) for value in words):
        flag, key = _ENFORCED.get(word, ("", ""))
        cgroup = str(facts.setting(flag, key) or "") if flag else ""
        if cgroup.strip("/"):
            yield key, cgroup, f"take {word} out of enforceNodeAllocatable"


def _slice(cgroup: str, way: str) -> str:
    """Return the path of the slice that a kubelet with the driver systemd takes a name for.

    Source: pkg/kubelet/cm/cgroup_manager_linux.go ``ConvertCgroupNameToSystemd`` (1.10.13),
    ``ParseSystemdToCgroupName`` and ``ToSystemd`` (1.16.0 - 1.37.1).
    """
    *above, last = filter(None, cgroup.split("/"))
    if way == "by name":
        parts = last.removesuffix(_SLICE).split("-")
    else:
        by_slices = way == "by slices"
        parts = [
            part.removesuffix(_SLICE).rpartition("-")[2]
            if by_slices and part.endswith(_SLICE)
            else part.replace("-", "_")
            for part in (*above, last)
        ]
    return "".join(f"/{'-'.join(parts[: end + 1])}{_SLICE}" for end in range(len(parts)))


CONFIGURED_CGROUPS: Final = Check("PF-146", _find_configured_cgroups)


# PF-113: a mounted file system whose server does not answer.

_DEAD: Final = ("no answer", "timed out", "not connected", "stale", "host is down", "input/output error")
"""What a probe or the system says of a mount whose server is gone."""


def _find_mounts(facts: Facts, _upgrade: KubeletStart) -> Iterator[Problem]:
    for mount in facts.mounts:
        problem = facts.dump.probe("filesystem", mount.path).problem if mount.is_remote else ""
        if not problem:
            continue
        if not any(sign in problem.lower() for sign in _DEAD):
            yield Problem(Status.UNKNOWN, mount.path, f"{mount.path} ({mount.kind}): {problem}")
            continue
        # A starting kubelet walks its own directory for volumes that are left over; elsewhere only pods hang.
        below = mount.path.startswith(f"{facts.root}/")
        yield Problem(
            Status.ERROR if below else Status.WARN,
            mount.path,
            f"{mount.path} ({mount.kind}) does not answer: {problem}"
            + ("; a kubelet looks at it when it starts, and hangs" if below else ""),
            f"bring the server back, or umount -l {quote(mount.path)}",
        )


# PF-513: mounts that end with the kubelet's own processes.


def _find_helpers(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    current = upgrade.current
    if current is not None and current.behaviour.mount_helpers == "in a scope of their own":
        return
    below = [mount for mount in facts.mounts if mount.is_fuse and mount.path.startswith(f"{facts.root}/")]
    if not below or units.spares_other_processes(facts.dump):
        return
    if current is None:
        raise UnreadError("the release of the kubelet that mounted them is unknown; give it with --from")
    for mount in below:
        yield Problem(
            Status.ERROR,
            mount.path,
            f"{mount.path} ({mount.kind}) is served by a process in the cgroup of kubelet "
            f"{current.release}: systemd ends it with the kubelet, and the pod loses its volume",
            "set KillMode=process in kubelet.service and run systemctl daemon-reload, or drain the node",
        )


MOUNT_HELPERS: Final = Check("PF-513", _find_helpers)

DEAD_MOUNTS: Final = Check("PF-113", _find_mounts)


# PF-213: swap under a kubelet that does not start with it.


def _find_swap(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    places = facts.swaps
    if not places or not facts.is_set("fail-swap-on", "failSwapOn", default=upgrade.hazards.fail_swap_on):
        return
    text = f"swap is on ({', '.join(places)}), with which kubelet {upgrade.target.release} does not start"
    advice = "swapoff -a and remove it from /etc/fstab, or set failSwapOn: false"
    yield Problem(Status.ERROR, SWAPS, text, advice)


SWAP: Final = Check("PF-213", _find_swap)


# PF-114: certificates that have expired, or soon will.

_SOON: Final = timedelta(days=7)
_RENEW: Final = "renew it (kubeadm certs renew, or remove it and give the kubelet a bootstrap token)"


def _find_certificates(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if upgrade.now is None:
        raise UnreadError("the time is unknown")
    yield from _missing_files(facts, upgrade)
    for expiry in facts.expiries:
        if expiry.at is None:
            yield Problem(Status.UNKNOWN, expiry.path, f"{expiry.path}: {expiry.problem}")
            continue
        day = expiry.at.strftime("%Y-%m-%d")
        if expiry.at < upgrade.now:
            # Only an expired client certificate makes the kubelet exit; it serves with any other one.
            ends, then = _is_clients(expiry.path), ""
            if ends and _surely_bootstraps(facts):
                file = facts.flags.get("bootstrap-kubeconfig", "")
                ends, then = False, f": the kubelet asks for another one by {file}"
                then += ", and ends where the token in it has expired too"
            status = Status.ERROR if ends else Status.WARN
            yield Problem(status, expiry.path, f"{expiry.path} expired on {day}{then}", _RENEW)
        elif expiry.at < upgrade.now + _SOON:
            yield Problem(Status.WARN, expiry.path, f"{expiry.path} expires on {day}", _RENEW)


def _missing_files(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Yield the files of certificates that the kubelet is given and the node does not have.

    Source: cmd/kubelet/app/server.go ``InitializeTLS`` and ``buildKubeletClientConfig``, pkg/kubelet/server
    ``ListenAndServeKubeletServer``, 1.9.11 - 1.37.1.
    """
    missing = {
        probe.name for probe in facts.dump.of_kind("certificate") if probe.text is None and not probe.problem
    }
    if not missing:
        return
    x509 = mapping(mapping(facts.config.get("authentication")).get("x509"))
    paths = {
        "clientCAFile": facts.flags.get("client-ca-file") or x509.get("clientCAFile"),
        "tlsCertFile": facts.setting("tls-cert-file", "tlsCertFile"),
        "--kubeconfig": facts.flags.get("kubeconfig"),
    }
    for setting, path in paths.items():
        if path in missing and not (setting == "--kubeconfig" and _bootstraps(facts)):
            yield Problem(
                Status.ERROR,
                str(path),
                f"{path}, the {setting} of the kubelet, or a certificate that it names is missing: kubelet "
                f"{upgrade.target.release} does not start",
                f"bring {path} back, or give the kubelet another one",
            )


def _bootstraps(facts: Facts) -> bool:
    """Return whether the kubelet has a file by which it can ask for a certificate.

    Source: pkg/kubelet/certificate/bootstrap/bootstrap.go ``LoadClientConfig``, 1.31.14.
    """
    path = facts.flags.get("bootstrap-kubeconfig", "")
    try:
        return bool(path) and bool(facts.dump.read("path", path))
    except AbsentError:
        return False


def _surely_bootstraps(facts: Facts) -> bool:
    """Return whether it is known to have one: what was not read does not make up for a certificate."""
    try:
        return _bootstraps(facts)
    except (UnreadError, AbsentError):
        return False


def _is_clients(path: str) -> bool:
    """Return whether the kubelet shows the certificate to the API server."""
    name = path.rpartition("/")[2]
    return "client" in name.removeprefix("client-ca") or name.endswith((".conf", ".config", "kubeconfig"))


CERTIFICATES: Final = Check("PF-114", _find_certificates)

# PF-214: no network for pods.

_DROPPED: Final = frozenset({"flannel"})
"""Plugins that kubernetes-cni had before 1.0 and has no longer (containernetworking/plugins#655)."""

_ADVICE: Final = "install or repair the network plugin; its pod writes the configuration"


def _find_network(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if not (facts.drives_docker and upgrade.target.behaviour.dockershim):
        yield from _by_cri(facts)
    elif facts.setting("network-plugin", "") == "cni":
        directory = str(facts.setting("cni-conf-dir", "") or CNI_NETWORKS)
        plugins = str(facts.setting("cni-bin-dir", "") or CNI_PLUGINS).split(",")
        yield from _missing_configuration(facts, directory)
        yield from _missing_plugins(facts, {}, directory, plugins)


def _by_cri(facts: Facts) -> Iterator[Problem]:
    """Judge by what the runtime reports, and by the directories of its configuration and of its plugins."""
    ready = runtime.conditions(facts.cri_info).get("NetworkReady")
    cni = mapping(mapping(facts.cri_info.get("config")).get("cni"))
    if ready is not None and ready.get("status") is not True:
        why = ready.get("message") or ready.get("reason") or "it reports no reason"
        text = f"the network of pods is not ready: {said(str(why))}"
        yield Problem(Status.ERROR, "NetworkReady", text, _ADVICE)
        return
    if facts.runtime.startswith("cri-o://"):
        keys = "network_dir", "plugin_dirs"
        conf_dir, listed = (runtimefiles.crio_setting(facts.dump, "network", key) for key in keys)
    else:
        conf_dir = cni.get("confDir")
        listed = cni.get("binDirs") or ([cni["binDir"]] if cni.get("binDir") else None)
    directory = str(conf_dir or CNI_NETWORKS)
    plugins = [str(path) for path in listed] if isinstance(listed, list) else [CNI_PLUGINS]
    yield from _missing_configuration(facts, directory)
    yield from _missing_plugins(facts, facts.cri_info, directory, plugins)


def _missing_plugins(
    facts: Facts, info: Mapping[str, Any], directory: str, plugins: list[str]
) -> Iterator[Problem]:
    """Yield the plugins of the configuration that are in none of the directories for them."""
    named = runtimefiles.named(facts.dump, info, directory)
    if not named:
        return
    installed = runtimefiles.installed(facts.dump, plugins)
    for kind, where in named.items():
        if kind not in installed:
            yield Problem(
                Status.ERROR,
                name(kind),
                f"{where} names the plugin {name(kind)}, which is not in {' or '.join(plugins)}: no new pod "
                "gets a network",
                "install the plugin again: its own pod, or the package kubernetes-cni, puts it there",
            )
        elif kind in _DROPPED and CNI_PLUGINS in plugins:
            yield Problem(
                Status.INFO,
                kind,
                f"the network needs {kind} in {CNI_PLUGINS}, which the package kubernetes-cni has "
                "no longer from 1.0 on: where that package put it there, an upgrade of it takes it away",
                f"keep a copy of {CNI_PLUGINS}/{kind}, or create the network's pod again afterwards",
            )


def _missing_configuration(facts: Facts, directory: str) -> Iterator[Problem]:
    """Yield that there is no configuration; a runtime that has one from before loses it when it starts."""
    if not runtimefiles.configurations(facts.dump, directory):
        yield Problem(Status.ERROR, directory, f"{directory} has no configuration of a network", _ADVICE)


NETWORK: Final = Check("PF-214", _find_network)
