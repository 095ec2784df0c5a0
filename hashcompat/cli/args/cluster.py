"""The live cluster on the command line: which one, as whom, and how long it may take."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec import structs

from hashcompat.cli.args.declare import group, option
from hashcompat.cli.output import note
from hashcompat.cli.streams import say
from hashcompat.errors import InputError, UsageError
from hashcompat.model.escape import printable
from hashcompat.model.pods import Inventory
from hashcompat.regex import regex

if TYPE_CHECKING:
    from hashcompat.sources.cluster.collect import Access, Scope
    from hashcompat.sources.cluster.rollout import StateConfigMap

_DURATION: Final = regex(r"(\d{1,6})(s|m)?")

_DEFAULT_TIMEOUT: Final = "60s"


@group
class Cluster:
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


def collect(cluster: Cluster, scope: Scope, *, quiet: bool) -> Inventory:
    """Read the live cluster; an error says how to go on without one."""
    from hashcompat.sources.cluster.kubeapi import UnreachableError

    try:
        return _read(cluster, scope, quiet=quiet)
    except UnreachableError as error:
        raise InputError(
            f"cannot read the cluster: {error}; "
            "give pods with -f FILE, or try the built-in cluster with --sample"
        ) from None


def is_named(cluster: Cluster) -> bool:
    """Return whether a flag, the environment or a pod's own account names a cluster."""
    from hashcompat.sources.cluster import collect as live

    return live.is_named(_access(cluster))


def collect_beside_static(cluster: Cluster, scope: Scope, *, quiet: bool) -> Inventory | None:
    """Read the live cluster too; None where that fails and neither a flag nor ``--from auto`` asks for it."""
    try:
        return _read(cluster, structs.replace(scope, needs_pods=False), quiet=quiet)
    except InputError as error:
        if cluster.context or cluster.kubeconfig or scope.needs_nodes:
            raise InputError(f"cannot read the cluster: {error}") from None
        if not quiet:
            note(f"Warning: continuing without the cluster: cannot read it: {error}")
        return None


def _read(cluster: Cluster, scope: Scope, *, quiet: bool) -> Inventory:
    from hashcompat.sources.cluster import collect as live

    progress = _Progress(quiet=quiet)
    try:
        return live.collect(_access(cluster), scope, _pass_on, progress.show)
    finally:
        progress.end()


def uid(cluster: Cluster) -> str:
    """Return the UID of the live cluster; raises InputError where it cannot be read."""
    from hashcompat.sources.cluster import collect as live
    from hashcompat.sources.cluster.kubeapi import UnreachableError

    try:
        return live.uid(_access(cluster), _pass_on)
    except UnreachableError as error:
        raise InputError(f"cannot read the cluster: {error}") from None


def state(cluster: Cluster, namespace: str, name: str) -> StateConfigMap:
    """Return the ConfigMap of the live cluster that the state of a rollout is kept in."""
    from hashcompat.sources.cluster.rollout import StateConfigMap

    return StateConfigMap(_access(cluster), _pass_on, namespace, name)


def _pass_on(line: str) -> None:
    """Print a line of kubectl's plugins as it is: a link to open may need its query."""
    say(printable(line))


def _access(cluster: Cluster) -> Access:
    from hashcompat.sources.cluster.collect import Access

    if cluster.as_groups and not cluster.as_user:
        raise UsageError("--as-group needs --as USER")
    return Access(
        cluster.kubeconfig or "",
        cluster.context or "",
        cluster.as_user or "",
        cluster.as_groups,
        _seconds(cluster.request_timeout or _DEFAULT_TIMEOUT),
    )


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if not match or not int(match[1]):
        raise UsageError(
            f"--request-timeout: want a number of seconds or minutes such as 90s or 2m, got {text!r}"
        )
    return int(match[1]) * (60.0 if match[2] == "m" else 1.0)


class _Progress:
    """One line on a terminal's stderr that says how far the reading is; nothing where stderr is a log."""

    def __init__(self, *, quiet: bool) -> None:
        self._on = not quiet and sys.stderr.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        if self._on:
            say(f"\r\x1b[KReading {text}", end="")
            self._shown = True

    def end(self) -> None:
        if self._shown:
            say("\r\x1b[K", end="")
