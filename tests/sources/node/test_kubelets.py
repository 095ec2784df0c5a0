"""Which process is the kubelet: the name is what anybody chooses, and nothing of /proc is run."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hashcompat.core.records.probes import Probe
from hashcompat.sources.node import NodeReader, kubelets, listed
from hashcompat.sources.node.root import Root
from tests.helpers.hostproc import HOST, K3S, KUBELET, MICROK8S, OF_MICROK8S, OTHER, process, program, write

CONTAINER = "c0ffee" * 10 + "c0de"


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A / with process 1, and a program of the kubelet that its unit names."""
    made = tmp_path / "node"
    process(made, 1, "S", "systemd", "/init.scope")
    program(made, "usr/bin/kubelet", mark=tmp_path / "asked")
    write(made, "etc/systemd/system/kubelet.service", "[Service]\nExecStart=/usr/bin/kubelet $ARGS\n")
    return made


def found(node: Path) -> Probe:
    asking, root = NodeReader(5, 20), Root(node)
    return kubelets.find(asking, root, asking.ask(listed(root)))


def probes(node: Path) -> tuple[Probe, Probe]:
    """Return the probes of the arguments and of the version."""
    given, version, *_ = kubelets.probes(NodeReader(5, 20), Root(node), found(node))
    return given, version


def planted(node: Path, pid: int = 700) -> Path:
    """Make the program of a process one that leaves a file, and return the file."""
    mark = node.parent / "planted"
    write(node, f"proc/{pid}/exe", f"#!/bin/sh\ntouch {mark}\necho Kubernetes v1.9.9\n", 0o755)
    return mark


def test_the_kubelet_of_the_node(node: Path, tmp_path: Path) -> None:
    process(node, 700, "S", "kubelet", KUBELET, "--v=2")
    mark = planted(node)
    given, version = probes(node)
    assert given.read().splitlines() == ["kubelet", "--v=2"]
    assert version.read() == "Kubernetes v1.23.13\n"
    assert (tmp_path / "asked").exists()
    assert not mark.exists()


@pytest.mark.parametrize(
    "cgroup",
    [
        "/kubepods/burstable/pod1/x",
        "/kubepods.slice/kubepods-besteffort.slice/x",
        f"/docker/{CONTAINER}",
        "/docker/short",
        f"/system.slice/docker-{CONTAINER}.scope",
        "/system.slice/docker-a.scope",
        "/x/cri-containerd-1.scope",
        "/system.slice:cri-containerd:1",
        "/x/crio-1.scope",
        "/x/libpod-1.scope",
        "/lxc/one",
        "/lxc.payload.one",
        "/machine.slice/machine-one.scope",
        f"/default/{CONTAINER}",
        "/../other",
        f"3:cpu:/system.slice\n2:memory:/docker/{CONTAINER}\n0::/system.slice\n",
    ],
)
def test_no_process_of_a_container_is_the_kubelet(node: Path, cgroup: str) -> None:
    process(node, 700, "S", "kubelet", cgroup, "--config=/etc/kubernetes/pki/ca.key")
    mark = planted(node)
    assert probes(node) == (Probe("arguments", "kubelet"), Probe("version", "kubelet"))
    assert not mark.exists()


@pytest.mark.parametrize(
    "uids", ["1000 1000 1000 1000", "0 1000 0 0", "1000 0 0 0", "0 0 1000 0", "0 0 0 1000"]
)
def test_no_process_of_another_user_is_the_kubelet(node: Path, uids: str) -> None:
    process(node, 700, "S", "kubelet", KUBELET, uids=uids)
    assert found(node) == Probe("process", "kubelet")


@pytest.mark.parametrize("kind", ["mnt", "user"])
def test_no_process_of_another_namespace_is_the_kubelet(node: Path, kind: str) -> None:
    mnt, user = (OTHER, HOST) if kind == "mnt" else (HOST, OTHER)
    process(node, 700, "S", "kubelet", KUBELET, mnt=mnt, user=user)
    assert found(node) == Probe("process", "kubelet")
    process(node, 701, "S", "kubelet", KUBELET)
    assert found(node).read() == "701 kubelet"


