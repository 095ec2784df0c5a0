"""Pods that the new kubelet refuses, kills or makes disappear, or that wait for a volume.

PF-109, 115, 117, 119 - 121, 123, 127, 128, 132, 144, 147 and 219.

A kubelet that starts admits every pod again; planning and ``core/kubelet/decide/admission.py`` have the
rules, and most of these checks only read what a plan found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from hashcompat.analysis.preflight.checks import OF_OBJECTS, OF_PLAN, Check, Find, KubeletStart, Need, Problem
from hashcompat.analysis.preflight.checks.states import gates_of, was_on
from hashcompat.analysis.preflight.facts import Facts, runtime
from hashcompat.core import rules, shown
from hashcompat.core.corev1.scheduling import MIGRATED_VOLUMES, mounted
from hashcompat.core.corev1.selinux import labels_of_claims
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.kubelet.alike import begins_to_enforce, has_killing_exec, longest_reset
from hashcompat.core.model.escape import are, count, name_path
from hashcompat.core.model.items import Item
from hashcompat.core.model.pods import FINISHED, Pod
from hashcompat.core.model.preflight import Status
from hashcompat.core.model.verdicts import Reason, Sandbox, Verdict
from hashcompat.core.records.documents import from_node
from hashcompat.core.records.probes import UnreadError

# PF-109, PF-115, PF-119, PF-121, PF-123, PF-127: pods that the plan says the new kubelet refuses; PF-128.

_UNDECIDED: Final = (rules.NODE_RELEASE, rules.NODE_DISPUTED, rules.NOT_DECODED)


def of_reasons(advice: Mapping[str, str], *, needs_labels: bool = False) -> Find:
    """Return how to find the pods of a node that a plan gives one of some reasons for.

    ``advice`` is what to do, by the reasons' rules.
    """

    def find(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
        items = _planned(facts, upgrade)
        if needs_labels and facts.node_object.labels is None:
            raise UnreadError(f"the labels of {facts.called} are not in the input")
        refused = {
            name_path(item.pod.namespace, item.pod.name): (item, reason)
            for item in items
            for reason in item.reasons
            if reason.id in advice and item.verdict is not Verdict.KEEP
        }
        for pod, (item, reason) in refused.items():
            status = Status.UNKNOWN if item.verdict is Verdict.UNKNOWN else Status.ERROR
            yield Problem(status, pod, f"{pod}: {reason.text}", advice[reason.id])
        if not refused:
            _check_judged(items)

    return find


def _kept_for(rule: str, advice: str) -> Find:
    """Return what finds the pods that are kept for a reason which stops them later."""

    def find(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
        items = _planned(facts, upgrade)
        reasons = dict[str, Reason]()
        for item in items:
            for reason in item.reasons:
                if reason.id == rule:
                    reasons.setdefault(name_path(item.pod.namespace, item.pod.name), reason)
        for pod, reason in reasons.items():
            yield Problem(Status.WARN, pod, f"{pod}: {reason.text.removeprefix('not compared: ')}", advice)
        if not reasons:
            _check_judged(items)

    return find


def _planned(facts: Facts, upgrade: KubeletStart) -> Sequence[Item]:
    """Return what the plan says of the node's containers; raise UnreadError if it lacks the node.

    A node of the input that has no pods there has nothing to plan.
    """
    if not upgrade.planned:
        if facts.cluster.node is not None and facts.cluster.pods == ():
            return ()
        raise UnreadError(f"the plan has no container on {facts.called}")
    return upgrade.planned


def _check_judged(items: Iterable[Item]) -> None:
    """Raise UnreadError if a container was not judged: its pod may have the reason as well."""
    if any(reason.id in _UNDECIDED for item in items for reason in item.reasons):
        raise UnreadError("the plan leaves open which release runs on the node, or whether pods decode")


DEVICES: Final = Check(
    "PF-109",
    of_reasons({rules.DEVICES: "start another patch release, or drain the node first"}),
    OF_PLAN,
)

SCHEDULING: Final = Check(
    "PF-115",
    of_reasons(
        {
            rules.OTHER_NODE: "give the node its labels back, or move the pod",
            rules.OTHER_SYSTEM: "take the label away, or move the pod to a node with that operating system",
            rules.TAINT: "tolerate the taint or remove it, or move the pod",
            rules.STRICT_GROUPS: "move the pod to a node that reports supplementalGroupsPolicy, "
            "or set it to Merge",
        },
        needs_labels=True,
    ),
    (frozenset({Need.OBJECTS, Need.PLAN}),),
)

STATIC_REFERENCES: Final = Check(
    "PF-119",
    of_reasons({rules.STATIC_REFUSED: "take the reference out of the manifest first"}),
    OF_PLAN,
)

SYSCTLS: Final = Check(
    "PF-121",
    of_reasons({rules.SYSCTL: "allow it with --allowed-unsafe-sysctls before the restart, if that can"}),
    OF_PLAN,
)

FEATURES: Final = Check(
    "PF-127",
    of_reasons(
        {
            rules.FEATURE_REFUSED: "set the gate for the kubelet, or move the pod to another node",
            rules.PRIVILEGED: "give --allow-privileged=true to the kubelet, or move the pod to another node",
        }
    ),
    OF_PLAN,
)

VOLUMES: Final = Check(
    "PF-128",
    _kept_for(rules.NO_VOLUME, "move its data to a volume of a CSI driver that the node has first"),
    OF_PLAN,
)

# PF-144: volumes of clouds that another kubelet mounts itself, and the next one by a CSI driver.


def _find_migrated(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Find pods with such a volume where the gate is on from now on, or the plugin was removed.

    A container that runs proves nothing: a kubelet that waits for a volume leaves it alone. That the driver
    is registered with the kubelet does.
    """
    release, now, before = upgrade.target.release, upgrade.hazards, upgrade.before
    registered = (facts.cluster.node and facts.cluster.node.drivers) or ()
    for pod in (candidate for candidate in facts.pods if candidate.phase not in FINISHED):
        ways = dict.fromkeys(MIGRATED_VOLUMES.keys() & {*pod.persistent}, " by a claim")
        ways |= dict.fromkeys(mounted(pod.spec, MIGRATED_VOLUMES), "")
        for kind, way in sorted(ways.items()):
            gate, driver = MIGRATED_VOLUMES[kind]
            is_on = upgrade.current is not None and upgrade.current.gates.is_on(gate)
            begins = not is_on and upgrade.target.gates.is_on(gate)
            gone = kind in now.volumes_by_driver and not (before and kind in before.volumes_by_driver)
            is_there = driver in registered
            if not begins and (is_there or not gone):
                continue
            takes = "has no plugin of its own for it any more, and takes" if gone else "takes"
            name, shown_there = name_path(pod.namespace, pod.name), ", which the node has" if is_there else ""
            yield Problem(
                Status.INFO if is_there else Status.WARN,
                name,
                f"{name} mounts {kind}{way}: kubelet {release} {takes} the CSI driver {driver}{shown_there}",
                "drain the node first"
                if is_there
                else f"install the node plugin of {driver} first, and drain the node",
            )


