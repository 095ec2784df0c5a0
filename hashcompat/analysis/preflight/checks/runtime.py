"""The container runtime under the new kubelet: PF-103, 104, 111, 116, 140, 142, 143, 204, 224, 304 and 314.

Between 1.20 and 1.37 kubelets lost dockershim, two versions of CRI and a cgroup driver of their own. Where a
Node object shows the runtime, the first two are judged without anything from the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote
from typing import Final

from hashcompat.analysis.preflight.checks import OF_BOTH, OF_REWRITING, Check, KubeletStart, Need, Problem
from hashcompat.analysis.preflight.checks.states import gates_of
from hashcompat.analysis.preflight.facts import Facts, runtime, runtimefiles
from hashcompat.core import rules, shown
from hashcompat.core.catalog.hazards import REWRITABLE
from hashcompat.core.corev1.defaults import is_same_image
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.model.escape import agree, are, count, name_path
from hashcompat.core.model.pods import FINISHED, Pod
from hashcompat.core.model.preflight import Status
from hashcompat.core.records.probes import CRIO_DROP_INS, AbsentError, UnreadError
from hashcompat.core.shown import name

# PF-104 and PF-204: a runtime that does not speak the kubelet's CRI, or that upstream no longer supports.

_UPGRADE: Final = "drain the node and upgrade the container runtime first"


_CONTAINERD_2: Final = (
    "containerd 2 has neither shims of runtime v1 nor the aufs snapshotter, and takes no images of Docker's "
    "schema 1: ctr deprecations list names what the node uses of these"
)
"""What goes with containerd 1 (containerd/containerd docs/containerd-2.0.md)."""


def _find_api(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
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


def _find_support(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if upgrade.hazards.old_containerd == "supported":
        return
    version = facts.runtime
    if not (_has_dockershim(facts, upgrade) or _can(upgrade, version, "RuntimeConfig")):
        text = f"{version} lacks RuntimeConfig: kubelet {upgrade.target.release} starts, and 1.38 is not to"
        step = f"; {_CONTAINERD_2}" if version.startswith("containerd://") else ""
        yield Problem(Status.WARN, version, text, f"{_UPGRADE}{step}")


def _has_dockershim(facts: Facts, upgrade: KubeletStart) -> bool:
    """Return whether the current kubelet drives Docker by itself, which is what PF-103 is about."""
    return facts.drives_docker and upgrade.current is not None and upgrade.current.behaviour.dockershim


def _can(upgrade: KubeletStart, version: str, what: str) -> bool:
    answer = upgrade.runtimes.can(version, what)
    if answer is None:
        raise UnreadError(f"whether {version} has {what} is not known")
    return answer


CRI_VERSION: Final = Check("PF-104", _find_api, OF_BOTH)

OLD_RUNTIME: Final = Check("PF-204", _find_support, OF_BOTH)


# PF-103: a kubelet without dockershim on a node that is set up for it.

_MOVE: Final = (
    "drain the node, then move it to containerd or to cri-dockerd: set --container-runtime-endpoint "
    "(kubeadm: annotation kubeadm.alpha.kubernetes.io/cri-socket of the Node), restart"
)


def _find_endpoint(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    current, target = upgrade.current, upgrade.target
    if target.behaviour.dockershim:
        return
    if current is not None and not current.behaviour.dockershim:
        yield from _lost_endpoint(facts, upgrade)
        return
    if not facts.on_node:
        yield from _by_runtime(facts, upgrade)
        return
    endpoint = _endpoint(facts, upgrade)
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


def _endpoint(facts: Facts, upgrade: KubeletStart) -> str:
    """Return the endpoint that the kubelet is given; a field that its release does not know gives none."""
    key = "containerRuntimeEndpoint"
    is_known = key in upgrade.hazards.config.fields(upgrade.target.release)
    flag = facts.flags.get("container-runtime-endpoint")
    return str((facts.config.get(key) if flag is None and is_known else flag) or "")


def _lost_endpoint(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Yield that the running kubelet has an endpoint, and the next one is given none."""
    if not facts.on_node:
        return
    try:
        flag = facts.running_flags.get("container-runtime-endpoint")
    except AbsentError:
        return  # no kubelet runs, and whether one had it is not known
    had = flag or facts.config.get("containerRuntimeEndpoint")
    if not had or _endpoint(facts, upgrade):
        return
    default = upgrade.hazards.runtime_endpoint
    if _socket(default) == _socket(str(had)):
        return
    effect = "does not start" if default == "none" else f"drives {default}"
    text = f"kubelet {upgrade.target.release} is given no runtime endpoint, and {effect}"
    before = shown.url(str(had))
    advice = f"give it --container-runtime-endpoint={quote(before)}"
    yield Problem(Status.ERROR, before, f"{text}; the running one has {before}", advice)


