"""PF-104 and PF-204: a runtime that does not speak the kubelet's CRI, or that upstream no longer supports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import OF_BOTH, Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts, driver
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_UPGRADE: Final = "drain the node and upgrade the container runtime first"


def _find_api(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    api, target = upgrade.hazards.cri_api, upgrade.target
    if api == "both" or driver.api_version(facts.dump) == api:
        return
    runtime = facts.runtime
    if _has_dockershim(facts, upgrade) or (target.behaviour.dockershim and facts.drives_docker):
        return
    if _can(upgrade, runtime, f"CRI {api}"):
        return
    text = f"{runtime} does not speak CRI {api}, without which kubelet {target.release} does not start"
    yield Problem(Status.ERROR, runtime, text, _UPGRADE)


def _find_support(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if upgrade.hazards.old_containerd == "supported":
        return
    runtime = facts.runtime
    if not (_has_dockershim(facts, upgrade) or _can(upgrade, runtime, "RuntimeConfig")):
        text = f"{runtime} lacks RuntimeConfig: upstream does not support it under {upgrade.target.release}"
        yield Problem(Status.WARN, runtime, text, _UPGRADE)


def _has_dockershim(facts: Facts, upgrade: Upgrade) -> bool:
    """Return whether the current kubelet drives Docker by itself, which is what PF-103 is about."""
    return facts.drives_docker and upgrade.current is not None and upgrade.current.behaviour.dockershim


def _can(upgrade: Upgrade, runtime: str, what: str) -> bool:
    found = upgrade.runtimes.can(runtime, what)
    if found is None:
        raise UnreadError(f"whether {runtime} has {what} is not known")
    return found


CRI_VERSION: Final = Check(
    Rule(
        "PF-104",
        "CRI version",
        "The container runtime does not speak the version of CRI that the kubelet to be started needs: v1 "
        "from 1.26 on, v1alpha2 up to 1.22. The kubelet does not start.",
        "kubernetes/kubernetes#110618 (1.26), #104575 (1.23); pkg/kubelet/cri/remote/remote_runtime.go "
        "validateServiceConnection; containerd/containerd#5619 (1.6)",
    ),
    ("the runtime's version", "the Node object"),
    _find_api,
    OF_BOTH,
)

OLD_RUNTIME: Final = Check(
    Rule(
        "PF-204",
        "old runtime",
        "The container runtime lacks RuntimeConfig, as containerd 1 does. 1.35 is the last minor that "
        "upstream supports with it. 1.36 and 1.37 still start, and take the cgroup driver from their own "
        "configuration.",
        "kubernetes/kubernetes#133774; cmd/kubelet/app/server.go getCgroupDriverFromCRI, 1.35.8 - 1.37.0",
    ),
    ("the runtime's version", "the Node object"),
    _find_support,
    OF_BOTH,
)
