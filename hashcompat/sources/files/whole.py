"""Find a YAML object that ends too early: YAML that was cut is often valid, JSON never is.

kubectl and the usual printers sort keys or keep the order of Go's fields: ``status`` comes after ``spec``,
and ``kind`` after ``items`` or before ``metadata``. An API server stores no pod or workload without a status.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.go.jsonpath import part
from hashcompat.sources.objects import Object, is_list
from hashcompat.sources.templates import group_of, is_workload

_CUT: Final = "is the file cut short?"

_PHASES: Final = ("Pending", "Running", "Succeeded", "Failed", "Unknown")

_STATELESS: Final = "PodTemplate"
"""The one kind with pods or a pod template that has no status."""


def check_end(document: object, path: str, *, items_first: bool) -> None:
    """Raise InputError for an object that ends before or within its ``kind``.

    ``items_first``: whether it began with ``items``, after which kubectl writes the kind of a list.
    """
    if not isinstance(document, Mapping):
        return
    kind = document.get("kind")
    if items_first and kind is None:
        raise InputError(f"{path}: the list ends without the 'kind: List' behind its items; {_CUT}")
    if kind is not None and next(reversed(document)) == "kind" and not is_list(kind):
        raise InputError(f"{path}: nothing follows its kind; {_CUT}")


def doubt(found: Object) -> str:
    """Return why an object may be only the first part of one; empty where nothing indicates that."""
    value = found.value
    kind = value["kind"]
    known = is_workload(value) or (kind in ("Pod", "Node") and not group_of(value))
    if not part(value, "metadata").get("uid") or not known or kind == _STATELESS:
        return ""
    if value.get("status") is None:
        return f"the {kind} has a uid but no status; {_CUT}"
    if kind == "Pod" and part(value, "status").get("phase", _PHASES[0]) not in _PHASES:
        return f"the Pod has a uid but no status.phase that Kubernetes knows; {_CUT}"
    return f"the {kind} has a uid, but a container has no image; {_CUT}" if _lacks_image(value) else ""


def _lacks_image(value: Mapping[str, Any]) -> bool:
    spec = part(value, "spec") if value["kind"] == "Pod" else {}
    lists = (spec.get(key) for key in ("initContainers", "containers", "ephemeralContainers"))
    containers = [one for rows in lists if isinstance(rows, list) for one in rows if isinstance(one, Mapping)]
    return any(not one.get("image") for one in containers)
