"""Which files are read for a kubelet, and that no argument, unit or runtime chooses others."""

from __future__ import annotations

import os
import time
from itertools import product
from pathlib import Path

import pytest

from hashcompat.core.records.probes import NO_CONFIGURATION, Probe
from hashcompat.sources.node import NodeReader, live, wanted
from hashcompat.sources.node.root import Root
from tests.helpers.hostproc import write
from tests.helpers.slices import sliced

CONFIG = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n"
BLOCK = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
HIDDEN = "c2VjcmV0"


def read(node: Path, *words: str) -> dict[tuple[str, str], Probe]:
    """Return the probes of all files, for a kubelet with these arguments."""
    node.mkdir(mode=0o755, exist_ok=True)
    asking, root = NodeReader(5, 60), Root(node)
    given = Probe("arguments", "kubelet", "\n".join(["/usr/bin/kubelet", *words, ""]))
    made = asking.ask_all(asking.gather(lambda: wanted.questions(root, given), "/"))
    assert HIDDEN not in "".join(f"{probe.text} {probe.problem}" for probe in made)
    return {(probe.kind, probe.name): probe for probe in made}


@pytest.fixture
def node(tmp_path: Path) -> Path:
    return tmp_path / "node"


ELSEWHERE = (
    "/etc/kubernetes/pki/ca.key",
    "/etc/kubernetes/pki/ca-key.pem",
    "/etc/shadow",
    "/root/.ssh/id_rsa",
    "/proc/1/environ",
    "/var/lib/kubelet/pods/x/volumes/config.yaml",
    "/var/lib/rancher/k3s/storage/pvc-1/config.yaml",
    "/var/lib/rancher/k3s/agent/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/1/fs/x",
    "/etc/kubernetes/../shadow",
    "/etc/kubernetes2/config.yaml",
    "config.yaml",
)
FLAGS = ("config", "kubeconfig", "client-ca-file", "tls-cert-file", "config-dir", "cni-conf-dir")
PAIRS = [*product(ELSEWHERE, FLAGS)]


@pytest.mark.parametrize(("path", "flag"), sliced(PAIRS, PAIRS[::5]))
def test_no_flag_leads_elsewhere(node: Path, path: str, flag: str) -> None:
    write(node, path.replace("/kubernetes/..", ""), f"{HIDDEN}\n{KEY}")
    probes = read(node, f"--{flag}={path}")
    [problem] = {probe.problem for (_, name), probe in probes.items() if name == path}
    assert problem.startswith(f"not read: {path}: ")


NOT_ONE = (
    *(KEY, f"{HIDDEN}\n", "", f"kind: Secret\ndata: {HIDDEN}\n", f"---\n---\n{CONFIG}"),
    *(f"{CONFIG}\tmaxPods: 1\n", "[" * 50_000, "- 1\n"),
)
BOTH = [*product(NOT_ONE, ("config", "config-dir"))]


@pytest.mark.parametrize(("content", "flag"), sliced(BOTH, [*BOTH[::4], *BOTH[3::4]]))
def test_what_is_no_configuration_is_not_used(node: Path, content: str, flag: str) -> None:
    path = "/etc/kubernetes/k/a.conf"
    write(node, path, content)
    probes = read(node, f"--{flag}={path if flag == 'config' else '/etc/kubernetes/k'}")
    assert probes["file", path].problem == NO_CONFIGURATION
    write(node, path, CONFIG)
    assert read(node, f"--config={path}")["file", path].read() == CONFIG


