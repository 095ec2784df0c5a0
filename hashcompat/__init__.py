"""Predict, bit for bit, which containers a kubelet upgrade kills and recreates.

Examples:
    >>> import hashcompat
    >>> hashcompat.container_hash({"name": "test_container", "image": "foo/image:v1"}, "1.36.0").hex
    '8e45cbd0'
"""

from __future__ import annotations

# ruff: noqa: F405 - the names of __all__ are those of the API, which is imported when one is used

TYPE_CHECKING = False  # importing typing takes longer than all of this module
if TYPE_CHECKING:
    from typing import Any

    from hashcompat.api import *  # noqa: F403 - the same names as below

__version__ = "1.0.0"
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
    "__version__",
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


def __getattr__(name: str) -> Any:
    """Load the API on first use, so that ``hashcompat --version`` does not."""
    if name not in __all__:
        raise AttributeError(f"module 'hashcompat' has no attribute {name!r}")
    from hashcompat import api  # noqa: PLC0415

    return getattr(api, name)


def __dir__() -> list[str]:
    """Name what is public."""
    return sorted(__all__)
