"""Where pods come from, and which of them count.

Files, static pods' manifests, the built-in sample, or by default a live cluster: which one, as whom, and
how long it may take.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec import structs

from hashcompat.cli import progress, say
from hashcompat.cli.args import flag, group, option
from hashcompat.cli.output import note
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.escape import printable
from hashcompat.core.model.pods import Inventory
from hashcompat.core.regex import regex

if TYPE_CHECKING:
    from hashcompat.sources.cluster import Access, ReadScope
    from hashcompat.sources.cluster.own import StateConfigMap
    from hashcompat.sources.files.layouts import Exclusions
    from hashcompat.sources.filters import Filters


@group
class LabelOptions:
    """What the API server itself selects."""

    HEADING: ClassVar = "Scope"

    selector: str | None = option(
        "-l",
        "--selector",
        metavar="LABELS",
        help="Only pods of the live cluster that match this label selector, in kubectl's syntax.",
    )


@group
class ScopeOptions:
    """Which of the pods count; all of them unless something is given."""

    HEADING: ClassVar = "Scope"

    labels: LabelOptions
    namespaces: tuple[str, ...] = option(
        "-n", "--namespace", multiple=True, metavar="NAMESPACE", help="Only this namespace; repeatable."
    )
    every_namespace: bool = flag(
        "-A",
        "--all-namespaces",
        help="All namespaces, which is the default; as in kubectl, -n counts for nothing then.",
    )
    excluded_namespaces: tuple[str, ...] = option(
        "--exclude-namespace", multiple=True, metavar="NAMESPACE", help="Exclude this namespace; repeatable."
    )
    nodes: tuple[str, ...] = option(
        "--node", multiple=True, metavar="NODE", help="Only pods on this node; repeatable."
    )
    owners: tuple[str, ...] = option(
        "--owner", multiple=True, metavar="KIND/NAME", help="Only pods of this owner; repeatable."
    )

    def __post_init__(self) -> None:
        """Refuse several names in one value: none has a comma in it, and an excluded one need not exist."""
        given = {
            "-n": self.namespaces,
            "--exclude-namespace": self.excluded_namespaces,
            "--node": self.nodes,
            "--owner": self.owners,
        }
        for word, names in given.items():
            if several := next((name for name in names if "," in name), ""):
                raise UsageError(f"{word} {several}: want one name; repeat {word} for each other")

    @property
    def filters(self) -> Filters:
        """What is left of the pods that were read."""
        from hashcompat.sources.filters import Filters

        return Filters(self.wanted_namespaces, self.excluded_namespaces, self.nodes, self.owners)

    @property
    def wanted_namespaces(self) -> tuple[str, ...]:
        """The namespaces that are asked for; none for all of them."""
        return () if self.every_namespace else self.namespaces


@group
class StaticPodOptions:
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


def static_place(static: StaticPodOptions, names: Sequence[str]) -> tuple[str, str]:
    """Return the node's name and the path there; ``names`` are those of ``-f``.

    Raises UsageError where the node's name is missing, or it is not clear which file a path belongs to.
    """
    node, path = (
        _only_value(static.node_names, "--node-name"),
        _only_value(static.node_paths, "--static-pod-path"),
    )
    if node and not (path or static.directories):
        raise UsageError(
            "--node-name goes with --static-pod-dir DIR, or with -f FILE and --static-pod-path PATH"
        )
    if (path or static.directories) and not node:
        raise UsageError(
            "--node-name is missing; "
            "from 1.21 on the name under which the kubelet registers enters a static pod's UID"
        )
    if path and len(static.directories or names) != 1:
        raise UsageError("--static-pod-path names the place of one -f FILE or one --static-pod-dir DIR")
    if path and not path.startswith("/"):
        raise UsageError(f"--static-pod-path: want an absolute path on the node, got {path!r}")
    return node, path


def _only_value(values: Sequence[str], flag: str) -> str:
    if len(values) > 1:
        raise UsageError(f"{flag} is given {len(values)} times; the manifests of one node at a time")
    return values[0] if values else ""


_DURATION: Final = regex(r"(\d{1,6})(s|m)?")


@group
class ClusterOptions:
    """Which cluster, and as whom."""

    HEADING: ClassVar = "Live cluster"

    context: str | None = option(
        "--context",
        metavar="NAME",
        help="The kubeconfig context of the live cluster; default: the current one.",
    )
    kubeconfig: str | None = option(
        "--kubeconfig",
        metavar="FILE",
        help="The kubeconfig file; default: KUBECONFIG, then ~/.kube/config, then the pod's own account.",
    )
    as_user: str | None = option("--as", metavar="USER", help="User to impersonate in the cluster.")
    as_groups: tuple[str, ...] = option(
        "--as-group",
        multiple=True,
        metavar="GROUP",
        help="Group to impersonate in the cluster; repeatable; requires --as.",
    )
    request_timeout: str | None = option(
        "--request-timeout",
        metavar="DURATION",
        help="Timeout for API requests, such as 90s or 2m; default: 60s.",
    )

    def flags(self, selector: str | None) -> list[str]:
        """Return the flags that are given, with that of the scope which only a live cluster knows."""
        values = {
            "--context": self.context,
            "--kubeconfig": self.kubeconfig,
            "--as": self.as_user,
            "--as-group": self.as_groups,
            "-l": selector,
            "--request-timeout": self.request_timeout,
        }
        return [flag for flag, value in values.items() if value]


def collect_cluster(cluster: ClusterOptions, scope: ReadScope) -> Inventory:
    """Read the live cluster; an error says how to go on without one."""
    from hashcompat.sources.cluster.kubeapi import UnreachableError

    try:
        return _read(cluster, scope)
    except UnreachableError as error:
        raise InputError(
            f"cannot read the cluster: {error}{_without_cluster(cluster, str(error))}; "
            "give pods with -f FILE, or try the built-in cluster with --sample"
        ) from None


_NO_SERVER: Final = ":8080:"
"""In an error, the address that kubectl takes where its kubeconfig names no server."""


def _without_cluster(cluster: ClusterOptions, error: str) -> str:
    """Say that nothing names a cluster, which is then why it is not reached."""
    from hashcompat.sources.cluster import kubectl

    named = [path for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    if not cluster.kubeconfig:
        if named and not any(map(os.path.exists, named)):
            return f"; there is no kubeconfig: KUBECONFIG names {', '.join(named)}, which does not exist"
        if not kubectl.has_kubeconfig(os.environ):
            return "; there is no kubeconfig: KUBECONFIG is not set, and ~/.kube/config does not exist"
    if _NO_SERVER in error and not kubectl.target(_access(cluster).flags)[1]:
        place = cluster.kubeconfig or ", ".join(named) or "~/.kube/config"
        return f"; {place} names no server" + (
            f" in the context {cluster.context}" if cluster.context else ""
        )
    return ""


def is_cluster_named(cluster: ClusterOptions) -> bool:
    """Return whether a flag, the environment or a pod's own account names a cluster."""
    from hashcompat.sources import cluster as live

    return live.is_named(_access(cluster))


