"""Pods of owners with their labels and readiness, and budgets for them."""

from __future__ import annotations

from typing import Any

from hashcompat.core.model.pods import Pod
from hashcompat.sources.objects import read_object
from tests.helpers.pods import Json, pod

RESTARTS: Json = {"name": "c", "image": "i"}
"""Restarts from 1.8 to 1.9, as every container does."""


def read(value: Json) -> Pod:
    """Return the pod of an object."""
    (subject,) = read_object(value, "test")
    assert isinstance(subject, Pod)
    return subject


def replica(
    name: str, node: str, *, owner: str = "StatefulSet/web", ready: str = "True", **more: Any
) -> Json:
    """Return a pod with the label of its owner; an empty ``ready`` is that of no condition."""
    kind, _, owned_by = owner.partition("/")
    references = [{"kind": kind, "name": owned_by, "controller": True}] if owner else []
    metadata = {
        "labels": {"app": owned_by or name},
        "ownerReferences": references,
        **more.pop("metadata", {}),
    }
    conditions = [{"type": "Ready", "status": ready}] if ready else []
    running = [{"name": "c", "state": {"running": {}}}]
    status = {"phase": "Running", "containerStatuses": running, "conditions": conditions}
    status.update(more.pop("status", {}))
    return pod(RESTARTS, name=name, node=node, metadata=metadata, status=status, **more)


def budget(name: str = "web", app: str = "web", **spec: Any) -> Json:
    """Return a budget of the pods of an owner."""
    selector = {"matchLabels": {"app": app}}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"namespace": "ns", "name": name},
        "spec": {"selector": selector, **spec},
    }
