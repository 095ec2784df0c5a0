"""Kubernetes objects as Python values, of a client library or a parser -> pods and nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from hashcompat.core.errors import InputError
from hashcompat.core.model.pods import Inventory, Node, Origin
from hashcompat.core.model.uids import Dating
from hashcompat.core.model.verdicts import Record
from hashcompat.sources.budgets import budgets_of, scale_of
from hashcompat.sources.dating import Dater, until
from hashcompat.sources.objects import BESIDE_PODS, cluster_of, nodes_of, opened, pods_of, read
from hashcompat.sources.snapshots import KIND, warnings
from hashcompat.sources.workloads import Ownership


def collect(values: Iterable[object]) -> Inventory:
    """Return the pods, nodes and records in some objects.

    Known kinds are those that ``-f`` reads: Pod, PodList, List, Deployment, Node, ClusterSnapshot, ...
    Raises InputError, naming an object by its number from 0 and the path in it, for what cannot be read,
    for two different pods share a uid or nodes of one name, and for no pod.
    """
    objects = [found for number, value in enumerate(values) for found in opened(value, f"object {number}")]
    census, dater = Ownership(), Dater()
    for one in objects:
        census.add(one.value)
        dater.add(one.value, one.origin)
    templates = census.templates()
    pods = tuple(pods_of(objects, templates))
    if not pods:
        raise InputError("no pods among the objects; an empty plan would look like a safe one")
    others = [(thing, one) for one in objects if one.value["kind"] in BESIDE_PODS for thing in read(one)]
    hidden = (line for one in objects if one.value["kind"] == KIND for line in warnings(one.value))
    alone = all(one.in_snapshot or one.value["kind"] == KIND for one in objects)
    clusters = {uid for one in objects for uid in cluster_of(one.value)}
    return Inventory(
        pods,
        nodes_of((thing, where) for thing, where in others if isinstance(thing, Node)),
        tuple(thing for thing, _ in others if isinstance(thing, Record)),
        warnings=(*templates.warnings, *dict.fromkeys(hidden)),
        budgets=budgets_of(
            (thing for thing, _ in others),
            dict(scale for one in objects if (scale := scale_of(one.value))),
            listed=False,
        ),
        origin=Origin(cluster=clusters.pop() if len(clusters) == 1 else ""),
        dating=Dating(until(), tuple(dater.dated("", alone=alone))),
    )


_VERSION: Final = re.compile(r"^V\d+((alpha|beta)\d+)?(?=[A-Z])")


def plain(value: Any) -> Any:
    """Return plain JSON values for what a client library holds; plain values stay as they are.

    Known are models of the official Python clients, whose ``attribute_map`` names the JSON keys (their own
    ``to_dict`` does not), and whatever else has a ``to_dict``.
    """
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(getattr(value, "attribute_map", None), Mapping):
        return _model(value)
    return plain(value.to_dict()) if is_of_client(value) else value


def is_of_client(value: object) -> bool:
    """Return whether a value is an object of a client library."""
    return isinstance(getattr(value, "attribute_map", None), Mapping) or hasattr(value, "to_dict")


def _model(value: Any) -> dict[str, Any]:
    """Return a model's JSON; the items of a list leave out their kind, which the class names."""
    found = {key: plain(getattr(value, name)) for name, key in value.attribute_map.items()}
    if "kind" in found and found["kind"] is None:
        found["kind"] = _VERSION.sub("", type(value).__name__)
    return {key: item for key, item in found.items() if item is not None}
