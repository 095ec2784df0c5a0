"""What an API server does to a manifest before any kubelet sees it: defaults, then canonical quantities.

Source: pkg/apis/core/v1/defaults.go. The stage works on JSON: the result is the container that the API server would give
back. Only what every release applied stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from hashcompat.catalog.schema import Schema
from hashcompat.compile.decode import compile_decoder
from hashcompat.compile.gojson import compile_encoder
from hashcompat.go import quantity
from hashcompat.go.jsontext import ESCAPES, loads
from hashcompat.kubelet.image import image_tag

Json = dict[str, Any]


def as_served(container: Mapping[str, Any], schema: Schema, *, host_network: bool = False) -> Json:
    """Return the manifest container's JSON as an API server would give it back.

    ``schema`` is the newest known tree: a field is dropped by the kubelet that does not know it, not here.
    Raises DecodeError for JSON that does not fit the types.
    """
    result = _round_trip(schema)(container)
    _default_container(result)
    _default_resources(result.get("resources", {}))
    for port in result.get("ports", ()):
        _set(port, "protocol", "TCP")
        if host_network:
            _set(port, "hostPort", port["containerPort"])
    for variable in result.get("env", ()):
        _default_value_source(variable.get("valueFrom", {}))
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if probe in result:
            _default_probe(result[probe])
    for hook in result.get("lifecycle", {}).values():
        if isinstance(hook, dict):
            _default_handler(hook)
    return result


@lru_cache(maxsize=8)
def _round_trip(schema: Schema) -> Callable[[Mapping[str, Any]], Json]:
    """Decode and encode again: canonical quantities, no empty lists, no zero optional fields, no unknown fields."""
    decode = compile_decoder(schema.container, keep_empty=False)
    encode = compile_encoder(schema.container, ESCAPES["go1.22"])

    def run(container: Mapping[str, Any]) -> Json:
        pieces: list[str] = []
        encode(decode(container), pieces.append)
        served: Any = loads("".join(pieces))
        return dict(served)

    return run


def _set(target: Json, key: str, value: Any) -> None:
    """Set a field that is unset; in Go unset and the zero value are one."""
    if not target.get(key):
        target[key] = value


def _default_container(container: Json) -> None:
    pull_always = image_tag(container.get("image", "")) == "latest"
    _set(container, "imagePullPolicy", "Always" if pull_always else "IfNotPresent")
    _set(container, "terminationMessagePath", "/dev/termination-log")
    _set(container, "terminationMessagePolicy", "File")


def _default_resources(resources: Json) -> None:
    """Round quantities up to milli and copy limits to requests (``SetDefaults_ResourceList``, ``SetDefaults_Pod``)."""
    for name in ("limits", "requests"):
        if name in resources:
            resources[name] = {key: _rounded(value) for key, value in resources[name].items()}
    if "limits" in resources:
        resources["requests"] = {**resources["limits"], **resources.get("requests", {})}


def _rounded(text: str) -> str:
    return quantity.to_json(quantity.round_up_to_milli(quantity.parse(text)))


def _default_value_source(source: Json) -> None:
    if "fieldRef" in source:
        _set(source["fieldRef"], "apiVersion", "v1")


def _default_probe(probe: Json) -> None:
    for key, value in (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)):
        _set(probe, key, value)
    _default_handler(probe)


def _default_handler(handler: Json) -> None:
    if "httpGet" in handler:
        _set(handler["httpGet"], "path", "/")
        _set(handler["httpGet"], "scheme", "HTTP")
    if "grpc" in handler:
        _set(handler["grpc"], "service", "")
