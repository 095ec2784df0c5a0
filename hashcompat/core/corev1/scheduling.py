"""Where a pod may run and what it refers to: what of a spec kubelets judge and API servers generate.

Node selectors and affinity are matched with a node's labels, tolerations with its taints. Source:
k8s.io/component-helpers scheduling/corev1/nodeaffinity ``GetRequiredNodeAffinity``; k8s.io/api
core/v1/toleration.go ``ToleratesTaint``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from hashcompat.core.go.jsonpath import is_object, mapping
from hashcompat.core.model.escape import few
from hashcompat.core.model.pods import CONTAINER_LISTS
from hashcompat.core.regex import regex

Labels = Mapping[str, str]

_Toleration = tuple[str, str, str, str]

_INTEGER: Final = regex(r"[+-]?\d{1,19}", re.ASCII)


# Labels of a node: of these admission looks at the first alone, and whoever upgrades nodes at all.

SYSTEM: Final = "kubernetes.io/os"
OLD_SYSTEM: Final = "beta.kubernetes.io/os"
SYSTEMS: Final = (SYSTEM, OLD_SYSTEM)
ARCHITECTURE: Final = "kubernetes.io/arch"
ZONES: Final = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
OF_ROLE: Final = "node-role.kubernetes.io/"
CONTROL_PLANE: Final = ("control-plane", "master", "controlplane", "api-server")
"""As kubeadm, kubeadm before 1.20, RKE and kops call it."""
CORDONED: Final = "node.kubernetes.io/unschedulable"
"""The taint of nodes that are cordoned."""
_VIRTUAL: Final = "virtual-kubelet.io/provider"
"""The taint of nodes whose pods run elsewhere."""


def is_virtual(taints: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether virtual-kubelet registered the node with these taints (node/nodeutil/controller.go)."""
    return any(taint.get("key") == _VIRTUAL for taint in taints)


_AFFINITY: Final = "affinity"
_OF_NODES: Final = "nodeAffinity"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_TERMS: Final = "nodeSelectorTerms"


def node_affinity(spec: Mapping[str, Any]) -> Any:
    """Return what the affinity of a pod says of nodes: the rest of it is about pods, and for schedulers."""
    return mapping(spec.get(_AFFINITY)).get(_OF_NODES)


def unmet(spec: Mapping[str, Any], node: str, labels: Labels, looked_at: str) -> str:
    """Return what of a pod's nodeSelector and required node affinity a node does not meet; empty for nothing.

    ``looked_at`` is the value of the row ``nodeAffinity`` of behaviour.json.
    """
    wanted = mapping(spec.get("nodeSelector"))
    missing = [f"{key}={value}" for key, value in wanted.items() if labels.get(key) != value]
    if missing:
        return (
            f"its nodeSelector asks for {few(sorted(missing), _SHOWN)}, which its node's labels do not have"
        )
    terms = None if looked_at == "selector" else _terms(spec)
    fields = {"metadata.name": node} if "fields" in looked_at else None
    if terms is None or any(_matches(term, labels, fields) for term in terms):
        return ""
    return "its required node affinity does not match its node's labels"


_SHOWN: Final = 3
"""Labels that a reason names; the others are only counted."""


def label_keys(spec: Mapping[str, Any]) -> Iterator[str]:
    """Yield the labels of a node that ``selected`` looks at."""
    yield from map(str, mapping(spec.get("nodeSelector")))
    for term in _terms(spec) or ():
        for row in _sequence(mapping(term).get("matchExpressions")):
            yield str(mapping(row).get("key"))


def asks_by_name(spec: Mapping[str, Any]) -> bool:
    """Return whether ``selected`` looks at the name of a node."""
    return any(_sequence(mapping(term).get("matchFields")) for term in _terms(spec) or ())


