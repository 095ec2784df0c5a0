"""How pods are read, and what else is known beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from hashcompat.planning.patched import AssumedPatch
from hashcompat.records.index import Records


@dataclass(frozen=True, slots=True)
class Options:
    """How pods are read and what else is known.

    ``defaults`` puts manifests through an API server's stages, ``keep_going`` makes UNKNOWN of what does not
    decode. ``records`` are the hashes that a runtime tells, ``gates`` the feature gates that are on,
    ``gates_off`` those that are off. ``cri_dockerd`` says that cri-dockerd drives Docker where the kubelet to
    come does not. ``apiserver`` and ``apiserver_to`` are the API server's release now and then; empty: that
    of the old kubelet, and the newer one of the two kubelets. ``patch`` is what the source of one of the
    kubelets is patched with.
    """

    defaults: bool = True
    keep_going: bool = False
    records: Records = field(default_factory=Records)
    gates: frozenset[str] = frozenset()
    gates_off: frozenset[str] = frozenset()
    cri_dockerd: bool = False
    apiserver: str = ""
    apiserver_to: str = ""
    patch: AssumedPatch | None = None


AUTO: Final = "auto"
