"""The v1 pod -> the JSON that the internal pod decodes from, by rows of conversions.json.

Most fields keep their name and place; the steps here are for the others.
Source: pkg/apis/core/v1/conversion.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from hashcompat.core.catalog.defaults import Default
from hashcompat.core.catalog.pods import Conversion, StaticPods
from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.errors import DecodeError, InputError, UndecidedError
from hashcompat.core.go.jsonpath import is_object, keys, reach
from hashcompat.core.go.jsontext import kind_of
from hashcompat.core.go.types import STRING, Coded, GoType, Pointer, Slice, Struct

_INIT_CONTAINERS: Final = tuple(
    f"pod.{stage}.kubernetes.io/init-container{kind}"
    for stage in ("alpha", "beta")
    for kind in ("s", "-statuses")
)


def convert(pod: Json, static_pods: StaticPods) -> None:
    """Change a v1 pod with its defaults, in place, into what the internal types decode.

    Raises UndecidedError where a kubelet would read containers from annotations (to 1.7).
    """
    for row in static_pods.conversions:
        if row.step not in _STEPS:
            raise InputError(f"unknown conversion of static pods: {row.step}")
        _STEPS[row.step](pod, row)


def check_wire_fields(pod: Json, static_pods: StaticPods) -> None:
    """Raise DecodeError for a wrong kind of JSON in v1 fields that no internal field is named after."""
    for row in static_pods.conversions:
        if row.type is not None or row.step in _STRINGS:
            try:
                compile_decoder(row.type or STRING, keep_empty=True)(reach(pod, keys(row.path)))
            except DecodeError as error:
                raise error.within(f".{row.path}") from None


def _move(pod: Json, row: Conversion) -> None:
    """Copy a field of the spec to the internal security context.

    Its key in the tree is the field's v1 path.
    """
    spec, moved = pod["spec"], reach(pod, keys(row.path))
    spec["securityContext"] = {**(spec.get("securityContext") or {}), row.keys[-1]: moved}


def _service_account(pod: Json, _: Conversion) -> None:
    spec = pod["spec"]
    spec["serviceAccountName"] = spec.get("serviceAccountName") or spec.get("serviceAccount")


def _grace_period(pod: Json, _: Conversion) -> None:
    spec = pod["spec"]
    if float(spec["terminationGracePeriodSeconds"]) < 0:  # which may be the text -0
        spec["terminationGracePeriodSeconds"] = 1


def _init_annotations(pod: Json, _: Conversion) -> None:
    """Drop the annotations in which 1.5 and older keep init containers; an empty map stays."""
    metadata = pod.get("metadata") or {}
    if metadata.get("annotations"):
        metadata["annotations"] = {
            key: value for key, value in metadata["annotations"].items() if key not in _INIT_CONTAINERS
        }


def _read_init_annotations(pod: Json, _: Conversion) -> None:
    annotations = reach(pod, ("metadata", "annotations")) or {}
    if any(key in annotations for key in _INIT_CONTAINERS):
        raise UndecidedError("init containers in annotations, which this release reads").within(
            ".metadata.annotations"
        )


def _type_meta(pod: Json, _: Conversion) -> None:
    """Drop kind and apiVersion, which internal objects do not keep."""
    pod.pop("kind", None)
    pod.pop("apiVersion", None)


def check_kind(pod: object) -> None:
    """Raise DecodeError for anything but a v1 Pod; items of a list may omit kind and apiVersion."""
    if not isinstance(pod, Mapping):
        raise DecodeError(f"want a Pod, got {kind_of(pod)}")
    for key, only in (("apiVersion", "v1"), ("kind", "Pod")):
        if pod.get(key, only) != only:
            raise DecodeError(f"want {only}").within(f".{key}")


_STRINGS: Final = frozenset({"PodSpec.DeprecatedServiceAccount", "PodStatus.PodIP"})

_STEPS: Final[Mapping[str, Callable[[Json, Conversion], None]]] = {
    "move": _move,
    "PodSpec.DeprecatedServiceAccount": _service_account,
    "PodStatus.PodIP": lambda pod, _: list_address(pod.get("status") or {}),
    "Convert_v1_Pod_To_api_Pod": _read_init_annotations,
    "dropInitContainerAnnotations": _init_annotations,
    "Convert_v1_Pod_To_core_Pod": _grace_period,
    "runtime/codec.go, serializer/versioning": _type_meta,
    # decoding already does what these rows describe
    "zz_generated.conversion.go": lambda _pod, _row: None,
    "pkg/registry/core/pod/strategy.go": lambda _pod, _row: None,
}
"""Steps by the v1 field that has no internal field of that name, or by the source that a row names."""


# A manifest's JSON on its way to the internal pod: copying it, reaching into it, finding its objects.

Json = dict[str, Any]


class Site(msgspec.Struct, frozen=True):
    """Where a default applies."""

    row: Default
    """The default."""
    target: Json
    """An object that it applies to, which is changed in place."""
    host_network: bool = False
    """Whether the pod uses the host's network."""


def deep_copy(value: Any) -> Any:
    """Return a deep copy of maps and lists.

    Shared ones (YAML aliases) are copied for each place, so that a default set in one does not appear in
    another.
    """
    if is_object(value):
        return {key: deep_copy(item) for key, item in value.items()}
    return [deep_copy(item) for item in value] if isinstance(value, list | tuple) else value


def objects(go_type: GoType, value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str, Json]]:
    """Yield the Go name, the place and the JSON object of every struct of the tree that the JSON reaches.

    The place is the key below spec or status; an embedded struct is yielded with the object that contains it.
    A null in a list of structs is replaced by ``{}``, and a missing struct by value is added as ``{}``: Go
    decodes both to a zero value, which gets defaults like any other.
    """
    match go_type, value:
        case (Pointer(_, elem), _):
            yield from objects(elem, value, path)
        case (Struct(), dict()):
            yield go_type.name, path[1] if len(path) > 1 else "", value
            for field in go_type.fields:
                by_value = isinstance(field.type, Struct) and not isinstance(field.type, Coded)
                if field.json and by_value and value.get(field.json) is None:
                    value[field.json] = {}
                if not field.json:
                    yield from objects(field.type, value, path)
                elif field.json in value:
                    yield from objects(field.type, value[field.json], (*path, field.json))
        case (Slice(_, elem), list()):
            if isinstance(elem, Struct):
                value[:] = [{} if item is None else item for item in value]
            for item in value:
                yield from objects(elem, item, path)


def list_address(status: Json) -> None:
    """Replace a status' ``podIPs`` by ``podIP`` where they differ.

    Source: ``Convert_v1_PodStatus_To_core_PodStatus``, and from 1.37 on ``SetDefaults_PodStatus``.
    """
    address, addresses = status.get("podIP"), status.get("podIPs") or [{}]
    if address and (addresses[0] or {}).get("ip") != address:
        status["podIPs"] = [{"ip": address}]
