"""Recorded hashes read from real runtimes: containers created as by kubelets, in Docker and containerd."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.model.verdicts import Record, Recorded, Sandbox
from hashcompat.core.records.collected import from_documents
from hashcompat.core.records.probes import dumps
from hashcompat.sources.node import live as runtime
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
    records = runtime.recorded(kind, str(socket))
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
        runtime,
        "_RUNTIMES",
        {kind: structs.replace(runtime._RUNTIMES[kind], sockets=usual[kind]) for kind in usual},
    )
    assert summary(verified(run, "1.30.14", "--runtime", "auto")) == BOTH
    in_docker(docker, "k8s_e_p_ns_uid-p_0", **{**labels("p", "e"), "io.kubernetes.docker.type": "container"})
    assert summary(verified(run, KUBELET, "--runtime", "auto"))["reproduced"] == 2


SHELLS = (["/usr/bin/dash"], ["/bin/busybox", "sh"])
"""The smallest shells that nodes have."""


def collected(
    *arguments: object, shell: Sequence[str] = SHELLS[0], preflight: bool = False, **environment: str
) -> str:
    """Run the collector in a shell; it complains about nothing."""
    script = COLLECTOR.read_text()
    if preflight:
        script = script.replace("\nWANTED=records\n", "\nWANTED=preflight\n")
    done = subprocess.run(
        [*shell, "-s", *map(str, arguments)],
        input=script,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
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


def test_a_dump_of_a_node_where_no_kubelet_ran_has_no_record(node: Node, run: Run, tmp_path: Path) -> None:
    text = collected(RUNTIME_ENDPOINT=str(node.containerd_socket), DOCKER_HOST="unix:///none")
    (tmp_path / "node.json").write_text(text)
    result = verified(run, KUBELET, "--recorded", tmp_path / "node.json")
    assert result.code == 1
    assert "no kubelet's container in it" in result.err


def records_of(text: str) -> list[Record]:
    """Return what ``--recorded`` reads in a dump, in a fixed order."""
    records = ordered(from_documents(map(json.loads, text.splitlines())))
    # Unlike a runtime, a dump shows that no kubelet has ever run on this machine, and so noted no resources.
    assert all(record.unapplied for record in records if isinstance(record, Recorded))
    return [
        structs.replace(record, unapplied=False) if isinstance(record, Recorded) else record
        for record in records
    ]


def ordered(records: Iterable[Record]) -> list[Record]:
    return sorted(records, key=repr)


def in_seconds(records: Iterable[Record]) -> list[Record]:
    """Cut the times of sandboxes to seconds: Docker and crictl show more or fewer digits."""
    return ordered(
        structs.replace(record, created=record.created and record.created // 10**9 * 10**9)
        if isinstance(record, Sandbox)
        else record
        for record in records
    )


@pytest.mark.parametrize("shell", SHELLS, ids=["dash", "busybox"])
def test_a_dump_holds_what_docker_answers_itself(docker: Node, shell: list[str]) -> None:
    text = collected(shell=shell, RUNTIME_ENDPOINT="/none", DOCKER_HOST=f"unix://{docker.docker_socket}")
    live = ordered(runtime.recorded("docker", str(docker.docker_socket)))
    assert len(live) == 3
    assert records_of(text) == live


@pytest.mark.parametrize("shell", SHELLS, ids=["dash", "busybox"])
def test_a_dump_holds_what_containerd_answers_itself(containerd: Node, shell: list[str]) -> None:
    text = collected(
        shell=shell, RUNTIME_ENDPOINT=str(containerd.containerd_socket), DOCKER_HOST="unix:///none"
    )
    live = ordered(runtime.recorded("cri", str(containerd.containerd_socket)))
    assert len(live) == 4
    assert records_of(text) == live


@pytest.mark.parametrize("shell", SHELLS, ids=["dash", "busybox"])
def test_without_crictl_ctr_shows_the_same(containerd: Node, shell: list[str]) -> None:
    without = os.pathsep.join(
        each for each in os.environ["PATH"].split(os.pathsep) if not (Path(each) / "crictl").exists()
    )
    text = collected(
        shell=shell,
        PATH=without,
        RUNTIME_ENDPOINT=str(containerd.containerd_socket),
        DOCKER_HOST="unix:///none",
    )
    live = runtime.recorded("cri", str(containerd.containerd_socket))
    assert SECRET not in text
    assert in_seconds(as_ctr_shows(records_of(text))) == in_seconds(as_ctr_shows(live))


def as_ctr_shows(records: Iterable[Record]) -> list[Record]:
    """Leave out the addresses of sandboxes and the exit codes of containers, which ctr does not show."""
    return [
        structs.replace(record, ip=None)
        if isinstance(record, Sandbox)
        else structs.replace(record, code=None)
        if isinstance(record, Recorded)
        else record
        for record in records
    ]


@pytest.mark.parametrize("shell", SHELLS, ids=["dash", "busybox"])
def test_a_dump_for_preflight_shows_what_each_runtime_reports(
    docker: Node, containerd: Node, shell: list[str], tmp_path: Path
) -> None:
    text = collected(
        shell=shell,
        preflight=True,
        RUNTIME_ENDPOINT=str(containerd.containerd_socket),
        DOCKER_HOST=f"unix://{docker.docker_socket}",
        KUBELET_ROOT=str(tmp_path),
    )
    assert SECRET not in text
    (dump,) = dumps(map(json.loads, text.splitlines()), "test")
    documents = {
        (probe.kind, probe.name): json.loads(probe.read())
        for kind in ("cri", "docker")
        for probe in dump.of_kind(kind)
    }
    assert documents["docker", "version"]["Version"].startswith("20.10.")
    assert documents["docker", "info"]["CgroupDriver"] == "cgroupfs"
    assert documents["cri", "version"]["runtimeName"] == "containerd"
    assert documents["cri", "info"]["config"]["containerd"]["defaultRuntimeName"] == "runc"
    pids = {
        str(document["info"]["pid"] if kind == "cri" else document["State"]["Pid"]): name.split()[1]
        for (kind, name), document in documents.items()
        if name.startswith("inspect ") and (kind == "cri" or document["State"]["Running"])
    }
    assert (
        len(pids) == 4
    )  # in Docker a sandbox, a container and one that is nobody's; in containerd a container
    for pid, identity in pids.items():
        assert identity in dump.read("process", pid)
    assert json.loads(dump.read("docker", "list")) != []
    assert dump.read("processes", "all").count("containerd-shim") >= len(pids)
