"""Recorded hashes read from real runtimes: containers created as by kubelets, in Docker and containerd."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hashcompat.model.records import Recorded
from hashcompat.sources.node import collect as runtime
from tests.helpers import daemons
from tests.helpers.daemons import IMAGE, Node
from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import ROOT, Result, Run
from tests.helpers.upgrades import UID, hash_of

pytestmark = pytest.mark.runtime

C: Json = {"name": "c", "image": "i"}
D: Json = {"name": "d", "image": "i"}
KUBELET = "1.9.11"
HASH = "io.kubernetes.container.hash"
HOST_NETWORK = {"linux": {"security_context": {"namespace_options": {"network": 2}}}}
SECRET = "swordfish"  # noqa: S105 - it stands for one
BOTH = {"recorded": 2, "compared": 2, "reproduced": 2, "skipped": 0}
COLLECTOR = ROOT / "hashcompat" / "collector" / "collect.sh"


def labels(pod_name: str, container: str) -> dict[str, str]:
    return {
        "io.kubernetes.container.name": container,
        "io.kubernetes.pod.name": pod_name,
        "io.kubernetes.pod.namespace": "ns",
        UID: f"uid-{pod_name}",
    }


def in_docker(node: Node, name: str, *command: str, network: str = "none", **told: str) -> None:
    """Run a container with a kubelet's name and labels; its environment and command hold a secret."""
    flags = [f"--label={key}={value}" for key, value in told.items()]
    node.docker(
        "run",
        "-d",
        f"--network={network}",
        f"--name={name}",
        f"--env=TOKEN={SECRET}",
        *flags,
        IMAGE,
        *command,
    )


def dockershim(node: Node, run: Run, spec: Json, *command: str) -> None:
    """Run a container of pod ``p`` as dockershim 1.9 does: the hash is a label with a prefix."""
    value = hash_of(run, KUBELET, spec)
    told = {
        **labels("p", spec["name"]),
        "io.kubernetes.docker.type": "container",
        f"annotation.{HASH}": f"{value:x}",
    }
    in_docker(node, f"k8s_{spec['name']}_p_ns_uid-p_0", *command, **told)


def in_cri(node: Node, run: Run, pod_name: str, spec: Json, release: str) -> str:
    """Run a pod of one container in containerd as a kubelet does; the pod's annotations hold a secret."""
    manifest = json.dumps({"env": [{"name": "TOKEN", "value": SECRET}]})
    sandbox = {
        "metadata": {"name": pod_name, "namespace": "ns", "uid": f"uid-{pod_name}", "attempt": 0},
        "labels": {key: value for key, value in labels(pod_name, "").items() if value},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": manifest, "a": "b"},
        **HOST_NETWORK,
    }
    container = {
        "metadata": {"name": spec["name"], "attempt": 0},
        "image": {"image": IMAGE},
        "envs": [{"key": "TOKEN", "value": SECRET}],
        "labels": labels(pod_name, spec["name"]),
        "annotations": {HASH: f"{hash_of(run, release, spec):x}"},
        "linux": {},
    }
    return node.cri_pod(sandbox, container)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with (
        tempfile.TemporaryDirectory(prefix="hc-", ignore_cleanup_errors=True) as directory,
        daemons.node(Path(directory)) as made,
    ):
        yield made


