"""Upstream's version skew policy (kubernetes.io/releases/version-skew-policy), as warnings of a plan."""

from __future__ import annotations

from collections.abc import Iterator

from hashcompat.catalog.lookup import Kubelet

_DRAIN = (
    "in-place minor upgrades of a kubelet are not supported: drain the node first "
    "(kubernetes/kubernetes#129385)"
)


def skew_warnings(old: Kubelet, new: Kubelet, server: Kubelet | None) -> Iterator[str]:
    """Yield a warning for each part of the policy that an upgrade breaks; the API server may be unknown."""
    if old.release.minor != new.release.minor:
        yield f"{old.release} -> {new.release}: {_DRAIN}"
    if server is None:
        return
    behind = server.release.minor_number - new.release.minor_number
    allowed = new.rules.minors_behind_server
    if behind < 0:
        rule = "a kubelet must not be newer than kube-apiserver"
        yield f"{new.release} under an API server {server.release}: {rule}"
    elif behind > allowed:
        rule = f"a kubelet may be up to {allowed} minor versions older than kube-apiserver"
        yield f"{new.release} under an API server {server.release}: {rule}"