@pytest.mark.parametrize("kind", ["mnt", "user"])
@pytest.mark.parametrize("pid", [1, 700])
def test_a_namespace_that_cannot_be_read_is_a_problem(node: Path, kind: str, pid: int) -> None:
    process(node, 700, "S", "kubelet", KUBELET)
    link = node / f"proc/{pid}/ns/{kind}"
    link.unlink()
    if (kind, pid) == ("user", 1):  # of a kernel without them
        assert found(node).text == "700 kubelet"
        return
    given, version = probes(node)
    assert given.problem == version.problem
    assert given.problem.startswith("whether process 700 is the kubelet is unknown: ")


def test_a_process_without_a_readable_cgroup_is_a_problem_and_one_that_ended_is_none(node: Path) -> None:
    process(node, 700, "S", "kubelet", KUBELET)
    (node / "proc/700/cgroup").write_text("")
    assert "unknown: no cgroups are shown of it" in found(node).problem
    (node / "proc/700/cgroup").unlink()
    processes = NodeReader(5, 20).ask(listed(Root(node)))
    assert "is unknown" in found(node).problem
    stat = node / "proc/700/stat"
    stat.write_text(stat.read_text().replace(" S ", " Z "))  # and its parent has not asked for it
    assert kubelets.find(NodeReader(5, 20), Root(node), processes) == Probe("process", "kubelet")
    stat.unlink()
    assert kubelets.find(NodeReader(5, 20), Root(node), processes) == Probe("process", "kubelet")