@pytest.mark.parametrize("flag", ["--config-dir=/etc/kubelet.d", "--config-dir=/etc/kubelet.d/"])
def test_directories_below_that_of_drop_ins_are_read(node: Path, flag: str) -> None:
    """As a kubelet walks: down into directories, but not along links; of anything else the kind is shown."""
    top = "/etc/kubelet.d"
    for name in ("a.conf", "b/c.conf", "b/d.conf/.e.conf", "b/..d/f.conf"):
        write(node, f"{top}/{name}", CONFIG)
    for name in ("README", "b/.keep"):
        write(node, f"{top}/{name}", HIDDEN)
    (node / "etc/kubelet.d/link").symlink_to("b")
    (node / "etc/kubelet.d/g.conf").symlink_to("a.conf")
    probes = read(node, flag)
    names = {name.removeprefix(f"{top}/"): kind for kind, name in probes if name.startswith(f"{top}/")}
    assert names == {
        **dict.fromkeys(("a.conf", "g.conf", "b/c.conf", "b/d.conf/.e.conf", "b/..d/f.conf"), "file"),
        **dict.fromkeys(("b", "b/d.conf", "b/..d"), "directory"),
        **dict.fromkeys(("README", "link", "b/.keep"), "path"),
    }
    assert probes["directory", top].read() == "README\na.conf\nb\ng.conf\nlink\n"
    assert probes["file", f"{top}/b/d.conf/.e.conf"].read() == CONFIG
    kinds = [probes["path", f"{top}/{name}"].read() for name in ("README", "b/.keep", "link")]
    assert kinds == ["file", "file", "other"]


def test_only_so_many_directories_of_drop_ins_are_read(node: Path) -> None:
    write(node, f"/etc/kubelet.d/{'d/' * 60}a.conf", CONFIG)
    probes = read(node, "--config-dir=/etc/kubelet.d")
    assert sum(kind == "directory" and name.startswith("/etc/kubelet.d") for kind, name in probes) == 50
    assert not any(name.endswith("a.conf") for _, name in probes)


@pytest.mark.parametrize("more", [f"---\n{CONFIG}", f"---\nkind: Secret\ndata: {HIDDEN}\n", "---\n\t[\n"])
def test_what_follows_a_configuration_is_not_shown(node: Path, more: str) -> None:
    path = "/etc/kubernetes/k.yaml"
    write(node, path, CONFIG + more)
    problem = read(node, f"--config={path}")["file", path].problem
    assert problem == "not read: it is not one KubeletConfiguration"
    json = '{\n\t"kind": "KubeletConfiguration",\n\t"maxPods": 1,\n\t"maxPods": 2\n}\n'
    for text in (json, f"{CONFIG}maxPods: 1\nmaxPods: 2\n"):
        write(node, path, text)
        assert read(node, f"--config={path}")["file", path].read() == text


@pytest.mark.parametrize("given", ["--config_dir=/etc/kubelet.d", "--config_dir\n/etc/kubelet.d"])
def test_a_flag_with_underscores_leads_to_files_too(node: Path, given: str) -> None:
    write(node, "/etc/kubelet.d/a.conf", CONFIG)
    assert read(node, given)["file", "/etc/kubelet.d/a.conf"].read() == CONFIG


def test_a_root_directory_elsewhere_is_a_problem(node: Path) -> None:
    for name in ("cpu_manager_state", "config.yaml", "kubeadm-flags.env", "pki/kubelet.crt"):
        write(node, f"/data/x/{name}", HIDDEN)
    probes = read(node, "--root-dir=/data/x/")
    named = {name: probe for (_, name), probe in probes.items() if name.startswith("/data")}
    assert {"/data/x", "/data/x/cpu_manager_state", "/data/x/config.yaml", "/data/x/pki"} <= set(named)
    assert {probe.problem.partition(": ")[0] for probe in named.values()} == {"not read"}


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666])
def test_what_others_can_write_is_not_read(node: Path, mode: int) -> None:
    path = "/etc/kubernetes/kubelet.yaml"
    write(node, path, CONFIG, mode)
    assert (
        read(node, f"--config={path}")["file", path].problem
        == f"not read: {path}: it is writable by others than its owner"
    )
    write(node, path, CONFIG)
    (node / "etc/kubernetes").chmod(mode | 0o111)
    assert "/etc/kubernetes: it is writable" in read(node, f"--config={path}")["file", path].problem


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_what_another_user_owns_is_not_read(node: Path) -> None:
    path = "/var/lib/kubelet/cpu_manager_state"
    os.chown(write(node, path, "{}"), 1000, 1000)
    assert "belongs to the user 1000" in read(node)["file", path].problem


