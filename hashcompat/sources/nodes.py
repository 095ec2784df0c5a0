"""A Kubernetes Node -> a node."""

from __future__ import annotations

from collections.abc import Mapping

from hashcompat.model.pods import Node
from hashcompat.sources.fields import Fields


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
    )
