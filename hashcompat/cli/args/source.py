"""Where pods come from: files, the built-in sample, or by default a live cluster."""

from __future__ import annotations

from typing import ClassVar

from hashcompat.cli.args.cluster import Cluster
from hashcompat.cli.args.declare import group, option
from hashcompat.cli.args.static import StaticPods


@group
class Source:
    """The pods that are read."""

    HEADING: ClassVar = "Source"

    files: tuple[str, ...] = option(
        "-f",
        "--filename",
        multiple=True,
        metavar="FILE|DIR|URL|-",
        help="Pods as JSON, JSON lines or YAML; repeatable; - is standard input.",
    )
    recursive: bool = option(
        "-R", "--recursive", is_flag=True, help="Read the directories given with -f recursively."
    )
    sample: bool = option("--sample", is_flag=True, help="Use the small built-in cluster.")
    no_defaults: bool = option(
        "--no-defaults",
        is_flag=True,
        help="Hash manifests as they are, without API server defaults and canonical quantities.",
    )
    static: StaticPods
    cluster: Cluster

    @property
    def is_live(self) -> bool:
        """Whether the pods come from a live cluster: the source where no other is named."""
        return not (self.files or self.static.directories or self.sample)
