"""What an API server does to a pod: an upgrade of the server alone can change hashes, and so restart pods.

A pod with a uid has been through one, and is taken as it is. A manifest has not: ``created.py`` makes of it
what a server of some release would store, step by step in JSON. Some defaults are set again whenever a server
reads a pod that an older one stored, which is here (kubernetes/kubernetes#63814). Rows of the catalog decide
which of these a release does; nothing here knows a release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hashcompat.core.catalog.defaults import ReadDefault
from hashcompat.core.go import jsonpath

Json = Mapping[str, Any]


def as_read(container: Json, defaults: Iterable[ReadDefault]) -> Json:
    """Return the container's JSON with these defaults; the same object if nothing changes."""
    for default in defaults:
        container = _merged(container, default) if default.merge_key else _set(container, default)
    return container


def _set(container: Json, default: ReadDefault) -> Json:
    changed: Json = jsonpath.changed(
        # falsy, not None: defaults.go tests for the zero value of a field that is no pointer
        container,
        jsonpath.keys(default.path),
        lambda child: child or default.value,
    )
    return changed


def added_paths(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield the paths where ``after``, a container's JSON with more defaults, differs from ``before``."""
    match before, after:
        case Mapping(), Mapping():
            for key, item in after.items():
                yield from added_paths(before.get(key), item, jsonpath.below(path, key))
        case list(), list() if len(before) == len(after):
            for index, (old, new) in enumerate(zip(before, after, strict=True)):
                yield from added_paths(old, new, jsonpath.element(path, index))
        case _ if before != after:
            yield path


def as_unread(container: Json, default: ReadDefault) -> Json:
    """Return the container's JSON without a default; the same object if the value is not that default."""
    changed: Json = jsonpath.changed(
        container,
        jsonpath.keys(default.path),
        lambda child: jsonpath.GONE if child == default.value else child,
    )
    return changed


def _merged(container: Json, default: ReadDefault) -> Json:
    place = jsonpath.reach(container, jsonpath.keys(default.merge_where))
    present = list(container.get(default.path) or ())
    keys = {item.get(default.merge_key) for item in present if isinstance(item, Mapping)}
    added = [
        item
        for item in default.value
        if item[default.merge_key] in (place or ()) and item[default.merge_key] not in keys
    ]
    return {**container, default.path: [*present, *added]} if added else container