def collect_beside_static(cluster: ClusterOptions, scope: ReadScope, *, quiet: bool) -> Inventory | None:
    """Read the live cluster too; None where that fails and neither a flag nor ``--from auto`` asks for it."""
    try:
        return _read(cluster, structs.replace(scope, needs_pods=False))
    except InputError as error:
        if cluster.context or cluster.kubeconfig or scope.needs_nodes:
            raise InputError(f"cannot read the cluster: {error}") from None
        if not quiet:
            note(f"Warning: continuing without the cluster: cannot read it: {error}")
        return None


def _read(cluster: ClusterOptions, scope: ReadScope) -> Inventory:
    from hashcompat.sources import cluster as live

    shown = progress.current()
    shown.stage("")  # until a page was read, a plugin of kubectl may ask for a password on the same line
    return live.collect(_access(cluster), scope, _pass_on, lambda text: shown.stage(f"Reading {text}"))


def cluster_uid(cluster: ClusterOptions) -> str:
    """Return the UID of the live cluster; raises InputError where it cannot be read."""
    from hashcompat.sources import cluster as live
    from hashcompat.sources.cluster.kubeapi import UnreachableError

    try:
        return live.uid(_access(cluster), _pass_on)
    except UnreachableError as error:
        raise InputError(f"cannot read the cluster: {error}{_without_cluster(cluster, str(error))}") from None


def cluster_state(cluster: ClusterOptions, namespace: str, name: str) -> StateConfigMap:
    """Return the ConfigMap of the live cluster that the state of a rollout is kept in."""
    from hashcompat.sources.cluster.own import StateConfigMap

    return StateConfigMap(_access(cluster), _pass_on, namespace, name)


def _pass_on(line: str) -> None:
    """Print a line of kubectl's plugins as it is: a link to open may need its query."""
    with progress.current().aside():
        say(printable(line))


def _access(cluster: ClusterOptions) -> Access:
    from hashcompat.sources.cluster import Access

    if cluster.as_groups and not cluster.as_user:
        raise UsageError("--as-group needs --as USER")
    text = cluster.request_timeout or "60s"
    match = _DURATION.fullmatch(text)
    if not match or not int(match[1]):
        raise UsageError(
            f"--request-timeout: want a number of seconds or minutes such as 90s or 2m, got {text!r}"
        )
    seconds = int(match[1]) * (60.0 if match[2] == "m" else 1.0)
    whose = cluster.kubeconfig or "", cluster.context or "", cluster.as_user or ""
    return Access(*whose, cluster.as_groups, seconds)


@group
class SourceOptions:
    """The pods that are read."""

    HEADING: ClassVar = "Source"

    files: tuple[str, ...] = option(
        "-f",
        "--filename",
        multiple=True,
        metavar="FILE|DIR|URL|-",
        help="Pods as JSON, JSON lines or YAML, also in a tar archive; repeatable; - is standard input.",
    )
    recursive: bool = flag("-R", "--recursive", help="Read the directories given with -f recursively.")
    excluded: tuple[str, ...] = option(
        "--exclude",
        multiple=True,
        metavar="GLOB",
        help="Leave out files of the directories and archives given with -f, by a pattern as in .gitignore; "
        "repeatable.",
    )
    excluded_from: tuple[str, ...] = option(
        "--exclude-from",
        multiple=True,
        metavar="FILE",
        help="The same by the patterns in FILE, one a line; repeatable.",
    )
    strict_files: bool = flag(
        "--strict-files",
        help="Fail on a file in a directory or archive that holds no Kubernetes objects, and on an object "
        "whose pods are not read.",
    )
    sample: bool = flag("--sample", help="Use the small built-in cluster.")
    no_defaults: bool = flag(
        "--no-defaults",
        help="Hash manifests as they are, without API server defaults and canonical quantities.",
    )
    static: StaticPodOptions
    cluster: ClusterOptions

    @property
    def rules(self) -> Exclusions:
        """What of directories and archives is left out."""
        from hashcompat.sources.files.layouts import Exclusions, patterns_in

        of_files = (line for name in self.excluded_from for line in patterns_in(name))
        return Exclusions((*of_files, *self.excluded), self.strict_files)

    @property
    def is_live(self) -> bool:
        """Whether the pods come from a live cluster: the source where no other is named."""
        return not (self.files or self.static.directories or self.sample)
