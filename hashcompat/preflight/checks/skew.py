"""PF-110: an upgrade that upstream's version skew policy does not cover."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.kubelet.skew import another_minor, newer_than_server, too_old_for_server
from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.rules import Rule

_DRAIN: Final = "kubectl drain NODE --ignore-daemonsets, then restart the kubelet"

_SERVER: Final = "upgrade kube-apiserver first, or start another kubelet"


def _find(_facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    current, target, server = upgrade.current, upgrade.target, upgrade.server
    if current is None:
        text = "the release of the kubelet that runs now is unknown; give it with --from"
        yield Problem(Status.UNKNOWN, "", text)
    elif text := another_minor(current, target):
        yield Problem(Status.WARN, "", text, _DRAIN)
    if server is None:
        text = "not asked: the release of the API server; give it with --apiserver"
        yield Problem(Status.INFO, "kube-apiserver", text)
    elif text := newer_than_server(target, server):
        yield Problem(Status.ERROR, "kube-apiserver", text, _SERVER)
    elif text := too_old_for_server(target, server):
        yield Problem(Status.WARN, "kube-apiserver", text, _SERVER)


VERSION_SKEW: Final = Check(
    Rule(
        "PF-110",
        "version skew",
        "Upstream's policy: a kubelet is not newer than its API server and at most three minors older (two "
        "before 1.25), and a node is drained before its kubelet goes to another minor.",
        "kubernetes.io/releases/version-skew-policy; kubernetes/kubernetes#129385",
    ),
    ("the releases of the kubelets and of the API server",),
    _find,
    (frozenset(),),
)
