"""One node with kubelets but no API server: static pods alone, in Docker, in containerd or in CRI-O."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.catalog.releases import parse_range
from hashcompat.core.release import parse_release
from scripts.suites import containerd as containerds
from scripts.suites import kubelets
from scripts.suites.kubelets import Kubelet
from tests.helpers import daemons, processes, runtimes
from tests.helpers.daemons import Node
from tests.suites.reality import containerd, dockershim, pods, rest
from tests.suites.reality.outcome import Look
from tests.suites.reality.pods import IMAGE, NODE, Json

ARTICLE: Final = "harbor.finupgroup.com/kubernetes/node-exporter:v0.16.0"
"""The image of the container of the pod ``article``."""


def manifests(oldest: Kubelet) -> dict[str, Json]:
    """Return the static pods by the name of their manifest, with the containers that a kubelet accepts."""
    static_pods = pods.static_pods("standalone.yaml")
    for pod in static_pods.values():
        containers = [(container, container.pop("since", "0")) for container in pod["spec"]["containers"]]
        release = parse_release(oldest.release)
        pod["spec"]["containers"] = [
            container for container, since in containers if parse_range(f">={since}").holds(release)
        ]
    return static_pods


@dataclass
class Lab:
    """The node as it is now."""

    directory: Path
    node: Node
    static_pods: dict[str, Json]
    """The static pods by the name of their manifest."""
    kubelet: Kubelet
    """The one that runs, or that ran last."""
    log: Path = Path()
    """What the kubelet that runs prints."""
    command: list[str] = field(default_factory=list)
    """How it was started."""
    running: ExitStack = field(default_factory=ExitStack)
    others: ExitStack = field(default_factory=ExitStack)
    """The runtimes that were started again."""

    @property
    def docker(self) -> bool:
        """Whether the pods are in Docker."""
        return self.kubelet.docker

    @property
    def flags(self) -> list[str]:
        """The options by which plans know the runtime."""
        return []

    @property
    def place(self) -> list[object]:
        """The options by which `normalize` knows, on the node, where the runtime is."""
        if self.docker:
            root = ("--runtime-root", self.directory / "docker")
            return ["--runtime", "docker", *root, "--runtime-endpoint", self.node.docker_socket]
        return ["--runtime-endpoint", self.node.containerd_socket]

    @property
    def manifests(self) -> Path:
        return self.directory / "manifests"

    @property
    def root(self) -> Path:
        """The root directory that every kubelet takes over."""
        return self.directory / "kubelet"

    def start(self, kubelet: Kubelet) -> None:
        """Start a kubelet on the root directory; the one before has stopped."""
        self.kubelet = kubelet
        self.log = self.directory / f"kubelet-{time.time():.0f}-{kubelet.name}.log"
        self.command = [str(kubelets.built(kubelet)), *self._flags(kubelet)]
        self.running.enter_context(processes.running(self.command, self.log))

    def stop(self) -> None:
        """Stop the kubelet; its containers run on."""
        self.running.close()

    def _flags(self, kubelet: Kubelet) -> list[str]:
        """Return those of the flags that the release accepts."""
        accepted = default_catalog().flag_table.flags(parse_release(kubelet.release))
        flags = {**self._common(), **(self._docker() if kubelet.docker else self._containerd())}
        return [f"--{name}={value}" for name, value in flags.items() if name in accepted]

    def _common(self) -> dict[str, str | Path]:
        return {
            "allow-privileged": "true",
            "cadvisor-port": "0",
            "cert-dir": self.directory / "kubelet-pki",
            "cgroup-driver": "cgroupfs",
            "enable-server": "false",
            "enforce-node-allocatable": "",
            "eviction-hard": "memory.available<1Mi",
            "fail-swap-on": "false",
            "file-check-frequency": "2s",
            "healthz-port": "0",
            "hostname-override": NODE,
            "image-gc-high-threshold": "100",
            "image-gc-low-threshold": "99",
            "max-pods": "250",
            "oom-score-adj": "0",
            "pod-manifest-path": self.manifests,
            "read-only-port": "0",
            "resolv-conf": "",
            "root-dir": self.root,
            "sync-frequency": "10s",
            "v": "2",
            "volume-plugin-dir": self.directory / "volumeplugins",
        }

    def _docker(self) -> dict[str, str | Path]:
        socket = f"unix://{self.node.docker_socket}"
        return {
            "container-runtime": "docker",
            "docker": socket,  # cAdvisor's
            "docker-endpoint": socket,
            "experimental-dockershim-root-directory": self.directory / "dockershim",
            "pod-infra-container-image": daemons.IMAGE,
        }

    def _containerd(self) -> dict[str, str | Path]:
        endpoint = f"unix://{self._endpoint()}"
        return {"container-runtime": "remote", "container-runtime-endpoint": endpoint}

    def _endpoint(self) -> Path:
        return self.node.containerd_socket

    def look(self) -> Look:
        """Return what the runtime of the kubelet has."""
        return dockershim.look(self.node) if self.docker else containerd.look(self.node)

    def clear(self, kubelet: Kubelet) -> None:
        """Remove what earlier kubelets left in the runtime of the next one, where that is another runtime."""
        if kubelet.docker and not self.kubelet.docker:
            daemons.remove_containers(self.node)
        elif self.kubelet.docker and not kubelet.docker:
            containerd.clear(self.node)

    def empty(self) -> None:
        """Remove every pod, while the runtimes that were started again still run."""
        containerd.clear(self.node)
        daemons.remove_containers(self.node)

    def live_restore(self) -> None:
        """Start Docker again as nodes have it whose containers outlive it."""
        self.stop_docker()
        self._start_docker()

    def stop_docker(self) -> None:
        """Stop Docker; with live-restore its containers run on."""
        daemons.stop(f"--host=unix://{self.node.docker_socket}")

    def _start_docker(self) -> None:
        self.node.docker_socket.unlink(missing_ok=True)
        command = [*daemons.dockerd(self.directory), "--live-restore"]
        log = self.directory / f"dockerd-{time.time_ns()}.log"
        self.others.enter_context(processes.running(command, log))
        daemons.wait(self.node.docker_socket)

    def restart_runtime(self) -> None:
        """Start the runtime of the kubelet again; Docker was stopped before."""
        if self.docker:
            self._start_docker()
        else:
            self.others.enter_context(daemons.restarted(self.node))

    def wait(self, least: float = 60, quiet: float = 30, limit: float = 600) -> None:
        """Wait until nothing has changed for some seconds in the runtime."""

        def state() -> object:
            return sorted((row["id"], row["state"]) for row in self.look()[0])

        rest.wait(state, least, quiet, limit)


class BelowCriDockerd(Lab):
    """The node with cri-dockerd above Docker."""

    docker = True

    @property
    def flags(self) -> list[str]:
        return ["--cri-dockerd"]

    def _endpoint(self) -> Path:
        return runtimes.cri_dockerd_socket(self.node)


class WithoutDocker(Lab):
    """The node with a containerd from elsewhere."""

    docker = False

    def empty(self) -> None:
        containerd.clear(self.node)


class WithCrio(WithoutDocker):
    """The node with CRI-O."""

    @property
    def place(self) -> list[object]:
        return ["--runtime", "cri-o", "--runtime-root", self.node.places.root, *super().place]

    def restart_runtime(self) -> None:
        self.others.enter_context(runtimes.crio_again(self.node))


NEWER: Final = f"containerd {containerds.SLICE}"
RUNTIMES: Final = (NEWER, *runtimes.KNOWN)
"""The runtimes beside Debian's, those that are there."""


