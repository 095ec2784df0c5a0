"""The rules behind verdicts: stable ids, and a page for each.

A rule is an id in ``ids`` and a :class:`Rule` in the file of its subject, which holds all that people read
about it. ``docs/rules.md`` and ``hashcompat rules`` show it; ``link`` says where.
"""

from __future__ import annotations

from typing import Final

import msgspec

from hashcompat.rules import (
    admission,
    algorithm,
    comparison,
    creation,
    fields,
    inputs,
    records,
    resources,
    sandboxes,
    staticpods,
)
from hashcompat.rules.ids import (
    ADMISSION,
    ALGORITHM,
    API_DEFAULT,
    CLOSED_BUILD,
    CREATOR,
    DEVICES,
    FIELD_ADDED,
    FIELD_DROPPED,
    FIELD_REMOVED,
    FIELD_RETYPED,
    GO_ESCAPES,
    HASH_MISSING,
    NEVER_COMPARED,
    NODE_DISPUTED,
    NODE_RELEASE,
    NOT_CALIBRATED,
    NOT_COMPARED,
    NOT_CREATED,
    NOT_DECODED,
    NOT_REPRODUCED,
    NOT_STORED,
    OTHER_CREATOR,
    OTHER_NODE,
    PATCHED,
    PAUSE_IMAGE,
    QOS,
    RECORDED,
    RESIZE_GATE,
    RESIZE_POLICY,
    RUNTIME_GONE,
    SANDBOX_BROKEN,
    SANDBOX_REPLACED,
    SERVER_GATE,
    SIDECAR_REFUSED,
    STARTUP_PROBE,
    STATIC_POD,
    STATIC_REFUSED,
    STATIC_UID,
    STRICT_GROUPS,
    SYSCTL,
    TAINT,
    VENDOR_GO,
)
from hashcompat.rules.links import link
from hashcompat.rules.model import Rows, Rule, Since, Step

_SUBJECTS: Final = (
    algorithm,
    fields,
    comparison,
    resources,
    records,
    creation,
    inputs,
    sandboxes,
    staticpods,
    admission,
)

RULES: Final = tuple(
    sorted((rule for subject in _SUBJECTS for rule in subject.RULES), key=lambda rule: rule.id)
)
"""Every rule, by its id."""


class RuleList(msgspec.Struct, frozen=True):
    """Some of the rules, as a result to show."""

    rules: tuple[Rule, ...] = RULES


__all__ = [
    "ADMISSION",
    "ALGORITHM",
    "API_DEFAULT",
    "CLOSED_BUILD",
    "CREATOR",
    "DEVICES",
    "FIELD_ADDED",
    "FIELD_DROPPED",
    "FIELD_REMOVED",
    "FIELD_RETYPED",
    "GO_ESCAPES",
    "HASH_MISSING",
    "NEVER_COMPARED",
    "NODE_DISPUTED",
    "NODE_RELEASE",
    "NOT_CALIBRATED",
    "NOT_COMPARED",
    "NOT_CREATED",
    "NOT_DECODED",
    "NOT_REPRODUCED",
    "NOT_STORED",
    "OTHER_CREATOR",
    "OTHER_NODE",
    "PATCHED",
    "PAUSE_IMAGE",
    "QOS",
    "RECORDED",
    "RESIZE_GATE",
    "RESIZE_POLICY",
    "RULES",
    "RUNTIME_GONE",
    "SANDBOX_BROKEN",
    "SANDBOX_REPLACED",
    "SERVER_GATE",
    "SIDECAR_REFUSED",
    "STARTUP_PROBE",
    "STATIC_POD",
    "STATIC_REFUSED",
    "STATIC_UID",
    "STRICT_GROUPS",
    "SYSCTL",
    "TAINT",
    "VENDOR_GO",
    "Rows",
    "Rule",
    "RuleList",
    "Since",
    "Step",
    "link",
]
