"""One real API server for the suite, with 1,500 pods, and the program as a fresh shell runs it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import realserver
from tests.helpers.program import SCRIPTS, Result
from tests.helpers.realserver import ADMIN, Cluster, environment

Shell = Callable[..., Result]
NODES = ("node-a", "node-b", "node-c")
PODS = 1500


def node(name: str, kubelet: str) -> dict[str, Any]:
    info = dict.fromkeys(
        (
            "machineID",
            "systemUUID",
            "bootID",
            "kernelVersion",
            "osImage",
            "kubeProxyVersion",
            "operatingSystem",
        ),
        "",
    )
    status = {
        "nodeInfo": {
            **info,
            "architecture": "amd64",
            "kubeletVersion": kubelet,
            "containerRuntimeVersion": "containerd://1.7.13",
        },
        # where nobody answers for a kubelet, and says so at once: a name would be looked up for seconds
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 1}},
    }
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name}, "status": status}


def pod(number: int) -> dict[str, Any]:
    """Return one of the many pods: some plain, some with what changed between releases."""
    container: dict[str, Any] = {
        "name": "app",
        "image": f"registry.example/app:{number % 7}",
        "env": [{"name": "SECRET", "value": "hunter2"}],
    }
    if number % 3 == 0:
        container |= {
            "ports": [{"containerPort": 80}],
            "resources": {"requests": {"cpu": "0.1", "memory": "1024Mi"}},
        }
    if number % 5 == 0:
        container["livenessProbe"] = {"httpGet": {"path": "/", "port": 80}}
    metadata = {"name": f"p-{number:04}", "labels": {"app": f"a{number % 4}"}}
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata,
        "spec": {"nodeName": NODES[number % 3], "containers": [container]},
    }


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a cluster without pods."""
    with realserver.running(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def cluster(empty: Cluster) -> Cluster:
    """Fill the cluster with nodes of two releases, and pods in two namespaces that run."""
    empty.create_all(
        "/api/v1/nodes", [node(name, "v1.35.0" if name == "node-c" else "v1.30.4-eks-1") for name in NODES]
    )
    for name in ("team-a", "team-b"):
        empty.create("/api/v1/namespaces", {"metadata": {"name": name}})
    for name, numbers in (("team-a", range(PODS - 10)), ("team-b", range(PODS - 10, PODS))):
        made = empty.create_all(f"/api/v1/namespaces/{name}/pods", map(pod, numbers))
        for manifest in made[-10:]:
            state = {
                "name": "app",
                "ready": True,
                "restartCount": 0,
                "image": "i",
                "imageID": "",
                "state": {"running": {}},
            }
            manifest["status"] = {"phase": "Running", "containerStatuses": [state]}
            answer = empty.request(
                "PUT", f"/api/v1/namespaces/{name}/pods/{manifest['metadata']['name']}/status", manifest
            )
            assert answer.ok, answer.text
    return empty


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Run the program, or another, in a process and an environment of its own."""

    def call(kubeconfig: object, *argv: object, program: str = "hashcompat", **variables: str) -> Result:
        command = [str(SCRIPTS / program) if program == "hashcompat" else program, *map(str, argv)]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env=environment(kubeconfig, tmp_path) | variables,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture(scope="session")
def admin(cluster: Cluster) -> Path:
    """Return the kubeconfig of an administrator who has a token."""
    return cluster.kubeconfig("admin", {"token": ADMIN})
