"""What runtimes, logs and kubelets' own files report about containers and sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from hashcompat.core.model.verdicts import Hash


class Recorded(msgspec.Struct, frozen=True):
    """A hash that a kubelet recorded when it created a container, as a runtime or a log reports it."""

    uid: str
    """The pod's UID; empty where the source does not report it."""

    namespace: str
    """The pod's namespace; empty where the source does not report it."""

    pod: str
    """The pod's name."""

    container: str
    """The container's name in the pod."""

    hash: Hash | None
    """The recorded hash; None where it is missing."""

    running: bool | None
    """Whether the runtime reports it running; None where the source does not report states."""
    attempt: int | None = None
    """How often the kubelet had created the container before; None where the source does not report it."""

    hash_version: str = ""
    """The release that a vendor's kubelet says the hash is of; empty where none does."""

    without_resources: Hash | None = None
    """The second hash that 1.27 - 1.30 record with the gate InPlacePodVerticalScaling; None elsewhere."""

    id: str = ""
    """The container's id in the runtime; empty where the source does not report it."""

    created: datetime | None = None
    """When the container was created, UTC; None where the source does not report it."""

    any_year: bool = False
    """Whether the year of ``created`` is not known: kubelets' logs have none."""

    docker: bool = False
    """Whether it is known to be in Docker."""

    code: int | None = None
    """Its exit code; None while it runs, or where the source does not report it."""

    unapplied: bool = False
    """Whether the kubelet's own file of the resources that it applied was looked for, and lacks it."""

    plugins: tuple[str, ...] | None = None
    """The resources that device plugins serve on its node; None where the kubelet's file was not read."""


class Sandbox(msgspec.Struct, frozen=True):
    """A pod's sandbox, as a runtime reports it."""

    uid: str
    """The pod's UID; empty where the source does not report it."""

    namespace: str
    """The pod's namespace; empty where the source does not report it."""

    pod: str
    """The pod's name."""

    ready: bool
    attempt: int = 0
    """How often the kubelet had created a sandbox for the pod before."""

    host_network: bool | None = None
    """Whether it is on the host's network; None where the source does not report it."""

    ip: str | None = None
    """Its IP address; None where the source does not report it."""

    created: int | None = None
    """When it was created, in nanoseconds since 1970; None where the source does not report it."""

    docker: bool = False
    """Whether it is known to be in Docker."""


class Applied(msgspec.Struct, frozen=True):
    """The resources that a kubelet applied to a container, as its own file has them (1.33 and later)."""

    uid: str
    """The pod's UID; a static pod's is the kubelet's."""

    container: str
    """The container's name."""

    resources: Mapping[str, Any]
    """Its ``limits`` and ``requests``, as in v1.ResourceRequirements."""


Record = Recorded | Sandbox | Applied
"""One row of any of them."""
