"""Tenants of a node against the collector: processes like a kubelet, and planted files, texts and links."""

from __future__ import annotations

import base64
import json
import os
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.collected import from_documents
from hashcompat.core.records.probes import AbsentError
from tests.helpers import daemons
from tests.helpers.dumps import read_back
from tests.helpers.fakenode import SCRIPT
from tests.suites.attack.processes import NOBODY, RealNode, arguments, program

pytestmark = pytest.mark.attack

MARKER = "swordfish"
KEY = f"-----BEGIN PRIVATE KEY-----\n{MARKER}\n-----END PRIVATE KEY-----\n"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n"
CONFIG = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
SAYS = "Kubernetes v1.30.14\n"
HASH = "io.kubernetes.container.hash"


@pytest.fixture
def node() -> Iterator[RealNode]:
    """A node with secrets where a node has them, and a tenant's files."""
    with tempfile.TemporaryDirectory(prefix="hc-", dir="/tmp") as directory:
        Path(directory).chmod(0o755)
        made = RealNode(Path(directory))
        made.write("/tenant/kubelet", program(), 0o755)
        made.write(
            "/tenant/root/cpu_manager_state", f'{{"policyName":"{MARKER}","defaultCpuSet":"","checksum":1}}'
        )
        made.write("/etc/kubernetes/pki/ca.key", KEY)
        yield made


@pytest.fixture
def cgroup() -> Iterator[str]:
    """Yield the name of a cgroup as pods have it, and remove it."""
    name = f"kubepods-hctest-{os.getpid()}"
    yield name
    for top in Path("/sys/fs/cgroup").glob(f"*/{name}"):
        for _ in range(50):
            with suppress(OSError):
                top.rmdir()
                break
            time.sleep(0.1)


def tenant(before: str = "", path: str = "/tenant/kubelet") -> str:
    flags = arguments({"config": "/etc/kubernetes/pki/ca.key", "root-dir": "/tenant/root"})
    return f"{before} sh -c 'exec {path} {flags}' &"


TENANTS = {
    "mount namespace": "unshare -m",
    "cgroup": "sh -c 'mkdir /cgroup/CGROUP && echo $$ > /cgroup/CGROUP/cgroup.procs && exec \"$@\"' sh",
    "user": "",
}
"""What a tenant's process has of its own; the program itself becomes another user."""


@pytest.mark.parametrize("own", TENANTS)
def test_a_tenants_kubelet_is_neither_executed_nor_believed(node: RealNode, cgroup: str, own: str) -> None:
    if own == "user":
        node.write("/tenant/kubelet", program(user=NOBODY), 0o755)
    text = node.collect(tenant(TENANTS[own].replace("CGROUP", cgroup)))
    assert not node.has_run
    assert MARKER not in text
    (dump,) = read_back(text)
    assert " kubelet\n" in dump.read("processes", "all")
    for kind in ("arguments", "version"):
        with pytest.raises(AbsentError):
            dump.read(kind, "kubelet")
    assert not any("tenant" in name for _, name in dump.probes)


def kubelet(node: RealNode, path: str = "/usr/bin/kubelet", **flags: str) -> str:
    """Install a kubelet with its unit, and return what starts it."""
    if not (node.directory / path.lstrip("/")).exists():
        node.write(path, program(says=SAYS), 0o755)
    node.write("/etc/systemd/system/kubelet.service", f"[Service]\nExecStart={path} --v=0\n")
    given = {name.replace("_", "-"): value for name, value in flags.items()}
    return f"{path} {arguments(given)} &"


def test_the_nodes_own_kubelet_is_found_beside_tenants(node: RealNode) -> None:
    node.write("/etc/kubernetes/kubelet.yaml", f"{CONFIG}failSwapOn: false\n")
    started = kubelet(node, config="/etc/kubernetes/kubelet.yaml", root_dir="/var/lib/kubelet")
    dump = node.dump(f"{tenant('unshare -m')}\n{started}\n{tenant('unshare -m')}")
    assert dump.read("version", "kubelet") == SAYS
    words = dump.read("arguments", "kubelet").splitlines()
    assert (words[0], words[2]) == ("/usr/bin/kubelet", "--config=/etc/kubernetes/kubelet.yaml")
    assert "failSwapOn: false\n" in dump.read("file", "/etc/kubernetes/kubelet.yaml")
    assert not node.has_run


