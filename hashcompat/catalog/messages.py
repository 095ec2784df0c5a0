"""What a kubelet writes into its log and its events when it kills a container: rows of messages.json."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Messages(msgspec.Struct, frozen=True):
    """The texts of one release, to be formatted with names; ``…`` stands for what only the node knows."""

    restart_line: str
    """The line of the log about a regular container whose hash differs, around ``restart_log``."""
    restart_verbosity: int
    """The least ``--v`` at which that line is written."""
    killing: str
    """The message of the event ``Killing`` for a container that is killed for a reason of its own."""
    killing_with_pod: str
    """The same for one that is killed with its pod."""
    sandbox_logs: Mapping[str, str]
    """The line about a sandbox that is replaced, by what is found: a check of kubelet/decide/sandbox.py,
    ``hash`` of the infra container, or ``none`` at all. At ``--v=2`` or more."""
    sandbox_events: Mapping[str, str]
    """The event about it, as ``REASON: MESSAGE``; where none is written there is no key."""
    refusals: Mapping[str, str]
    """The reason in the status of a pod that is not admitted, and of the event, by why it is not."""
    static_refusal: str
    """The line about a static pod that refers to API objects; empty where it is read."""
    resize: str
    """The message of the event ``Killing`` for a container whose resources are applied by a restart."""
