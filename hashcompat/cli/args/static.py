"""Static pods on the command line: which files are manifests of one node, and where they lie there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hashcompat.cli.args.declare import group, option
from hashcompat.errors import UsageError


@group
class StaticPods:
    """The manifests that one node's kubelet reads itself."""

    HEADING: ClassVar = "Static pods"

    directories: tuple[str, ...] = option(
        "--static-pod-dir",
        multiple=True,
        metavar="DIR",
        help="Read every file in DIR as a static pod's manifest, like a kubelet's staticPodPath; "
        "repeatable; needs --node-name.",
    )
    node_names: tuple[str, ...] = option(
        "--node-name",
        multiple=True,
        metavar="NAME",
        help="The name under which the kubelet registers the node.",
    )
    node_paths: tuple[str, ...] = option(
        "--static-pod-path",
        multiple=True,
        metavar="PATH",
        help="The original path on the node if -f FILE or --static-pod-dir DIR is a copy; since 1.21 "
        "it is part of the UID.",
    )


def place(static: StaticPods, names: Sequence[str]) -> tuple[str, str]:
    """Return the node's name and the path there; ``names`` are those of ``-f``.

    Raises UsageError where the node's name is missing, or it is not clear which file a path belongs to.
    """
    node, path = _one(static.node_names, "--node-name"), _one(static.node_paths, "--static-pod-path")
    _check(node, path, static.directories, names)
    return node, path


def _one(values: Sequence[str], flag: str) -> str:
    if len(values) > 1:
        raise UsageError(f"{flag} is given {len(values)} times; the manifests of one node at a time")
    return values[0] if values else ""


def _check(node: str, path: str, directories: Sequence[str], names: Sequence[str]) -> None:
    if node and not (path or directories):
        raise UsageError(
            "--node-name goes with --static-pod-dir DIR, or with -f FILE and --static-pod-path PATH"
        )
    if (path or directories) and not node:
        raise UsageError(
            "--node-name is missing; "
            "from 1.21 on the name under which the kubelet registers enters a static pod's UID"
        )
    if path and len(directories or names) != 1:
        raise UsageError("--static-pod-path names the place of one -f FILE or one --static-pod-dir DIR")
    if path and not path.startswith("/"):
        raise UsageError(f"--static-pod-path: want an absolute path on the node, got {path!r}")
