"""Which release created a container without a record: that one's hash is recorded, not the current one's."""

from __future__ import annotations

from hashcompat import rules
from hashcompat.kubelet.decide.case import Case, Decision
from hashcompat.kubelet.decide.container import is_ignored
from hashcompat.model.verdicts import Reason, Verdict


def by_creators(case: Case) -> Decision | None:
    """Decide where another release than the current one may have created the container.

    Where all of them agree with the current one as far as this upgrade goes, its hash decides. A sidecar that
    the current kubelet never compared is left to ``compared`` unless no release that is kept can have made
    it.
    """
    found = case.creators
    if found is None:
        return None
    if found.kept and (found.replaced or case.changed):
        return None if is_ignored(case, case.old) else _decision(Verdict.UNKNOWN, found.evidence)
    if not found.kept and not case.changed:
        return _decision(Verdict.RESTART if found.replaced else Verdict.UNKNOWN, found.evidence)
    return None


def _decision(verdict: Verdict, evidence: str) -> Decision:
    return Decision(verdict, (Reason(rules.CREATOR, evidence),))
