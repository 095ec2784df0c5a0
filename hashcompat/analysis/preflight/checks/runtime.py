"""The container runtime under the new kubelet: PF-103, 104, 111, 116, 204, 214 and 314.

Between 1.20 and 1.37 kubelets lost dockershim, two versions of CRI and a cgroup driver of their own. Where a
Node object shows the runtime, the first two are judged without anything from the node.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import Final

from hashcompat.analysis.preflight.checks import OF_BOTH, Check, Problem, Upgrade
from hashcompat.analysis.preflight.facts import Facts, runtime
from hashcompat.core import shown
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import AbsentError, UnreadError
from hashcompat.core.shown import name, said

# PF-104 and PF-204: a runtime that does not speak the kubelet's CRI, or that upstream no longer supports.

_UPGRADE: Final = "drain the node and upgrade the container runtime first"


def _find_api(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    api, target = upgrade.hazards.cri_api, upgrade.target
    if api == "both" or runtime.api_version(facts.dump) == api:
        return
    version = facts.runtime
    if _has_dockershim(facts, upgrade) or (target.behaviour.dockershim and facts.drives_docker):
        return
    if _can(upgrade, version, f"CRI {api}"):
        return
    text = f"{version} does not speak CRI {api}, without which kubelet {target.release} does not start"
    yield Problem(Status.ERROR, version, text, _UPGRADE)


def _find_support(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if upgrade.hazards.old_containerd == "supported":
        return
    version = facts.runtime
    if not (_has_dockershim(facts, upgrade) or _can(upgrade, version, "RuntimeConfig")):
        text = f"{version} lacks RuntimeConfig: upstream does not support it under {upgrade.target.release}"
        yield Problem(Status.WARN, version, text, _UPGRADE)


def _has_dockershim(facts: Facts, upgrade: Upgrade) -> bool:
    """Return whether the current kubelet drives Docker by itself, which is what PF-103 is about."""
    return facts.drives_docker and upgrade.current is not None and upgrade.current.behaviour.dockershim


def _can(upgrade: Upgrade, version: str, what: str) -> bool:
    known = upgrade.runtimes.can(version, what)
    if known is None:
        raise UnreadError(f"whether {version} has {what} is not known")
    return known


CRI_VERSION: Final = Check("PF-104", _find_api, OF_BOTH)

OLD_RUNTIME: Final = Check("PF-204", _find_support, OF_BOTH)


# PF-103: a kubelet without dockershim on a node that is set up for it.

_MOVE: Final = (
    "drain the node, then move it to containerd or to cri-dockerd: set --container-runtime-endpoint "
    "(kubeadm: annotation kubeadm.alpha.kubernetes.io/cri-socket of the Node), restart"
)


def _find_endpoint(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    current, target = upgrade.current, upgrade.target
    if target.behaviour.dockershim or (current is not None and not current.behaviour.dockershim):
        return
    if not facts.on_node:
        yield from _by_runtime(facts, upgrade)
        return
    endpoint = str(facts.setting("container-runtime-endpoint", "containerRuntimeEndpoint") or "")
    if "dockershim" in endpoint:
        text = f"the runtime endpoint is {endpoint}, which dockershim served: {target.release} has none"
        yield Problem(Status.ERROR, endpoint, text, _MOVE)
    elif not endpoint and upgrade.hazards.runtime_endpoint == "none":
        text = f"the kubelet is given no runtime endpoint, without which {target.release} does not start"
        yield Problem(Status.ERROR, "", text, _MOVE)
    elif not endpoint and facts.drives_docker:
        default = upgrade.hazards.runtime_endpoint
        text = f"the kubelet drives Docker by itself; without an endpoint {target.release} drives {default}"
        yield Problem(Status.ERROR, "", text, _MOVE)


def _by_runtime(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    """Judge by the Node object: up to 1.23 only kubelets with an endpoint drive anything but Docker."""
    if not facts.drives_docker:
        return
    if upgrade.current is None:
        raise UnreadError("whether the kubelet that runs now drives Docker by itself is unknown")
    text = f"{upgrade.current.release} drives {facts.runtime} by itself or by cri-dockerd"
    ending = f"; {upgrade.target.release} needs the endpoint of a runtime"
    yield Problem(Status.ERROR, "", text + ending, _MOVE)


RUNTIME_ENDPOINT: Final = Check("PF-103", _find_endpoint, OF_BOTH)


# PF-111: a kubelet and a runtime with different cgroup drivers.

_GATE: Final = "KubeletCgroupDriverFromCRI"

_DEFAULT: Final = "cgroupfs"
"""The default of cgroupDriver in every release (pkg/kubelet/apis/config/v1beta1/defaults.go)."""


def _find_drivers(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    # A kubelet that asks the runtime for its driver ignores its own setting (KEP-4033).
    can = upgrade.runtimes.can(facts.runtime, "RuntimeConfig")
    if can and dict(facts.gates).get(_GATE, upgrade.hazards.cgroup_driver_from_cri):
        return
    given = str(facts.setting("cgroup-driver", "cgroupDriver") or _DEFAULT)
    actual = runtime.cgroup_driver(facts.docker_info if facts.drives_docker else facts.cri_info)
    if given != actual:
        yield Problem(
            Status.ERROR,
            facts.runtime,
            f"the kubelet's cgroup driver is {name(given)}, that of {facts.runtime} {name(actual)}",
            f"drain the node and set cgroupDriver: {name(actual)} in the kubelet's configuration file",
        )


CGROUP_DRIVERS: Final = Check("PF-111", _find_drivers)


# PF-116: a container runtime whose own restart breaks pods.


def _find_faults(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if "ip" not in upgrade.target.behaviour.sandbox_checks:
        return
    for fault in upgrade.runtimes.faults_of(facts.runtime):
        yield Problem(
            Status.WARN,
            facts.runtime,
            f"{facts.runtime} {fault.about} ({fault.source}): if it restarts too, as an upgrade of packages "
            "may do, every pod that is not on the host's network is recreated",
            "do not restart the runtime with the kubelet, or drain the node and upgrade it first",
        )


RUNTIME_FAULTS: Final = Check("PF-116", _find_faults, OF_BOTH)


# PF-314: the image of sandboxes is not on the node.


def _find_sandbox_image(facts: Facts, _upgrade: Upgrade) -> Iterator[Problem]:
    given = runtime.sandbox_image(facts.cri_info)
    image = shown.image(given)
    names = runtime.image_names(runtime.document(facts.dump, "cri", "images"))
    # Runtimes write names in full: docker.io/library/pause.
    if not any(name == given or name.endswith(f"/{given}") for name in names):
        yield Problem(
            Status.WARN,
            image,
            f"{image}, the image of sandboxes, is not on the node: each new pod has to pull it first",
            f"crictl pull {quote(image)}; from 1.35 on pin it in the runtime",
        )


SANDBOX_IMAGE: Final = Check("PF-314", _find_sandbox_image)


# PF-214: no network for pods.

_DIRECTORY: Final = "/etc/cni/net.d"

_SUFFIXES: Final = (".conf", ".conflist", ".json")

_ADVICE: Final = "install or repair the network plugin; its pod writes the configuration"


def _find_network(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if not (facts.drives_docker and upgrade.target.behaviour.dockershim):
        yield from _by_cri(facts)
    elif facts.setting("network-plugin", "") == "cni":
        yield from _by_directory(facts, str(facts.setting("cni-conf-dir", "") or _DIRECTORY))


def _by_cri(facts: Facts) -> Iterator[Problem]:
    """Judge by what the runtime reports, and by the directory of a runtime that does not report it."""
    ready = runtime.conditions(facts.cri_info).get("NetworkReady")
    if ready is None:
        directory = mapping(mapping(facts.cri_info.get("config")).get("cni")).get("confDir")
        yield from _by_directory(facts, str(directory or _DIRECTORY))
    elif ready.get("status") is not True:
        why = ready.get("message") or ready.get("reason") or "it reports no reason"
        yield Problem(
            Status.ERROR, "NetworkReady", f"the network of pods is not ready: {said(str(why))}", _ADVICE
        )


def _by_directory(facts: Facts, directory: str) -> Iterator[Problem]:
    try:
        names = facts.dump.read("directory", directory).splitlines()
    except AbsentError:
        names = []
    if not any(name.endswith(_SUFFIXES) for name in names):
        yield Problem(Status.ERROR, directory, f"{directory} has no configuration of a network", _ADVICE)


NETWORK: Final = Check("PF-214", _find_network)
