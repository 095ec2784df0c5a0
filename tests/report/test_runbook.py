"""The runbook: a shell that can be followed, whatever installs kubelets, and that stops when it has to."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hashcompat.core.model.impact import Installer
from tests.disruption.pods import budget, replica
from tests.disruption.test_batches import CONTROL_PLANE, labelled, static
from tests.helpers.pods import Json, as_json
from tests.helpers.program import SCRIPTS, Run
from tests.helpers.slices import every

UP = ("impact", "--from", "auto", "--to", "1.9.11", "-f", "-", "-o", "markdown")
VOLUME = {"volumes": [{"name": "v", "emptyDir": {}}]}


def cluster(server: str = "1.9.11") -> list[Json]:
    """Return a node of the control plane, two in place, two to drain, and one of Windows that is cordoned."""
    windows = labelled("w4", **{"kubernetes.io/os": "windows"})
    windows["spec"] = {"taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}
    gone = labelled("w5")
    gone["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    pods = [static(name, "cp-1", component=name) for name in ("etcd", "kube-apiserver")]
    pods[1]["spec"]["containers"][0]["image"] = f"registry.k8s.io/kube-apiserver:v{server}"
    return [
        labelled("cp-1", **{CONTROL_PLANE: ""}),
        *map(labelled, ("w0", "w1", "w2", "w3")),
        windows,
        gone,
        *pods,
        replica("web-0", "w0"),
        replica("web-1", "w1"),
        replica("db-0", "w2", owner="StatefulSet/db"),
        replica("tool", "w3", owner="", spec=VOLUME),
        budget("db", "db", minAvailable=1),
        budget("tool", "tool", minAvailable=1),
        replica("win-0", "w4", owner="StatefulSet/win"),
    ]


def runbook(run: Run, *options: str, objects: Sequence[Json] | None = None) -> str:
    return run(*UP, "--all-budgets", *options, stdin=as_json(*(objects or cluster()))).out


def blocks(text: str) -> list[str]:
    """Return the blocks of shell."""
    return [part.partition("\n```")[0] for part in text.split("\n```sh\n")[1:]]


def section(text: str, title: str) -> str:
    return text.partition(f"\n## {title}")[2].partition("\n## ")[0]


class Shell:
    """Runs blocks of a runbook where every program only writes down how it was called."""

    def __init__(self, tmp_path: Path) -> None:
        self._bin, self._log = tmp_path / "bin", tmp_path / "log"
        self._bin.mkdir()
        for name in ("kubectl", "ssh", "hashcompat", "talosctl", "sleep"):
            self.answers(name, 0)

    def answers(self, name: str, code: int, on: str = "*") -> None:
        """Let a program end with a code where an argument matches, else with 0."""
        program = self._bin / name
        fails = f'for word; do case "$word" in {on}) exit {code} ;; esac; done'
        log = f'echo "{name} $*" | tr "\\n" " " >>{self._log}; echo >>{self._log}'
        shows = 'case "$*" in "get pods "*) echo pod/web-0 ;; esac'
        program.write_text(f"#!/bin/sh\n{log}\n{shows}\n{fails}\n")
        program.chmod(0o755)

    def __call__(self, shell: str, *script: str) -> tuple[int, list[str]]:
        self._log.write_text("")
        path = {"PATH": f"{self._bin}:/usr/bin:/bin"}
        done = subprocess.run([shell, "-c", "\n".join(script)], env=path, cwd=self._bin, check=False)
        lines = (line.strip() for line in self._log.read_text().splitlines())
        return done.returncode, [line for line in lines if not line.startswith("sleep")]


@pytest.mark.parametrize("installer", list(Installer))
@pytest.mark.parametrize("server", every(2, ["1.9.11", "1.7.16"]))
def test_shellcheck_finds_nothing(run: Run, tmp_path: Path, installer: str, server: str) -> None:
    text = runbook(run, "--with", installer, "--batch", "3", objects=cluster(server))
    script = tmp_path / "runbook.sh"
    script.write_text("\n".join(blocks(text)))
    result = subprocess.run(
        [SCRIPTS / "shellcheck", "--shell=sh", script], capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.returncode) == ("", 0)


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_a_batch_in_place(run: Run, tmp_path: Path, shell: str) -> None:
    """Both kubelets are restarted at once, then each node has to be back before anything else happens."""
    pods = [replica("web-0", "w0"), replica("db-0", "w1", owner="StatefulSet/db")]
    text = runbook(run, "--batch", "2", objects=[labelled("w0"), labelled("w1"), *pods])
    functions, batch = blocks(text)[0], blocks(text)[-1]
    assert batch == "batch w0 w1"
    code, calls = Shell(tmp_path)(shell, functions, batch)
    assert code == 0
    assert [" ".join(call.split()[:4]) for call in calls] == [
        *("kubectl cordon w0", "ssh -n w0 set", "kubectl cordon w1", "ssh -n w1 set"),
        *("kubectl get --raw=/readyz", *["kubectl wait node/w0 --for=" + rest for rest in WAITS]),
        *("kubectl get pods --all-namespaces", "kubectl wait pods --all-namespaces", "kubectl uncordon w0"),
        *("kubectl get --raw=/readyz", *["kubectl wait node/w1 --for=" + rest for rest in WAITS]),
        *("kubectl get pods --all-namespaces", "kubectl wait pods --all-namespaces", "kubectl uncordon w1"),
        "hashcompat gate --plan=plan.json --after",
    ]
    assert calls[-1].endswith("--after --settle 120 --node=w0 --node=w1")


WAITS = ("jsonpath={.status.nodeInfo.kubeletVersion}=v1.9.11", "condition=Ready")


@pytest.mark.parametrize("shell", ["dash", "bash"])
@pytest.mark.parametrize(
    ("fails", "on", "last"),
    [
        ("ssh", "w0", "ssh -n w0"),
        ("kubectl", "node/w0", "kubectl wait node/w0"),
        ("kubectl", "--output=name", "kubectl get pods"),
        ("kubectl", "--timeout=10m", "kubectl wait pods"),
        ("hashcompat", "gate", "hashcompat gate --plan=plan.json"),
    ],
)
def test_nothing_follows_a_command_that_fails(
    run: Run, tmp_path: Path, shell: str, fails: str, on: str, last: str
) -> None:
    text = runbook(run, objects=[labelled("w0"), replica("web-0", "w0")])
    functions, batch = blocks(text)[0], blocks(text)[-1]
    fake = Shell(tmp_path)
    fake.answers(fails, 2, on)
    code, calls = fake(shell, functions, batch)
    assert code == 2
    assert calls[-1].startswith(last)
    assert ("kubectl uncordon w0" in calls) is (fails == "hashcompat")


def test_the_control_plane_waits_for_etcd_and_its_api_server(run: Run, tmp_path: Path) -> None:
    text = runbook(run, "--with", "kubeadm")
    assert section(text, "Batch 1 of").startswith(" 6: 1 node, in place, control plane")
    functions, first = blocks(text)[0], blocks(section(text, "Batch 1 of"))[0]
    code, calls = Shell(tmp_path)("dash", functions, first)
    pods = "pod/etcd-cp-1 pod/kube-apiserver-cp-1"
    assert code == 0
    assert calls[-1] == f"kubectl wait --namespace=kube-system {pods} --for=condition=Ready --timeout=10m"
    assert "etcdctl" in section(text, "The control plane first")


def test_api_servers_come_before_kubelets(run: Run, tmp_path: Path) -> None:
    text = runbook(run, "--with", "kubeadm", objects=cluster("1.7.16"))
    page = section(text, "The control plane first")
    assert "kube-apiserver is 1.7.16 on cp-1: no kubelet may be newer" in page
    assert "API servers go through every minor in between" in page
    code, calls = Shell(tmp_path)("dash", blocks(text)[0], blocks(page)[0])
    assert code == 0
    assert calls[1].endswith("sudo kubeadm upgrade apply --yes v1.9.11")
    assert calls[-1].startswith("kubectl wait --namespace=kube-system pod/etcd-cp-1 pod/kube-apiserver-cp-1")
    package = section(runbook(run, objects=cluster("1.7.16")), "The control plane first")
    assert "# upgrade kube-apiserver on cp-1 as it was installed, one by one\n" in package
    assert "no kubelet may be newer" not in runbook(run)


def test_without_a_snapshot_no_api_server_is_upgraded(run: Run, tmp_path: Path) -> None:
    text = runbook(run, "--with", "kubeadm", objects=cluster("1.7.16"))
    fake = Shell(tmp_path)
    fake.answers("kubectl", 1, "snapshot")
    code, calls = fake("dash", blocks(text)[0], blocks(section(text, "The control plane first"))[0])
    assert (code, [call.split()[:2] for call in calls]) == (1, [["kubectl", "exec"]])


def test_an_installer_that_cannot_be_downloaded_restarts_nothing(run: Run, tmp_path: Path) -> None:
    """A pipe ends as its last command does, so a shell that was given nothing would have installed it."""
    functions = blocks(runbook(run, "--with", "rke2"))[0]
    fake = Shell(tmp_path)
    for name, code in (("sudo", 0), ("systemctl", 0), ("curl", 22)):
        fake.answers(name, code)
    here = 'on() { sh -c "$2"; }'
    code, calls = fake("dash", functions, here, "kubelet w0 1.9.11+rke2r1")
    assert (code, calls[-1].startswith("curl ")) == (22, True)
    fake.answers("curl", 0)
    code, calls = fake("dash", functions, here, "kubelet w0 1.9.11+rke2r1")
    assert (code, calls[-1]) == (0, "sudo systemctl restart rke2-server")
    assert calls[-2].startswith("sudo INSTALL_RKE2_VERSION=v1.9.11+rke2r1 INSTALL_RKE2_TYPE=server sh /")


@pytest.mark.parametrize(
    ("shown", "code", "nodes"),
    [("", 1, []), ("10.0.0.1", 0, ["10.0.0.1"]), ("10.0.0.1 fd00::1", 0, ["10.0.0.1"])],
)
def test_talosctl_is_given_one_address_or_not_called(
    run: Run, tmp_path: Path, shown: str, code: int, nodes: list[str]
) -> None:
    """With none it acts on all nodes of its own configuration; a node of both families has two."""
    text = runbook(run, "--with", "talos", objects=cluster("1.7.16"))
    fake = Shell(tmp_path)
    upgrade = blocks(section(text, "The control plane first"))[0]
    assert "talos cp-1 etcd snapshot before.db\ntalos cp-1 upgrade-k8s" in upgrade
    kubectl = f'kubectl() {{ printf "%s" "{shown}"; }}'
    for command in ("kubelet w0 1.9.11", upgrade):
        status, calls = fake("dash", blocks(text)[0], kubectl, command)
        assert status == code
        assert list(dict.fromkeys(call.split()[2] for call in calls)) == nodes


def test_an_api_server_that_the_input_does_not_show_is_the_one_named_or_not_known(run: Run) -> None:
    objects = [manifest for manifest in cluster() if manifest["metadata"]["name"] != "kube-apiserver-cp-1"]
    assert len(objects) < len(cluster())
    page = section(runbook(run, objects=objects), "The control plane first")
    assert "Which release the API servers have is not known: no kubelet may be newer.\n" in page
    assert "kubectl version\n" in page
    assert "nothing to do" not in page
    old = runbook(run, "--apiserver", "1.7.16", "--with", "kubeadm", objects=objects)
    assert "kube-apiserver is 1.7.16: no kubelet may be newer" in section(old, "The control plane first")
    assert "with_kubeadm cp-1 'apply --yes v" in old.replace('"', "'")
    new = section(runbook(run, "--apiserver", "1.9.11", objects=objects), "The control plane first")
    assert "nothing to do: no API server is older" in new


def test_without_a_control_plane_in_the_input_somebody_else_upgrades_it(run: Run) -> None:
    text = runbook(run, objects=[labelled("w0"), replica("web", "w0")])
    assert "No node of the control plane is in the input" in text
    assert "kubectl version\n" in text


def test_what_is_drained_windows_and_left_out(run: Run, tmp_path: Path) -> None:
    text = runbook(run, "--batch", "3")
    assert "- Left out: w5 is not Ready: to be repaired or removed first\n" in text
    assert "w5" not in "\n".join(blocks(text))
    second = labelled("w6")
    second["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    both = runbook(run, objects=[*cluster(), second])
    assert "- Left out: w5, w6 are not Ready: to be repaired or removed first\n" in both
    functions, *others = blocks(text)
    (drains,) = [block for block in others if "kubectl drain" in block]
    assert drains.splitlines() == [
        *("(", "set -e", "kubectl drain w2 --timeout=30m"),
        "# --force deletes pods that nothing creates again; save their manifests first",
        "kubectl drain w3 --delete-emptydir-data --force --timeout=30m",
        *("batch w2 w3", ")"),
    ]
    assert "- w2: evictions wait for ns/db\n" in text
    assert "- Nothing creates it again: ns/tool\n" in text
    code, calls = Shell(tmp_path)("dash", functions, "batch w4")
    assert code == 0
    assert next(call for call in calls if "powershell" in call).endswith("-Command Stop-Service kubelet")
    assert not any(call.startswith(("ssh -n w4 set", "kubectl uncordon")) for call in calls)


@pytest.mark.parametrize(
    ("labels", "info", "is_windows"),
    [
        ({}, {"operatingSystem": "windows"}, True),
        ({"kubernetes.io/os": "windows"}, {"operatingSystem": "linux"}, False),
        ({"beta.kubernetes.io/os": "windows"}, {}, True),
        ({}, {}, False),
    ],
)
def test_what_a_node_reports_shows_windows_before_its_labels(
    run: Run, labels: Json, info: Json, is_windows: bool
) -> None:
    """A kubelet corrects its labels; an old one has the beta label alone."""
    made = labelled("w9", **labels)
    made["status"]["nodeInfo"].update(info)
    assert ("on_windows" in runbook(run, objects=[made, replica("web", "w9")])) is is_windows


@pytest.mark.parametrize(
    ("installer", "command"),
    [
        ("k3s", "k3s-io/k3s/releases/download/v$2/"),
        ("rke2", "INSTALL_RKE2_VERSION='v$2'"),
        ("talos", "/machine/kubelet/image"),
        ("package", "'kubelet=$2-*'"),
        ("kubeadm", "sudo kubeadm upgrade $2"),
    ],
)
def test_each_installer_has_its_commands(run: Run, installer: str, command: str) -> None:
    functions = blocks(runbook(run, "--with", installer))[0]
    assert command in functions
    assert ("on_windows" in functions) is True
    release = {"k3s": "1.9.11+k3s1", "rke2": "1.9.11+rke2r1"}.get(installer, "1.9.11")
    assert f"target={release}\n" in functions


def test_a_cordoned_node_stays_so_where_no_taint_shows_it(run: Run) -> None:
    """Controllers add the taint from 1.12 on; kubectl cordon sets the field alone."""
    nodes = [labelled("w0"), {**labelled("w1"), "spec": {"unschedulable": True}}]
    text = runbook(run, objects=[*nodes, replica("web", "w0"), replica("web-1", "w1")])
    assert 'was_cordoned() { case "$1" in w1) ;; *) return 1 ;; esac; }' in text


def test_the_releases_of_nodes_show_what_installs_them(run: Run) -> None:
    nodes = [labelled("w0", "1.30.4+k3s1"), replica("web", "w0")]
    text = run(*UP[:3], "--to", "v1.31.4+k3s1", *UP[5:], stdin=as_json(*nodes)).out
    assert ", k3s\n" in text.splitlines()[0] + "\n"
    assert "target=1.31.4+k3s1\n" in text


def test_how_to_go_back(run: Run, tmp_path: Path) -> None:
    text = runbook(run)
    assert "- Kubelet 1.8.15 now: cp-1, w0, w1, w4, w2, w3\n" in section(text, "How to go back")
    shell = Shell(tmp_path)
    code, calls = shell("bash", blocks(text)[0], "back w0 1.8.15")
    assert code == 0
    assert "'kubelet=1.8.15-*'" in calls[1]
    assert "kubectl uncordon w0" in calls
    code, calls = shell("bash", blocks(text)[0], "back w4 1.8.15")
    assert code == 0
    assert "kubectl uncordon w4" not in calls


def test_its_own_commands_are_ones_that_the_program_takes(run: Run, tmp_path: Path) -> None:
    functions, before, *_ = blocks(runbook(run))
    _, calls = Shell(tmp_path)("dash", functions, before, "check w0 w1")
    own = [call.split()[1:] for call in calls if call.startswith("hashcompat")]
    assert [words[0] for words in own] == ["preflight", "plan", "gate"]
    for words in own:
        assert run(*words, "--help").code == 0, words


def test_forty_nodes_are_a_few_pages(run: Run) -> None:
    nodes = [labelled(f"n{number:02}") for number in range(40)]
    pods = [replica(f"a{number}-0", f"n{number:02}", owner=f"StatefulSet/a{number}") for number in range(40)]
    text = runbook(run, "--batch", "4", objects=[*nodes, *pods])
    assert text.count("\n## Batch ") == 10
    assert len(text.splitlines()) < 220


def test_what_could_not_be_avoided_is_said(run: Run) -> None:
    unsure = [replica(f"web-{number}", f"n{number}", ready="") for number in range(2)]
    text = runbook(run, "--batch", "2", objects=[*unsure, budget(minAvailable=1)])
    assert "- Not with batch 1 (n1 and n0 at once): PodDisruptionBudget ns/web lets 0 healthy pods go" in text
    alone = runbook(run, objects=[*unsure, budget(minAvailable=2)])
    assert "- Even so: PodDisruptionBudget ns/web may be breached\n" in alone
    assert "# no drain is needed where the reasons above are settled otherwise\n" in alone
    both = [replica(f"web-{number}", "n1") for number in range(2)]
    text = runbook(run, objects=both)
    assert "# all replicas of ns/StatefulSet/web are here: move one by one first\n" in text


def test_a_context_is_named_once_and_quoted() -> None:
    """A context may have any name; one that nobody sees whole gets no commands."""
    from msgspec import structs

    import hashcompat
    from hashcompat.core.model.pods import Origin
    from hashcompat.output.formats import FORMATS
    from hashcompat.output.formats.model import Style
    from hashcompat.output.report.impact import IMPACT

    impact: Any = hashcompat.impact([replica("web", "w0")], "1.8.15", "1.9.11", all_budgets=True)

    def text(context: str) -> str:
        named = structs.replace(impact, origin=Origin(context=context))
        return "".join(FORMATS["markdown"].render(IMPACT, named, Style()))

    assert "kubectl() { command kubectl '--context=a b' \"$@\"; }\n" in text("a b")
    assert "--settle 120 \"$@\" '--context=a b'\n" in text("a b")
    hidden = text("a\u202eb")
    assert "# no commands: the name of the context has characters that are not visible\n" in hidden
    assert "kubectl" not in "".join(blocks(hidden))
