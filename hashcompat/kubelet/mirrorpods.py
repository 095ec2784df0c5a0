"""Whether a static pod keeps its UID over an upgrade, told from its mirror pod when the manifest is not at hand.

A mirror pod shows the manifest's spec after defaults and other additions, so the UID itself cannot be
computed from it. But most of the text that is digested does not depend on values at all: a field that a
release adds prints in every pod that reaches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.pods import StaticPods
from hashcompat.corev1.objects import Json, objects, own, reach
from hashcompat.corev1.pullpolicy import pull_policy
from hashcompat.errors import UndecidedError
from hashcompat.kubelet.staticpods import static_pod_text


def same_for_mirror(pod_spec: Mapping[str, Any], old: Kubelet, new: Kubelet) -> bool | None:
    """Tell whether both kubelets compute one UID for the manifest behind a mirror pod's spec; None where the spec does not tell.

    Assumed is that the manifest sets neither ``metadata.uid`` (which would be kept), nor managed fields, nor
    a status. Raises DecodeError for a spec that one of them could not decode.
    """
    before, after = old.static_pods, new.static_pods
    if not (before.known and after.known):
        return None
    if (before.digest, before.source) != (after.digest, after.source):
        return False
    mirror = {"spec": dict(pod_spec)}
    try:
        differs = static_pod_text(mirror, old) != static_pod_text(mirror, new)
    except UndecidedError:
        return None
    if differs:
        return False
    return None if _may_hide_a_change(mirror, before, after) else True


def _may_hide_a_change(mirror: Mapping[str, Any], before: StaticPods, after: StaticPods) -> bool:
    """Tell whether a rule of one release alone concerns the pod: the mirror may show its outcome where the manifest said nothing."""
    if [(row.step, row.path) for row in before.conversions] != [
        (row.step, row.path) for row in after.conversions
    ]:
        return True
    one, other = _defaults(before), _defaults(after)
    changed = [row for row in one if row not in other] + [row for row in other if row not in one]
    found = list(objects(after.types.pod, own(mirror)))
    reached = {(struct, place) for struct, place, _ in found}
    if any(
        struct == name and (place in places or not places)
        for name, places, *_ in changed
        for struct, place in reached
    ):
        return True
    return any(_reads_differently(before, after, struct, target) for struct, _, target in found)


def _reads_differently(before: StaticPods, after: StaticPods, struct: str, target: Json) -> bool:
    """Tell whether an image gets another pull policy because it is read in another way."""
    parsers = {row.parser for rules in (before, after) for row in rules.defaults}
    keys = {
        row.argument for row in after.defaults if row.operation == "pullPolicy" and row.struct.name == struct
    }
    return len(parsers) > 1 and any(
        len({pull_policy(reach(target, key) or "", parser) for parser in parsers}) > 1 for key in keys
    )


def _defaults(rules: StaticPods) -> list[tuple[Any, ...]]:
    return [
        (row.struct.name, row.places, row.id, row.when, row.operation, row.argument) for row in rules.defaults
    ]
