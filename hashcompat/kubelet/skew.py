"""Upstream's version skew policy (kubernetes.io/releases/version-skew-policy), as warnings of a plan."""

from __future__ import annotations

from collections.abc import Iterator

from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.releases import minors_behind, same_minor

_DRAIN = (
    "in-place minor upgrades of a kubelet are not supported: drain the node first "
    "(kubernetes/kubernetes#129385)"
)


def skew_warnings(old: Kubelet, new: Kubelet, server: Kubelet | None) -> Iterator[str]:
    """Yield a warning for each part of the policy that an upgrade breaks; the API server may be unknown."""
    if not same_minor(old.release, new.release):
        yield f"{old.release} -> {new.release}: {_DRAIN}"
    if server is None:
        return
    behind = minors_behind(new.release, server.release)
    allowed = new.behaviour.minors_behind_server
    if behind < 0:
        rule = "a kubelet must not be newer than kube-apiserver"
        yield f"{new.release} under an API server {server.release}: {rule}"
    elif behind > allowed:
        limit = f"a kubelet may be up to {allowed} minor versions older than kube-apiserver"
        yield f"{new.release} under an API server {server.release}: {limit}"
