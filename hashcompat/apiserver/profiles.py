"""Annotations of security profiles that an API server turns into fields of containers when it creates a pod.

Source: pkg/registry/core/pod/strategy.go ``applyAppArmorVersionSkew`` and ``applySeccompVersionSkew``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hashcompat.catalog.apiserver import Profile
from hashcompat.go.jsonpath import mapping
from hashcompat.model.pods import Container, ContainerType, Pod

Spec = Mapping[str, Any]

_LOCALHOST: Final = "localhost/"

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
    name = annotation.removeprefix(_LOCALHOST)
    if name != annotation and name and name == name.strip() and len(name.encode()) <= _LONGEST:
        return {"type": "Localhost", "localhostProfile": name}
    return None