@contextmanager
def _runtime(directory: Path, name: str) -> Iterator[tuple[Node, type[Lab]]]:
    """Start the runtimes of a node: Debian's, or the one that is named."""
    images = (daemons.IMAGE, IMAGE, ARTICLE)
    if name == NEWER:
        programs = containerds.built(containerds.SLICE)
        with daemons.containerd_node(directory, *images, programs=programs) as node:
            yield node, WithoutDocker
    elif name == runtimes.CRIO:
        with runtimes.crio_node(directory, *images) as node:
            yield node, WithCrio
    elif name == runtimes.CRI_DOCKERD:
        with daemons.node(directory, *images[1:]) as node, runtimes.cri_dockerd(node):
            yield node, BelowCriDockerd
    else:
        with daemons.node(directory, *images[1:]) as node:
            yield node, Lab


@contextmanager
def lab(directory: Path, oldest: Kubelet, runtime: str = "") -> Iterator[Lab]:
    """Start the runtimes below a directory; remove them, and what kubelets leave, afterwards.

    ``oldest`` is the oldest of the kubelets that will run; ``runtime`` is one of RUNTIMES, or empty for
    Debian's Docker and containerd.
    """
    with ExitStack() as stack:
        stack.enter_context(rest.own_logs())
        stack.enter_context(rest.own_cgroups())
        for name in ("manifests", "kubelet", "dockershim"):
            (directory / name).mkdir()
        node, kind = stack.enter_context(_runtime(directory, runtime))
        made = kind(directory, node, manifests(oldest), oldest)
        stack.callback(made.others.close)
        stack.callback(made.empty)
        stack.callback(made.stop)
        for name, manifest in made.static_pods.items():
            (made.manifests / name).write_text(json.dumps(manifest))
        yield made