def test_a_process_that_is_about_to_end_is_looked_at_again(
    node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process(node, 700, "S", "kubelet", KUBELET)
    (node / "proc/700/ns/mnt").unlink()
    processes = NodeReader(5, 20).ask(listed(Root(node)))
    monkeypatch.setattr(time, "sleep", lambda _: (node / "proc/700/stat").unlink())
    assert kubelets.find(NodeReader(5, 20), Root(node), processes) == Probe("process", "kubelet")


def test_two_kubelets_are_a_problem_and_nothing_of_them_is_read(node: Path) -> None:
    process(node, 700, "S", "kubelet", KUBELET, "--v=1")
    process(node, 800, "S", "k3s-server", "/system.slice/k3s.service")
    mark = planted(node)
    given, version = probes(node)
    assert given.text is version.text is None
    assert given.problem == version.problem
    assert given.problem.startswith("two processes could be the kubelet: pids 700, 800")
    assert not mark.exists()


def test_what_a_kubelet_forks_and_what_has_ended_are_not_another(node: Path) -> None:
    process(node, 700, "S", "kubelet", KUBELET)
    process(node, 701, "R", "kubelet", KUBELET, parent=700)
    process(node, 702, "Z", "kubelet", KUBELET)
    assert found(node).read() == "700 kubelet"


@pytest.mark.parametrize(
    ("first", "cgroup", "counts"),
    [
        (f"/docker/{CONTAINER}/init.scope", f"/docker/{CONTAINER}/kubelet.slice/kubelet.service", True),
        (f"/docker/{CONTAINER}/init", f"/docker/{CONTAINER}/k3s", True),
        (
            f"/docker/{CONTAINER}/init.scope",
            f"/docker/{CONTAINER}/kubelet.slice/kubelet-kubepods.slice/x",
            False,
        ),
        (f"/docker/{CONTAINER}/init.scope", f"/docker/{CONTAINER.replace('c', 'd')}/kubelet", False),
        ("/../../../init.scope", "/../../../system.slice/kubelet.service", True),
        ("/../../../init.scope", "/../x", False),
        ("/../../../init.scope", "/", False),
        ("/", "/", True),
        ("/", "/podruntime.slice/kubelet.service", True),
    ],
)
def test_a_node_may_be_a_container_itself(node: Path, first: str, cgroup: str, *, counts: bool) -> None:
    process(node, 1, "S", "systemd", first)
    process(node, 700, "S", "kubelet", cgroup)
    assert (found(node).text is not None) is counts


@pytest.mark.parametrize(
    ("name", "words", "counts"),
    [
        ("hyperkube", ("kubelet",), True),
        ("hyperkube", ("kube-proxy",), False),
        ("k3s", ("agent",), True),
        ("k3s", ("etcd-snapshot",), False),
        ("k3s-agent", (), True),
        ("kubelite", (), True),
        ("kubelet2", (), False),
    ],
)
def test_programs_with_a_kubelet_in_them(
    node: Path, name: str, words: tuple[str, ...], *, counts: bool
) -> None:
    process(node, 700, "S", name, KUBELET, *words)
    assert (found(node).text is not None) is counts


def test_the_arguments_of_a_kubelet_within_kubelite_are_in_a_file(node: Path) -> None:
    process(node, 700, "S", "kubelite", "/snap/microk8s/8000/kubelite", "--start-control-plane=true")
    assert "the kubelet is a part of another program" in probes(node)[0].problem
    write(node, "var/snap/microk8s/current/args/kubelet", MICROK8S)
    assert tuple((probes(node)[0].text or "").splitlines()) == OF_MICROK8S


def test_the_arguments_that_microk8s_left_behind_are_not_those_of_another_kubelet(node: Path) -> None:
    write(node, "var/snap/microk8s/current/args/kubelet", MICROK8S)
    process(node, 700, "S", "kubelet", KUBELET, "--v=2")
    assert (probes(node)[0].text or "").splitlines() == ["kubelet", "--v=2"]


@pytest.mark.parametrize("mark", ["\r", "\v", "\f", "\x1c", "\u2028"])
def test_a_name_of_several_lines_is_one_process(node: Path, mark: str) -> None:
    process(node, 700, "S", f"x{mark}1 1 S kubelet", "/kubepods/x", uids="7 7 7 7")
    assert found(node) == Probe("process", "kubelet")
    processes = NodeReader(5, 20).ask(listed(Root(node)))
    assert len(processes.read().splitlines()) == 2


def version_of(node: Path) -> str:
    process(node, 700, "S", "kubelet", KUBELET)
    return probes(node)[1].text or probes(node)[1].problem


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777])
def test_a_program_that_others_can_write_is_not_run(node: Path, tmp_path: Path, mode: int) -> None:
    (node / "usr/bin/kubelet").chmod(mode)
    assert "/usr/bin/kubelet: it is writable by others" in version_of(node)
    (node / "usr/bin/kubelet").chmod(0o755)
    (node / "usr").chmod(mode)
    assert "/usr: it is writable by others" in version_of(node)
    assert not (tmp_path / "asked").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_a_program_of_another_user_is_not_run(node: Path, tmp_path: Path) -> None:
    os.chown(node / "usr/bin/kubelet", 1000, 0)
    assert "/usr/bin/kubelet: it belongs to the user 1000, not to root" in version_of(node)
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    "path",
    [
        "/proc/700/root/usr/bin/kubelet",
        "/run/containerd/io.containerd.runtime.v2.task/k8s.io/x/rootfs/kubelet",
        "/var/lib/kubelet/pods/x/volumes/kubelet",
        "/var/lib/rancher/k3s/agent/containerd/x/fs/kubelet",
        "/var/lib/containerd/x/kubelet",
        "/tmp/kubelet",  # noqa: S108
        "/opt/../tmp/kubelet",
    ],
)
def test_a_program_where_containers_write_is_not_run(node: Path, tmp_path: Path, path: str) -> None:
    mark = tmp_path / "planted"
    program(node, path.replace("/opt/..", ""), mark=mark)
    write(node, "etc/systemd/system/kubelet.service.d/1.conf", f"[Service]\nExecStart=\nExecStart={path}\n")
    assert "not asked" in version_of(node) or "not read" in version_of(node)
    assert not mark.exists()


@pytest.mark.parametrize("target", ["/tmp/kubelet", "../../tmp/kubelet", "../../../outside"])  # noqa: S108
def test_a_link_to_a_program_elsewhere_is_not_followed(node: Path, tmp_path: Path, target: str) -> None:
    mark = tmp_path / "planted"
    program(node, "tmp/kubelet", mark=mark)
    program(tmp_path, "outside", mark=mark)
    (node / "usr/bin/kubelet").unlink()
    (node / "usr/bin/kubelet").symlink_to(target)
    assert "kubelet --version was not asked" in version_of(node) or "not read" in version_of(node)
    assert not mark.exists()


