"""Where distributions have a kubelet's files and programs, and what is never among them."""

from __future__ import annotations

import re
import subprocess

import pytest

from hashcompat.core.catalog.files import DataFiles
from hashcompat.sources.node.root import why_not_asked, why_not_read, why_not_run
from tests.helpers.program import ROOT

TABLES = DataFiles(ROOT / "schemas")
SCRIPT = (ROOT / "hashcompat" / "collector" / "collect.sh").read_text(encoding="utf-8")

FILES = (
    "/etc/kubernetes/kubelet/kubelet-config.json",
    "/home/kubernetes/kubelet-config.yaml",
    "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
    "/var/lib/rancher/k3s/agent/client-kubelet.crt",
    "/var/lib/k0s/kubelet/pki/kubelet-client-current.pem",
    "/var/snap/microk8s/4242/args/containerd.toml",
    "/var/snap/microk8s/common/var/lib/kubelet/cpu_manager_state",
    "/var/lib/kubelet",
    "/etc/environment",
    "/etc/node-sizing.env",
    "/etc/kubelet.d/10.conf",
    "/opt/cni/bin",
    "/opt/kubernetes/cfg/kubelet-config.yml",
)
OTHERS = (
    ("/etc/kubernetes/pki/apiserver-kubelet-client.key", "private key"),
    ("/etc/kubernetes/pki/ca-key.pem", "private key"),
    ("/etc/kubernetesx", "no file"),
    ("/etc", "no file"),
    ("//var/lib/kubelet/pods", "no file"),
    ("/var/lib/kubelet//pods/x", "no file"),
    ("/var/lib/k0s/containerd/x", "no file"),
    ("/var/snap/microk8s/common/default-storage/x", "no file"),
    ("/var/lib/rancher/k3s/storage/pvc-1/config.yaml", "no file"),
    ("/home/tenant/kubelet.yaml", "no file"),
    ("/srv/tenant/kubelet.yaml", "no file"),
    ("/proc/1/root/etc/kubernetes/kubelet.conf", "no file"),
    ("/etc/kubernetes/../shadow", "absolute"),
    ("etc/kubernetes/x", "absolute"),
    ("", "absolute"),
)


@pytest.mark.parametrize("path", FILES)
def test_files_of_distributions(path: str) -> None:
    assert why_not_read(path) == ""


@pytest.mark.parametrize(("path", "why"), [*OTHERS, ("/etc/kubernetes/a\0b", "absolute")])
def test_what_is_no_file_of_a_kubelet(path: str, why: str) -> None:
    assert why in why_not_read(path)


def test_the_script_for_nodes_without_python_reads_at_the_same_places() -> None:
    paths = [*FILES, *(path for path, _ in OTHERS)]
    body = SCRIPT[SCRIPT.index("\nis_place()") : SCRIPT.index("\nroot_places=")]
    asks = f'{body}\nroot_places=\nfor path; do if is_place "$path"; then echo yes; else echo no; fi; done'
    said = subprocess.run(["sh", "-c", asks, "sh", *paths], capture_output=True, text=True, check=True)
    assert dict(zip(paths, said.stdout.split(), strict=True)) == {
        path: "no" if why_not_read(path) else "yes" for path in paths
    }


def test_the_script_knows_the_flags_and_fields_of_the_releases() -> None:
    """What it does not list is hidden: a new field belongs there, unless it may hold a secret."""
    words = {
        name: set(re.findall(r"[\w-]+", text)) for name, text in re.findall(r"\n([A-Z]+)='([^']*)'", SCRIPT)
    }
    fields = {re.split(r"[.\[]", path)[0] for path in TABLES.table("kubeletconfig")["fields"]}
    secret = {"manifestURL", "manifestURLHeader", "staticPodURL", "staticPodURLHeader"}
    assert words["FIELDS"] == fields - secret
    assert words["FLAGS"] < {*TABLES.table("kubeletflags")["flags"]}


@pytest.mark.parametrize(
    ("path", "is_read"),
    [
        ("/data/kubelet/cpu_manager_state", True),
        ("/data/kubelet/pods/x", False),
        ("/data/kubelet/a.key", False),
    ],
)
def test_a_place_that_is_named_is_one_but_for_keys_and_volumes(path: str, *, is_read: bool) -> None:
    assert why_not_read(path)
    assert (why_not_read(path, ["/data/kubelet"]) == "") is is_read


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
