"""Where distributions have a kubelet's files and programs, and what is never among them."""

from __future__ import annotations

import pytest

from hashcompat.sources.node.places import why_not_asked, why_not_read, why_not_run


@pytest.mark.parametrize(
    "path",
    [
        "/etc/kubernetes/kubelet/kubelet-config.json",
        "/home/kubernetes/kubelet-config.yaml",
        "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
        "/var/lib/rancher/k3s/agent/client-kubelet.crt",
        "/var/lib/k0s/kubelet/pki/kubelet-client-current.pem",
        "/var/snap/microk8s/4242/args/containerd.toml",
        "/var/snap/microk8s/common/var/lib/kubelet/cpu_manager_state",
        "/var/lib/kubelet",
        "/etc/environment",
    ],
)
def test_files_of_distributions(path: str) -> None:
    assert why_not_read(path) == ""


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/etc/kubernetes/pki/apiserver-kubelet-client.key", "private key"),
        ("/etc/kubernetes/pki/ca-key.pem", "private key"),
        ("/etc/kubernetesx", "no file"),
        ("/etc", "no file"),
        ("//var/lib/kubelet/pods", "no file"),
        ("/var/lib/kubelet//pods/x", "no file"),
        ("/var/lib/k0s/containerd/x", "no file"),
        ("/var/snap/microk8s/common/default-storage/x", "no file"),
        ("/etc/kubernetes/a\0b", "absolute"),
        ("", "absolute"),
    ],
)
def test_what_is_no_file_of_a_kubelet(path: str, why: str) -> None:
    assert why in why_not_read(path)


@pytest.mark.parametrize(
    "path", ["/usr/bin/kubelet", "/snap/microk8s/1/kubelite", "/var/lib/rancher/rke2/data/v1/bin/kubelet"]
)
def test_programs_of_distributions(path: str) -> None:
    assert why_not_run(path) == ""


@pytest.mark.parametrize(
    "path", ["kubelet", "/proc/7/exe", "/var/lib/rancher/rke2/agent/containerd/x", "/usr/../tmp/kubelet"]
)
def test_what_is_no_program_of_a_node(path: str) -> None:
    assert why_not_run(path)


@pytest.mark.parametrize(
    ("path", "is_disk"), [("/data/docker", True), ("/proc/7/root", False), ("/a/../proc", False)]
)
def test_disks(path: str, *, is_disk: bool) -> None:
    assert (why_not_asked(path) == "") is is_disk
