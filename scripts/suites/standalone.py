"""Name the kubelets that the suite ``standalone`` starts without an API server; kubelets.py builds them."""

from __future__ import annotations

from itertools import chain
from typing import Final

from scripts.lib.program import Program
from scripts.suites.kubelets import Kubelet


def there_and_back(old: str, new: str) -> tuple[Kubelet, ...]:
    """Return a chain of kubelets: from one release to another, and back."""
    return Kubelet(old), Kubelet(new), Kubelet(old)


PINNED: Final = Kubelet("1.9.11", "pin", "1.7.16")
"""In place of 1.7.16, which is not on the module proxy: it hashes as that does."""
ACCEPTING: Final = Kubelet("1.9.11", "accept", "1.7.16")
"""With the patch by which a node is upgraded: it keeps the containers of 1.7.16."""
STRIPPED: Final = Kubelet("1.9.11", "strip", "1.7.16")
"""With the patch that operators made by hand: it hashes as 1.7.16 does."""
DOCKER, CONTAINERD = Kubelet("1.23.17"), Kubelet("1.23.17", remote=True)
"""The last kubelet that drives Docker by itself, and the same one on containerd."""
CHAINS: Final = (
    there_and_back("1.7.5", "1.9.11"),  # the upgrade with which this project began
    (Kubelet("1.9.11"), PINNED, ACCEPTING, PINNED, Kubelet("1.9.11")),  # two new fields, and a patch
    (Kubelet("1.9.11"), STRIPPED, ACCEPTING, Kubelet("1.9.11"), ACCEPTING, STRIPPED, Kubelet("1.9.11")),
    there_and_back("1.9.11", "1.15.12"),  # six minors at once, and five new fields
    there_and_back("1.12.10", "1.13.12"),  # no field differs
    there_and_back("1.13.12", "1.14.10"),  # a new field, subPathExpr, which is not a pointer
    there_and_back("1.14.10", "1.15.12"),  # a new field, windowsOptions, in each securityContext
    there_and_back("1.15.12", "1.16.15"),  # Go's text becomes JSON
    there_and_back("1.18.20", "1.19.16"),  # a new field, seccompProfile, changes hashes where it is set
    there_and_back("1.20.15", "1.21.14"),  # other UIDs of static pods: the node and the file enter
    (DOCKER, Kubelet("1.24.17"), CONTAINERD, Kubelet("1.24.17"), DOCKER),  # dockershim removed
    there_and_back("1.26.15", "1.27.16"),  # on containerd
)
"""Each is a node of its own, and begins with its oldest kubelet."""

NORMALIZED: Final = (
    there_and_back("1.7.5", "1.9.11"),  # the upgrade with which this project began, on Docker
    there_and_back("1.13.12", "1.14.10"),  # a new field, subPathExpr, which is not a pointer, on Docker
    there_and_back("1.15.12", "1.16.15"),  # Go's text becomes JSON, on Docker
    # other UIDs of static pods: the node and the file enter; on containerd
    (Kubelet("1.20.15", remote=True), Kubelet("1.21.14", remote=True), Kubelet("1.20.15", remote=True)),
    there_and_back("1.30.14", "1.31.14"),  # JSON of all becomes JSON of name and image, on containerd
)
"""Those between which the records of a node are rewritten."""
SERVED: Final = (
    (*there_and_back("1.30.14", "1.31.14"), Kubelet("1.31.14")),
    there_and_back("1.36.5", "1.37.2"),  # other UIDs of static pods
)
"""Those of a node with an API server."""


def programs() -> dict[str, Program]:
    """Describe every kubelet by its name."""
    chains = chain(*CHAINS, *NORMALIZED, *SERVED)
    return {kubelet.build: kubelet.program() for kubelet in dict.fromkeys(chains)}
