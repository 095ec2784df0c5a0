"""Which releases of kube-apiserver a cluster runs, by its static pods' images and by what it reports itself.

Several API servers may stand behind one address. While they are upgraded one after the other a kubelet talks
to any of them, so the oldest decides what a kubelet may ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.core.model.escape import name_path
from hashcompat.core.regex import regex

_NAMESPACE: Final = "kube-system"
"""Where kubeadm, kops, Kubespray, RKE2 and others have it."""

_CONTAINER: Final = "kube-apiserver"

_TAG: Final = regex(r"v?(1\.\d{1,3}\.\d{1,3}(?:-(?:alpha|beta|rc)\.\d{1,3})?)(?![.\d])")
"""How a tag begins: ``v1.30.4``, ``v1.30.4-rke2r1-build20240815``, ``v1.9.11_coreos.0``."""


def release_of(image: str) -> str:
    """Return the release of Kubernetes that an image's tag names; empty where it names none."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    found = _TAG.match(tag)
    return found[1] if found else ""


class ApiServers:
    """Adds up what pods show, while they pass."""

    def __init__(self, reported: str = "") -> None:
        """``reported`` is what an API server answers itself at ``/version``; empty where nobody asked."""
        self.found: dict[str, dict[str, None]] = {}
        """By their releases, where each shows: pods by their names, or ``/version``."""
        if release := release_of(f":{reported}"):
            self.found[release] = {"/version": None}

    def see(self, pod: Any) -> None:
        """Look at one more ``Pod`` (its module imports this one): no tenant makes a mirror pod of its own."""
        if pod.namespace != _NAMESPACE or not pod.static or pod.mirror_doubt:
            return
        for container in pod.containers:
            image = container.spec.get("image") if container.name == _CONTAINER else None
            if isinstance(image, str) and (release := release_of(image)):
                self.found.setdefault(release, {})[name_path(pod.namespace, pod.name)] = None

    def merge(self, found: Mapping[str, Mapping[str, None]]) -> None:
        """Add what was found elsewhere."""
        for release, shown in found.items():
            self.found.setdefault(release, {}).update(shown)
