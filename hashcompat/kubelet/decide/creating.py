"""What the target kubelet kills, and then refuses to create."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from hashcompat import rules
from hashcompat.catalog.types import reachable_fields
from hashcompat.go.jsonpath import mapping, rows
from hashcompat.kubelet.decide.case import Case, Decision
from hashcompat.model.pods import Container
from hashcompat.model.verdicts import Reason, Verdict

SUBPATH_GATE: Final = "VolumeSubpathEnvExpansion"


def not_created(case: Case, decision: Decision) -> Decision:
    """Kill instead of restarting where the target kubelet fails to create the container.

    Source: pkg/kubelet/kubelet_pods.go ``makeMounts``: an error for a subPathExpr while its gate is off, as
    it is by default in 1.14. Older kubelets do not know the field, and create the container without it; so
    may the API server of a manifest that is not a static pod's.
    """
    sent = case.pod.manifest and not case.pod.static
    if decision.verdict is not Verdict.RESTART or sent or not (expands(case.container) and _refuses(case)):
        return decision
    text = f"not created again: subPathExpr needs the feature gate {SUBPATH_GATE}, which is off"
    return structs.replace(
        decision, verdict=Verdict.KILL, reasons=(*decision.reasons, Reason(rules.NOT_CREATED, text))
    )


def expands(container: Container) -> bool:
    """Return whether a container sets subPathExpr."""
    return any(mapping(mount).get("subPathExpr") for mount in rows(container.spec, "volumeMounts"))


def _refuses(case: Case) -> bool:
    gates, schema = case.new.gates, case.new.decodes or case.new.schema
    knows = "SubPathExpr" in reachable_fields(schema).get("VolumeMount", ())
    return knows and gates.knows(SUBPATH_GATE) and not gates.is_on(SUBPATH_GATE)
