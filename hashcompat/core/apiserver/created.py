"""What an API server does to a manifest's container before any kubelet sees it.

It makes quantities canonical, sets the defaults of its release (pkg/apis/core/v1/defaults.go, by rows of
defaults.json) and drops the fields of features that are off (pkg/api/pod/util.go, by rows of
dropped.json). This stage works on JSON: the result is the container that the API server would
return. Annotations of security profiles become fields first, and admission adds what reasons name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from hashcompat.core.apiserver import as_read
from hashcompat.core.catalog.defaults import Dropped, PodCreation, Profile
from hashcompat.core.catalog.eras import Schema
from hashcompat.core.compile.gojson import compile_decoder, compile_encoder
from hashcompat.core.corev1.conversion import Json, objects
from hashcompat.core.corev1.defaults import apply_rows
from hashcompat.core.go import jsonpath
from hashcompat.core.go.jsonpath import mapping
from hashcompat.core.go.jsontext import ESCAPES, loads
from hashcompat.core.go.quantity import from_json_or_held, to_json
from hashcompat.core.model.pods import LIST_OF, Container, ContainerType, Pod


def as_served(
    container: Mapping[str, Any],
    server: PodCreation,
    *,
    container_type: ContainerType = ContainerType.CONTAINER,
    host_network: bool = False,
    image_volumes: frozenset[str] = frozenset(),
) -> Mapping[str, Any]:
    """Return a manifest container's JSON as the API server returns it after creating the pod.

    ``image_volumes`` names the pod's volumes of images.

    Raises DecodeError for JSON that does not fit the types.
    """
    served = as_defaulted(container, server, container_type=container_type, host_network=host_network)
    return as_created(served, server, container_type, image_volumes)


def as_created(
    served: Mapping[str, Any],
    server: PodCreation,
    container_type: ContainerType,
    image_volumes: frozenset[str],
) -> Mapping[str, Any]:
    """Return a defaulted container with what else the API server writes, without what it drops.

    The same object if nothing changes.
    """
    written = [default for default in server.written if container_type in default.container_types]
    return without_gated(as_read(served, written), server.dropped, container_type, image_volumes)


def as_defaulted(
    container: Mapping[str, Any], server: PodCreation, *, container_type: ContainerType, host_network: bool
) -> Json:
    """Return the container's JSON with the defaults that decoding sets, as it does for stored pods too.

    Raises DecodeError for JSON that does not fit the types.
    """
    result = _round_trip(server.schema)(container)
    structs = objects(server.schema.container, result, ("spec", LIST_OF[container_type]))
    apply_rows(server.defaults, structs, host_network=host_network)
    resources = result.get("resources", {})
    for name in [name for name in ("limits", "requests") if name in resources]:
        resources[name] = {key: to_json(from_json_or_held(item)) for key, item in resources[name].items()}
    return result


@lru_cache(maxsize=8)
def _round_trip(schema: Schema) -> Callable[[Mapping[str, Any]], Json]:
    """Return a function that decodes and encodes a container.

    Quantities become canonical; empty lists, optional fields with zero values and unknown fields disappear.
    """
    decode = compile_decoder(schema.container, keep_empty=False)
    # either table of escapes: the text is read back at once
    encode = compile_encoder(schema.container, ESCAPES["go1.22"])

    def run(container: Mapping[str, Any]) -> Json:
        pieces: list[str] = []
        encode(decode(container), pieces.append)
        served: Any = loads("".join(pieces))
        return dict(served)

    return run


# Annotations of security profiles that an API server turns into fields of containers when it creates a pod.
#
# Source: pkg/registry/core/pod/strategy.go ``applyAppArmorVersionSkew`` and ``applySeccompVersionSkew``.

_LONGEST: Final = 4095


def with_profiles(pod: Pod, container: Container, rows: Iterable[Profile]) -> Spec:
    """Return a manifest's container with the fields that its pod's annotations ask for."""
    spec = container.spec
    if container.type is ContainerType.EPHEMERAL or not pod.profiles:
        return spec
    for row in rows:
        profile = _profile(pod.profiles.get(row.annotation + container.name), row)
        context = mapping(spec.get("securityContext"))
        same = row.unless_of_pod and profile == mapping(pod.spec.get("securityContext")).get(row.field)
        elsewhere = bool(row.not_on) and mapping(pod.spec.get("os")).get("name") == row.not_on
        if profile is not None and context.get(row.field) is None and not (same or elsewhere):
            spec = {**spec, "securityContext": {**context, row.field: profile}}
    return spec


def _profile(annotation: str | None, row: Profile) -> Spec | None:
    if annotation is None:
        return None
    if annotation in row.types:
        return {"type": row.types[annotation]}
    name = annotation.removeprefix("localhost/")
    # what validation refuses does not become a field (pkg/apis/core/validation/validation.go, 1.31.14)
    if name != annotation and name and name == name.strip() and len(name.encode()) <= _LONGEST:
        return {"type": "Localhost", "localhostProfile": name}
    return None


# Fields of features that are off, which an API server drops when it creates a pod (dropped.json).
#
# Static pods do not pass through an API server and keep such fields.
# Source: pkg/api/pod/util.go ``DropDisabledPodFields`` (up to 1.13 ``DropDisabledAlphaFields``).

Spec = Mapping[str, Any]


def without_gated(
    container: Spec, rows: Iterable[Dropped], container_type: ContainerType, image_volumes: frozenset[str]
) -> Spec:
    """Return the container's JSON without what the rows drop; the same object if they drop nothing.

    ``image_volumes`` names the pod's volumes of images, to which some rows are confined.
    """
    for row in rows:
        container = _without(container, row, container_type, image_volumes)
    return container


def gates_at_work(
    container: Spec, rows: Iterable[Dropped], container_type: ContainerType, image_volumes: frozenset[str]
) -> tuple[str, ...]:
    """Return the names of the feature gates whose fields the container sets."""
    gates = [
        row.gate for row in rows if _without(container, row, container_type, image_volumes) is not container
    ]
    return tuple(dict.fromkeys(gates))


def _without(
    container: Spec, row: Dropped, container_type: ContainerType, image_volumes: frozenset[str]
) -> Spec:
    keys = jsonpath.keys(row.path)
    if container_type not in row.container_types or keys[0].removesuffix(jsonpath.EACH) not in container:
        return container
    changed: Spec = jsonpath.changed(container, keys, _change(row, image_volumes))
    if changed is not container and row.emptied:
        # Go drops the struct around the field, too, once nothing is left in it.
        changed = jsonpath.changed(
            changed, jsonpath.keys(row.emptied), lambda parent: jsonpath.GONE if parent == {} else parent
        )
    return changed


def image_volumes(pod_spec: Spec) -> frozenset[str]:
    """Return the names of the pod's volumes with an image as their source."""
    volumes = pod_spec.get("volumes")
    return frozenset(
        volume["name"]
        for volume in (volumes if isinstance(volumes, list) else [])
        if isinstance(volume, Mapping) and volume.get("image") and isinstance(volume.get("name"), str)
    )


