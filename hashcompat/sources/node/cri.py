"""Ask containerd, CRI-O or cri-dockerd through crictl, which speaks every version of the CRI."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any, Final

from hashcompat.errors import InputError
from hashcompat.go import jsontext

SOCKETS: Final = (
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/cri-dockerd.sock",
    "/run/k3s/containerd/containerd.sock",
    "/run/k0s/containerd.sock",
    "/var/snap/microk8s/common/run/containerd.sock",
)

_TIMEOUT_SECONDS: Final = 60


def documents(socket: str) -> list[Any]:
    """Return the output of ``crictl ps -a`` and ``crictl inspectp``: all containers and sandboxes.

    Raises InputError, naming the socket, when crictl is missing or the runtime cannot be asked.
    """
    containers = _crictl(socket, "ps", "-a", "-o", "json")
    sandboxes = [
        row["id"] for document in _crictl(socket, "pods", "-o", "json") for row in document.get("items") or ()
    ]
    return containers + (_crictl(socket, "inspectp", "-o", "json", *sandboxes) if sandboxes else [])


def _crictl(socket: str, *arguments: str) -> list[Any]:
    program = shutil.which("crictl")
    if program is None:
        raise InputError(
            f"{socket}: cannot ask the runtime: crictl is not on the PATH; "
            "install it, or give files with --recorded"
        )
    command = [
        program,
        "--runtime-endpoint",
        f"unix://{socket}",
        "--timeout",
        f"{_TIMEOUT_SECONDS}s",
        *arguments,
    ]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=2 * _TIMEOUT_SECONDS)  # noqa: S603 - no shell
        return list(jsontext.load_all(jsontext.decode_text(done.stdout)))
    except subprocess.CalledProcessError as error:
        raise InputError(f"{socket}: crictl {arguments[0]} failed: {_last_line(error.stderr)}") from None
    except subprocess.TimeoutExpired:
        raise InputError(
            f"{socket}: crictl {arguments[0]} does not answer within {2 * _TIMEOUT_SECONDS} s"
        ) from None
    except (OSError, InputError) as error:
        raise InputError(f"{socket}: crictl {arguments[0]}: {error}") from None


def _last_line(output: bytes) -> str:
    """Return the line with the error: crictl prints warnings before it."""
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no message"
