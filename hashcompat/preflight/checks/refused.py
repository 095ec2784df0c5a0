"""PF-109, PF-115, PF-119, PF-121 and PF-123: pods that the plan says the new kubelet refuses.

A kubelet that starts admits every pod again; planning and ``kubelet/decide/admission.py`` have the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hashcompat import rules
from hashcompat.model.escape import name_path
from hashcompat.model.items import Item
from hashcompat.model.preflight import Status
from hashcompat.model.verdicts import Reason, Verdict
from hashcompat.preflight.checks.check import OF_PLAN, Check, Find, Need, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_KUBELET: Final = "pkg/kubelet/lifecycle/predicate.go Admit"


def _of_reasons(ids: frozenset[str], advice: str, *, needs_labels: bool = False) -> Find:
    """Return how to find the pods of a node that a plan gives one of these reasons for."""

    def find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
        items = upgrade.planned or ()
        if not items:
            raise UnreadError(f"the plan has no container on {facts.node}")
        if needs_labels and facts.node_object.labels is None:
            raise UnreadError(f"the labels of {facts.node} are not in the input")
        found = dict(_refused(items, ids))
        yield from (_problem(pod, item, reason, advice) for pod, (item, reason) in found.items())
        if not found and any(_is_undecided(item) for item in items):
            raise UnreadError("the plan leaves open which release runs on the node, or whether pods decode")

    return find


def _refused(items: Sequence[Item], ids: frozenset[str]) -> Iterator[tuple[str, tuple[Item, Reason]]]:
    for item in items:
        for reason in item.reasons:
            if reason.id in ids and item.verdict is not Verdict.KEEP:
                yield name_path(item.pod.namespace, item.pod.name), (item, reason)


def _problem(pod: str, item: Item, reason: Reason, advice: str) -> Problem:
    status = Status.UNKNOWN if item.verdict is Verdict.UNKNOWN else Status.ERROR
    return Problem(status, pod, f"{pod}: {reason.text}", advice)


def _is_undecided(item: Item) -> bool:
    """Return whether a container was not judged, so that its pod may be refused as well."""
    undecided = (rules.NODE_RELEASE, rules.NODE_DISPUTED, rules.NOT_DECODED)
    return any(reason.id in undecided for reason in item.reasons)


DEVICES: Final = Check(
    Rule(
        "PF-109",
        "pod with devices refused",
        "A pod has devices of a plugin, and the kubelet to be started looks for healthy ones before the "
        "plugin has registered again: the pod is killed (1.25.10 - 13, 1.26.5 - 8, 1.27.2 - 5).",
        "kubernetes/kubernetes#118559; " + _KUBELET,
    ),
    ("the plan: reason HC038",),
    _of_reasons(frozenset({rules.DEVICES}), "start another patch release, or drain the node first"),
    OF_PLAN,
)

SCHEDULING: Final = Check(
    Rule(
        "PF-115",
        "pod does not belong here any more",
        "The node's labels or taints have changed since the pod was scheduled, or the node lacks a feature "
        "that it asks for: any kubelet that starts kills it.",
        _KUBELET + "; HC033, HC034 and HC036",
    ),
    ("the plan: reasons HC033, HC034 and HC036", "the Node object"),
    _of_reasons(
        frozenset({rules.OTHER_NODE, rules.TAINT, rules.STRICT_GROUPS}),
        "give the node its labels back, remove the taint, or move the pod",
        needs_labels=True,
    ),
    (frozenset({Need.OBJECTS, Need.PLAN}),),
)

STATIC_REFERENCES: Final = Check(
    Rule(
        "PF-119",
        "static pod names API objects",
        "A static pod refers to a Secret, a ConfigMap, a service account or another API object, which "
        "kubelets from 1.34 on refuse: the pod disappears.",
        "feature gate PreventStaticPodAPIReferences, kubernetes/kubernetes#140226; HC021",
    ),
    ("the plan: reason HC021",),
    _of_reasons(frozenset({rules.STATIC_REFUSED}), "take the reference out of the manifest first"),
    OF_PLAN,
)

SYSCTLS: Final = Check(
    Rule(
        "PF-121",
        "sysctl refused",
        "A pod sets a sysctl that the current kubelet holds safe and the older one to be started does not: "
        "the pod is killed.",
        "pkg/kubelet/sysctl/allowlist.go; HC037",
    ),
    ("the plan: reason HC037",),
    _of_reasons(frozenset({rules.SYSCTL}), "allow it with --allowed-unsafe-sysctls before the restart"),
    OF_PLAN,
)

SIDECARS: Final = Check(
    Rule(
        "PF-123",
        "sidecar refused",
        "A pod has a sidecar, and the kubelet to be started has the feature gate SidecarContainers off, as "
        "1.28 by default: the pod is killed.",
        _KUBELET + ", 1.28.15; HC035",
    ),
    ("the plan: reason HC035",),
    _of_reasons(frozenset({rules.SIDECAR_REFUSED}), "set the feature gate SidecarContainers, or drain first"),
    OF_PLAN,
)
