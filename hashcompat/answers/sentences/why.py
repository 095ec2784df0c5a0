"""The second sentence of an explanation: why, each rule in plain words with the releases of the case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcompat.answers.sentences.byhash import BY_HASH
from hashcompat.answers.sentences.bypod import BY_POD
from hashcompat.answers.sentences.byrecord import BY_RECORD
from hashcompat.answers.sentences.situation import Clause, Situation
from hashcompat.model.verdicts import Reason

CLAUSES: Final[Mapping[str, Clause]] = {**BY_HASH, **BY_RECORD, **BY_POD}
"""The clause of each rule."""


def why(given: Situation) -> str:
    """Say why, in one sentence without its full stop; rules that go together are clauses of it."""
    reasons: dict[str, list[Reason]] = {}
    for reason in given.item.reasons:
        reasons.setdefault(reason.id, []).append(reason)
    return "; ".join(CLAUSES[rule](given, found) for rule, found in reasons.items()) or _same(given)


def _same(given: Situation) -> str:
    """Say why a container is kept that no rule is about."""
    case = given.case
    if case is not None and not case.upgraded:
        return f"the kubelet stays {given.new}, and the container as it is"
    uid = "its UID stays the same, and " if case is not None and case.pod.static else ""
    if given.same_text:
        return f"{uid}{given.old} and {given.new} hash exactly the same text"
    return f"{uid}{given.old} and {given.new} compute the same hash"
