"""PF-114: certificates that have expired, or soon will."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from hashcompat.model.preflight import Status
from hashcompat.preflight.checks.check import Check, Problem, Upgrade
from hashcompat.preflight.facts import Facts
from hashcompat.preflight.facts.certificates import Expiry
from hashcompat.records.probes import UnreadError
from hashcompat.rules import Rule

_SOON: Final = timedelta(days=7)

_RENEW: Final = "renew it (kubeadm certs renew, or remove it and give the kubelet a bootstrap token)"


def _find(facts: Facts, upgrade: Upgrade) -> Iterator[Problem]:
    if upgrade.now is None:
        raise UnreadError("the time is unknown")
    for expiry in facts.expiries:
        yield from _of_certificate(expiry, upgrade.now)


def _of_certificate(expiry: Expiry, now: datetime) -> Iterator[Problem]:
    if expiry.at is None:
        yield Problem(Status.UNKNOWN, expiry.path, f"{expiry.path}: {expiry.problem}")
        return
    day = expiry.at.strftime("%Y-%m-%d")
    if expiry.at < now:
        status = Status.ERROR if _is_clients(expiry.path) else Status.WARN
        yield Problem(status, expiry.path, f"{expiry.path} expired on {day}", _RENEW)
    elif expiry.at < now + _SOON:
        yield Problem(Status.WARN, expiry.path, f"{expiry.path} expires on {day}", _RENEW)


def _is_clients(path: str) -> bool:
    """Return whether the kubelet shows the certificate to the API server."""
    name = path.rpartition("/")[2]
    return "client" in name.removeprefix("client-ca") or name.endswith((".conf", ".config", "kubeconfig"))


CERTIFICATES: Final = Check(
    Rule(
        "PF-114",
        "certificate expired",
        "A certificate on the node has expired or will within a week. A kubelet that starts with an expired "
        "client certificate and without a bootstrap token exits.",
        "cmd/kubelet/app/server.go buildKubeletClientConfig; pkg/kubelet/certificate/bootstrap/bootstrap.go "
        "isClientConfigStillValid",
    ),
    ("the certificates below the kubelet's directory and in its kubeconfig", "the time"),
    _find,
)
