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
    broken = [another_minor(old, new)]
    if server is not None:
        broken += [newer_than_server(new, server), too_old_for_server(new, server)]
    yield from filter(None, broken)


def another_minor(old: Kubelet, new: Kubelet) -> str:
    """Return what upstream says of an upgrade in place to another minor; empty for one to the same."""
    return "" if same_minor(old.release, new.release) else f"{old.release} -> {new.release}: {_DRAIN}"


def newer_than_server(new: Kubelet, server: Kubelet) -> str:
    """Return what upstream says of a kubelet of a newer minor than its API server's; empty for others."""
    if minors_behind(new.release, server.release) >= 0:
        return ""
    return f"{_under(new, server)}: a kubelet must not be newer than kube-apiserver"


def too_old_for_server(new: Kubelet, server: Kubelet) -> str:
    """Return what upstream says of a kubelet too many minors older than its API server; else empty."""
    allowed = new.behaviour.minors_behind_server
    if minors_behind(new.release, server.release) <= allowed:
        return ""
    return f"{_under(new, server)}: a kubelet may be up to {allowed} minor versions older than kube-apiserver"


def within_policy(old: Kubelet, new: Kubelet) -> bool:
    """Return whether both kubelets of an upgrade may run under one API server, that of the newer one.

    So a kubelet may skip minors. That its node is drained first (``another_minor``) is another rule.
    """
    older, newer = (new, old) if minors_behind(old.release, new.release) < 0 else (old, new)
    return not too_old_for_server(older, newer)


def _under(new: Kubelet, server: Kubelet) -> str:
    return f"{new.release} under an API server {server.release}"
