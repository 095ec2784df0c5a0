"""The Python API: the commands as functions over plain values.

``load`` reads pods once; each function takes what it returns, or anything that ``load`` takes. Flags of the
command line are keywords here: the fields of :class:`Options`. Every error is a :class:`HashcompatError`:
UsageError for a call that asks for what does not exist, InputError for input that cannot be read, DecodeError
for JSON that does not fit Go's types.
"""

from __future__ import annotations

from hashcompat.answers.calibration import CheckedRecord, RecordCheck
from hashcompat.answers.comparison import ReleaseDifference
from hashcompat.answers.explanation import Explanation, Explanations
from hashcompat.answers.golden import Verification, Verifications
from hashcompat.answers.hashes import Hashed
from hashcompat.answers.matrix import Matrix
from hashcompat.answers.redaction import Snapshot
from hashcompat.answers.releases import ReleaseList
from hashcompat.api.answers import (
    calibrate,
    compare,
    container_hash,
    container_text,
    explain,
    hashes,
    impact,
    matrix,
    plan,
    releases,
    snapshot,
    to_document,
    to_json,
    verify,
)
from hashcompat.api.inputs import (
    AccessFields,
    OptionFields,
    load,
    load_cluster,
    load_records,
    load_sample,
    load_static_pods,
    select,
)
from hashcompat.api.rollout import (
    LoadedPolicy,
    NodeFields,
    PolicyFields,
    gate,
    gate_after,
    load_dumps,
    load_policy,
    make_patch,
    patch,
    patch_audit,
    patch_text,
    preflight_nodes,
)
from hashcompat.catalog.lookup import Catalog
from hashcompat.errors import DecodeError, ExitCode, HashcompatError, InputError, UsageError
from hashcompat.gating.exceptions import Exemption
from hashcompat.gating.policy import FailOn, Limit, Policy
from hashcompat.gating.result import GateResult
from hashcompat.kubelet.hashing import ContainerHash
from hashcompat.model.impact import Impact
from hashcompat.model.items import Item
from hashcompat.model.plan import Hop, Plan, Summary
from hashcompat.model.pods import Container, ContainerType, Inventory, Node, Pod
from hashcompat.model.preflight import Finding, Preflight, Status
from hashcompat.model.verdicts import FINDINGS, Reason, Verdict
from hashcompat.patching.audit import Audit
from hashcompat.patching.model import MisplacedError, Patch
from hashcompat.patching.strategies import Choices
from hashcompat.planning.options import AssumePatch, Options
from hashcompat.records.index import Records
from hashcompat.records.probes import Dump
from hashcompat.rules.pages import RULES
from hashcompat.sources.filters import Filters

__all__ = [
    "FINDINGS",
    "RULES",
    "AccessFields",
    "AssumePatch",
    "Audit",
    "Catalog",
    "CheckedRecord",
    "Choices",
    "Container",
    "ContainerHash",
    "ContainerType",
    "DecodeError",
    "Dump",
    "Exemption",
    "ExitCode",
    "Explanation",
    "Explanations",
    "FailOn",
    "Filters",
    "Finding",
    "GateResult",
    "HashcompatError",
    "Hashed",
    "Hop",
    "Impact",
    "InputError",
    "Inventory",
    "Item",
    "Limit",
    "LoadedPolicy",
    "Matrix",
    "MisplacedError",
    "Node",
    "NodeFields",
    "OptionFields",
    "Options",
    "Patch",
    "Plan",
    "Pod",
    "Policy",
    "PolicyFields",
    "Preflight",
    "Reason",
    "RecordCheck",
    "Records",
    "ReleaseDifference",
    "ReleaseList",
    "Snapshot",
    "Status",
    "Summary",
    "UsageError",
    "Verdict",
    "Verification",
    "Verifications",
    "calibrate",
    "compare",
    "container_hash",
    "container_text",
    "explain",
    "gate",
    "gate_after",
    "hashes",
    "impact",
    "load",
    "load_cluster",
    "load_dumps",
    "load_policy",
    "load_records",
    "load_sample",
    "load_static_pods",
    "make_patch",
    "matrix",
    "patch",
    "patch_audit",
    "patch_text",
    "plan",
    "preflight_nodes",
    "releases",
    "select",
    "snapshot",
    "to_document",
    "to_json",
    "verify",
]
