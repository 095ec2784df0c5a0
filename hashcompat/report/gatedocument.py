"""A gate as a GateReport."""

from __future__ import annotations

from collections import Counter
from typing import Final

from hashcompat.gating.policy import Limit, Policy, PolicyFile
from hashcompat.gating.result import GateResult, Judged, Line, Standing
from hashcompat.report.items import disputed_nodes, item_document
from hashcompat.report.model import Document, Rows, document, time_text
from hashcompat.report.whence import source_document

_KEPT: Final = ("node", "namespace", "pod", "uid", "container", "containerType", "owner", "workload")
_MORE: Final = ("fromRelease", "verdict", "podRecreated", "reasons", "source")


def gate_document(result: GateResult) -> Document:
    """Return the document: the items are the containers that are not kept, after the upgrade all of them."""
    plan = result.plan
    numbers = Counter(one.standing for one in result.judged)
    return document(
        "GateReport",
        spec={
            "plan": {
                "from": plan.from_release,
                "to": plan.to_release,
                "source": source_document(plan.origin),
                "disputedNodes": disputed_nodes(plan),
                "overrideNodeReleases": plan.overridden,
                "createdAt": time_text(plan.created),
                "assumptions": list(plan.assumptions),
                "warnings": list(plan.warnings),
            },
            "policy": _policy(result.policy),
            "after": result.after,
        },
        summary={
            "outcome": result.outcome.value,
            "exitCode": int(result.exit_code),
            "decidedBy": str(result.deciding),
            "containers": len(plan.items),
            "compared": result.whole.compared,
            "notCompared": result.whole.not_compared,
            **{_key(standing): numbers[standing] for standing in Standing},
        },
        checks=list(map(_line, result.lines)),
        warnings=list(result.warnings),
        items=Rows(result.judged, _item),
    )


def _key(standing: Standing) -> str:
    """Return the key of a count: ``asPredicted``."""
    first, *others = standing.value.lower().split("_")
    return first + "".join(map(str.capitalize, others))


def _policy(policy: Policy) -> Document:
    return {
        "maxRestarts": _limit(policy.max_restarts),
        "maxPerOwner": _limit(policy.max_per_owner),
        "maxPerNode": _limit(policy.max_per_node),
        "failOn": [one.value for one in policy.fail_on],
        "strict": policy.strict,
        "planMaxAge": policy.max_age_text or None,
        "maxAge": policy.max_input_age_text or None,
        "clusterUID": policy.cluster or None,
        "reportOnly": policy.report_only,
        "files": [_file(one) for one in policy.files],
    }


def _file(file: PolicyFile) -> Document:
    return {
        "file": file.name,
        "keys": list(file.keys),
        "loosens": list(file.loosens),
        "ignored": [{"key": key, "stricter": place} for key, place in file.ignored],
    }


def _limit(limit: Limit | None) -> str | None:
    return limit.text if limit else None


def _line(line: Line) -> Document:
    return {
        "policy": line.key,
        "about": line.subject,
        "found": line.found,
        "allowed": line.allowed,
        "limit": line.limit or None,
        "compared": line.whole.compared if line.whole else None,
        "outcome": line.outcome.value,
        "text": str(line),
    }


def _item(one: Judged) -> Document:
    row = item_document(one.item)
    exemption = one.exemption
    accepted = exemption and {
        "of": exemption.names.value,
        "pattern": exemption.pattern,
        "reason": exemption.reason,
        "expires": exemption.expires.isoformat(),
    }
    return {
        **{key: row[key] for key in (*_KEPT, *_MORE)},
        "standing": one.standing.value,
        "exception": accepted,
        "seen": one.seen,
    }