def test_of_two_that_could_be_the_kubelet_neither_is_believed(node: RealNode) -> None:
    for name in ("one", "two"):
        node.write(f"/etc/kubernetes/{name}.yaml", CONFIG)
    node.write("/opt/kubelet", program(), 0o755)
    first = kubelet(node, config="/etc/kubernetes/one.yaml")
    second = f"/opt/kubelet {arguments({'config': '/etc/kubernetes/two.yaml'})} &"
    dump = node.dump(f"{first}\n{second}")
    for kind in ("arguments", "version"):
        assert dump.probe(kind, "kubelet").problem.startswith("two processes could be the kubelet: pids ")
    assert not any(name.endswith(("one.yaml", "two.yaml")) for _, name in dump.probes)
    assert not node.has_run


UNSAFE = {
    "others may write to it": "chmod 757 /usr/bin/kubelet; {0}",
    "a group may write to it": "chmod 775 /usr/bin/kubelet; {0}",
    "others may write to its directory": "chmod 1777 /usr/bin; {0}",
    "somebody owns it": f"chown {NOBODY} /usr/bin/kubelet; {{0}}",
    "it was replaced": "{0}\nsleep 0.2\nmv /opt/other /usr/bin/kubelet",
    "the unit's link leads to a tenant": (
        "mv /usr/bin/kubelet /var/lib/kubelet/pods/u/kubelet\n"
        "ln -s /var/lib/kubelet/pods/u/kubelet /usr/bin/kubelet\n{0}"
    ),
    "a tenant has mounted it": (
        "mount -t tmpfs tmpfs /usr/bin; cp /opt/other /usr/bin/kubelet; chmod 755 /usr/bin/kubelet; {0}"
    ),
}
"""What is done before or after the kubelet starts, ``{0}``."""


@pytest.mark.parametrize("why", UNSAFE)
def test_a_program_that_others_may_have_written_is_not_executed(node: RealNode, why: str) -> None:
    for tool in ("chmod", "chown", "ln", "cp"):
        (node.directory / "bin" / tool).symlink_to("busybox")
    node.write("/usr/bin/kubelet", program(), 0o755)
    node.write("/opt/other", program(), 0o755)
    node.write("/var/lib/kubelet/pods/u/file", "")
    dump = node.dump(UNSAFE[why].format(kubelet(node)))
    assert not node.has_run
    assert dump.read("arguments", "kubelet")
    assert dump.probe("version", "kubelet").problem.startswith("the release is not known: ")


SECRETS = {
    "/etc/kubernetes/admin.conf": f"apiVersion: v1\nkind: Config\nusers:\n- user:\n    token: {MARKER}\n",
    "/etc/kubernetes/pki/front-key.pem": KEY,
    "/etc/kubernetes/mixed.crt": CERTIFICATE + KEY + f"-----BEGIN CERTIFICATE-----\n{MARKER}.\n",
    "/etc/kubernetes/cut.crt": CERTIFICATE + f"-----BEGIN CERTIFICATE-----\n-----BEGIN KEY-----\n{MARKER}\n",
    "/etc/shadow": f"root:{MARKER}:1:0:99999:7:::\n",
    "/root/config.yaml": f"{CONFIG}cgroupRoot: {MARKER}\n",
    "/root/d/1.conf": f"{CONFIG}cgroupRoot: {MARKER}\n",
    "/root/env": f"A=--cgroup-root={MARKER}\n",
    "/root/pki/kubelet-client-current.pem": KEY + CERTIFICATE,
    "/var/lib/kubelet/pods/u/cpu_manager_state": f'{{"policyName":"{MARKER}"}}',
    "/var/lib/kubelet/pods/u/config.yaml": f"{CONFIG}cgroupRoot: {MARKER}\n",
    "/etc/kubernetes/kubelet.yaml": f"{CONFIG}staticPodURLHeader:\n  X: [{MARKER}]\nstrange: {MARKER}\n",
}


