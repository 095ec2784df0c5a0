"""Exec probes whose time limit a kubelet begins to enforce.

Source: pkg/probe/exec/exec.go, kubernetes/kubernetes#94115 (1.20, feature gate ExecProbeTimeout).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.catalog.lookup import Kubelet

PROBE_GATE: Final = "ExecProbeTimeout"

_KILLING: Final = ("livenessProbe", "startupProbe")
"""The probes whose failure kills a container."""


def begins_to_enforce(old: Kubelet, new: Kubelet) -> bool:
    """Return whether only the new kubelet fails an exec probe that takes longer than timeoutSeconds."""
    before, now = (kubelet.behaviour.exec_probe_timeout for kubelet in (old, new))
    return (before, now) == ("ignored", "enforced") and new.gates.is_on(PROBE_GATE)


def has_killing_exec(spec: Mapping[str, Any]) -> bool:
    """Return whether a container has an exec probe whose failure kills it."""
    probes = (spec.get(key) for key in _KILLING)
    return any(isinstance(probe, Mapping) and bool(probe.get("exec")) for probe in probes)