@pytest.mark.parametrize(
    "target", ["/etc/shadow", "../shadow", "/etc/kubernetes/pki/ca.key", "/var/lib/kubelet/pods/x"]
)
def test_no_link_leads_elsewhere(node: Path, target: str) -> None:
    write(node, "etc/kubernetes/x", "")
    write(node, target.replace("..", "/etc"), f"{CONFIG}# {HIDDEN}")
    (node / "etc/kubernetes/kubelet.yaml").symlink_to(target)
    probes = read(node, "--config=/etc/kubernetes/kubelet.yaml")
    assert probes["file", "/etc/kubernetes/kubelet.yaml"].problem.startswith("not read: ")


def test_a_link_within_the_kubelets_files_is_followed(node: Path) -> None:
    write(node, "var/lib/kubelet/pki/kubelet-client-2026.pem", f"{KEY}{BLOCK}")
    (node / "var/lib/kubelet/pki/kubelet-client-current.pem").symlink_to("kubelet-client-2026.pem")
    write(node, "etc/kubernetes/kubelet.conf", "    client-certificate: ../../var/lib/kubelet/x.pem\n")
    probes = read(node)
    assert probes["certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem"].text == BLOCK
    assert "without .." in probes["certificate", "/etc/kubernetes/kubelet.conf"].problem


@pytest.mark.parametrize(
    "named",
    ["/etc/shadow", "/etc/kubernetes/pki/ca.key", "/var/lib/kubelet/pods/x/y.pem", "/etc/kubernetes/no.pem"],
)
def test_a_kubeconfig_leads_to_no_other_file(node: Path, named: str) -> None:
    if "no.pem" not in named:
        write(node, named, f"{HIDDEN}{BLOCK}")
    write(node, "etc/kubernetes/kubelet.conf", f"    client-certificate: {named}\n")
    assert read(node)["certificate", "/etc/kubernetes/kubelet.conf"].text is None


def test_files_of_variables_are_what_they_should_be(node: Path) -> None:
    unit = "[Service]\n" + "".join(
        f"EnvironmentFile=-{path}\n"
        for path in (
            "/etc/kubernetes/a.env",
            "/etc/kubernetes/b.env",
            "/etc/kubernetes/pki/sa.key",
            "/etc/shadow",
            "/etc/os-release",
        )
    )
    write(node, "etc/systemd/system/kubelet.service", unit)
    write(node, "etc/os-release", "ID=rhel\n")
    write(node, "etc/kubernetes/a.env", "# x\nKUBELET_ARGS=--v=2\n")
    write(node, "etc/kubernetes/b.env", KEY)
    write(node, "etc/kubernetes/pki/sa.key", KEY)
    write(node, "etc/shadow", f"root:{HIDDEN}:1::\n")
    probes = read(node)
    assert probes["file", "/etc/kubernetes/a.env"].text == "# x\nKUBELET_ARGS=--v=2\n"
    assert probes["file", "/etc/kubernetes/b.env"].problem == "not read: it is not a file of variables"
    assert probes["file", "/etc/kubernetes/pki/sa.key"].problem.startswith("not read: ")
    assert probes["file", "/etc/shadow"].problem.startswith("not read: ")
    assert probes["file", "/etc/os-release"].text == "ID=rhel\n"


def test_a_unit_is_one(node: Path) -> None:
    write(node, "etc/systemd/system/kubelet.service", KEY)
    assert (
        read(node)["file", "/etc/systemd/system/kubelet.service"].problem
        == "not read: it is not a unit of systemd"
    )


