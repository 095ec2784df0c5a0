"""A Kubernetes Node -> a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hashcompat.core.go.jsontext import clean
from hashcompat.core.model.pods import Node
from hashcompat.sources.fields import Fields
from hashcompat.sources.statuses import heartbeat


def of_node(found: Fields) -> Node:
    """Return what a plan asks of a node.

    Raises InputError, with its place, for what no API server would return.
    """
    metadata, status = map(found.object, ("metadata", "status"))
    info, features = map(status.object, ("nodeInfo", "features"))
    labels = metadata.object("labels").value if "labels" in metadata.value else None
    taints = found.object("spec").value.get("taints")
    strict = features.value.get("supplementalGroupsPolicy")
    return Node(
        metadata.string("name"),
        info.string("kubeletVersion"),
        info.string("containerRuntimeVersion"),
        labels,
        tuple(row for row in taints if isinstance(row, Mapping)) if isinstance(taints, list) else (),
        strict if isinstance(strict, bool) else None,
        _conditions(status.value.get("conditions")),
        _amounts(status.value.get("allocatable")),
        _amounts(status.value.get("capacity")),
        heartbeat(status.value.get("conditions")),
    )


def _amounts(found: object) -> Mapping[str, Any] | None:
    """Return the resources that a status shows: texts and numbers, by names."""
    if not isinstance(found, Mapping):
        return None
    return {clean(name): value for name, value in found.items() if type(value) in (str, int, float)}


def _conditions(rows: object) -> Mapping[str, str] | None:
    if not isinstance(rows, list):
        return None
    pairs = ((row.get("type"), row.get("status")) for row in rows if isinstance(row, Mapping))
    return {
        clean(name): clean(state) for name, state in pairs if isinstance(name, str) and isinstance(state, str)
    }
