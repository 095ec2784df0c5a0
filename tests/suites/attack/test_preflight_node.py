"""A tenant on a node that preflight reads: it chooses the name, arguments and program of its processes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.hostproc import write
from tests.helpers.program import SAMPLE, SCRIPTS
from tests.suites.attack.nodes import HIDDEN, Attacked, attacked, binary, container_cgroup

pytestmark = pytest.mark.attack

CONFIG = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nclusterDomain: of-a-tenant\n"
NONE = (None, "")


@pytest.fixture
def node() -> Iterator[Attacked]:
    with attacked() as made:
        yield made


@pytest.fixture
def planted(node: Attacked) -> Path:
    """A program of a tenant, which is called kubelet."""
    return binary(node.mark.parent / "tenant/kubelet", "Kubernetes v1.9.9\n", node.mark)


def test_the_planted_program_leaves_its_mark(node: Attacked, planted: Path) -> None:
    told = subprocess.run([planted, "--version"], capture_output=True, check=True, timeout=10)
    assert (told.stdout, node.mark.exists()) == (b"Kubernetes v1.9.9\n", True)


def test_the_kubelet_of_the_node_is_read(node: Attacked) -> None:
    node.start(node.root / "usr/bin/kubelet", "--v=2", "--hostname-override=n1")
    probes = node.probes()
    assert probes["version", "kubelet"] == ("Kubernetes v1.30.4\n", "")
    assert (probes["arguments", "kubelet"][0] or "").splitlines()[1:] == ["--v=2", "--hostname-override=n1"]


ARGUMENTS = (
    "--config=/etc/kubernetes/pki/ca.key",
    "--root-dir=/tenant",
    "--kubeconfig=/etc/kubernetes/pki/ca.key",
)


@pytest.mark.parametrize("options", [("-m",), ("-m", "-U", "-r")])
def test_a_process_in_its_own_namespaces_is_not_the_kubelet(
    node: Attacked, planted: Path, options: tuple[str, ...]
) -> None:
    node.contain(planted, *ARGUMENTS, options=options)
    probes = node.probes()
    assert (probes["arguments", "kubelet"], probes["version", "kubelet"]) == (NONE, NONE)
    assert not node.mark.exists()
    assert HIDDEN not in str(probes)
    assert not any(name.startswith("/tenant") for _, name in probes)


def test_a_process_of_another_user_is_not_the_kubelet(node: Attacked, planted: Path) -> None:
    node.start(planted, *ARGUMENTS, user=1000)
    probes = node.probes()
    assert (probes["arguments", "kubelet"], probes["version", "kubelet"]) == (NONE, NONE)
    assert not node.mark.exists()


def test_a_process_in_the_cgroup_of_a_container_is_not_the_kubelet(node: Attacked, planted: Path) -> None:
    with container_cgroup() as cgroup:
        node.start(planted, *ARGUMENTS, cgroup=cgroup)
        probes = node.probes()
    assert (probes["arguments", "kubelet"], probes["version", "kubelet"]) == (NONE, NONE)
    assert not node.mark.exists()


def test_a_tenants_process_does_not_hide_the_nodes(node: Attacked, planted: Path) -> None:
    node.contain(planted, *ARGUMENTS)
    node.start(node.root / "usr/bin/kubelet", "--v=7")
    probes = node.probes()
    assert probes["version", "kubelet"] == ("Kubernetes v1.30.4\n", "")
    assert "--v=7" in (probes["arguments", "kubelet"][0] or "")
    assert not node.mark.exists()


def test_two_kubelets_are_a_problem(node: Attacked, planted: Path) -> None:
    write(node.root, "etc/kubernetes/tenant.yaml", CONFIG)
    node.start(node.root / "usr/bin/kubelet", "--config=/etc/kubernetes/tenant.yaml")
    node.start(planted, "--config=/etc/kubernetes/tenant.yaml", "--root-dir=/tenant")
    probes = node.probes()
    for kind in ("arguments", "version"):
        text, problem = probes[kind, "kubelet"]
        assert text is None
        assert problem.startswith("two processes could be the kubelet: pids ")
    assert ("file", "/etc/kubernetes/tenant.yaml") not in probes
    assert not node.mark.exists()


def test_the_command_says_so_and_decides_nothing(node: Attacked, planted: Path) -> None:
    node.start(node.root / "usr/bin/kubelet")
    node.start(planted)
    code, output = node.preflight("--runtime", "cri", "--runtime-endpoint", "/none.sock", "-o", "wide")
    assert code in (2, 3)
    assert "two processes could be the kubelet: pids " in " ".join(output.split())
    assert not node.mark.exists()


FLAGS = ("config", "kubeconfig", "client-ca-file", "tls-cert-file", "config-dir", "cni-conf-dir")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/kubernetes/pki/ca.key",
        "/etc/kubernetes/link.yaml",
        "/etc/shadow",
        "/proc/1/environ",
        "/var/lib/kubelet/pods/1/volumes/x.yaml",
    ],
)
def test_no_argument_shows_a_file(node: Attacked, path: str) -> None:
    write(node.root, "etc/shadow", HIDDEN)
    write(node.root, "var/lib/kubelet/pods/1/volumes/x.yaml", f"{CONFIG}# {HIDDEN}")
    (node.root / "etc/kubernetes/link.yaml").symlink_to("/etc/kubernetes/pki/ca.key")
    node.start(node.root / "usr/bin/kubelet", *(f"--{flag}={path}" for flag in FLAGS))
    probes = node.probes()
    assert HIDDEN not in str(probes)
    named = {kind: value for (kind, name), value in probes.items() if name == path}
    assert set(named) == {"file", "certificate", "directory"}
    assert all(text is None and problem.startswith("not read: ") for text, problem in named.values())


def test_no_argument_chooses_state_files(node: Attacked) -> None:
    write(node.root, "tenant/cpu_manager_state", '{"policyName":"static"}')
    node.start(node.root / "usr/bin/kubelet", "--root-dir=/tenant")
    probes = node.probes()
    assert probes["file", "/tenant/cpu_manager_state"][1].startswith("not read: /tenant/cpu_manager_state: ")
    assert probes["filesystem", "/tenant"][1].startswith("not read: ")


@pytest.mark.parametrize(
    ("place", "mode"), [("usr/bin/kubelet", 0o777), ("usr/bin", 0o1777), ("usr", 0o775), ("", 0o777)]
)
def test_a_program_that_others_can_write_is_not_run(node: Attacked, place: str, mode: int) -> None:
    program = binary(node.root / "usr/bin/kubelet", "Kubernetes v1.9.9\n", node.mark)
    node.start(program)
    (node.root / place).chmod(mode)
    text, problem = node.probes()["version", "kubelet"]
    assert text is None
    assert "writable by others" in problem
    assert not node.mark.exists()


def test_a_program_of_another_user_or_elsewhere_is_not_run(node: Attacked) -> None:
    program = binary(node.root / "usr/bin/kubelet", "Kubernetes v1.9.9\n", node.mark)
    os.chown(program, 1000, 1000)
    node.start(program)
    assert "belongs to the user 1000" in node.probes()["version", "kubelet"][1]
    program.unlink()
    program.symlink_to("/var/lib/kubelet/pods/1/kubelet")
    write(node.root, "var/lib/kubelet/pods/x", "")
    node.started[0] = type(node.started[0])(
        [str(binary(node.root / "var/lib/kubelet/pods/1/kubelet", "Kubernetes v1.9.9\n", node.mark))]
    )
    assert "no program of a node is there" in node.probes()["version", "kubelet"][1]
    assert not node.mark.exists()


def test_a_program_that_does_not_run_does_not_speak_for_the_one_that_does(node: Attacked) -> None:
    before = binary(node.root / "opt/kubelet", "Kubernetes v1.29.0\n", node.mark)
    node.start(before)
    assert "it was replaced" in node.probes()["version", "kubelet"][1]
    assert not node.mark.exists()


def test_pipes_do_not_stop_preflight(node: Attacked) -> None:
    for path in ("etc/kubernetes/k.yaml", "etc/kubernetes/kubelet.conf", "etc/systemd/system/k"):
        os.mkfifo(node.root / path, 0o644)
    (node.root / "etc/systemd/system/kubelet.service").unlink()
    (node.root / "etc/systemd/system/k").rename(node.root / "etc/systemd/system/kubelet.service")
    node.start(node.root / "usr/bin/kubelet", "--config=/etc/kubernetes/k.yaml")
    probes = node.probes()
    for name in ("/etc/kubernetes/k.yaml", "/etc/systemd/system/kubelet.service"):
        assert probes["file", name] == (None, "not a regular file")


@pytest.mark.parametrize("entry", [".", "", "planted", "{here}/open"])
@pytest.mark.parametrize(
    "command",
    [
        ("preflight", "--to", "1.31.14", "--runtime", "cri", "--runtime-endpoint", "{socket}"),
        (
            "plan",
            "--from",
            "1.30.4",
            "--to",
            "1.31.14",
            "-f",
            str(SAMPLE),
            "--runtime",
            "cri",
            "--runtime-endpoint",
            "{socket}",
        ),
        ("plan", "--from", "1.30.4", "--to", "1.31.14", "--context", "none"),
    ],
)
def test_no_program_of_the_working_directory_is_run(
    tmp_path: Path, entry: str, command: tuple[str, ...]
) -> None:
    mark, socket = tmp_path / "ran", tmp_path / "cri.sock"
    socket.touch()
    for place in (tmp_path, tmp_path / "planted", tmp_path / "open"):
        place.mkdir(exist_ok=True)
        for name in ("crictl", "kubectl", "docker", "systemctl"):
            write(place, name, f"#!/bin/sh\n: >{mark}\necho '{{}}'\n", 0o755)
    (tmp_path / "open").chmod(0o777)
    path = f"{entry.format(here=tmp_path)}:/none"
    words = [word.format(socket=socket) for word in command]
    done = subprocess.run(
        [SCRIPTS / "hashcompat", *words],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not mark.exists(), done.stderr
    assert "not on the PATH" in " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("name", ["containerd-shim", "runc", "conmon"])
def test_no_argument_of_a_tenant_shows_a_container(node: Attacked, name: str) -> None:
    planted, victim = binary(node.mark.parent / "tenant" / name, ""), "c" * 64
    node.contain(planted, "-id", victim)
    node.start(planted, "-id", victim, user=65534)
    node.start(planted, "-id", "d" * 64)
    probes = node.probes()
    shown = [text for (kind, _), (text, _) in probes.items() if kind == "arguments" and text]
    assert len([text for text in shown if "d" * 64 in text]) == 1
    assert not [text for text in shown if victim in text]
