"""What decoding a manifest does to it in the kubelet itself: the defaults of pkg/apis/core/v1, by rows of schemas/pods/defaults.json.

The stage works on the manifest's JSON and changes it in place. One walk along the type tree finds every object that a row may
concern; then the rows are applied in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hashcompat.catalog.pods import Default, StaticPods
from hashcompat.errors import InputError
from hashcompat.go.quantity import round_up_to_milli
from hashcompat.go.quantity_sum import Held, from_json_or_held
from hashcompat.go.types import GoType, Map, Struct
from hashcompat.kubelet.image import image_tag
from hashcompat.kubelet.podjson import Json, objects, reach
from hashcompat.kubelet.podresources import copy_limits, copy_pod_limits, pod_limits, pod_requests

_Applier = Callable[[Default, Json, Json], None]


def apply_defaults(pod: Json, rules: StaticPods) -> None:
    """Set in ``pod`` all that ``SetObjectDefaults_Pod`` sets; the manifest must have decoded without an error before."""
    found = list(objects(rules.types.pod, pod))
    for row in rules.defaults:
        apply = applier(row)
        for struct, place, target in found:
            if struct == row.struct.name and (place in row.places or not row.places):
                apply(row, target, pod)


def applier(row: Default) -> _Applier:
    """Return the function that applies a row.

    Raises InputError where the row says what this program does not know.
    """
    names = (f"{row.operation} {row.id}", row.operation if row.operation == "roundUpToMilli" or row.when in _UNSET else "")
    found = next((_APPLIERS[name] for name in names if name in _APPLIERS), None)
    if found is None:
        raise InputError(f"a default of static pods is not known: {names[0]} when {row.when}")
    return found


def _set(row: Default, target: Json, pod: Json) -> None:  # noqa: ARG001 - appliers share one signature
    holder = reach(target, row.keys[:-1])
    if holder is not None and _UNSET[row.when](holder.get(row.keys[-1])):
        holder[row.keys[-1]] = dict(row.argument) if isinstance(row.argument, dict) else row.argument


def _set_pull_policy(row: Default, target: Json, pod: Json) -> None:  # noqa: ARG001
    if _UNSET[row.when](target.get(row.keys[-1])):
        image = reach(target, row.argument) or ""
        target[row.keys[-1]] = "Always" if image_tag(image) == "latest" else "IfNotPresent"


def _set_empty_dir(row: Default, target: Json, pod: Json) -> None:  # noqa: ARG001
    """Make a volume without a source that the release knows an emptyDir (``SetDefaults_Volume``)."""
    sources = next(field.type for field in row.struct.fields if field.embedded)
    if isinstance(sources, Struct) and all(target.get(field.json) is None for field in sources.fields):
        target[row.keys[-1]] = dict(row.argument)


def _copy_port(row: Default, target: Json, pod: Json) -> None:
    """Open a port on the host under the same number when the pod uses the host's network (``defaultHostNetworkPorts``)."""
    if pod["spec"].get("hostNetwork") and not target.get(row.keys[-1]):
        target[row.keys[-1]] = reach(target, row.argument)


def _round(row: Default, target: Json, pod: Json) -> None:  # noqa: ARG001
    holder = reach(target, row.keys[:-1])
    if holder is not None and holder.get(row.keys[-1]) is not None:
        holder[row.keys[-1]] = _rounded(row.type, holder[row.keys[-1]])


def _rounded(go_type: GoType, value: Any) -> Any:
    """Round a resource list up to milli, or each resource list that stands directly in a struct."""
    match go_type, value:
        case (Map(), Mapping()):
            return {name: Held(round_up_to_milli(from_json_or_held(quantity))) for name, quantity in value.items()}
        case (Struct(_, fields), Mapping()):
            types = {field.json: field.type for field in fields if isinstance(field.type, Map)}
            return {key: _rounded(types[key], item) if key in types else item for key, item in value.items()}
    return value


_UNSET: Final[Mapping[str, Callable[[Any], bool]]] = {
    "nil": lambda value: value is None,
    "empty": lambda value: not value,
    "0": lambda value: not value,
}
"""Tests of the plain conditions: a pointer is unset when nil, all else when it is the zero value."""

_APPLIERS: Final[Mapping[str, _Applier]] = {
    "set": _set,
    "pullPolicy": _set_pull_policy,
    "roundUpToMilli": _round,
    "set Volume.VolumeSource.EmptyDir": _set_empty_dir,
    "copy Container.Resources.Requests": copy_limits,
    "copy ContainerPort.HostPort": _copy_port,
    "copy PodSpec.Resources.Requests": copy_pod_limits,
    "aggregate PodSpec.Resources.Limits": pod_limits,
    "aggregate PodSpec.Resources.Requests": pod_requests,
}
"""Appliers by a row's verb, and by verb and field where a row has conditions of its own."""
