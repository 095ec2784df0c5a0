"""The Python API: the commands as functions over plain values.

``load`` reads pods once; each function takes what it returns, or anything that ``load`` takes. Flags of the
command line are keywords here: the fields of :class:`Options`. Every error is a :class:`HashcompatError`:
UsageError for a call that asks for what does not exist, InputError for input that cannot be read, DecodeError
for JSON that does not fit Go's types.
"""

from __future__ import annotations

from hashcompat.analysis.answers.calibration import CheckedRecord, RecordCheck
from hashcompat.analysis.answers.changes import DocumentDifference
from hashcompat.analysis.answers.comparison import ReleaseDifference, ReleaseList
from hashcompat.analysis.answers.explanation import Explanation, Explanations
from hashcompat.analysis.answers.golden import Verification, Verifications
from hashcompat.analysis.answers.hashes import Hashed
from hashcompat.analysis.answers.matrix import Matrix
from hashcompat.analysis.answers.redaction import Snapshot
from hashcompat.analysis.gating import GateResult
from hashcompat.analysis.patching import MisplacedError, Patch
from hashcompat.analysis.patching.strategies import Choices
from hashcompat.analysis.patching.strip import Audit
from hashcompat.analysis.planning.options import AssumePatch, Options
from hashcompat.api.answers import (
    calibrate,
    compare,
    container_hash,
    container_text,
    diff,
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
    normalize,
    patch,
    patch_audit,
    patch_text,
    preflight_nodes,
)
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError, ExitCode, HashcompatError, InputError, UsageError
from hashcompat.core.kubelet.hashing import ContainerHash
from hashcompat.core.model.impact import Impact
from hashcompat.core.model.items import Item
from hashcompat.core.model.plan import Hop, Plan, Summary
from hashcompat.core.model.pods import Container, ContainerType, Inventory, Node, Pod
from hashcompat.core.model.preflight import Finding, Normalization, Preflight, Status
from hashcompat.core.model.results import Result
from hashcompat.core.model.verdicts import FINDINGS, Reason, Verdict
from hashcompat.core.policies import FailOn, Limit, Policy
from hashcompat.core.policies.exceptions import Exemption
from hashcompat.core.records.index import Records
from hashcompat.core.records.probes import Dump
from hashcompat.core.rules import Rule, all_rules
from hashcompat.output.formats.summary import Notebook
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
    "DocumentDifference",
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
    "Normalization",
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
    "diff",
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
    "matrix",
    "normalize",
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
Result.shows = Notebook()
RULES: tuple[Rule, ...]
"""Every rule that a reason cites, sorted by id. Made when it is first asked for."""


def __getattr__(name: str) -> tuple[Rule, ...]:
    """Read the pages of the rules when ``RULES`` is first used."""
    if name != "RULES":
        raise AttributeError(f"module 'hashcompat.api' has no attribute {name!r}")
    return all_rules()
