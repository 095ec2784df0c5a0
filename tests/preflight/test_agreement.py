"""Both collectors give what the checks ask for: a check that reads something new fails here until they do."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hashcompat.analysis.preflight import examine
from hashcompat.analysis.preflight.checks import KubeletStart
from hashcompat.analysis.preflight.facts import NodeObjects
from hashcompat.core.records.probes import Dump, Probe
from hashcompat.sources.node import NodeReader, docker, live
from tests.helpers.dumps import ALL, APP, GONE, INFO, NODE, POD_ROWS, SANDBOX, Key, dump, upgrade
from tests.helpers.fakenode import CONTAINERD, DOCKER, FakeNode, fake_node
from tests.helpers.golden import state_file
from tests.sources.node.test_live import answers, daemon

PAIRS = (
    ("1.22.17", "1.21.14"),
    ("1.24.17", "1.23.17"),
    ("1.31.14", "1.30.14"),
    ("1.34.10", "1.33.14"),
    ("1.36.3", "1.35.8"),
    ("1.37.1", "1.36.3"),
)
MOUNT = "/mnt/a b"
CNI = {"confDir": "/data/cni", "binDirs": ["/opt/cni/bin", "/data/bin"]}
CALICO = {"Networks": [{"Config": {"Plugins": [{"Network": {"type": "calico", "ipam": {}}}]}}]}
KUBELET = "/usr/bin/kubelet\n--config=/var/lib/kubelet/config.yaml\n"
STARTING = (
    "--protect-kernel-defaults=true\n--cloud-provider=gce\n--cloud-config=/etc/kubernetes/cloud.conf\n"
    "--image-credential-provider-config=/etc/kubernetes/creds.yaml\n"
    "--image-credential-provider-bin-dir=/opt/cni/creds\n"
)
WITH = "--config-dir=/etc/kubernetes/kubelet.d/\n"
DROP_IN = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 5\n"
USAGE = "none 1000 200 700 21% /\nnone 100 20 70 21% /\n"


def of_docker() -> dict[Key, Any]:
    """Return Docker with an orphan below another directory, the policy static, and a mount of a network."""
    return {
        ("docker", "list"): json.dumps([POD_ROWS[1]]),
        ("docker", "info"): json.dumps({"CgroupDriver": "systemd", "DockerRootDir": "/data/docker"}),
        ("directory", "/data/docker"): "overlay2\n",
        ("filesystem", "/data/docker"): USAGE,
        ("cri", "version"): GONE,
        ("cri", "info"): GONE,
        ("cri", "containers"): GONE,
        ("directory", "/var/lib/dockershim/sandbox"): f"{SANDBOX}\n",
        ("directory", "/var/lib/cri-dockerd/sandbox"): f"{SANDBOX}\n",
        ("file", f"/var/lib/dockershim/sandbox/{SANDBOX}"): "{}",
        ("file", f"/var/lib/cri-dockerd/sandbox/{SANDBOX}"): "{}",
        ("arguments", "kubelet"): f"{KUBELET}--cpu-manager-policy=static\n--root-dir=/data/kubelet/\n"
        "--cpu-manager-policy-options=full-pcpus-only=true\n",
        ("filesystem", "/data/kubelet"): USAGE,
        ("file", "/data/kubelet/cpu_manager_state"): (
            '{"policyName":"static","defaultCpuSet":"0-1","entries":{"u":{"c":"2-3"}},"checksum":0}'
        ),
        ("file", "/sys/devices/system/cpu/online"): "0-3\n",
        **{
            (
                "file",
                f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list",
            ): f"{cpu & ~1}-{cpu | 1}\n"
            for cpu in range(4)
        },
        ("file", "/proc/1/mounts"): "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\ns:/x /mnt/a\\040b nfs4 rw 0 0\n",
        ("directory", MOUNT): "a\n",
        ("filesystem", MOUNT): USAGE,
    }


def of_cri() -> dict[Key, Any]:
    """Return containerd elsewhere, the policy Static, a unit with variables, and a container that runs."""
    row = {"id": "c1", "podSandboxId": "s1", "metadata": {"name": "c"}, "state": "CONTAINER_RUNNING"}
    labels = {"io.kubernetes.container.name": "c", "io.kubernetes.pod.name": "p"}
    config = {**INFO["config"], "containerdRootDir": "/data/containerd", "cni": CNI}
    return {
        ("cri", "containers"): json.dumps({"containers": [{**row, "labels": labels}]}, indent=2),
        ("cri", "pods"): json.dumps({"items": [{"id": "s1", "state": "SANDBOX_READY"}]}, indent=2),
        ("cri", "inspect c1"): json.dumps({"status": {"id": "c1"}, "info": {"pid": 4321}}, indent=2),
        ("cri", "stats c1"): "{}",
        ("cri", "info"): json.dumps({"status": {}, "config": config, "cniconfig": CALICO}, indent=2),
        ("directory", "/data/bin"): "calico\n",
        ("docker", "list"): GONE,
        ("docker", "version"): GONE,
        ("directory", "/data/containerd"): "x\n",
        ("filesystem", "/data/containerd"): USAGE,
        ("directory", "/data/cni"): "10-a.conf\n",
        ("process", "4321"): "S\n0::/kubepods/c1\n",
        ("arguments", "kubelet"): f"{KUBELET}--memory-manager-policy=Static\n{STARTING}{WITH}",
        ("directory", "/etc/kubernetes/kubelet.d"): "10-a.conf\nREADME\nsub\n",
        ("file", "/etc/kubernetes/kubelet.d/10-a.conf"): DROP_IN,
        ("file", "/etc/kubernetes/kubelet.d/README"): "a\n",
        ("path", "/etc/kubernetes/kubelet.d/README"): "file",
        ("directory", "/etc/kubernetes/kubelet.d/sub"): ".b.conf\n",
        ("file", "/etc/kubernetes/kubelet.d/sub/.b.conf"): DROP_IN,
        ("file", "/etc/passwd"): "kubelet:x:998:998:::\n",
        ("file", "/etc/kubernetes/creds.yaml"): "kind: CredentialProviderConfig\nproviders: [{name: ecr}]\n",
        ("directory", "/opt/cni/creds"): "ecr\n",
        ("file", "/var/lib/kubelet/memory_manager_state"): state_file("1.34.10/memory-static"),
        ("directory", "/sys/devices/system/node"): "node0\nnode1\npossible\n",
        ("file", "/sys/devices/system/node/node0/meminfo"): "Node 0 MemTotal: 32768000 kB\n",
        ("file", "/sys/devices/system/node/node1/meminfo"): "Node 1 MemTotal: 33030144 kB\n",
        **unit("/usr/local/lib/systemd/system", "/data/flags.env"),
    }


def without_kubelet() -> dict[Key, Any]:
    """Return a node on which only units show how the kubelet would be started."""
    return {
        ("arguments", "kubelet"): GONE,
        ("cri", "containers"): json.dumps({"containers": []}),
        **unit("/etc/systemd/system", "/etc/other.env"),
    }


def unit(place: str, variables: str) -> dict[Key, Any]:
    """Return a unit whose drop-in names two files of variables."""
    return {
        ("file", f"{place}/kubelet.service"): "[Service]\nExecStart=/usr/bin/kubelet\n",
        ("file", f"{place}/kubelet.service.d/10.conf"): (
            f"[Service]\nEnvironmentFile=-{variables}\nEnvironmentFile=-/none.env\nExecStart=\n"
            "ExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml $MORE\n"
        ),
        ("file", variables): "MORE=--v=2\n",
    }


NODES = {"docker": of_docker, "cri": of_cri, "no kubelet": without_kubelet}


def upgrades() -> Iterator[KubeletStart]:
    yield from (upgrade(to, current) for to, current in PAIRS)


@cache
def asked(name: str) -> tuple[set[Key], set[str]]:
    """Return every probe that the checks ask a node for, and every kind that they ask for as a whole."""
    given = dump(NODES[name]())
    probes: set[Key] = set()
    kinds: set[str] = set()
    probe, of_kind = Dump.probe, Dump.of_kind

    def one(self: Dump, kind: str, name: str) -> Probe:
        probes.add((kind, name))
        return probe(self, kind, name)

    def every(self: Dump, kind: str) -> Iterator[Probe]:
        kinds.add(kind)
        return of_kind(self, kind)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dump, "probe", one)
        patch.setattr(Dump, "of_kind", every)
        for each in upgrades():
            for needs in (NODE, ALL):
                list(examine(given, each, (), NodeObjects(), needs))
    return probes, kinds


def build(node: FakeNode, given: Dump) -> None:
    """Make a node whose dump this one would be."""
    for (kind, name), probes in given.probes.items():
        text = probes[-1].text
        if kind == "file" and text is not None:
            node.write(name, text)
        elif kind == "directory":
            (node.host / name.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif kind == "process" and text is not None:
            state, _, groups = text.partition("\n")
            node.process(int(name), "app", state=state, groups=groups)
    node.process(900, "dockerd", ("dockerd",))
    if (arguments := given.probe("arguments", "kubelet").text) is not None:
        node.process(77, "kubelet", arguments.splitlines(), groups="0::/system.slice/kubelet.service\n")
    node.process(700, "containerd-shim", given.read("arguments", "700").splitlines())
    (node.host / "sys/fs/cgroup/kubepods" / APP).mkdir(parents=True)


@contextmanager
def runtimes(node: FakeNode, given: Dump) -> Iterator[None]:
    """Run what the dump shows of runtimes: programs for the script; a Docker, and crictl, for the program."""
    with ExitStack() as stack:
        if given.probe("docker", "list").text is not None:
            rows = json.loads(given.read("docker", "list"))
            texts = {"info": given.probe("docker", "info").text or "{}"}
            texts["version"] = given.read("docker", "version")
            texts["ps"] = "\n".join(map(compact, rows))
            texts["images"] = '{"RepoTags":["k8s.gcr.io/pause:3.5"]}'
            for container_id in (SANDBOX, APP):
                shown = json.loads(given.read("docker", f"inspect {container_id}"))
                shown["State"]["ExitCode"] = 0
                texts[f"inspect-{container_id}"] = compact(shown)
            node.program("docker", {name: f"{text}\n" for name, text in texts.items()})
            (node.host / DOCKER.lstrip("/")).parent.mkdir(parents=True)
            made = answers({"info": texts["info"]}, rows)
            stack.enter_context(daemon((node.host / DOCKER.lstrip("/")).parent, made))
        if given.probe("cri", "containers").text is not None:
            verbs = ("info", "pods", "images", "inspect c1", "stats c1")
            texts = {verb.replace(" ", "-"): given.probe("cri", verb).text or "{}" for verb in verbs}
            texts["version"] = "RuntimeName:  containerd\nRuntimeVersion:  v2.1.4\n"
            node.program("crictl", {**texts, "ps": given.read("cri", "containers")})
            stack.enter_context(listening(node.host / CONTAINERD.lstrip("/")))
        yield


def compact(document: Any) -> str:
    """Return JSON as Docker's client writes it."""
    return json.dumps(document, separators=(",", ":"))