def test_nothing_waits_for_a_pipe_or_a_device(node: Path) -> None:
    write(node, "etc/kubernetes/x", "")
    for name in ("kubelet.yaml", "kubelet.conf"):
        os.mkfifo(node / "etc/kubernetes" / name, 0o644)
    write(node, "var/lib/kubelet/x", "")
    os.mkfifo(node / "var/lib/kubelet/cpu_manager_state", 0o644)
    begun = time.monotonic()
    probes = read(
        node, "--config=/etc/kubernetes/kubelet.yaml", "--client-ca-file=/etc/kubernetes/kubelet.yaml"
    )
    assert time.monotonic() - begun < 4
    for key in (("file", "/etc/kubernetes/kubelet.yaml"), ("file", "/var/lib/kubelet/cpu_manager_state")):
        assert probes[key].problem == "not a regular file"


def test_many_beginnings_of_certificates_take_linear_time(node: Path) -> None:
    write(node, "etc/kubernetes/pki/ca.crt", "-----BEGIN CERTIFICATE-----\n" * 30_000)
    begun = time.monotonic()
    probes = read(node)
    assert time.monotonic() - begun < 4
    assert probes["certificate", "/etc/kubernetes/pki/ca.crt"].problem == "no certificate in it"


def test_a_file_between_certificates_is_not_shown(node: Path) -> None:
    path = "/etc/kubernetes/pki/ca.crt"
    write(node, path, f"-----BEGIN CERTIFICATE-----\ntoken: {HIDDEN}\n-----END CERTIFICATE-----\n{BLOCK}")
    assert read(node)["certificate", path].text == BLOCK


@pytest.mark.parametrize("path", ["/root/.ssh", "/proc/1", "/var/lib/kubelet/pods", "/etc/cni/../shadow"])
def test_no_runtime_names_another_directory(node: Path, path: str) -> None:
    write(node, f"{path.replace('/cni/..', '')}/{HIDDEN}", "")
    info = Probe(
        "cri", "info", f'{{"config": {{"cni": {{"confDir": "{path}"}}, "containerdRootDir": "{path}"}}}}'
    )
    made = NodeReader(5, 20).ask_all(live.questions(Root(node), [info]))
    shown = {probe.kind: probe for probe in made}
    assert shown["directory"].problem.startswith("not read: ")
    assert HIDDEN not in str(made)
    is_disk = not path.startswith("/proc") and ".." not in path
    assert (shown["filesystem"].text is not None) is is_disk  # no more than how full it is


def test_recorded_ids_of_pods_are_a_line_each(node: Path) -> None:
    ids = '[{"hostId":65536,"containerId":0,"length":65536}]'
    pods = "/var/lib/kubelet/pods"
    write(node, f"{pods}/uid-1/userns", f'{{"uidMappings":{ids},"gidMappings":{ids}}}')
    write(node, f"{pods}/uid-2/etc-hosts", HIDDEN)
    write(node, f"{pods}/uid-3/userns", "a b" + "x" * 2000 + f"\n{HIDDEN}")
    write(node, "/elsewhere/userns", HIDDEN)
    (node / f".{pods}/uid-4").symlink_to("../../../../elsewhere")
    (node / f".{pods}/uid-5").mkdir()
    (node / f".{pods}/uid-5/userns").symlink_to("../../../../../elsewhere/userns")
    lines = read(node)["mappings", pods].read().splitlines()
    assert lines == [f'uid-1 {{"uidMappings":{ids},"gidMappings":{ids}}}', f"uid-3 ab{'x' * 998}"]


def test_a_node_without_directories_of_pods_has_no_recorded_ids(node: Path) -> None:
    write(node, "/var/lib/kubelet/config.yaml", CONFIG)
    assert read(node)["mappings", "/var/lib/kubelet/pods"].text is None
    write(node, "/var/lib/kubelet/pods", "a file")
    assert read(node)["mappings", "/var/lib/kubelet/pods"].text is None