def _socket(endpoint: str) -> str:
    path = endpoint.removeprefix("unix://")
    return path.removeprefix("/var") if path.startswith("/var/run/") else path


def _by_runtime(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
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


def _find_drivers(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    kubelet_driver = cgroup_driver(facts, upgrade)
    if _asks_runtime(facts, upgrade):
        whose = (
            f"{facts.runtime} answers {name(kubelet_driver)}, which kubelet {upgrade.target.release} takes"
        )
    else:
        whose = f"kubelet {upgrade.target.release} is given {name(kubelet_driver)}"
    actual = facts.cgroup_driver
    if kubelet_driver != actual:
        text = (
            f"the kubelet's cgroup driver is {name(kubelet_driver)}, that of {facts.runtime} {name(actual)}"
        )
        advice = f"drain the node and set cgroupDriver: {name(actual)} in the kubelet's configuration file"
        yield Problem(Status.ERROR, facts.runtime, text, advice)
        return
    for driver in sorted(facts.tasks.cgroup_drivers - {kubelet_driver}):
        yield Problem(
            Status.ERROR,
            facts.runtime,
            f"pods on the node have cgroups of the driver {driver}, and {whose}: it kills and creates every "
            "pod again",
            f"drain the node first, or set the runtime to {driver} (containerd: SystemdCgroup, CRI-O: "
            "cgroup_manager) and restart it",
        )


def cgroup_driver(facts: Facts, upgrade: KubeletStart) -> str:
    """Return the cgroup driver that the kubelet uses; raises UnreadError and AbsentError.

    A kubelet that asks the runtime for its driver ignores its own setting (KEP-4033).
    """
    if _asks_runtime(facts, upgrade):
        return facts.cgroup_driver
    return str(facts.setting("cgroup-driver", "cgroupDriver") or _DEFAULT)


def _asks_runtime(facts: Facts, upgrade: KubeletStart) -> bool:
    """Return whether the runtime can be asked and the feature gate is on.

    AllAlpha and AllBeta set the gate too while it is of that stage.
    """
    if not upgrade.runtimes.can(facts.runtime, "RuntimeConfig"):
        return False
    gates = gates_of(facts, upgrade)
    return gates.is_on(_GATE) if gates.spec(_GATE) else upgrade.hazards.cgroup_driver_from_cri


CGROUP_DRIVERS: Final = Check("PF-111", _find_drivers)


# PF-116: a container runtime whose own restart breaks pods.


def _find_faults(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
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


# PF-143: a runtime whose records normalize does not rewrite.

_DRAIN: Final = "drain the node instead, or let its containers restart"


def _find_records(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    version = facts.runtime
    for fault in upgrade.runtimes.faults_of(version):
        text = f"{version} {fault.about} ({fault.source}), and has to restart for rewritten records"
        yield Problem(Status.ERROR, version, text, _DRAIN)
    if not upgrade.runtimes.can(version, REWRITABLE):
        text = f"rewriting records was not tried with {version}, and hashcompat normalize apply refuses it"
        advice = f"upgrade the runtime first; or {_DRAIN}"
        yield Problem(Status.ERROR, version, text, advice)
    if facts.drives_docker and facts.on_node and facts.docker_info.get("LiveRestoreEnabled") is not True:
        yield Problem(
            Status.ERROR,
            version,
            "dockerd has no live-restore: its records are rewritten while it does not run, and every "
            "container ends with it",
            'set "live-restore": true in /etc/docker/daemon.json, then systemctl reload docker',
        )


REWRITING: Final = Check("PF-143", _find_records, OF_REWRITING)


# PF-314: the image of sandboxes is not on the node.

_INFRA_IMAGE: Final = "pod-infra-container-image"

_REGISTRIES: Final = ("registry.k8s.io/", "k8s.gcr.io/")
"""The new and the old name of one registry: patch releases of 1.22 and 1.23 differ in that alone."""


def _find_sandbox_image(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if facts.drives_docker and upgrade.target.behaviour.dockershim:
        yield from _find_infra_image(facts, upgrade)
        return
    images = runtime.document(facts.dump, "cri", "images")
    reference = runtime.sandbox_image(facts.cri_info)
    if reference is None and facts.runtime.startswith("cri-o://"):
        # which reports none: its files may name one (``pause_image``), and it pins its default
        named = runtimefiles.crio_setting(facts.dump, "image", "pause_image")
        reference = named if isinstance(named, str) else None
    if reference is None:
        # containerd 2.2 and later pin the image, and do not report which one it is.
        if not runtime.has_pinned(images):
            raise UnreadError("the runtime does not report the image of its sandboxes, and pins none")
        return
    if not _is_among(reference, runtime.image_names(images)):
        pull = f"crictl pull {quote(shown.image(reference))}; from 1.35 on pin it in the runtime"
        yield _missing_image(reference, pull)


def _find_infra_image(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Look for the image that dockershim makes sandboxes of: that of a flag, or the release's default."""
    reference = facts.setting(_INFRA_IMAGE, "") or upgrade.target.behaviour.infra_image
    before = facts.setting(_INFRA_IMAGE, "") or (upgrade.current and upgrade.current.behaviour.infra_image)
    if reference == before and runtime.has_docker_sandbox(facts.dump):
        return  # those that run were made of it
    names = runtime.docker_images(facts.dump)
    if not (_is_among(str(reference), names) or _is_among(str(reference).replace(*_REGISTRIES), names)):
        yield _missing_image(str(reference), f"docker pull {quote(shown.image(str(reference)))}")


def _is_among(reference: str, names: Iterable[str]) -> bool:
    """Return whether an image is among names, which runtimes write in full: docker.io/library/pause."""
    return any(name == reference or name.endswith(f"/{reference}") for name in names)


def _missing_image(reference: str, advice: str) -> Problem:
    image = shown.image(reference)
    text = f"{image}, the image of sandboxes, is not on the node: each new pod has to pull it first"
    return Problem(Status.WARN, image, text, advice)


SANDBOX_IMAGE: Final = Check("PF-314", _find_sandbox_image)


# PF-142: containers that restart, whose image is not on the node any more.

_OTHER_IMAGES: Final = (
    "containers are created again in another container runtime, and which images that one has is not in the "
    "input: pull them into it before the kubelet starts"
)


def _find_images(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Name the containers that a plan restarts and whose image is missing.

    The images of the runtime that runs now say nothing of those that another one has. Source:
    pkg/kubelet/images/image_manager.go ``EnsureImageExists``, 1.9.11 - 1.37.1 (ErrImageNeverPull).
    """
    restarts = [
        (name_path(pod.namespace, pod.name, container.name), container)
        for pod in facts.pods
        for container in pod.containers
        if container.running and upgrade.restarts(pod.uid, container.name)
    ]
    if not restarts:
        return
    items = upgrade.planned or ()
    if any(reason.id == rules.RUNTIME_GONE for item in items for reason in item.reasons):
        raise UnreadError(_OTHER_IMAGES)
    if facts.drives_docker:
        names = runtime.docker_images(facts.dump)
    else:
        names = [*runtime.image_names(runtime.document(facts.dump, "cri", "images"))]
    pulled = list[str]()
    for called, container in restarts:
        image = str(container.spec.get("image", ""))
        if any(is_same_image(image, reference) is not False for reference in names):
            continue
        if container.spec.get("imagePullPolicy") != "Never":
            pulled.append(called)
            continue
        yield Problem(
            Status.ERROR,
            called,
            f"{called} restarts, its image {shown.image(image)} is not on the node, and its imagePullPolicy "
            "is Never: it is killed, and never started again",
            f"bring {shown.image(image)} to the node before the kubelet starts",
        )
    if pulled:
        number, examples = len(pulled), f"{', '.join(pulled[:3])}{', …' if len(pulled) > 3 else ''}"
        yield Problem(
            Status.WARN,
            "",
            f"{count(number, 'container')} without its image on the node {agree(number, 'restart')}, and "
            f"{are(number)} down until a registry answers: {examples}",
            "pull the images to the node before the kubelet starts",
        )


IMAGES: Final = Check("PF-142", _find_images, (frozenset({Need.NODE, Need.OBJECTS, Need.PLAN}),))


# PF-224: containers that containerd 2.0 - 2.1.3 creates in sandboxes of containerd 1.


def _find_old_sandboxes(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if not upgrade.runtimes.can(facts.runtime, "lose containers in old sandboxes"):
        return
    restarts = [
        container.path
        for engine in facts.runtimes
        for container in engine.containers
        if container.running and upgrade.restarts(container.uid, container.name)
    ]
    if restarts:
        text = (
            f"{count(len(restarts), 'container')} would be created again in sandboxes that exist: in one of "
            f"containerd 1, {facts.runtime} loses them when it is restarted, for its shim is another one"
        )
        advice = "drain the node, or upgrade containerd to 2.1.4 first"
        yield Problem(Status.WARN, facts.runtime, text, advice)


OLD_SANDBOXES: Final = Check("PF-224", _find_old_sandboxes, (frozenset({Need.NODE, Need.PLAN}),))


# PF-140: containers with GPUs, whose devices systemctl daemon-reload takes away.

_GPUS: Final = ("nvidia.com/", "amd.com/gpu", "gpu.intel.com/")


def _find_gpus(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:  # noqa: ARG001 - every check has it
    """Name running pods with GPUs under the systemd driver; without a dump the driver is not known.

    runc gives systemd the devices that an OCI spec names, and a device plugin's hook adds those of a GPU
    behind its back: a reload sets the rules again, without them (NVIDIA's notice; opencontainers/runc#3708).
    """
    names = [name_path(pod.namespace, pod.name) for pod in facts.pods if _has_gpu(pod)]
    if not names:
        return
    driver = facts.cgroup_driver if facts.on_node else ""
    if driver in ("systemd", ""):
        subject = (
            f"{count(len(names), 'pod')} with GPUs ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"
        )
        under = "under the cgroup driver systemd" if driver else "if the cgroup driver is systemd"
        text = f"{subject} may lose their devices at systemctl daemon-reload, which packages run, {under}"
        advice = "nvidia-ctk system create-dev-char-symlinks --create-all before, or drain the node"
        yield Problem(Status.WARN if driver else Status.INFO, "daemon-reload", text, advice)


def _has_gpu(pod: Pod) -> bool:
    if pod.phase in FINISHED:
        return False
    limits = (mapping(mapping(container.spec.get("resources")).get("limits")) for container in pod.containers)
    return any(str(resource).startswith(_GPUS) for limit in limits for resource in limit)


GPUS: Final = Check("PF-140", _find_gpus, (frozenset({Need.OBJECTS, Need.PLAN}),))


# PF-304: a package of CRI-O that changes the runtime of containers.


def _find_other_runtime(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:  # noqa: ARG001 - every check has it
    if not facts.runtime.startswith("cri-o://"):
        return
    default = runtimefiles.crio_setting(facts.dump, "runtime", "default_runtime")
    if default is None:
        return
    default = str(default)
    handlers = mapping(mapping(runtimefiles.crio_config(facts.dump).get("runtime")).get("runtimes"))
    program = str(mapping(handlers.get(default)).get("runtime_path") or default)
    made = runtimefiles.crio_makers(facts.dump)
    own = program.rpartition("/")[2]
    others = {path: number for path, number in made.items() if path.rpartition("/")[2] != own}
    if others:
        names = ", ".join(sorted({name(path.rpartition("/")[2]) for path in others}))
        number = sum(others.values())
        yield Problem(
            Status.WARN,
            "default_runtime",
            f"{count(number, 'container')} {agree(number, 'run')} under {names}, and CRI-O's "
            f"default_runtime is {name(default)}: when CRI-O is restarted, pods are deleted and created "
            "again, and processes of the old ones may stay",
            f"drain the node, or set default_runtime = {names} in a file of {CRIO_DROP_INS} that sorts last",
        )


OTHER_RUNTIME: Final = Check("PF-304", _find_other_runtime)