@contextmanager
def listening(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))
        made.listen(50)
        yield


def collected(node: FakeNode, how: str, monkeypatch: pytest.MonkeyPatch) -> Dump:
    """Return what a collector gives on a node."""
    if how == "script":
        return node.dump(preflight=True)
    monkeypatch.setattr(docker, "SOCKETS", (DOCKER,))
    monkeypatch.setenv("PATH", f"{node.directory / 'bin'}:/usr/bin:/bin")
    return live.collect("auto", "", str(node.host), asking=NodeReader(10, 90))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["script", "program"])
@pytest.mark.parametrize("name", NODES)
def test_collectors_give_what_checks_ask_for(how: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given, (probes, kinds) = dump(NODES[name]()), asked(name)
    assert ("file", "/proc/1/mounts") in probes
    with fake_node("/bin/sh") as node:
        build(node, given)
        with runtimes(node, given):
            node_dump = collected(node, how, monkeypatch)
    assert sorted(probes - node_dump.probes.keys()) == []
    assert sorted(kinds - {kind for kind, _ in node_dump.probes}) == []
    assert len(node_dump.probes["processes", "all"]) == 2
    texts = {finding.text for each in upgrades() for finding in examine(node_dump, each)}
    assert [text for text in texts if "not in the dump; collect again with --preflight" in text] == []
