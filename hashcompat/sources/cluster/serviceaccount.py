"""A pod's own way to the API server: the service account that is mounted into every container.

Source: client-go ``rest.InClusterConfig``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from urllib3.connectionpool import HTTPSConnectionPool
from urllib3.exceptions import LocationValueError

from hashcompat.errors import InputError

_LONGEST_TOKEN: Final = 64 << 10
"""Bytes; HTTP servers take no longer header."""

_HTTPS: Final = "443"

ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def is_there(environment: Mapping[str, str]) -> bool:
    """Return whether this process runs in a pod with a service account."""
    return bool(environment.get("KUBERNETES_SERVICE_HOST")) and (ACCOUNT / "token").is_file()


def connections(environment: Mapping[str, str]) -> HTTPSConnectionPool:
    """Return the connections to the API server, which the account's own CA vouches for."""
    host, port = _address(environment)
    try:
        return HTTPSConnectionPool(host, port, cert_reqs="CERT_REQUIRED", ca_certs=str(ACCOUNT / "ca.crt"))
    except LocationValueError:
        raise InputError("KUBERNETES_SERVICE_HOST is not a host's name or address") from None


def server(environment: Mapping[str, str]) -> str:
    """Return the URL of the API server."""
    host, port = _address(environment)
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def _address(environment: Mapping[str, str]) -> tuple[str, int]:
    port = environment.get("KUBERNETES_SERVICE_PORT") or _HTTPS
    if not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 1 << 16:
        raise InputError("KUBERNETES_SERVICE_PORT is not a port's number")
    return environment["KUBERNETES_SERVICE_HOST"], int(port)


def token() -> str:
    """Read the token again: a kubelet renews it in its file while a long list is read."""
    path = ACCOUNT / "token"
    try:
        with path.open("rb") as stream:
            found = stream.read(_LONGEST_TOKEN + 1).strip().decode(errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None
    if len(found) > _LONGEST_TOKEN or not found.isascii() or not found.isprintable():
        raise InputError(f"{path}: not a token; want a line of printable ASCII")
    return found


def has_kubeconfig(environment: Mapping[str, str]) -> bool:
    """Return whether kubectl would find a kubeconfig, which comes before a service account."""
    return bool(environment.get("KUBECONFIG")) or (Path.home() / ".kube" / "config").exists()