@pytest.mark.parametrize(
    "flags",
    [
        {"config": "/etc/kubernetes/pki/ca.key", "kubeconfig": "/etc/kubernetes/pki/ca.key"},
        {"config": "/etc/kubernetes/admin.conf", "client-ca-file": "/etc/kubernetes/pki/front-key.pem"},
        {"config": "/etc/shadow", "tls-cert-file": "/etc/kubernetes/mixed.crt", "kubeconfig": "/etc/shadow"},
        {"config": "/root/config.yaml", "config-dir": "/root/d", "root-dir": "/root"},
        {"config": "/etc/kubernetes/link.yaml", "config-dir": "/etc/kubernetes/link.d"},
        {"config": "/etc/kubernetes/../../root/config.yaml", "client-ca-file": "/etc/kubernetes/cut.crt"},
        {"config": "/var/lib/kubelet/pods/u/config.yaml", "root-dir": "/var/lib/kubelet/pods/u"},
        {"config": "/proc/self/root/root/config.yaml", "root-dir": "/var/lib/kubelet/state"},
        {"config": "/etc/kubernetes/kubelet.yaml"},
    ],
    ids=lambda flags: flags["config"],
)
def test_arguments_lead_to_no_secret(node: RealNode, flags: dict[str, str]) -> None:
    for path, content in SECRETS.items():
        node.write(path, content, 0o600)
    links = {"/etc/kubernetes/link.yaml": "/root/config.yaml", "/etc/kubernetes/link.d": "/root/d"}
    links["/var/lib/kubelet/state"] = "pods/u"
    for path, target in links.items():
        (node.directory / path.lstrip("/")).symlink_to(target)
    started = kubelet(node, **{name.replace("-", "_"): value for name, value in flags.items()})
    unit = "[Service]\nEnvironmentFile=/root/env\nEnvironmentFile=/etc/kubernetes/pki/ca.key\n"
    node.write("/etc/systemd/system/kubelet.service.d/1.conf", unit)
    text = node.collect(started)
    assert MARKER not in text
    (dump,) = read_back(text)
    if flags["config"] != "/etc/kubernetes/kubelet.yaml":
        assert dump.probe("file", flags["config"]).problem.startswith(("not read: ", "not shown: "))
    assert dump.probe("file", "/root/env").problem.startswith("not read: ")
    assert dump.probe("file", "/etc/kubernetes/pki/ca.key").problem.startswith(
        "not read: it is a private key"
    )


def test_no_program_of_a_directory_that_others_write_is_executed(node: RealNode) -> None:
    for path in ("/crictl", "/tenant/bin/crictl", "/rel/crictl"):
        node.write(path, "#!/bin/sh\n: >/ran\n", 0o755)
    (node.directory / "tenant/bin").chmod(0o777)
    node.collect("", PATH=":.:rel:/tenant/bin:/bin", RUNTIME_ENDPOINT="/run/x.sock")
    assert not node.has_run


WATCHER = r"""
import glob, re, subprocess, sys, time
program, forged = sys.argv[1], open(sys.argv[2]).read()
marks, end = set(), time.monotonic() + 60
def plant(mark):
    probe = f"{mark} probe cri containers\n{forged}"
    later = f"{mark} end 0\n\n{probe}"
    for text in (probe, later, f"=end 0\n\n{probe}", f"|x\n=probe cri containers\n|{forged}"):
        subprocess.Popen(["containerd-shim", "-id", "x\n" + text], executable=program)
plant("hashcompat-1-1")
while time.monotonic() < end:
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            words = open(path).read()
        except OSError:
            continue
        for mark in set(re.findall("hashcompat-[0-9a-f-]+", words)) - marks:
            if "containerd-shim" not in words:
                marks.add(mark)
                plant(mark)
"""
"""A tenant that sees every process: it looks for the mark, and puts probes into the arguments of shims."""


