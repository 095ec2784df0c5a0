"""What an API server does to a manifest's container before any kubelet sees it.

It makes quantities canonical, sets the defaults of its release (pkg/apis/core/v1/defaults.go, by rows of
defaults.json) and drops the fields of features that are off (pkg/api/pod/util.go, by rows of
dropped.json). This stage works on JSON: the result is the container that the API server would
return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from hashcompat.apiserver.gates import without_gated
from hashcompat.apiserver.on_read import as_read
from hashcompat.catalog.apiserver import ApiServer
from hashcompat.catalog.types import Schema
from hashcompat.compile.decode import compile_decoder
from hashcompat.compile.gojson import compile_encoder
from hashcompat.corev1.defaults import apply_rows
from hashcompat.corev1.objects import Json, objects
from hashcompat.go.jsontext import ESCAPES, loads
from hashcompat.go.quantity import to_json
from hashcompat.go.quantity_sum import from_json_or_held
from hashcompat.model.pods import ContainerType

_LISTS: Final = {
    ContainerType.CONTAINER: "containers",
    ContainerType.INIT: "initContainers",
    ContainerType.SIDECAR: "initContainers",
    ContainerType.EPHEMERAL: "ephemeralContainers",
}


def as_served(
    container: Mapping[str, Any],
    server: ApiServer,
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
    served: Mapping[str, Any], server: ApiServer, container_type: ContainerType, image_volumes: frozenset[str]
) -> Mapping[str, Any]:
    """Return a defaulted container with what else the API server writes, without what it drops.

    The same object if nothing changes.
    """
    written = [default for default in server.written if container_type in default.container_types]
    return without_gated(as_read(served, written), server.dropped, container_type, image_volumes)


def as_defaulted(
    container: Mapping[str, Any], server: ApiServer, *, container_type: ContainerType, host_network: bool
) -> Json:
    """Return the container's JSON with the defaults that decoding sets, as it does for stored pods too.

    Raises DecodeError for JSON that does not fit the types.
    """
    result = _round_trip(server.schema)(container)
    found = objects(server.schema.container, result, ("spec", _LISTS[container_type]))
    apply_rows(server.defaults, found, host_network=host_network)
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
    encode = compile_encoder(schema.container, ESCAPES["go1.22"])

    def run(container: Mapping[str, Any]) -> Json:
        pieces: list[str] = []
        encode(decode(container), pieces.append)
        served: Any = loads("".join(pieces))
        return dict(served)

    return run
