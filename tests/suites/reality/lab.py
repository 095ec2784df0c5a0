"""One node with real kubelets: an API server, containerd, and a root directory for all of them in turn."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scripts.suites import kubelets
from scripts.suites.kubelets import Kubelet
from tests.helpers import daemons, processes, realserver
from tests.helpers.daemons import Node
from tests.helpers.realserver import ADMIN, Cluster
from tests.suites.reality import containerd, pods, rest
from tests.suites.reality.outcome import NAME, RUNNING, Look
from tests.suites.reality.pods import IMAGE, LABEL, NODE, OTHER_IMAGE, Json

PODS = "/api/v1/namespaces/default/pods"
_PLUGIN = """#!/bin/sh
if [ "$CNI_COMMAND" = ADD ]; then
    name='"interfaces":[{"name":"'$CNI_IFNAME'","sandbox":"'$CNI_NETNS'"}]'
    echo '{"cniVersion":"0.4.0",'$name',"ips":[{"version":"4","interface":0,"address":"10.88.0.2/24"}]}'
elif [ "$CNI_COMMAND" = VERSION ]; then
    echo '{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}'
fi
"""
_MIRRORED_SECONDS = 120
_FIRST_CGROUP_V2 = 31
"""From 1.31 a kubelet has a setting that lets it run on cgroup v1, and from 1.35 it needs it."""


@dataclass
class Lab:
    """The node as it is now."""

    directory: Path
    cluster: Cluster
    node: Node
    running: ExitStack = field(default_factory=ExitStack)
    others: ExitStack = field(default_factory=ExitStack)
    """The runtimes that were started again."""
    docker = False
    """Whether its kubelets drive Docker."""

    @property
    def manifests(self) -> Path:
        """The directory of the static pods."""
        return self.directory / "manifests"

    @property
    def root(self) -> Path:
        """The root directory that every kubelet takes over."""
        return self.directory / "kubelet"

    def api(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Any:
        """Ask the API server and return its answer; 404 is none."""
        answer = self.cluster.request(method, path, body, kind)
        assert answer.ok or answer.status_code == 404, f"{method} {path}: {answer.text}"
        return answer.json() if answer.ok else None

    def pods(self) -> list[Json]:
        """Return every pod as the API server has it."""
        return [
            {"apiVersion": "v1", "kind": "Pod", **pod} for pod in self.api("GET", "/api/v1/pods")["items"]
        ]

    def nodes(self) -> list[Json]:
        return [
            {"apiVersion": "v1", "kind": "Node", **node} for node in self.api("GET", "/api/v1/nodes")["items"]
        ]

    def static_pods(self) -> dict[str, Json]:
        """Return the static pods by the name of their manifest, as they are now."""
        return {path.name: json.loads(path.read_text()) for path in sorted(self.manifests.iterdir())}

    def containers(self) -> list[Json]:
        """Return every container that the runtime has, as crictl lists it."""
        return containerd.containers(self.node)

    def sandboxes(self) -> list[Json]:
        return containerd.sandboxes(self.node)

    def look(self) -> Look:
        """Return what the runtime has."""
        return containerd.look(self.node)

    def restart_runtime(self) -> None:
        """Start containerd again; what it runs stays."""
        self.others.enter_context(daemons.restarted(self.node))

    def create(self, made: Json) -> None:
        self.cluster.create(PODS, made)

    def patch(self, path: str, body: object) -> None:
        """Change an object by a strategic merge."""
        assert self.api("PATCH", path, body, "application/strategic-merge-patch+json")

    def start(self, kubelet: Kubelet, *before: str, **settings: Any) -> None:
        """Start a kubelet on the root directory; the one before has stopped.

        ``settings`` are fields of its configuration beside the usual ones; ``before`` is a command that
        starts it.
        """
        command = [*before, *self.command(kubelet, **settings)]
        log = self.directory / f"kubelet-{time.time():.0f}-{kubelet.name}.log"
        self.running.enter_context(processes.running(command, log))

    def command(self, kubelet: Kubelet, **settings: Any) -> list[str | Path]:
        """Write the configuration of a kubelet and return its command line."""
        config = self.directory / f"kubelet-{kubelet.name}.yaml"
        config.write_text(yaml.safe_dump({**self._configuration(kubelet.release), **settings}))
        user = self.cluster.kubeconfig("kubelet", {"token": ADMIN})
        return [
            kubelets.built(kubelet),
            f"--config={config}",
            f"--kubeconfig={user}",
            f"--root-dir={self.root}",
            f"--cert-dir={self.directory / 'kubelet-pki'}",
            f"--hostname-override={NODE}",
            "--v=2",
        ]

    def stop(self) -> None:
        """Stop the kubelet; its containers run on."""
        self.running.close()

    def _configuration(self, release: str) -> Json:
        old = int(release.split(".")[1]) < _FIRST_CGROUP_V2
        return {
            **configuration(self.node, self.manifests, self.directory),
            "imageGCHighThresholdPercent": 100,
            "imageGCLowThresholdPercent": 99,
            "maxPods": 250,
            **({} if old else {"failCgroupV1": False}),
        }

    def wait(self, least: float = 40, quiet: float = 25, limit: float = 400) -> None:
        """Wait until nothing has changed for some seconds among the containers that do not come and go."""
        rest.wait(self._at_rest, least, quiet, limit)
        self._wait_for_mirror_pods()

    def _at_rest(self) -> object:
        rows = [(row["labels"][NAME], row["id"], row["state"]) for row in self.containers()]
        return sorted(row for row in rows if "crash" not in row[0])

    def _wait_for_mirror_pods(self) -> None:
        """Wait for those of static pods whose containers run.

        A kubelet that gives a static pod another UID deletes its mirror pod, and creates one when it looks at
        the pod again, which may be a minute later.
        """
        end = time.monotonic() + _MIRRORED_SECONDS
        while time.monotonic() < end:
            there = {pod["metadata"]["name"] for pod in self.pods()}
            wanted = {f"{pod['metadata']['name']}-{NODE}" for pod in self.static_pods().values()}
            running = {row["labels"][NAME] for row in self.containers() if row["state"] == RUNNING}
            if wanted & running <= there:
                return
            time.sleep(2)


@contextmanager
def lab(directory: Path, programs: Path = daemons.DEBIANS) -> Iterator[Lab]:
    """Start everything but the kubelet below a directory, and remove it all afterwards.

    ``programs`` is the directory of containerd and its shim.
    """
    with ExitStack() as stack:
        stack.enter_context(rest.own_logs())
        stack.enter_context(rest.own_cgroups())
        write_network(directory / "cni")
        node = stack.enter_context(daemons.containerd_node(directory, IMAGE, OTHER_IMAGE, programs=programs))
        (server := directory / "server").mkdir()
        cluster = stack.enter_context(realserver.running(server))
        made = Lab(directory, cluster, node)
        stack.callback(made.others.close)
        stack.callback(containerd.clear, node)
        stack.callback(made.stop)
        made.manifests.mkdir()
        yield made


def configuration(node: Node, manifests: Path, directory: Path) -> Json:
    """Return the settings of a kubelet that shares a machine with others and evicts nothing."""
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": "127.0.0.1",
        "port": processes.free_port(),
        "healthzPort": 0,
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs",
        "containerRuntimeEndpoint": f"unix://{node.containerd_socket}",
        "enforceNodeAllocatable": [],
        "evictionHard": {"memory.available": "1Mi", "nodefs.available": "0%", "imagefs.available": "0%"},
        "failSwapOn": False,
        "oomScoreAdj": 0,
        "resolvConf": "",
        "staticPodPath": str(manifests),
        "volumePluginDir": str(directory / "volumeplugins"),
    }


def write_network(directory: Path) -> None:
    """Write a CNI plugin that does nothing but claim an address, for pods with a network of their own."""
    (plugins := directory / "bin").mkdir(parents=True)
    (settings := directory / "net.d").mkdir()
    for name in ("lab", "loopback"):
        (plugins / name).write_text(_PLUGIN)
        (plugins / name).chmod(0o755)
    network = {"cniVersion": "0.4.0", "name": "lab", "plugins": [{"type": "lab"}]}
    (settings / "lab.conflist").write_text(json.dumps(network))


def settle(made: Lab, first: Kubelet) -> None:
    """Create all pods under the first kubelet."""
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "lab"}, "data": {"key": "value"}}
    made.cluster.create("/api/v1/namespaces/default/configmaps", config)
    for name, manifest in pods.static_pods().items():
        (made.manifests / name).write_text(json.dumps(manifest))
    made.start(first)
    wait_for_node(made)
    made.patch(f"/api/v1/nodes/{NODE}", {"metadata": {"labels": {LABEL: "1"}}})
    for pod in pods.api_pods():
        made.create(pod)
    made.wait(60)
    add_ephemeral(made)


def wait_for_node(made: Lab) -> None:
    end = time.monotonic() + 90
    while not made.api("GET", f"/api/v1/nodes/{NODE}"):
        assert time.monotonic() < end, "the kubelet does not register its node; see its log"
        time.sleep(1)


def add_ephemeral(made: Lab) -> None:
    debug = {"name": "debug", "image": IMAGE, "command": pods.SLEEP}
    made.patch(f"{PODS}/ephemeral/ephemeralcontainers", {"spec": {"ephemeralContainers": [debug]}})