def _change(row: Dropped, image_volumes: frozenset[str]) -> jsonpath.Change:
    result = jsonpath.GONE if row.becomes is None else row.becomes

    def change(value: Any) -> Any:
        if row.of == "imageVolumes":
            mounts_one = isinstance(value, Mapping) and value.get("name") in image_volumes
            return result if mounts_one else value
        # unchanged where the field has that value anyway: then no gate decides
        return value if value is None or value == result else result

    return change


# What admission adds to a pod, as far as a verdict can depend on it.
#
# AlwaysPullImages only changes the value of a field that every container has: it changes both hashes, and
# never whether they differ.

_MOUNT_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"

# any amounts do: the question is whether a verdict depends on resources at all
_LIMITS: Final = {"cpu": "1", "memory": "1Gi"}


def with_token_mount(pod: Pod, container: Spec, volume: str = "default-token") -> Spec | None:
    """Return the container with the service account's volume mount; None if admission adds none.

    It adds none to static pods, to pods that opt out, and to containers that already mount something at that
    path. Source: plugin/pkg/admission/serviceaccount.
    """
    mounts = container.get("volumeMounts") or []
    mounted = any(isinstance(mount, Mapping) and mount.get("mountPath") == _MOUNT_PATH for mount in mounts)
    if not pod.manifest or pod.static or pod.automount is False or mounted:
        return None
    return {
        **container,
        "volumeMounts": [*mounts, {"name": volume, "readOnly": True, "mountPath": _MOUNT_PATH}],
    }


def with_limit_range(pod: Pod, container: Spec) -> Spec | None:
    """Return the container with a LimitRange's requests and limits where it has none; None if it has all.

    Source: plugin/pkg/admission/limitranger.
    """
    if not pod.manifest or pod.static:
        return None
    resources = container.get("resources") or {}
    filled = {name: {**_LIMITS, **(resources.get(name) or {})} for name in ("limits", "requests")}
    return (
        None
        if all(filled[name] == resources.get(name) for name in filled)
        else {**container, "resources": {**resources, **filled}}
    )


ADDITIONS: Final[Mapping[str, Callable[[Pod, Spec], Spec | None]]] = {
    "the service account's volume mount": with_token_mount,
    "a LimitRange's requests and limits": with_limit_range,
}
"""What admission may add, as named in reasons; each returns the changed container, or None."""

NOTE: Final = (
    "manifests: their hashes include neither what admission adds in a cluster (the service account's "
    "volume mount, AlwaysPullImages, LimitRanges, PodPresets, webhooks such as sidecar injectors) nor "
    "fields of features that are off by default"
)
"""The assumption behind every hash of a manifest, where more than name and image is hashed."""