@pytest.fixture(autouse=True)
def _crictl_on_the_path(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{node.crictl.parent}:/usr/bin:{os.environ['PATH']}")


@pytest.fixture
def docker(node: Node, run: Run) -> Iterator[Node]:
    """The node with a kubelet's pod in Docker: one container runs, one has ended, and one is nobody's."""
    in_docker(
        node,
        "k8s_POD_p_ns_uid-p_0",
        **{**labels("p", "POD"), "io.kubernetes.docker.type": "podsandbox", "annotation.a": SECRET},
    )
    dockershim(node, run, C)
    dockershim(node, run, D, "/bin/true")
    in_docker(node, "nobodys")
    node.docker("wait", "k8s_d_p_ns_uid-p_0")
    yield node
    daemons.remove_containers(node)


@pytest.fixture
def containerd(node: Node, run: Run) -> Iterator[Node]:
    """The node with two pods in containerd: one runs, in the other the container has ended."""
    in_cri(node, run, "p", C, "1.30.14")
    node.cri("stop", "--timeout", "0", in_cri(node, run, "q", D, "1.30.14"))
    yield node
    node.cri("rmp", "--all", "--force")


def verified(run: Run, kubelet: str, *more: object) -> Result:
    pods = as_json(pod(C, D, name="p"), pod(D, name="q"))
    return run("verify", "--kubelet", kubelet, "-f", "-", "-o", "json", *more, stdin=pods)


def summary(result: Result) -> Any:
    assert result.err.splitlines()[-1].endswith("to containers that no kubelet compares"), result.err
    return result.document["summary"]


def states(socket: Path, kind: str) -> dict[str, bool]:
    records = runtime.collect(kind, str(socket))
    return {record.container: bool(record.running) for record in records if isinstance(record, Recorded)}


def test_docker_tells_what_dockershim_recorded(docker: Node, run: Run) -> None:
    result = verified(run, KUBELET, "--runtime", "docker", "--runtime-endpoint", docker.docker_socket)
    assert (result.code, summary(result)) == (0, BOTH)
    assert states(docker.docker_socket, "docker") == {"c": True, "d": False}


def test_docker_tells_the_hash_in_the_names_of_1_5(docker: Node, run: Run) -> None:
    in_docker(docker, f"k8s_c.{hash_of(run, '1.5.8', C):x}_old_ns_uid-old_8d2a0b1f")
    endpoint = ("--runtime", "docker", "--runtime-endpoint", f"unix://{docker.docker_socket}")
    result = run(
        "verify", *endpoint, "--kubelet", "1.5.8", "-f", "-", "-o", "json", stdin=as_json(pod(C, name="old"))
    )
    assert summary(result)["reproduced"] == 1


def test_a_plan_takes_what_docker_tells(docker: Node, run: Run) -> None:
    endpoint = ("--runtime-endpoint", docker.docker_socket, "--runtime", "docker")
    plan = run(
        "plan",
        "--from",
        KUBELET,
        "--to",
        "1.10.13",
        *endpoint,
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(pod(C)),
    )
    assert (plan.item["verdict"], plan.item["calibrated"], plan.item["hash"]["recorded"]) == (
        "KEEP",
        True,
        hash_of(run, KUBELET, C),
    )


def test_a_sandbox_in_docker_on_another_network_is_replaced(docker: Node, run: Run) -> None:
    endpoint = ("--runtime-endpoint", docker.docker_socket, "--runtime", "docker")
    stdin = as_json(pod(C, spec={"hostNetwork": True}))
    plan = run("plan", "--from", KUBELET, "--to", "1.10.13", *endpoint, "-f", "-", "-o", "json", stdin=stdin)
    assert (plan.item["verdict"], plan.item["podRecreated"]) == ("RESTART", True)


def test_containerd_tells_what_a_kubelet_recorded(containerd: Node, run: Run) -> None:
    result = verified(run, "1.30.14", "--runtime", "cri", "--runtime-endpoint", containerd.containerd_socket)
    assert (result.code, summary(result)) == (0, BOTH)
    assert states(containerd.containerd_socket, "cri") == {"c": True, "d": False}


def test_containerd_tells_the_network_of_sandboxes(containerd: Node, run: Run) -> None:
    endpoint = ("--runtime", "cri", "--runtime-endpoint", containerd.containerd_socket)
    verdicts = {}
    for host_network in (True, False):
        stdin = as_json(pod(C, spec={"hostNetwork": host_network}))
        plan = run(
            "plan", "--from", "1.29.0", "--to", "1.30.14", *endpoint, "-f", "-", "-o", "json", stdin=stdin
        )
        verdicts[host_network] = plan.item["verdict"], plan.item["podRecreated"]
    assert verdicts == {True: ("KEEP", False), False: ("RESTART", True)}


@pytest.mark.usefixtures("containerd")
def test_auto_takes_the_runtime_in_which_most_containers_run(
    docker: Node, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = {"cri": (str(docker.containerd_socket),), "docker": (str(docker.docker_socket),)}
    monkeypatch.setattr(
        runtime, "_RUNTIMES", {kind: replace(runtime._RUNTIMES[kind], sockets=usual[kind]) for kind in usual}
    )
    assert summary(verified(run, "1.30.14", "--runtime", "auto")) == BOTH
    in_docker(docker, "k8s_e_p_ns_uid-p_0", **{**labels("p", "e"), "io.kubernetes.docker.type": "container"})
    assert summary(verified(run, KUBELET, "--runtime", "auto"))["reproduced"] == 2


def collected(*arguments: object, **environment: str) -> str:
    """Run the collector with dash, the smallest shell that a node has."""
    done = subprocess.run(
        ["/usr/bin/dash", COLLECTOR, *map(str, arguments)],
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_collector_reads_docker(docker: Node, run: Run, tmp_path: Path) -> None:
    text = collected(RUNTIME_ENDPOINT="/none", DOCKER_HOST=f"unix://{docker.docker_socket}")
    (tmp_path / "node.json").write_text(text)
    assert SECRET not in text
    assert summary(verified(run, KUBELET, "--recorded", tmp_path / "node.json")) == BOTH


def test_the_collector_reads_containerd(containerd: Node, run: Run, tmp_path: Path) -> None:
    collected(tmp_path / "dump", RUNTIME_ENDPOINT=str(containerd.containerd_socket), NODE_NAME="n1")
    assert SECRET not in (tmp_path / "dump" / "n1.json").read_text()
    subprocess.run(["tar", "-C", tmp_path, "-czf", tmp_path / "fleet.tar.gz", "dump"], check=True)
    for name in ("dump", "fleet.tar.gz"):
        result = verified(run, "1.30.14", "--recorded", tmp_path / name)
        assert (result.code, summary(result)) == (0, BOTH)


def test_the_collector_fails_where_no_kubelet_ran(node: Node, tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "RUNTIME_ENDPOINT": str(node.containerd_socket),
        "DOCKER_HOST": "unix:///none",
    }
    done = subprocess.run(
        ["/usr/bin/dash", COLLECTOR, tmp_path / "dump"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, (tmp_path / "dump").exists()) == (1, "", False)
    assert "no runtime with a kubelet's containers" in done.stderr
