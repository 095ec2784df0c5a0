"""Whether an upgrade changes a static pod's UID, from its mirror pod if the manifest is not available.

A mirror pod shows the manifest's spec after defaults and other additions, so the UID cannot be computed from
it. But most of the digested text does not depend on values: a field that a release adds is printed for every
pod that has the struct.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hashcompat.catalog.lookup import Kubelet
from hashcompat.catalog.pods import StaticPods
from hashcompat.corev1.conversion import Json, objects, own
from hashcompat.corev1.defaults import pull_policy
from hashcompat.errors import UndecidedError
from hashcompat.go.jsonpath import reach
from hashcompat.kubelet.staticpods import static_pod_text

TextOf = Callable[[Mapping[str, Any], Kubelet], str]
"""What ``static_pod_text`` does."""


class Remembering:
    """Compares kubelets for one mirror pod, whose text is made once for each of them."""

    def __init__(self) -> None:
        self._texts: dict[Kubelet, str] = {}

    def __call__(self, pod_spec: Mapping[str, Any], old: Kubelet, new: Kubelet) -> bool | None:
        """Do as ``same_for_mirror``."""
        return same_for_mirror(pod_spec, old, new, self._text)

    def _text(self, mirror: Mapping[str, Any], kubelet: Kubelet) -> str:
        if kubelet not in self._texts:
            self._texts[kubelet] = static_pod_text(mirror, kubelet)
        return self._texts[kubelet]


def same_for_mirror(
    pod_spec: Mapping[str, Any], old: Kubelet, new: Kubelet, text_of: TextOf = static_pod_text
) -> bool | None:
    """Return whether both kubelets compute the same UID for the static pod of a mirror pod; None if unknown.

    Assumes that the manifest sets neither ``metadata.uid`` (which would be used as it is), nor managed
    fields, nor a status. Raises DecodeError for a spec that one of the kubelets could not decode.
    """
    before, after = old.static_pods, new.static_pods
    if not (before.known and after.known):
        return None
    if (before.digest, before.source) != (after.digest, after.source):
        return False
    mirror = {"spec": dict(pod_spec)}
    try:
        differs = text_of(mirror, old) != text_of(mirror, new)
    except UndecidedError:
        return None
    if differs:
        return False
    return None if _may_hide_a_change(mirror, before, after) else True


def _may_hide_a_change(mirror: Mapping[str, Any], before: StaticPods, after: StaticPods) -> bool:
    """Return whether a default or conversion of only one release applies to the pod.

    The mirror pod may show its result where the manifest has the field unset.
    """
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
    """Return whether an image gets another pull policy because the releases parse it differently."""
    parsers = {row.parser for static_pods in (before, after) for row in static_pods.defaults}
    keys = {
        row.argument for row in after.defaults if row.operation == "pullPolicy" and row.struct.name == struct
    }
    return len(parsers) > 1 and any(
        len({pull_policy(reach(target, key) or "", parser) for parser in parsers}) > 1 for key in keys
    )


def _defaults(static_pods: StaticPods) -> list[tuple[Any, ...]]:
    return [
        (row.struct.name, row.places, row.id, row.when, row.operation, row.argument)
        for row in static_pods.defaults
    ]
