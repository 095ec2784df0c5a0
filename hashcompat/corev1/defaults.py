"""The defaults of pkg/apis/core/v1 that decoding sets in a manifest, by rows of defaults.json.

This stage changes the manifest's JSON in place. One walk over the type tree finds every object that a row
may apply to; then the rows are applied in order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from hashcompat.catalog.defaults import Default
from hashcompat.catalog.pods import StaticPods
from hashcompat.corev1.objects import Json, Site, list_address, objects
from hashcompat.corev1.pullpolicy import pull_policy
from hashcompat.corev1.resources import copy_limits, copy_pod_limits, pod_limits, pod_requests
from hashcompat.errors import InputError
from hashcompat.go.jsonpath import reach
from hashcompat.go.quantity import round_up_to_milli
from hashcompat.go.quantity_sum import Held, from_json_or_held
from hashcompat.go.types import GoType, Map, Struct

_Applier = Callable[[Site], None]


def apply_defaults(pod: Json, static_pods: StaticPods) -> None:
    """Set in ``pod`` what ``SetObjectDefaults_Pod`` sets; the manifest must decode without an error."""
    apply_rows(
        static_pods.defaults,
        objects(static_pods.types.pod, pod),
        host_network=bool(pod["spec"].get("hostNetwork")),
    )


def apply_rows(
    rows: Iterable[Default], found: Iterable[tuple[str, str, Json]], *, host_network: bool
) -> None:
    """Apply rows in order to the objects that ``objects`` found.

    Each of ``found`` is the name of a struct, its place, and the JSON object.
    """
    by_struct: dict[str, list[tuple[str, Json]]] = defaultdict(list)
    for struct, place, target in found:
        by_struct[struct].append((place, target))
    for row in rows:
        apply = applier(row)
        for place, target in by_struct.get(row.struct.name, ()):
            if place in row.places or not row.places:
                apply(Site(row, target, host_network))


def applier(row: Default) -> _Applier:
    """Return the function that applies a row.

    Raises InputError for a row that this program cannot apply.
    """
    names = (
        f"{row.operation} {row.id}",
        row.operation if row.operation == "roundUpToMilli" or row.when in _CONDITIONS else "",
    )
    found = next((_APPLIERS[name] for name in names if name in _APPLIERS), None)
    if found is None:
        raise InputError(f"unknown default of static pods: {names[0]} when {row.when}")
    return found


def _set(site: Site) -> None:
    row = site.row
    holder = reach(site.target, row.keys[:-1])
    if holder is not None and _CONDITIONS[row.when](holder.get(row.keys[-1])):
        holder[row.keys[-1]] = dict(row.argument) if isinstance(row.argument, dict) else row.argument


def _set_pull_policy(site: Site) -> None:
    row, target = site.row, site.target
    if _CONDITIONS[row.when](target.get(row.keys[-1])):
        target[row.keys[-1]] = pull_policy(reach(target, row.argument) or "", row.parser)


def _set_empty_dir(site: Site) -> None:
    """Make a volume an emptyDir if the release knows no source in it (``SetDefaults_Volume``)."""
    row, target = site.row, site.target
    sources = next(field.type for field in row.struct.fields if field.embedded)
    if isinstance(sources, Struct) and all(target.get(field.json) is None for field in sources.fields):
        target[row.keys[-1]] = dict(row.argument)


def _copy(site: Site) -> None:
    key = site.row.keys[-1]
    if _CONDITIONS[site.row.when](site.target.get(key)):
        site.target[key] = reach(site.target, site.row.argument)


def _list_address(site: Site) -> None:
    list_address(site.target)


def _first_address(site: Site) -> None:
    addresses = reach(site.target, site.row.argument)
    if addresses and not site.target.get("podIP"):
        site.target["podIP"] = (addresses[0] or {}).get("ip")


def _copy_port(site: Site) -> None:
    """Copy the port to the host port if the pod uses the host's network (``defaultHostNetworkPorts``)."""
    key = site.row.keys[-1]
    if site.host_network and not site.target.get(key):
        site.target[key] = reach(site.target, site.row.argument)


def _add_resize_policies(site: Site) -> None:
    """Append the policies of requested resources that have none (``setDefaultResizePolicy``)."""
    key, target = site.row.keys[-1], site.target
    requests, present = reach(target, ("resources", "requests")) or {}, target.get(key) or []
    named = {(policy or {}).get("resourceName") for policy in present}
    added = [dict(one) for one in site.row.argument if one["resourceName"] in requests.keys() - named]
    if added:
        target[key] = [*present, *added]


def _round(site: Site) -> None:
    row = site.row
    holder = reach(site.target, row.keys[:-1])
    if holder is not None and holder.get(row.keys[-1]) is not None:
        holder[row.keys[-1]] = _rounded(row.type, holder[row.keys[-1]])


def _rounded(go_type: GoType, value: Any) -> Any:
    """Round a resource list up to milli, or each resource list that is a field of a struct."""
    match go_type, value:
        case (Map(), Mapping()):
            return {
                name: Held(round_up_to_milli(from_json_or_held(quantity))) for name, quantity in value.items()
            }
        case (Struct(_, fields), Mapping()):
            types = {field.json: field.type for field in fields if isinstance(field.type, Map)}
            return {key: _rounded(types[key], item) if key in types else item for key, item in value.items()}
    return value


_CONDITIONS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "nil": lambda value: value is None,
    "empty": lambda value: not value,
    "0": lambda value: not value,
    "negative": lambda value: value is not None and float(value) < 0,
    "always": lambda _: True,
}
"""Tests of the plain conditions: a pointer is unset if nil, anything else if it is the zero value."""

_APPLIERS: Final[Mapping[str, _Applier]] = {
    "set": _set,
    "copy": _copy,
    "pullPolicy": _set_pull_policy,
    "roundUpToMilli": _round,
    "set Volume.VolumeSource.EmptyDir": _set_empty_dir,
    "set Container.ResizePolicy": _add_resize_policies,
    "copy Container.Resources.Requests": copy_limits,
    "copy ContainerPort.HostPort": _copy_port,
    "copy PodSpec.Resources.Requests": copy_pod_limits,
    "listOf PodStatus.PodIPs": _list_address,
    "firstOf PodStatus.PodIP": _first_address,
    "aggregate PodSpec.Resources.Limits": pod_limits,
    "aggregate PodSpec.Resources.Requests": pod_requests,
}
"""Appliers by a row's verb, and by verb and field for rows with special conditions."""
