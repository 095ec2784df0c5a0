"""How a DaemonSet's pod asks for its node, from 1.12 on.

Source: pkg/controller/daemon/util/daemonset_util.go ``ReplaceDaemonSetPodNodeNameNodeAffinity``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_AFFINITY: Final = "affinity"

_OF_NODES: Final = "nodeAffinity"

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"

_TERMS: Final = "nodeSelectorTerms"

OF_DAEMON_SETS: Final = ("spec", _AFFINITY, _OF_NODES, _REQUIRED, _TERMS)
"""The keys in a pod that lead to the list of what it asks for."""


def asks_for_its_node(spec: Mapping[str, Any]) -> bool:
    """Return whether the affinity of a pod asks for the node that it is on, and for nothing else."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [spec.get("nodeName")]}]
    own = {_OF_NODES: {_REQUIRED: {_TERMS: [{"matchFields": fields}]}}}
    return bool(spec.get(_AFFINITY) == own)
