"""Runtimes that neither Debian nor the module proxy has: cri-dockerd and CRI-O, from elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from scripts.suites import crictl
from tests.helpers import daemons, processes
from tests.helpers.daemons import Node

CRI_DOCKERD: Final = "cri-dockerd"
CRIO: Final = "cri-o"
_ELSEWHERE: Final[Mapping[str, str]] = {CRI_DOCKERD: "CRI_DOCKERD", CRIO: "CRIO"}
"""The variable that names a program of each; CRI-O's pinns is beside it."""
KNOWN: Final = tuple(name for name, variable in _ELSEWHERE.items() if variable in os.environ)
"""Those that can be tested."""


def cri_dockerd_socket(node: Node) -> Path:
    return node.directory / "cri-dockerd.sock"


@contextmanager
def cri_dockerd(made: Node) -> Iterator[Node]:
    """Run cri-dockerd above a node's Docker; yields the node as a client of CRI sees it."""
    command: list[str | Path] = [
        os.environ[_ELSEWHERE[CRI_DOCKERD]],
        f"--container-runtime-endpoint=unix://{cri_dockerd_socket(made)}",
        f"--docker-endpoint=unix://{made.docker_socket}",
        f"--pod-infra-container-image={daemons.IMAGE}",
        f"--cri-dockerd-root-directory={made.directory / 'cri-dockerd'}",
        "--network-plugin=",
        "--ipv6-dual-stack=false",
    ]
    with processes.running(command, made.directory / "cri-dockerd.log"):
        socket = cri_dockerd_socket(made)
        daemons.wait(socket)
        seen = replace(made, others=made.places._replace(socket=socket))
        daemons.wait_for_cri(seen)
        yield seen


@contextmanager
def crio_node(directory: Path, *images: str) -> Iterator[Node]:
    """Run CRI-O below a directory, with busybox under some names."""
    root, state = directory / "crio-storage", directory / "crio-run"
    made = Node(directory, crictl.built(), others=daemons.Places(root, state, directory / "crio.sock"))
    daemons.write_runc(directory)
    (directory / "policy.json").write_text('{"default":[{"type":"insecureAcceptAnything"}]}')
    with ExitStack() as stack:
        root.mkdir()
        state.mkdir()
        stack.callback(daemons.unmount, directory)
        stack.callback(daemons.end_shims, made)
        image = daemons.image_of(directory / "image.tar", images, {})
        for name in images:
            target = f"containers-storage:[overlay@{root}+{state}]{name}"
            command = ("skopeo", "--policy", str(directory / "policy.json"), "copy", "--quiet")
            daemons.output(*command, f"docker-archive:{image}:{name}", target)
        stack.enter_context(crio(made, "crio.log"))
        stack.callback(daemons.quietly, made.cri, "rmp", "--all", "--force")
        yield made


@contextmanager
def crio(made: Node, log: str) -> Iterator[None]:
    """Run a node's CRI-O; what it runs stays when it ends."""
    directory, program = made.directory, Path(os.environ[_ELSEWHERE[CRIO]])
    flags = {
        "config": "",
        "config-dir": "",
        "root": made.places.root,
        "runroot": made.places.state,
        "storage-driver": "overlay",
        "listen": made.places.socket,
        "runtimes": f"lenient:{directory}/lenient-runc:{directory}/runc:oci",
        "default-runtime": "lenient",
        "conmon": "/usr/bin/conmon",
        "conmon-cgroup": "pod",
        "cgroup-manager": "cgroupfs",
        "pinns-path": program.with_name("pinns"),
        "pause-image": daemons.IMAGE,
        "pause-command": "",
        "namespaces-dir": directory / "ns",
        "container-exits-dir": directory / "exits",
        "container-attach-socket-dir": directory / "attach",
        "version-file": directory / "version",
        "version-file-persist": directory / "version-persist",
        "clean-shutdown-file": directory / "clean",
        "signature-policy": directory / "policy.json",
        "cni-config-dir": directory / "cni/net.d",
        "cni-plugin-dir": directory / "cni/bin",
        "seccomp-profile": "unconfined",
        "apparmor-profile": "unconfined",
        "stream-port": "0",
        "internal-wipe": "false",
        "log-dir": directory / "logs",
        "nri-listen": directory / "nri.sock",
    }
    for name in ("cni/net.d", "cni/bin", "exits", "attach", "ns", "logs"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    made.places.socket.unlink(missing_ok=True)
    command: list[str | Path] = [program, *(f"--{name}={value}" for name, value in flags.items())]
    with processes.running(command, directory / log):
        daemons.wait(made.places.socket)
        daemons.wait_for_cri(made)
        yield


@contextmanager
def crio_again(made: Node) -> Iterator[None]:
    """End a node's CRI-O and run it again."""
    daemons.stop(f"--listen={made.places.socket}")
    with crio(made, f"crio-{time.time_ns()}.log"):
        yield