def _terms(spec: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the terms of the required node affinity; None where there is none."""
    required = mapping(node_affinity(spec)).get(_REQUIRED)
    return _sequence(required.get(_TERMS)) if isinstance(required, Mapping) else None


def _matches(term: Any, labels: Labels, fields: Labels | None) -> bool:
    """Return whether a node matches every expression of a term; an empty term matches no node."""
    asked = [(row, labels) for row in _sequence(mapping(term).get("matchExpressions"))]
    if fields is not None:
        asked += [(row, fields) for row in _sequence(mapping(term).get("matchFields"))]
    # "a null or empty node selector term matches no objects" (core/v1/types.go), unlike selectors elsewhere
    return bool(asked) and all(_holds(row, values) for row, values in asked)


def _holds(expression: Any, labels: Labels) -> bool:
    row = mapping(expression)
    holds = _OPERATORS.get(str(row.get("operator")))
    return holds is not None and holds(labels.get(str(row.get("key"))), _sequence(row.get("values")))


def _compared(is_greater: bool) -> Callable[[str | None, Sequence[Any]], bool]:
    def holds(value: str | None, values: Sequence[Any]) -> bool:
        texts = [str(value), *map(str, values)]
        # labels.Requirement parses both with strconv.ParseInt, and matches nothing where that fails
        if value is None or len(texts) != 2 or not all(map(_INTEGER.fullmatch, texts)):
            return False
        actual, bound = map(int, texts)
        return actual > bound if is_greater else actual < bound

    return holds


_OPERATORS: Final[Mapping[str, Callable[[str | None, Sequence[Any]], bool]]] = {
    "In": lambda value, values: value in values,
    # a node without the label matches, as labels.Requirement has it
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
    "Gt": _compared(is_greater=True),
    "Lt": _compared(is_greater=False),
}
"""What an expression asks of a label, which is None where the node lacks it."""


def not_tolerated(
    spec: Mapping[str, Any], taints: Iterable[Mapping[str, Any]], effect: str, *, compares: bool = False
) -> str:
    """Return the first taint of an effect that a pod does not tolerate, as kubectl writes it; or empty.

    ``compares``: whether the operators Gt and Lt count, of a toleration whose value is a number.
    """
    tolerated = {_tolerated(mapping(row)) for row in _sequence(spec.get("tolerations"))}
    for taint in taints:
        if taint.get("effect") == effect and tolerated.isdisjoint(_tolerations(taint)):
            if compares and any(_is_beyond(taint, row) for row in tolerated):
                continue
            value = f"={taint['value']}" if taint.get("value") else ""
            return f"{taint.get('key')}{value}:{effect}"
    return ""


def _tolerated(toleration: Mapping[str, Any]) -> _Toleration:
    """Return effect, key, operator and value of a toleration; without an effect or a key it has any."""
    operator = _text(toleration, "operator") or "Equal"
    value = _text(toleration, "value") if operator != "Exists" else ""
    return _text(toleration, "effect"), _text(toleration, "key"), operator, value


def _tolerations(taint: Mapping[str, Any]) -> Iterator[_Toleration]:
    ways = (("Exists", ""), ("Equal", _text(taint, "value")))
    for effect, key, way in product(("", _text(taint, "effect")), ("", _text(taint, "key")), ways):
        yield effect, key, *way


_CANONICAL: Final = regex(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
"""An integer as ``content.IsDecimalInteger`` takes it, that may fit in 64 bits."""


def _is_beyond(taint: Mapping[str, Any], toleration: _Toleration) -> bool:
    """Return whether a toleration with the operator Gt or Lt tolerates a taint."""
    effect, key, operator, value = toleration
    texts = _text(taint, "value"), value
    if operator not in ("Gt", "Lt") or not all(map(_CANONICAL.fullmatch, texts)):
        return False
    actual, bound = map(int, texts)
    fit = all(-(1 << 63) <= number < 1 << 63 for number in (actual, bound))
    at = effect in ("", _text(taint, "effect")) and key in ("", _text(taint, "key"))
    return fit and at and (actual > bound if operator == "Gt" else actual < bound)


def _text(row: Mapping[str, Any], key: str) -> str:
    return str(row.get(key) or "")


def _sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


# How a DaemonSet's pod asks for its node, from 1.12 on.
#
# Source: pkg/controller/daemon/util/daemonset_util.go ``ReplaceDaemonSetPodNodeNameNodeAffinity``.

OF_DAEMON_SETS: Final = ("spec", _AFFINITY, _OF_NODES, _REQUIRED, _TERMS)
"""The keys in a pod that lead to the list of what it asks for."""


def asks_for_its_node(spec: Mapping[str, Any]) -> bool:
    """Return whether the node affinity of a pod asks for the node that it is on, and for nothing else."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [spec.get("nodeName")]}]
    # exactly so: a DaemonSet with an affinity of its own keeps that next to it
    own = {_REQUIRED: {_TERMS: [{"matchFields": fields}]}}
    return bool(node_affinity(spec) == own)


def asked_of_nodes(spec: Mapping[str, Any]) -> Any:
    """Return the node affinity of a pod; where it asks for the pod's own node, what JSON has nowhere."""
    return ("its node",) if asks_for_its_node(spec) else node_affinity(spec)


# The names of the volumes in which pods get their service account's token, from 1.21 on.

_NAME: Final = regex(r"kube-api-access-[0-9a-z]{5}", re.ASCII)


def is_token_mount(name: str) -> bool:
    """Return whether an API server generates such names, another one for each pod.

    Source: plugin/pkg/admission/serviceaccount/admission.go ``ServiceAccountVolumeName``.
    """
    return _NAME.fullmatch(name) is not None


# Which API objects a pod refers to; from 1.34 on kubelets reject static pods that refer to any.
#
# Source: pkg/api/pod/util.go ``HasAPIObjectReference``.

_SECRETS: Final = frozenset({"secret", "secretRef", "secretKeyRef", "nodePublishSecretRef", "azureFile"})

_CONFIG_MAPS: Final = frozenset({"configMap", "configMapRef", "configMapKeyRef"})

_VOLUMES: Final = {
    "csi": "csidrivers",
    "glusterfs": "endpoints",
    "persistentVolumeClaim": "persistentvolumeclaims",
    "ephemeral": "persistentvolumeclaims",
    "serviceAccountToken": "serviceaccounts",
    "clusterTrustBundle": "clustertrustbundles",
    "podCertificate": "podcertificates",
}

_VALUE_SOURCES: Final = ("envFrom", "env", "valueFrom", *CONTAINER_LISTS)
"""In one order, which that of the kinds follows: a set has another one in each process."""


def api_references(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the kinds of API objects that a pod's spec refers to, named as in the kubelet's message."""
    return tuple(dict.fromkeys(_references(spec)))


def _references(spec: Mapping[str, Any]) -> Iterator[str]:
    if spec.get("serviceAccountName") or spec.get("serviceAccount"):
        yield "serviceaccounts"
    if spec.get("resourceClaims"):
        yield "resourceclaims"
    if any(reference.get("name") for reference in _items(spec.get("imagePullSecrets"))):
        yield "secrets"
    for key in CONTAINER_LISTS:
        yield from _named_in(spec.get(key))
    for volume in _items(spec.get("volumes")):
        yield from _kinds(volume)
        projected = volume.get("projected")
        for source in _items(projected.get("sources") if isinstance(projected, Mapping) else None):
            yield from _kinds(source)
        for driver in volume.values():
            yield from _kinds(driver if isinstance(driver, Mapping) else {})


def _named_in(value: Any) -> Iterator[str]:
    """Follow the keys below which a container can name objects; other keys are not references."""
    for item in _items(value):
        yield from _kinds(item)
        for key in _VALUE_SOURCES:
            child = item.get(key)
            yield from _named_in(child if isinstance(child, list) else [child])


def _kinds(value: Mapping[str, Any]) -> Iterator[str]:
    for key, child in value.items():
        # A reference without a name does not count (``skipEmptyNames``).
        nameless = key.endswith("Ref") and not (isinstance(child, Mapping) and child.get("name"))
        if child is None or nameless:
            continue
        if key in _SECRETS:
            yield "secrets"
        elif key in _CONFIG_MAPS:
            yield "configmaps"
        elif key in _VOLUMES:
            yield _VOLUMES[key]


def _items(value: Any) -> list[Mapping[str, Any]]:
    return list(filter(is_object, value)) if isinstance(value, list) else []


def volume_kinds(spec: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys of the sources of a pod's volumes, such as ``rbd``, and of what projected ones join."""
    return frozenset(kind for volume in _items(spec.get("volumes")) for kind in _source_keys(volume))


def _source_keys(volume: Mapping[str, Any]) -> Iterator[str]:
    projected = volume.get("projected")
    joined = _items(projected.get("sources")) if isinstance(projected, Mapping) else []
    yield from (key for sources in (volume, *joined) for key, source in sources.items() if source is not None)


MIGRATED_VOLUMES: Final[Mapping[str, tuple[str, str]]] = {
    "awsElasticBlockStore": ("CSIMigrationAWS", "ebs.csi.aws.com"),
    "azureDisk": ("CSIMigrationAzureDisk", "disk.csi.azure.com"),
    "azureFile": ("CSIMigrationAzureFile", "file.csi.azure.com"),
    "cinder": ("CSIMigrationOpenStack", "cinder.csi.openstack.org"),
    "gcePersistentDisk": ("CSIMigrationGCE", "pd.csi.storage.gke.io"),
    "portworxVolume": ("CSIMigrationPortworx", "pxd.portworx.com"),
    "vsphereVolume": ("CSIMigrationvSphere", "csi.vsphere.vmware.com"),
}
"""The kinds of volumes that a CSI driver mounts once a gate is on: the gate, and the driver.

Source: csi-translation-lib plugins/, pkg/volume/csimigration/plugin_manager.go ``IsMigratable``.
"""


def mounted(spec: Mapping[str, Any], kinds: Collection[str]) -> list[str]:
    """Return which of some kinds of volumes a container mounts, sorted."""
    keys = {kind for volume in _mounted(spec) for kind in _source_keys(volume)}
    return sorted(keys.intersection(kinds))


def claims(spec: Mapping[str, Any], pod: str) -> list[str]:
    """Return the names of the PersistentVolumeClaims that the containers of a pod of that name mount.

    The claim of an ephemeral volume has a name that follows from both (component-helpers storage/ephemeral
    ``VolumeClaimName``).
    """
    return [name for volume in _mounted(spec) if (name := claim_of(volume, pod)) is not None]


def claim_of(volume: Mapping[str, Any], pod: str) -> str | None:
    """Return the name of the claim behind a named volume of a pod of that name; None for another volume."""
    claim = volume.get("persistentVolumeClaim")
    name = claim.get("claimName") if isinstance(claim, Mapping) else None
    if isinstance(name, str):
        return name
    return f"{pod}-{volume['name']}" if claim is None and volume.get("ephemeral") is not None else None


def _mounted(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the volumes that a container mounts, by ``volumeMounts`` or, as they are, ``volumeDevices``.

    A kubelet waits for no other one (pkg/kubelet/volumemanager/volume_manager.go ``getExpectedVolumes``).
    """
    listed = _items(spec.get("volumes"))
    if not listed:
        return []
    named = {
        mount["name"]
        for key in CONTAINER_LISTS
        for container in _items(spec.get(key))
        for mount in (*_items(container.get("volumeMounts")), *_items(container.get("volumeDevices")))
        if isinstance(mount.get("name"), str)
    }
    return [volume for volume in listed if isinstance(volume.get("name"), str) and volume["name"] in named]