MIGRATED: Final = Check("PF-144", _find_migrated, (frozenset({Need.OBJECTS, Need.PLAN}),))

# PF-147: volumes that are mounted with an SELinux label, or no longer.

_BY_LABEL: Final = "SELinuxMount"
"""The feature gate (on from 1.37); for volumes of ReadWriteOncePod alone another one is on from 1.28."""


def _find_labelled(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    """Find the pods whose volumes the next kubelet mounts with a label, and the current one without, or back.

    pkg/kubelet/volumemanager/cache/desired_state_of_world.go ``PodExistsInVolume``: what is mounted otherwise
    is no volume of the pod, and is unmounted; a device that the pod's containers hold cannot be mounted with
    another label meanwhile. ``AddPodToVolume``: of two labels for one volume the second is an error.
    """
    begins = gates_of(facts, upgrade).is_on(_BY_LABEL)
    if begins is bool(was_on(facts, upgrade, _BY_LABEL)):
        return
    if not any(mount.kind == "selinuxfs" for mount in facts.mounts):
        return
    running = [pod for pod in facts.pods if pod.phase not in FINISHED]
    mounting = [(pod, labels_of_claims(pod.spec, pod.name)) for pod in running]
    labels_by_claim: dict[tuple[str, str], set[frozenset[str]]] = {}
    for pod, claims in mounting:
        for claim, labels in claims.items():
            labels_by_claim.setdefault((pod.namespace, claim), set()).add(labels)
    for pod, claims in mounting:
        named = sorted(claim for claim, labels in claims.items() if labels)
        if not named:
            continue
        name = name_path(pod.namespace, pod.name)
        divided = any(
            len(claims[claim]) > 1 or len(labels_by_claim[pod.namespace, claim]) > 1 for claim in named
        )
        which = f"the claim {name_path(named[0])}" if len(named) == 1 else count(len(named), "claim")
        yield Problem(
            Status.WARN,
            name,
            f"{name} mounts {which} with an SELinux label: where the driver has seLinuxMount, kubelet "
            f"{upgrade.target.release} mounts such a volume {'with' if begins else 'without'} the label, and "
            "mounts anew what is mounted otherwise; until it can, no container of the pod starts again"
            + (
                "; on this node it is used with different labels, of which it takes one"
                * (divided and begins)
            ),
            "drain the node first; kubectl get csidriver shows seLinuxMount"
            + (", and pods with seLinuxChangePolicy: Recursive keep their volumes as they are" * begins),
        )


LABELLED: Final = Check("PF-147", _find_labelled, (frozenset({Need.NODE, Need.OBJECTS}),))

SIDECARS: Final = Check(
    "PF-123",
    of_reasons({rules.SIDECAR_REFUSED: "set the feature gate SidecarContainers, or drain first"}),
    OF_PLAN,
)


# PF-117: exec probes whose time limit begins to count.


def _find_exec_probes(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    if upgrade.target.behaviour.exec_probe_timeout == "ignored":
        return
    current = upgrade.current
    if current is not None and not begins_to_enforce(current, upgrade.target):
        return
    problems = list[Problem]()
    for pod in (candidate for candidate in facts.pods if candidate.phase not in FINISHED):
        if names := [container.name for container in pod.containers if has_killing_exec(container.spec)]:
            text = (
                f"{upgrade.target.release} enforces the timeoutSeconds of exec probes, which the current "
                f"kubelet ignores: {', '.join(map(name_path, names))}"
            )
            advice = "measure the probe's command, and raise timeoutSeconds (1 by default) where it is slower"
            problems.append(Problem(Status.WARN, name_path(pod.namespace, pod.name), text, advice))
    if problems and current is None:
        raise UnreadError("the release of the kubelet that runs now is unknown; give it with --from")
    yield from problems


EXEC_PROBES: Final = Check("PF-117", _find_exec_probes, OF_OBJECTS)


# PF-132: containers that are not ready for a while.

_SLOW: Final = 30
"""Seconds from which on it is a warning."""


def _find_readiness(facts: Facts, upgrade: KubeletStart) -> Iterator[Problem]:
    resets = {
        name_path(pod.namespace, pod.name): max(
            longest_reset(container.spec, upgrade.target, static=pod.static) for container in pod.containers
        )
        for pod in facts.pods
        if pod.ready is not False and pod.phase not in FINISHED and pod.containers
    }
    waits = {name: seconds for name, seconds in resets.items() if seconds}
    if not waits:
        return
    slowest = max(waits, key=lambda name: waits[name])
    slow = sum(seconds >= _SLOW for seconds in waits.values())
    yield Problem(
        Status.WARN if slow else Status.INFO,
        "",
        f"{count(len(waits), 'pod')} with a readinessProbe or startupProbe {are(len(waits))} not Ready when "
        f"{upgrade.target.release} starts until it passes again, up to {waits[slowest]} s ({slowest}), "
        "so that pods leave their Services",
        "restart kubelets one by one, or drain the node first",
    )


READINESS: Final = Check("PF-132", _find_readiness, (frozenset({Need.OBJECTS, Need.PLAN}),))


# PF-219: static pods that the API server does not know.

_COMPUTED: Final = re.compile(r"[0-9a-f]{32}")
"""A static pod's uid (pkg/kubelet/config/common.go ``applyDefaults``); that of any other pod has hyphens."""


def _find_mirror_pods(facts: Facts, _upgrade: KubeletStart) -> Iterator[Problem]:
    names = {(pod.namespace, pod.name) for pod in facts.pods}
    for record in from_node(runtime.document(facts.dump, "cri", "pods")):
        if not isinstance(record, Sandbox) or not record.ready or not _COMPUTED.fullmatch(record.uid):
            continue
        if (record.namespace, record.pod) not in names:
            pod = name_path(record.namespace, record.pod)
            yield Problem(
                Status.WARN,
                pod,
                f"{pod} is a static pod without a mirror pod: no plan made from the API server has it",
                "give its manifest to plan with --static-pod-dir; see why the API server refuses its mirror",
            )


MIRROR_PODS: Final = Check("PF-219", _find_mirror_pods, (frozenset({Need.NODE, Need.OBJECTS}),))


# PF-120: pods that MicroK8s deletes at a refresh.

_LABEL: Final = "microk8s.io/cluster"
_DATA: Final = "/var/snap/microk8s/"

_COMMON: Final = "/var/snap/microk8s/common"
"""The directory that all revisions of the snap share."""


def _find_snap_data(facts: Facts, _upgrade: KubeletStart) -> Iterator[Problem]:
    labels = facts.node_object.labels
    if labels is None:
        raise UnreadError(f"the labels of {facts.called} are not in the input")
    if _LABEL not in labels:
        return
    for pod in facts.pods:
        path = next(_mounted(pod), None)
        if pod.owner and path is not None:
            name = name_path(pod.namespace, pod.name)
            text = f"{name} mounts {shown.path(path)}: MicroK8s may delete it when the snap is refreshed"
            advice = "expect the pod to be created again, or mount what is below /var/snap/microk8s/common"
            yield Problem(Status.WARN, name, text, advice)


def _mounted(pod: Pod) -> Iterator[str]:
    """Yield the directories of the snap's revision that a pod mounts."""
    volumes = pod.spec.get("volumes")
    for volume in volumes if isinstance(volumes, list) else ():
        path = mapping(mapping(volume).get("hostPath")).get("path")
        if isinstance(path, str) and path.startswith(_DATA) and not path.startswith(_COMMON):
            yield path


SNAP_DATA: Final = Check("PF-120", _find_snap_data, OF_OBJECTS)
