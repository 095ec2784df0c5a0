"""A rollout of many nodes on the command line: what was upgraded, whose turn it is, how long it settles."""

from __future__ import annotations

import getpass
import os
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar

import click

from hashcompat.cli.args.declare import group, option
from hashcompat.cli.args.source import cluster_state
from hashcompat.core.errors import UsageError
from hashcompat.core.model.impact import Rollout

if TYPE_CHECKING:
    from hashcompat.analysis.gating.result import GateResult
    from hashcompat.cli.args.source import Cluster


T = TypeVar("T")

_CONFIGMAP: Final = "configmap:"

_NAME: Final = r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?"

WHERE: Final = "FILE|configmap:NAMESPACE/NAME"


class State(Protocol):
    """Where the state of a rollout is kept."""

    def read(self) -> Rollout:
        """Return it; one that is not there has no nodes."""

    def update(self, edit: Callable[[Rollout], tuple[Rollout | None, T]]) -> T:
        """Write what becomes of it, if anything does, unless others write at the same time."""


@group
class RolloutFlags:
    """How nodes are upgraded one after the other."""

    HEADING: ClassVar = "Rollout"

    after: bool = option(
        "--after",
        is_flag=True,
        help="Check after the upgrade of --node: compare the plan with what happened to its containers.",
    )
    state: str | None = option(
        "--state",
        metavar=WHERE,
        help="Where a rollout keeps which nodes were started, are done or have failed: the gate takes "
        "the turn of --node there; with --after it ends that turn.",
    )
    settle: int = option(
        "--settle",
        type=click.IntRange(0, 3600),
        default=0,
        metavar="SECONDS",
        help="With --after: how long to keep checking while the kubelet of --node settles. A surprise "
        "that persists ends the wait.",
    )
    take_over: bool = option(
        "--take-over",
        is_flag=True,
        help="Take over the turn of --node if it was started but not decided, or if it failed.",
    )
    holder: str | None = option(
        "--holder", metavar="NAME", help="Who takes the turn, for humans; default: USER@HOST."
    )

    def check(self, *, plan: str | None, nodes: tuple[str, ...]) -> None:
        """Raise UsageError for flags that mean nothing together."""
        for flag, given in (("--after", self.after), ("--state", self.state)):
            if given and not plan:
                raise UsageError(f"{flag} goes with a saved plan; give it with --plan FILE")
            if given and not nodes:
                raise UsageError(f"{flag} is about nodes; name them with --node")
        if self.settle and not self.after:
            raise UsageError("--settle goes with --after")
        for flag, given in (("--take-over", self.take_over), ("--holder", self.holder)):
            if given and (self.after or not self.state):
                raise UsageError(f"{flag} goes with --state, before a node is upgraded")

    def store(self, access: Cluster) -> State | None:
        """Return where the state is kept; None without ``--state``."""
        if not self.state:
            return None
        if place := configmap_of(self.state):
            return cluster_state(access, *place)
        from hashcompat.sources.files.rollout import StateFile

        return StateFile(Path(os.path.realpath(self.state)))

    @property
    def who(self) -> str:
        """Who takes the turn."""
        return self.holder or f"{_user()}@{socket.gethostname()}"


def configmap_of(text: str) -> tuple[str, str] | None:
    """Return the namespace and name in ``configmap:NAMESPACE/NAME``, nothing for a file; or UsageError."""
    if not text.startswith(_CONFIGMAP):
        return None
    namespace, _, name = text.removeprefix(_CONFIGMAP).partition("/")
    if not (re.fullmatch(_NAME, namespace) and re.fullmatch(_NAME, name)):
        raise UsageError(f"--state: want {WHERE}, got {text!r}")
    return namespace, name


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no name
        return str(os.getuid())


_BETWEEN: Final = 5.0
"""Seconds between two readings."""


def settled(
    judge: Callable[[bool], GateResult],
    seconds: float,
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> GateResult:
    """Return what came of nodes after so many seconds, or before that the first surprise that stays one.

    What is as predicted is looked at until the end: a kubelet that has not looked at a pod may still restart
    it. ``judge`` reads the nodes, given whether they are still settling.
    """
    from hashcompat.analysis.gating.result import Outcome

    end = clock() + seconds
    while (left := end - clock()) > 0:
        result = judge(True)
        if result.outcome is Outcome.FAIL:
            return result
        # not past the end, for the reading after it is the one that counts
        sleep(min(_BETWEEN, left))
    return judge(False)