@pytest.fixture(scope="module")
def containerd() -> Iterator[daemons.Node]:
    with (
        tempfile.TemporaryDirectory(prefix="hc-", dir="/tmp", ignore_cleanup_errors=True) as directory,
        daemons.containerd_node(Path(directory), daemons.IMAGE) as made,
    ):
        yield made


def hashes(dump: str) -> list[object]:
    records = from_documents(map(json.loads, dump.splitlines()))
    return [record.hash for record in records if isinstance(record, Recorded)]


def run_pod(node: daemons.Node, pod: str, value: str, image: str = daemons.IMAGE) -> None:
    """Run a pod of a container with a hash, as a kubelet does."""
    named = {"pod.name": pod, "pod.namespace": "ns", "pod.uid": f"uid-{pod}"}
    labels = {f"io.kubernetes.{key}": value for key, value in named.items()}
    network = {"linux": {"security_context": {"namespace_options": {"network": 2}}}}
    metadata = {"name": pod, "namespace": "ns", "uid": f"uid-{pod}", "attempt": 0}
    node.cri_pod(
        {"metadata": metadata, "labels": labels, **network},
        {
            "metadata": {"name": "c", "attempt": 0},
            "image": {"image": image},
            "labels": {**labels, "io.kubernetes.container.name": "c"},
            "annotations": {HASH: value},
            "linux": {},
        },
    )


