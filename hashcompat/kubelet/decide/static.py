"""A static pod's UID, which a kubelet compares before any hash: a new UID is a new pod.

Source: pkg/kubelet/config/common.go ``applyDefaults``, pkg/kubelet/config/config.go ``checkAndUpdatePod``.
"""

from __future__ import annotations

import re
from typing import Final

from hashcompat import rules
from hashcompat.catalog.releases import same_minor
from hashcompat.errors import DecodeError
from hashcompat.kubelet.decide.case import Case, Decision
from hashcompat.kubelet.mirrorpods import same_for_mirror
from hashcompat.model.plan import Reason, Verdict
from hashcompat.model.pods import Pod

_COMPUTED_UID: Final = re.compile(r"[0-9a-f]{32}")


def new_uid(case: Case) -> Decision | None:
    """Recreate a pod whose UID changes: by its manifest, or as far as its mirror pod shows the UID."""
    if case.static_uids:
        return _by_manifest(case)
    if _is_by_mirror(case) and _same_uid(case) is False:
        text = f"static pod: {case.new.release} gives it another UID, unless its manifest sets one"
        return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, text),), pod_recreated=True)
    return None


def unless_uid_unknown(case: Case, decision: Decision) -> Decision:
    """Keep no container of a pod whose UID may change without its mirror pod showing it."""
    if decision.verdict is Verdict.KEEP and _is_by_mirror(case) and _same_uid(case) is None:
        text = "static pod: its UID decides, and the mirror pod does not show it"
        return Decision(Verdict.UNKNOWN, (Reason(rules.STATIC_POD, text),))
    return decision


def is_pinned(pod: Pod) -> bool:
    """Return whether the manifest sets a UID: a computed one has 32 hexadecimal digits (applyDefaults)."""
    return bool(pod.config_hash) and not _COMPUTED_UID.fullmatch(pod.config_hash)


def _by_manifest(case: Case) -> Decision | None:
    unknown = next((uid.unknown for uid in case.static_uids if uid.unknown), "")
    if not case.upgraded and case.new_hash.candidates:
        return None
    if unknown:
        text = f"static pod: its UID decides, and it is unknown: {unknown}"
        return Decision(Verdict.UNKNOWN, (Reason(rules.STATIC_POD, text),))
    if len({uid.uid for uid in case.static_uids}) == 1:
        return None
    text = f"static pod: {case.new.release} gives it another UID"
    return Decision(Verdict.RESTART, (Reason(rules.STATIC_UID, text),), pod_recreated=True)


def _is_by_mirror(case: Case) -> bool:
    """Return whether only the mirror pod is known, and the UID may change at all."""
    same = same_minor(case.old.release, case.new.release)
    return case.pod.static and not (case.static_uids or same or is_pinned(case.pod))


def _same_uid(case: Case) -> bool | None:
    try:
        return same_for_mirror(case.pod.spec, case.old, case.new)
    except DecodeError:
        return None