def test_links_within_the_programs_of_a_node_are_followed(node: Path) -> None:
    (node / "usr/bin/kubelet").rename(node / "usr/bin/kubelet-1.23")
    (node / "usr/bin/kubelet").symlink_to("/usr/bin/kubelet-1.23")
    assert version_of(node) == "Kubernetes v1.23.13\n"


def test_a_program_that_was_replaced_does_not_speak_for_the_one_that_runs(node: Path, tmp_path: Path) -> None:
    process(node, 700, "S", "kubelet", KUBELET)
    (node / "proc/700/exe").symlink_to(program(tmp_path, "before"))
    assert "/usr/bin/kubelet is not what runs: it was replaced" in probes(node)[1].problem
    (node / "proc/700/exe").unlink()
    (node / "proc/700/exe").symlink_to(node / "usr/bin/kubelet")
    assert probes(node)[1].read() == "Kubernetes v1.23.13\n"


@pytest.mark.parametrize(
    ("unit", "says"),
    [
        ("ExecStart=/usr/bin/kubelet", "Kubernetes v1.23.13\n"),
        ("ExecStart=/usr/local/bin/start-kubelet.sh", "Kubernetes v1.23.13\n"),
        ("ExecStart=/opt/none/kubelet", "kubelet --version was not asked: no program kubelet"),
        ("ExecStart=/usr/bin/%p", "kubelet.service names no program without variables"),
        ("ExecStart=/a\nExecStart=/b", "kubelet.service starts more than one program"),
    ],
)
def test_a_unit_names_the_program(node: Path, unit: str, says: str) -> None:
    write(node, "etc/systemd/system/kubelet.service", f"[Service]\n{unit}\n")
    assert version_of(node).startswith(says)


def test_without_a_unit_the_program_is_where_distributions_have_it(node: Path) -> None:
    (node / "etc/systemd/system/kubelet.service").unlink()
    (node / "usr/bin/kubelet").unlink()
    assert version_of(node).startswith("kubelet --version was not asked")
    program(node, "opt/bin/kubelet", "v1.20.1")
    assert version_of(node) == "Kubernetes v1.20.1\n"


@pytest.mark.parametrize("said", ["", "rm -rf", "Kubernetes", "v1.2.3"])
def test_what_is_no_release(node: Path, said: str) -> None:
    write(node, "usr/bin/kubelet", f"#!/bin/sh\necho '{said}'\n", 0o755)
    assert version_of(node) == "kubelet --version gave no release"


@pytest.mark.parametrize("unit", ["k3s.service", "k3s-agent.service"])
def test_k3s_reports_its_release(node: Path, unit: str) -> None:
    process(node, 700, "S", "k3s-server", "/system.slice/k3s.service")
    write(node, f"etc/systemd/system/{unit}", "[Service]\nExecStart=/usr/local/bin/k3s \\\n server\n")
    write(node, "usr/local/bin/k3s", "#!/bin/sh\necho 'k3s version v1.28.2+k3s1 (abc)'; echo go\n", 0o755)
    given, version = probes(node)
    assert version.read() == "Kubernetes v1.28.2+k3s1\n"
    assert given.problem == "the kubelet is a part of another program, k3s-server"


STARTED = "[Service]\nExecStart=/usr/local/bin/k3s \\\n server \\\n"


@pytest.mark.parametrize(("flags", "files", "shown"), K3S)
def test_what_k3s_is_given_for_its_kubelet(
    node: Path, flags: str, files: dict[str, str], shown: list[str] | None
) -> None:
    process(node, 700, "S", "k3s-server", "/system.slice/k3s.service")
    write(node, "etc/systemd/system/k3s.service", f"{STARTED}{flags}\n")
    for name, text in files.items():
        write(node, f"etc/rancher/k3s/{name}", text)
    *_, own = kubelets.probes(NodeReader(5, 20), Root(node), found(node))
    assert ((own.text or "").splitlines()[1:], bool(own.problem)) == (shown or [], shown is None)