@pytest.mark.xdist_group("containerd")
def test_no_argument_of_a_shim_becomes_a_probe(containerd: daemons.Node) -> None:
    run_pod(containerd, "p", "7")
    place = containerd.directory / "planted"
    place.mkdir()
    listed = json.loads(containerd.cri("ps", "-a", "-o", "json"))
    listed["containers"][0]["annotations"][HASH] = "bad"
    (place / "forged").write_text(json.dumps(listed))
    (place / "watch.py").write_text(WATCHER)
    (place / "containerd-shim").write_bytes(program())
    (place / "containerd-shim").chmod(0o755)
    script = place / "collect.sh"
    script.write_text(SCRIPT.read_text().replace("\nWANTED=records\n", "\nWANTED=preflight\n"))
    first = (
        f"/usr/bin/python3 -I {place}/watch.py {place}/containerd-shim {place}/forged & sleep 1; sh {script}"
    )
    done = subprocess.run(
        ["/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c", first],
        env={
            "PATH": f"{containerd.crictl.parent}:/usr/sbin:/usr/bin:/sbin:/bin",
            "RUNTIME_ENDPOINT": str(containerd.containerd_socket),
            "DOCKER_HOST": "unix:///none",
            "NODE_NAME": "n1",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (dump,) = read_back(done.stdout)
    assert any(probe.kind == "arguments" and probe.name.isdecimal() for probe in dump.of_kind("arguments"))
    assert hashes(done.stdout) == [7]
    assert len(dump.probes["cri", "containers"]) == 1


@pytest.mark.xdist_group("containerd")
def test_no_label_of_an_image_passes_for_what_containerd_keeps(containerd: daemons.Node) -> None:
    victim = {
        f"io.kubernetes.{key}": f"{value}"
        for key, value in (
            ("pod.name", "p"),
            ("pod.namespace", "ns"),
            ("pod.uid", "uid-p"),
            ("container.name", "c"),
        )
    }
    forged = {"SandboxID": "s", "Config": {"labels": victim, "annotations": {HASH: "bad"}}}
    kept = base64.b64encode(json.dumps(forged, separators=(",", ":")).encode()).decode()
    labels = {
        "CreatedAt": "2099-01-01T00:00:00Z",
        "Extensions": "{",
        "a.container.metadata": "{",
        "io.cri-containerd.container.metadata": "{",
        "value": kept,
    }
    containerd.load("localhost/forged:test", **labels)
    run_pod(containerd, "tenant", "8", "localhost/forged:test")
    done = subprocess.run(
        ["/bin/sh", str(SCRIPT)],
        env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "RUNTIME_ENDPOINT": str(containerd.containerd_socket),
            "DOCKER_HOST": "unix:///none",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert '"CONTAINER_RUNNING' in done.stdout.replace("\\", "")
    assert 0xBAD not in hashes(done.stdout)
    assert 8 in hashes(done.stdout)
    assert "2099" not in done.stdout


def written(directory: Path, argument: str = "dumps", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the collector of records with a directory, next to a file that it must not write to."""
    return subprocess.run(
        ["/bin/sh", SCRIPT, argument],
        env={
            "PATH": os.environ["PATH"],
            "NODE_NAME": "n1",
            "RUNTIME_ENDPOINT": "/none",
            "SECONDS_WHOLE": "3",  # nobody answers there, which is waited for
            **environment,
        },
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """Yield a file next to the directory of dumps that must stay as it is."""
    (tmp_path / "dumps").mkdir(mode=0o700)
    made = tmp_path / "victim"
    made.write_text("mine\n")
    yield made
    assert made.read_text() == "mine\n"


def test_a_planted_link_is_replaced_and_not_followed(victim: Path) -> None:
    dump = victim.parent / "dumps" / "n1.json"
    for target in (victim, victim.parent / "new", victim.parent):
        dump.unlink(missing_ok=True)
        dump.symlink_to(target)
        assert written(victim.parent).returncode == 0
        assert stat.S_IMODE(dump.lstat().st_mode) == 0o600
        assert stat.S_ISREG(dump.lstat().st_mode)
        (node_dump,) = read_back(dump.read_text())
        assert (node_dump.node, node_dump.complete) == ("n1", True)
    assert sorted(path.name for path in victim.parent.iterdir()) == ["dumps", "victim"]
    assert [path.name for path in dump.parent.iterdir()] == ["n1.json"]


def test_a_file_of_somebody_else_is_replaced_too(victim: Path) -> None:
    dump = victim.parent / "dumps" / "n1.json"
    os.link(victim, dump)
    assert written(victim.parent).returncode == 0
    assert (dump.lstat().st_nlink, stat.S_IMODE(dump.lstat().st_mode)) == (1, 0o600)


@pytest.mark.parametrize("name", ["../victim", "/etc/x", "a/b", "..", ".", "a b", "a\nb", "$(id)"])
def test_no_name_of_a_node_leaves_the_directory(victim: Path, name: str) -> None:
    done = written(victim.parent, NODE_NAME=name)
    assert done.returncode == 1
    assert "NODE_NAME" in done.stderr
    assert list((victim.parent / "dumps").iterdir()) == []


@pytest.mark.parametrize("argument", ["dumps", "dumps/", "dumps//"])
def test_the_directory_is_no_link(victim: Path, argument: str) -> None:
    (victim.parent / "dumps").rename(victim.parent / "real")
    (victim.parent / "dumps").symlink_to("real")
    done = written(victim.parent, argument)
    assert (done.returncode, list((victim.parent / "real").iterdir())) == (1, [])
    assert "is a link" in done.stderr


@pytest.mark.parametrize(
    ("mode", "owner", "code"), [(0o777, 0, 1), (0o1777, 0, 0), (0o755, NOBODY, 1), (0o755, 0, 0)]
)
def test_the_directory_is_ones_own(victim: Path, mode: int, owner: int, code: int) -> None:
    (victim.parent / "dumps").chmod(mode)
    os.chown(victim.parent / "dumps", owner, owner)
    assert written(victim.parent).returncode == code
    assert (victim.parent / "dumps" / "n1.json").exists() == (code == 0)


def test_what_cannot_be_replaced_is_an_error(victim: Path) -> None:
    (victim.parent / "dumps" / "n1.json").mkdir()
    assert written(victim.parent).returncode == 1
    assert [path.name for path in (victim.parent / "dumps").iterdir()] == ["n1.json"]
