"""Which plans are not judged at all: edited ones, old ones, those of another cluster or other releases."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.model.digest import is_signed
from hashcompat.core.model.escape import word
from hashcompat.core.model.plan import Plan
from hashcompat.core.model.pods import Origin
from hashcompat.core.model.uids import SKEW
from hashcompat.core.policies.policy import Policy

_NAMED: Final = 10
"""Nodes that an error names."""


def check_seals(digest: str, signature: str, key: bytes) -> None:
    """Raise InputError for a document without a digest, or without the signature that a key asks for."""
    if not digest:
        raise InputError("$.digest: missing, so nothing shows whether it was edited; make the plan again")
    if not key:
        return
    if not signature:
        raise InputError("$.signature: missing; make the plan again with --sign-key")
    if not is_signed(digest, signature, key):
        raise InputError("$.signature: not made with this key: it was edited, or signed with another key")


def check_reported(plan: Plan) -> None:
    """Raise InputError for a plan from another release than its nodes report, unless it overrides them."""
    if not plan.disputed or plan.overridden:
        return
    shown = ", ".join(f"{word(claim.node)} {word(claim.kubelet)}" for claim in plan.disputed[:_NAMED])
    rest = f", {len(plan.disputed) - _NAMED} more" if len(plan.disputed) > _NAMED else ""
    raise InputError(
        f"nodes report another release than --from {plan.from_release}: {shown}{rest}; make the plan with "
        "--from auto, which takes what they report, or with --override-node-releases"
    )


def check_age(plan: Plan, policy: Policy, now: datetime) -> None:
    """Raise InputError for a plan that is older than the policy allows, or whose age is not known."""
    if policy.max_age is None:
        return
    allowed = f"plan-max-age allows {policy.max_age_text}; make the plan again"
    if plan.created is None:
        raise InputError(f"$.spec.createdAt: missing, and {allowed}")
    if plan.created > now + SKEW:
        raise InputError(
            f"$.spec.createdAt: {plan.created:%Y-%m-%dT%H:%M:%SZ} is in the future; check the clocks"
        )
    if (age := now - plan.created) > policy.max_age:
        raise InputError(f"the plan is {_words(age)} old, and {allowed}")


def check_input_age(origin: Origin, policy: Policy, now: datetime, *, saved: bool = False) -> None:
    """Raise InputError for input that is older than the policy allows, or whose age is not known.

    ``saved``: whether a plan that was saved says where it comes from.
    """
    if policy.max_input_age is None:
        return
    allowed = f"max-age allows {policy.max_input_age_text}"
    place = "$.spec.source.takenAt: " if saved else ""
    if origin.taken is None:
        where = "the input" if saved else "it"
        raise InputError(
            f"{place}nothing in {where} shows when it was taken, and {allowed}; "
            "read a live cluster, or give a snapshot, or a dump with its nodes"
        )
    if origin.taken > now + SKEW:
        raise InputError(f"{place}{origin.taken:%Y-%m-%dT%H:%M:%SZ} is in the future; check the clocks")
    if (age := now - origin.taken) > policy.max_input_age:
        raise InputError(
            f"the input is {_words(age)} old (taken {origin.taken:%Y-%m-%dT%H:%M:%SZ}), and {allowed}; "
            "take it again"
        )


def check_cluster(plan: Plan, wanted: str, place: str) -> None:
    """Raise InputError for a plan of another cluster than that with a UID, which a place names."""
    if not wanted:
        return
    if not plan.origin.cluster:
        raise InputError(
            f"$.spec.source.clusterUID: empty, and {place} is {wanted}: its cluster is not known"
        )
    if plan.origin.cluster != wanted:
        raise InputError(f"a plan of the cluster {plan.origin.cluster}, and {place} is {wanted}")


def releases_of(plan: Plan, auto: str) -> Iterable[str]:
    """Return the current releases of a plan: those of its nodes where it takes each node's."""
    if plan.from_release != auto:
        return {plan.from_release}
    return {item.from_release for item in plan.items if item.from_release}


def _words(age: timedelta) -> str:
    """Return an age as durations are written."""
    minutes = int(age.total_seconds() // 60)
    return f"{minutes // 60}h{minutes % 60}m"
