"""Static pods on the command line: which files are manifests of one node, and where they lie there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hashcompat.cli.args import live
from hashcompat.errors import UsageError
from hashcompat.model.pods import Inventory, Origin, Source
from hashcompat.sources.files import collect as files
from hashcompat.sources.files import staticpods
from hashcompat.sources.files.inputs import called
from hashcompat.sources.filters import Filters


def collect(given: Mapping[str, Any], filters: Filters) -> Inventory:
    """Read ``-f`` and ``--static-pod-dir``, or the live cluster beside it; a manifest takes the place of its mirror pod.

    ``filters`` say of which static pods the others would show a mirror. Raises UsageError where the node's
    name is missing, or it is not clear which file a path belongs to.
    """
    node, path = _one(given, "node_names", "--node-name"), _one(given, "static_paths", "--static-pod-path")
    directories, names = given["static_dirs"], given["files"]
    _check(node, path, directories, names)
    if path and not directories:
        one = staticpods.collect_file(names[0], node, path)
        return Inventory((one,), origin=Origin(Source.FILES, (called(names[0]),)))
    if not directories:
        return files.collect(names, recursive=given["recursive"])
    static = staticpods.collect_directories(directories, node, path)
    others = (
        files.collect(names, recursive=given["recursive"], needs_pods=False)
        if names
        else live.collect_beside_static(given)
        if live.is_beside_static(given)
        else None
    )
    if others is None:
        return Inventory(static, origin=Origin(Source.FILES, directories))
    expected = [] if given["selector"] else filter(filters.matches, static)
    found = staticpods.beside(others, static, expected)
    return replace(found, origin=replace(others.origin, names=(*others.origin.names, *directories)))


def _one(given: Mapping[str, Any], name: str, flag: str) -> str:
    values: tuple[str, ...] = given[name]
    if len(values) > 1:
        raise UsageError(f"{flag} is given {len(values)} times; the manifests of one node at a time")
    return values[0] if values else ""


def _check(node: str, path: str, directories: tuple[str, ...], names: tuple[str, ...]) -> None:
    if node and not (path or directories):
        raise UsageError(
            "--node-name goes with --static-pod-dir DIR, or with -f FILE and --static-pod-path PATH"
        )
    if (path or directories) and not node:
        raise UsageError(
            "--node-name is missing; from 1.21 on the name under which the kubelet registers enters a static pod's UID"
        )
    if path and len(directories or names) != 1:
        raise UsageError("--static-pod-path names the place of one -f FILE or one --static-pod-dir DIR")
    if path and not path.startswith("/"):
        raise UsageError(f"--static-pod-path: want an absolute path on the node, got {path!r}")
