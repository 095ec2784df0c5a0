"""A pod's own way to the API server: the service account that is mounted into every container.

Source: client-go ``rest.InClusterConfig``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from urllib3.connectionpool import HTTPSConnectionPool

from hashcompat.errors import InputError

ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def is_there(environment: Mapping[str, str]) -> bool:
    """Return whether this process runs in a pod with a service account."""
    return bool(environment.get("KUBERNETES_SERVICE_HOST")) and (ACCOUNT / "token").is_file()


def connections(environment: Mapping[str, str]) -> HTTPSConnectionPool:
    """Return the connections to the API server, which the account's own CA vouches for."""
    host, port = _address(environment)
    return HTTPSConnectionPool(
        host,
        port,
        cert_reqs="CERT_REQUIRED",
        ca_certs=str(ACCOUNT / "ca.crt"),
    )


def server(environment: Mapping[str, str]) -> str:
    """Return the URL of the API server."""
    host, port = _address(environment)
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def _address(environment: Mapping[str, str]) -> tuple[str, int]:
    return environment["KUBERNETES_SERVICE_HOST"], int(environment.get("KUBERNETES_SERVICE_PORT") or 443)


def token() -> str:
    """Read the token again: a kubelet renews it in its file while a long list is read."""
    path = ACCOUNT / "token"
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None


def has_kubeconfig(environment: Mapping[str, str]) -> bool:
    """Return whether kubectl would find a kubeconfig, which comes before a service account."""
    return bool(environment.get("KUBECONFIG")) or (Path.home() / ".kube" / "config").exists()
