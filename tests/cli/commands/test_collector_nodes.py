"""The collector on nodes without a real runtime, in each shell: what it asks and leaves out, and how long."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from hashcompat.core.model.verdicts import Recorded
from hashcompat.core.records.collected import from_dump
from hashcompat.core.records.probes import AbsentError, Dump
from tests.helpers import cgrouptrees
from tests.helpers.dumps import read_back
from tests.helpers.fakenode import CONTAINERD, DOCKER, HANG, FakeNode, fake_node
from tests.helpers.hostproc import K3S, MICROK8S, OF_MICROK8S
from tests.helpers.pods import as_json, pod
from tests.helpers.program import Run
from tests.helpers.secretfiles import CERTIFICATE, MARKER, SECRETS

HASH = "io.kubernetes.container.hash"
HOOK = json.dumps({"exec": {"command": ["login", MARKER]}})
CONFIG = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
SLACK = 40
"""Seconds that a busy machine may add to the deadlines."""


SHELLS = (
    pytest.param("/bin/sh", marks=pytest.mark.slow),
    pytest.param("busybox", marks=pytest.mark.runtime),
)


ROWS = pytest.mark.parametrize(
    "node", [SHELLS[0], pytest.param("busybox", marks=[pytest.mark.runtime, pytest.mark.full])], indirect=True
)
"""Of a table whose rows differ in what is read, and not in what the shell does for it."""


@pytest.fixture(params=SHELLS)
def node(request: pytest.FixtureRequest) -> Iterator[FakeNode]:
    with fake_node(request.param) as made:
        yield made


def labels(pod_name: str) -> dict[str, str]:
    return {
        "io.kubernetes.container.name": "c",
        "io.kubernetes.pod.name": pod_name,
        "io.kubernetes.pod.namespace": "ns",
        "io.kubernetes.pod.uid": f"uid-{pod_name}",
    }


def cri_list(*names: str) -> str:
    """Return what crictl lists: containers that run, whose annotations hold a secret."""
    rows = [
        {
            "id": f"id-{name}",
            "metadata": {"name": "c", "attempt": 0},
            "state": "CONTAINER_RUNNING",
            "labels": labels(name),
            "annotations": {"io.kubernetes.container.preStopHandler": HOOK, HASH: "7"},
        }
        for name in names
    ]
    return json.dumps({"containers": rows}, indent=2)


def cri_pods(*names: str) -> str:
    rows = [
        {
            "id": f"pod-{name}",
            "metadata": {"name": name, "namespace": "ns", "uid": f"uid-{name}"},
            "state": "SANDBOX_READY",
            "annotations": {"last-applied": f'{{"env":"{MARKER}"}}', "b": MARKER},
        }
        for name in names
    ]
    return json.dumps({"items": rows}, indent=2)


def cri_inspect(name: str, pid: int) -> str:
    """Return what crictl shows of a container: its environment and arguments are secrets."""
    process = {"args": ["login", MARKER], "env": [f"TOKEN={MARKER}"], "pid": 999}
    config = {"envs": [{"key": "TOKEN", "value": MARKER}], "annotations": {"a": MARKER}}
    status = {
        "id": f"id-{name}",
        "state": "CONTAINER_RUNNING",
        "message": MARKER,
        "annotations": {"a": MARKER},
    }
    info = {"pid": pid, "sandboxID": "s", "config": config, "runtimeSpec": {"process": process}}
    return json.dumps({"info": info, "status": status}, indent=2)


def cri_sandbox(name: str, network: str) -> str:
    status = {
        "id": f"pod-{name}",
        "metadata": {"name": name, "namespace": "ns", "uid": f"uid-{name}"},
        "state": "SANDBOX_READY",
        "linux": {"namespaces": {"options": {"network": network}}},
        "annotations": {"a": MARKER},
    }
    return json.dumps({"info": {"config": {"annotations": {"a": MARKER}}}, "status": status}, indent=2)


def with_crictl(node: FakeNode, *names: str) -> None:
    node.listen(CONTAINERD)
    node.program(
        "crictl",
        {
            "ps": cri_list(*names),
            "pods": cri_pods(*names),
            "version": "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  1.6.20\n",
            "info": json.dumps({"config": {"registry": {"auth": MARKER}}, "status": {}}),
            **{f"inspectp-pod-{name}": cri_sandbox(name, "NODE") for name in names},
            **{f"inspect-id-{name}": cri_inspect(name, 100 + number) for number, name in enumerate(names)},
            **{f"stats-id-{name}": '{"stats": []}' for name in names},
        },
    )


def docker_row(identity: str, name: str, status: str = "Up 3 hours") -> str:
    given = {
        "io.kubernetes.docker.type": "container",
        **labels("p"),
        f"annotation.{HASH}": "7",
        "io.kubernetes.sandbox.id": "",
    }
    row = {
        "Id": identity,
        "Names": [f"/{name}"],
        "Created": "2026-01-02 03:04:05 +0200 EET",
        "State": "",
        "Status": status,
        "HostConfig": {"NetworkMode": "none"},
        "Labels": given,
    }
    return json.dumps(row, separators=(",", ":")) + "\n"


def with_docker(node: FakeNode, count: int = 1) -> None:
    node.listen(DOCKER)
    rows = [
        docker_row(f"{number:064x}", f"k8s_c_p{number}_ns_uid-p{number}_0") for number in range(1, count + 1)
    ]
    node.program("docker", {"ps": "".join(rows), "version": "{}", "info": "{}"})
    for number in range(1, count + 1):
        state = {"Running": True, "Paused": False, "Pid": 200 + number, "ExitCode": 0}
        shown = {
            "Id": f"{number:064x}",
            "Name": f"/k8s_c_p{number}_ns_u_0",
            "State": state,
            "Config": {"Labels": {}},
        }
        text = json.dumps(shown, separators=(",", ":")) + "\n"
        (node.directory / "answers" / f"docker-inspect-{number:064x}").write_text(text)


def problem(dump: Dump, kind: str, name: str) -> str:
    return dump.probe(kind, name).problem


def recorded(run: Run, node: FakeNode, text: str) -> tuple[int, str]:
    file = node.directory / "dump.json"
    file.write_text(text)
    result = run(
        "verify",
        "--kubelet",
        "1.30.14",
        "-f",
        "-",
        "--recorded",
        file,
        stdin=as_json(pod({"name": "c"}, name="p")),
    )
    return result.code, result.out + result.err


def test_a_node_without_anything_gives_a_whole_dump(node: FakeNode, run: Run) -> None:
    for preflight in (False, True):
        dump = node.dump(preflight=preflight)
        assert (dump.node, dump.complete) == ("n1", True)
        with pytest.raises(AbsentError):
            dump.read("cri", "containers")
        with pytest.raises(AbsentError):
            dump.read("docker", "list")
    code, text = recorded(run, node, node.run())
    assert code == 1
    assert "node n1: it has no container runtime at a usual path" in text


def test_crictl_is_asked_for_containers_and_sandboxes(node: FakeNode, run: Run) -> None:
    with_crictl(node, "p", "q")
    text = node.run()
    (dump,) = read_back(text)
    assert dump.read("endpoint", "cri") == f"{node.host}{CONTAINERD}"
    rows = json.loads(dump.read("cri", "containers"))["containers"]
    assert [row["annotations"][HASH] for row in rows] == ["7", "7"]
    assert json.loads(dump.read("cri", "inspectp pod-q"))["status"]["linux"]["namespaces"]["options"] == {
        "network": "NODE"
    }
    assert MARKER not in text
    assert recorded(run, node, text)[0] == 2  # a hash that differs


def test_of_containers_that_ended_the_newest_is_asked_for_its_exit_code(node: FakeNode) -> None:
    """One that was created again is not: its code decides nothing."""
    with_crictl(node, "p", "q")
    listed = json.loads(cri_list("p", "q", "r", "s"))
    ended = [
        {
            "id": row["id"],
            "podSandboxId": sandbox,
            **row,
            "metadata": {"name": name, "attempt": attempt},
            "state": state,
        }
        for row, (sandbox, name, attempt, state) in zip(
            listed["containers"],
            [
                ("s1", "c", 1, "CONTAINER_RUNNING"),
                ("s1", "c", 0, "CONTAINER_EXITED"),
                ("s2", "c", 0, "CONTAINER_EXITED"),
                ("s2", "c", 3, "CONTAINER_EXITED"),
            ],
            strict=True,
        )
    ]
    (node.directory / "answers" / "crictl-ps").write_text(json.dumps({"containers": ended}, indent=2))
    shown = {"info": {"pid": 0}, "status": {"id": "id-s", "state": "CONTAINER_EXITED", "exitCode": 42}}
    node.program("crictl", {"inspect-id-s": json.dumps(shown, indent=2)})
    text = node.run()
    (dump,) = read_back(text)
    assert [probe.name for probe in dump.of_kind("cri") if probe.name.startswith("ended")] == ["ended id-s"]
    codes = {record.id: record.code for record in from_dump(dump) if isinstance(record, Recorded)}
    assert codes == {"id-p": None, "id-q": None, "id-r": None, "id-s": 42}


def test_compact_answers_hold_no_annotation_either(node: FakeNode) -> None:
    with_crictl(node, "p")
    (node.directory / "answers" / "crictl-ps").write_text(json.dumps(json.loads(cri_list("p"))))
    (node.directory / "answers" / "crictl-pods").write_text(
        json.dumps(json.loads(cri_pods("p")), separators=(",", ":"))
    )
    (node.directory / "answers" / "crictl-inspect-id-p").write_text(
        json.dumps(json.loads(cri_inspect("p", 7)))
    )
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert json.loads(dump.read("cri", "containers"))["containers"][0]["annotations"][HASH] == "7"
    assert json.loads(dump.read("cri", "pods"))["items"][0]["id"] == "pod-p"
    assert json.loads(dump.read("cri", "inspect id-p"))["info"] == {"pid": 7, "sandboxID": "s"}
    assert MARKER not in text


def test_the_runtime_with_most_running_containers_is_the_kubelets(node: FakeNode) -> None:
    with_crictl(node, "p", "q")
    node.listen("/run/crio/crio.sock")
    node.script(
        "crictl", "ps", f"case $* in *crio*) cat {node.directory}/few ;; *) cat {node.directory}/many ;; esac"
    )
    (node.directory / "few").write_text(cri_list("r"))
    (node.directory / "many").write_text(cri_list("p", "q"))
    assert node.dump().read("endpoint", "cri").endswith(CONTAINERD)
    node.script("crictl", "ps", f"case $* in *crio*) cat {node.directory}/many ;; *) exit 1 ;; esac")
    assert node.dump().read("endpoint", "cri").endswith("crio.sock")


@ROWS
@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param(HANG, "no answer within 1 s", id="it hangs"),
        pytest.param("sleep 600 & wait", "no answer within 1 s", id="a program of its own hangs"),
        pytest.param("setsid sleep 60 & wait", "no answer within 1 s", id="what it started keeps the pipes"),
        pytest.param(
            "trap '' TERM; while :; do sleep 600; done", "no answer within 1 s", id="it ignores signals"
        ),
        pytest.param("echo 'x: permission denied' >&2; exit 1", "permission denied", id="it may not"),
        pytest.param("echo one >&2; echo two >&2; exit 3", "one; two", id="it fails and says why"),
        pytest.param("exit 3", "exit status 3", id="it fails and is silent"),
        pytest.param(
            "printf '\"\\001\\\\' >&2; exit 1", '"\x01\\', id="it complains in signs that JSON escapes"
        ),
    ],
)
def test_a_runtime_that_gives_no_answer(node: FakeNode, run: Run, script: str, said: str) -> None:
    with_crictl(node, "p")
    node.script("crictl", "ps", script)
    text = node.run(SECONDS_EACH="1")
    assert node.took < SLACK
    (dump,) = read_back(text)
    assert problem(dump, "cri", "containers") == said
    code, shown = recorded(run, node, text)
    assert code == 1
    assert "node n1: its runtime could not be asked: " in shown


@ROWS
@pytest.mark.parametrize(
    ("complaint", "said"),
    [
        (
            f'Get "https://u:{MARKER}@{MARKER}@host/x?k={MARKER}": refused',
            'Get "https://host/x": refused',
        ),
        (f"sent Authorization: Bearer {MARKER}, and failed", "sent Authorization:***, and failed"),
        (f"bad env A_B={MARKER}, too", "bad env A_B=***, too"),
        (f'{{"api_key": "{MARKER}"}}', '{"api_key":***'),
        ('time="12:00" level=fatal msg="no such host"', 'time="12:00" level=fatal msg="no such host"'),
    ],
    ids=["a URL", "a header", "a variable", "JSON", "a line of a log"],
)
def test_complaints_are_passed_on_without_secrets(node: FakeNode, complaint: str, said: str) -> None:
    with_crictl(node, "p")
    (node.directory / "complaint").write_text(complaint + "\n")
    node.script("crictl", "ps", f"cat {node.directory}/complaint >&2; exit 1")
    text = node.run()
    (dump,) = read_back(text)
    assert MARKER not in text
    assert problem(dump, "cri", "containers") == said


def test_an_answer_that_is_no_json_is_an_error_that_says_so(node: FakeNode, run: Run) -> None:
    with_crictl(node, "p")
    node.script("crictl", "ps", "echo 'io.kubernetes.container.name, or so'")
    code, shown = recorded(run, node, node.run())
    assert code == 1
    assert "node n1: its runtime could not be asked: cri containers: " in shown


def test_complaints_of_a_program_that_succeeds_stay_out_of_its_answer(node: FakeNode) -> None:
    with_crictl(node, "p")
    node.script("crictl", "ps", f"echo WARN >&2; cat {node.directory}/rows; echo WARN >&2")
    (node.directory / "rows").write_text(cri_list("p"))
    hidden = cri_list("p").replace(json.dumps(HOOK), '""')
    assert hidden != cri_list("p")
    assert node.dump().read("cri", "containers") == hidden


def test_a_socket_without_a_program_that_could_ask_there(node: FakeNode) -> None:
    node.listen(CONTAINERD)
    node.listen(DOCKER)
    dump = node.dump()
    assert problem(dump, "cri", "containers") == "crictl is not on this node"
    assert problem(dump, "docker", "list") == "docker is not on this node"


def test_docker_is_asked_for_its_list_alone(node: FakeNode, run: Run) -> None:
    with_docker(node)
    node.script("docker", "inspect", HANG)
    text = node.run()
    (dump,) = read_back(text)
    (row,) = json.loads(dump.read("docker", "list"))
    assert (row["State"], row["Created"]) == ("running", "2026-01-02T03:04:05+02:00")
    assert row["Labels"]["annotation." + HASH] == "7"
    assert "io.kubernetes.sandbox.id" not in row["Labels"]
    assert recorded(run, node, text)[0] in (2, 3)


@ROWS
@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("Up 3 hours", "running"),
        ("Up 3 hours (Paused)", "paused"),
        ("Exited (0) 2 days ago", "exited"),
        ("Restarting (1) 2 seconds ago", "restarting"),
        ("Created", "created"),
        ("Dead", "dead"),
        ("Removal In Progress", "removing"),
    ],
)
def test_dockers_states(node: FakeNode, status: str, state: str) -> None:
    with_docker(node)
    (node.directory / "answers" / "docker-ps").write_text(docker_row("a" * 64, "k8s_c_p_ns_u_0", status))
    assert json.loads(node.dump().read("docker", "list"))[0]["State"] == state


def test_an_old_docker_knows_neither_networks_nor_formats_of_info(node: FakeNode) -> None:
    with_docker(node)
    (node.directory / "answers" / "rows").write_text(docker_row("a" * 64, "k8s_c_p_ns_u_0"))
    node.script(
        "docker",
        "ps",
        "case $* in *.Networks*) echo 'cannot find field Networks' >&2; exit 1 ;; esac\n"
        f"cat {node.directory}/answers/rows",
    )
    node.script(
        "docker",
        "info",
        "case $* in *--format*) echo 'unknown flag' >&2; exit 125 ;; esac\n"
        "printf 'Server Version: 1.12.6\\n Cgroup Driver: systemd\\nLive Restore Enabled: false\\n'",
    )
    dump = node.dump(preflight=True)
    assert [row["Id"] for row in json.loads(dump.read("docker", "list"))] == ["a" * 64]
    assert json.loads(dump.read("docker", "info")) == {
        "ServerVersion": "1.12.6",
        "CgroupDriver": "systemd",
        "LiveRestoreEnabled": False,
    }


def test_one_container_that_hangs_leaves_the_others_readable(node: FakeNode) -> None:
    with_docker(node, 10)
    hanging, removed = f"inspect-{3:064x}", f"inspect-{4:064x}"
    node.script("docker", hanging, HANG)
    node.script("docker", removed, "echo 'Error: No such container: 4' >&2; exit 1")
    dump = node.dump(preflight=True, SECONDS_EACH="2")
    for number in range(1, 11):
        name = f"inspect {number:064x}"
        if number == 3:
            assert problem(dump, "docker", name) == "no answer within 2 s"
        elif number == 4:
            with pytest.raises(AbsentError):
                dump.read("docker", name)
        else:
            assert json.loads(dump.read("docker", name))["State"]["Pid"] == 200 + number


def test_at_most_eight_containers_are_asked_about_at_once_and_each_once(node: FakeNode) -> None:
    with_docker(node, 20)
    for number in range(1, 21):
        answer = node.directory / "answers" / f"docker-inspect-{number:064x}"
        answer.rename(node.directory / "answers" / f"kept-{number:064x}")
    log = node.directory / "log"
    node.script(
        "docker",
        "inspect",
        f"for id; do :; done; echo + >> {log}; sleep 0.3; echo - >> {log}\n"
        f"cat {node.directory}/answers/kept-$id",
    )
    dump = node.dump(preflight=True)
    signs = log.read_text().split()
    at_once = [signs[: end + 1].count("+") - signs[: end + 1].count("-") for end in range(len(signs))]
    assert signs.count("+") == 20
    assert 2 <= max(at_once) <= 8
    assert sum(probe.text is not None for probe in dump.of_kind("docker")) == 3 + 20


def test_the_whole_is_bounded_however_much_hangs(node: FakeNode) -> None:
    with_docker(node, 40)
    with_crictl(node, *(f"p{number}" for number in range(40)))
    for program in ("docker", "crictl"):
        for verb in ("inspect", "inspectp", "stats", "info", "version"):
            for answer in (node.directory / "answers").glob(f"{program}-{verb}*"):
                answer.unlink()
            node.script(program, verb, HANG)
    dump = node.dump(preflight=True, SECONDS_EACH="1", SECONDS_WHOLE="3")
    assert node.took < 3 + 1 + SLACK  # one after the other they would take more than 4 minutes
    assert dump.complete
    said = {probe.problem for probe in dump.of_kind("cri")} | {
        probe.problem for probe in dump.of_kind("docker")
    }
    assert "not read: the 3 s for the whole node were over" in said


def test_every_byte_of_a_file_becomes_json(node: FakeNode) -> None:
    source = random.Random(20260102)
    parts = [
        b"\xe2\x82\xac",
        b"\xe2\x82",
        b"\xf0\x9f\x98\x80",
        b"\xed\xa0\x80",
        b"\xc0\xaf",
        b"\r\n",
        b"\n",
        b"\0",
        b'"\\\t',
        b"a",
    ]
    mixed = b"".join(source.choice(parts) for _ in range(4000))
    contents = (
        bytes(range(256)),
        b"",
        b"\n",
        b"no end",
        b"a\n\n",
        b"\0" * 100,
        mixed,
        mixed.replace(b"\n", b"x"),
    )
    for number, content in enumerate(contents):
        node.write(f"/sys/devices/system/node/node{number}/meminfo", content)
    dump = node.dump(preflight=True)
    for number, content in enumerate(contents):
        assert dump.read("file", f"/sys/devices/system/node/node{number}/meminfo") == content.decode(
            "utf-8", "replace"
        )


def test_what_may_not_be_read_says_so_and_is_never_missing(node: FakeNode) -> None:
    node.write("/etc/default/kubelet", "A=--v=2\n").chmod(0)
    state = node.write("/var/lib/kubelet/cpu_manager_state", "{}")
    state.parent.chmod(0)
    (dump,) = read_back(node.run(preflight=True, user=None if os.geteuid() else 65534))
    state.parent.chmod(0o700)
    assert problem(dump, "file", "/etc/default/kubelet") == "permission denied"
    assert problem(dump, "file", "/var/lib/kubelet/cpu_manager_state") == "permission denied"
    with pytest.raises(AbsentError):
        dump.read("file", "/etc/sysconfig/kubelet")


def test_a_file_that_never_ends_its_answer_is_given_up(node: FakeNode) -> None:
    os.mkfifo(node.write("/etc/os-release", "").with_name("fifo"))
    (node.host / "etc" / "os-release").unlink()
    (node.host / "etc" / "os-release").symlink_to("fifo")
    dump = node.dump(preflight=True, SECONDS_EACH="1")
    assert problem(dump, "file", "/etc/os-release") == "no answer within 1 s"


def test_the_kubelets_own_flags_lead_to_its_files(node: FakeNode) -> None:
    arguments = [
        "/usr/bin/kubelet",
        "--root-dir=/var/lib/k0s/kubelet",
        "--config",
        "/etc/kubelet.yaml",
        "--config-dir=/etc/kubelet.d",
        f"--manifest-url-header=Authorization:{MARKER}",
        "--node-labels=a=b\nc",
    ]
    node.process(77, "kubelet", arguments)
    node.write("/etc/kubelet.yaml", CONFIG)
    node.write("/etc/kubelet.d/10-a.conf", f"{CONFIG}failSwapOn: false\n")
    node.write("/var/lib/k0s/kubelet/actuated_pods_state", "{}")
    node.write(
        "/var/lib/k0s/kubelet/device-plugins/kubelet_internal_checkpoint",
        f'{{"Data":{{"PodDeviceEntries":[{{"AllocResp":"{MARKER}","PodUID":"u"}}]}}}}',
    )
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert dump.read("arguments", "kubelet").splitlines()[:5] == [*arguments[:5]]
    assert dump.read("file", "/etc/kubelet.yaml") == CONFIG
    assert dump.read("file", "/etc/kubelet.d/10-a.conf") == f"{CONFIG}failSwapOn: false\n"
    assert dump.read("file", "/var/lib/k0s/kubelet/actuated_pods_state") == "{}"
    plugins = "/var/lib/k0s/kubelet/device-plugins/kubelet_internal_checkpoint"
    assert '"PodUID":"u"' in dump.read("file", plugins)
    assert MARKER not in text


@pytest.mark.parametrize(
    "words", [["--root_dir=/var/lib/k0s/kubelet"], ["--root_dir", "/var/lib/k0s/kubelet"]]
)
def test_a_flag_with_underscores_leads_to_files_too(node: FakeNode, words: list[str]) -> None:
    node.process(77, "kubelet", ["/usr/bin/kubelet", *words, "--v=2"])
    node.write("/var/lib/k0s/kubelet/actuated_pods_state", "{}")
    assert node.dump(preflight=True).read("file", "/var/lib/k0s/kubelet/actuated_pods_state") == "{}"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("--max-pods=${PODS} --fail-swap-on=${SWAP}", "--max-pods=${PODS} --fail-swap-on=${SWAP}"),
        ('"--node-labels=${LABELS}" --v=2', '"--node-labels=${LABELS}" --v=2'),
        (f"--token={MARKER}${{TOKEN}} --v=2", "--token= --v=2"),
        (f'"--token={MARKER}" --v=2', '"--token=" --v=2'),
        (f'--token="{MARKER}" --v=2', "--token= --v=2"),
        (f"'--token=a\"{MARKER}' --v=2", "'--token=' --v=2"),
    ],
)
def test_quotes_stay_in_pairs_and_names_of_variables_are_shown(
    node: FakeNode, given: str, shown: str
) -> None:
    path = "/etc/systemd/system/kubelet.service"
    node.write(path, f"[Service]\nExecStart=/usr/bin/kubelet {given}\n")
    text = node.run(preflight=True)
    (collected,) = read_back(text)
    assert collected.read("file", path) == f"[Service]\nExecStart=/usr/bin/kubelet {shown}\n"
    assert MARKER not in text


@pytest.mark.parametrize(
    ("given", "shown"), [("1min 30s", "1min 30s"), ("30", "30"), ("infinity", "infinity"), ("a$b", "")]
)
def test_the_watchdog_of_the_unit_is_shown(node: FakeNode, given: str, shown: str) -> None:
    path = "/etc/systemd/system/kubelet.service"
    node.write(path, f"[Service]\nWatchdogSec={given}\nExecStart=/usr/bin/kubelet --v=2\n")
    expected = f"[Service]\nWatchdogSec={shown}\nExecStart=/usr/bin/kubelet --v=2\n"
    assert node.dump(preflight=True).read("file", path) == expected


def test_recorded_ids_of_pods_are_a_line_each(node: FakeNode) -> None:
    node.process(77, "kubelet", ["/usr/bin/kubelet"])
    ids = '[{"hostId":65536,"containerId":0,"length":65536}]'
    node.write("/var/lib/kubelet/pods/uid-1/userns", f'{{"uidMappings":{ids},"gidMappings":{ids}}}')
    node.write("/var/lib/kubelet/pods/uid-2/etc-hosts", "127.0.0.1 localhost\n")
    node.write("/var/lib/kubelet/pods/uid-3/userns", "a b" + "x" * 2000 + f"\n{MARKER}")
    node.write("/elsewhere/userns", MARKER)
    (node.host / "var/lib/kubelet/pods/uid-4").symlink_to("../../../../elsewhere")
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    lines = dump.read("mappings", "/var/lib/kubelet/pods").splitlines()
    assert lines[0] == f'uid-1 {{"uidMappings":{ids},"gidMappings":{ids}}}'
    assert lines[1:] == [f"uid-3 ab{'x' * 998}"]
    assert MARKER not in text


@ROWS
@pytest.mark.parametrize("flag", ["--config-dir=/etc/kubelet.d", "--config-dir=/etc/kubelet.d/"])
def test_directories_below_that_of_drop_ins_are_read(node: FakeNode, flag: str) -> None:
    """As a kubelet walks: down into directories, but not along links; of anything else the kind is shown."""
    top = "/etc/kubelet.d"
    node.process(77, "kubelet", ["/usr/bin/kubelet", flag])
    for name in ("a.conf", "b/c.conf", "b/d.conf/.e.conf", "b/..d/f.conf"):
        node.write(f"{top}/{name}", f"{CONFIG}maxPods: 7\n")
    for name in ("README", "b/.keep", "b/my notes"):
        node.write(f"{top}/{name}", MARKER)
    (node.host / "etc/kubelet.d/link").symlink_to("b")
    (node.host / "etc/kubelet.d/g.conf").symlink_to("a.conf")
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    names = {name.removeprefix(f"{top}/"): kind for kind, name in dump.probes if name.startswith(f"{top}/")}
    assert names == {
        **dict.fromkeys(("a.conf", "g.conf", "b/c.conf", "b/d.conf/.e.conf", "b/..d/f.conf"), "file"),
        **dict.fromkeys(("b", "b/d.conf", "b/..d"), "directory"),
        **dict.fromkeys(("README", "link", "b/.keep", "b/my notes"), "path"),
    }
    assert dump.read("file", f"{top}/b/d.conf/.e.conf") == f"{CONFIG}maxPods: 7\n"
    assert [dump.read("path", f"{top}/{name}") for name in ("README", "b/.keep", "link")] == [
        "file",
        "file",
        "other",
    ]
    assert MARKER not in text


KUBELET = ["/usr/bin/kubelet", "--root-dir=/var/lib/k0s/kubelet"]
POD = "a0b1c2d3-0000-1111-2222-333344445555"
DIFFERS = [
    pytest.param({"mnt": "1"}, "absent", id="mount namespace"),
    pytest.param({"user": "1"}, "absent", id="user namespace"),
    pytest.param({"uids": "0\t0\t0\t1000"}, "absent", id="one of its users"),
    pytest.param(
        {"groups": f"0::/kubepods.slice/kubepods-pod{POD}.slice/x.scope\n"}, "absent", id="kubepods"
    ),
    pytest.param({"groups": f"4:cpu:/\n3:memory:/k/pod{POD}/x\n"}, "absent", id="a pod of another root"),
    pytest.param({"groups": f"0::/system.slice/docker-{'a' * 64}.scope\n"}, "absent", id="docker of systemd"),
    pytest.param({"groups": f"2:pids:/docker/{'a' * 64}\n"}, "absent", id="docker"),
    pytest.param({"groups": f"0::/x/{'0' * 64}\n"}, "absent", id="64 digits"),
    pytest.param({"groups": "0::/machine.slice/libpod-1.scope\n"}, "absent", id="podman"),
    pytest.param({"groups": "0::/lxc.payload.c1/init.scope\n"}, "absent", id="lxc"),
    pytest.param({"groups": "0::/../other\n"}, "absent", id="outside of the node"),
    pytest.param({"state": "Z"}, "absent", id="it has ended"),
    pytest.param({"mnt": "hidden"}, "whether process 77 is the kubelet is not known", id="cannot be read"),
    pytest.param({"groups": "0::/system.slice/kubelet.service\n"}, "", id="the kubelet"),
    pytest.param({"groups": "0::/podruntime/kubelet\n"}, "", id="the kubelet of Talos"),
]


@ROWS
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("kubelite", ["/snap/microk8s/8000/kubelite", "--start-control-plane=true"]), ("kubelet", KUBELET)],
)
def test_the_file_of_microk8s_counts_for_kubelite_alone(
    node: FakeNode, name: str, arguments: list[str]
) -> None:
    """A kubelet runs on a node where MicroK8s left its files."""
    node.process(77, name, arguments, groups="0::/kubelet\n")
    node.write("/var/snap/microk8s/current/args/kubelet", MICROK8S)
    lines = node.dump(preflight=True).read("arguments", "kubelet").splitlines()
    assert tuple(lines) == (OF_MICROK8S if name == "kubelite" else tuple(KUBELET))


@ROWS
@pytest.mark.parametrize(("differs", "said"), DIFFERS)
def test_a_kubelet_is_known_by_more_than_its_name(node: FakeNode, differs: dict[str, str], said: str) -> None:
    node.process(77, "kubelet", KUBELET, **{"groups": "0::/kubelet\n", **differs})
    node.write("/var/lib/k0s/kubelet/x", "")
    probe = node.dump(preflight=True).probe("arguments", "kubelet")
    if said == "absent":
        assert (probe.text, probe.problem) == (None, "")
    else:
        assert probe.problem.startswith(said)
        assert (probe.text or "").splitlines() == ([] if said else KUBELET)


@ROWS
@pytest.mark.parametrize(
    ("first", "own", "counts"),
    [
        ("0::/docker/{0}/init.scope", "0::/docker/{0}/kubelet.slice/kubelet.service", True),
        ("0::/docker/{0}/init.scope", "0::/docker/{0}/kubelet.slice/kubepods/pod1/{1}", False),
        ("0::/docker/{0}/init.scope", "0::/docker/{1}", False),
        ("0::/../../../init.scope", "0::/../../../system.slice/kubelet.service", True),
        ("0::/../../../init.scope", "0::/../../../kubepods.slice/x", False),
        ("0::/../../../init.scope", "0::/../cri-1", False),
        ("0::/../../../init.scope", "0::/", False),
    ],
)
def test_cgroups_are_judged_by_that_of_the_first_process(
    node: FakeNode, first: str, own: str, counts: bool
) -> None:
    ids = "a" * 64, "b" * 64
    node.process(1, "systemd", groups=f"{first.format(*ids)}\n")
    node.process(77, "kubelet", KUBELET, groups=f"{own.format(*ids)}\n")
    assert (node.dump(preflight=True).probe("arguments", "kubelet").text is not None) == counts


def test_a_child_that_still_has_the_kubelets_name_is_no_second_one(node: FakeNode) -> None:
    node.process(77, "kubelet", KUBELET, groups="0::/kubelet\n")
    node.process(78, "kubelet", KUBELET, groups="0::/kubelet\n", parent="77")
    assert node.dump(preflight=True).read("arguments", "kubelet").splitlines() == KUBELET
    node.process(79, "k3s-server", ["/usr/local/bin/k3s", "server"], groups="0::/k3s\n")
    said = problem(node.dump(preflight=True), "arguments", "kubelet")
    assert said.startswith("two processes could be the kubelet: pids 77, 79")


def test_nothing_of_a_mounted_node_is_executed(node: FakeNode) -> None:
    ran = node.directory / "ran"
    node.write("/usr/bin/kubelet", f"#!/bin/sh\n: >{ran}\n").chmod(0o755)
    node.process(77, "kubelet", KUBELET, groups="0::/kubelet\n", exe="/usr/bin/kubelet")
    node.write("/proc/1/mounts", "/dev/sda / ext4 rw 0 0\n")
    said = problem(node.dump(preflight=True), "version", "kubelet")
    assert said.startswith("the release is not known: nothing of a mounted node is executed")
    assert not ran.exists()


def test_a_roots_link_and_what_the_operator_names_are_read_too(node: FakeNode) -> None:
    node.write("/data/kubelet/cpu_manager_state", "{}")
    (node.host / "var/lib").mkdir(parents=True)
    (node.host / "var/lib/kubelet").symlink_to("/data/kubelet")
    assert node.dump(preflight=True).read("file", "/var/lib/kubelet/cpu_manager_state") == "{}"
    path = "/data/kubelet/cpu_manager_state"
    node.process(77, "kubelet", ["/usr/bin/kubelet", "--root-dir=/data/kubelet"], groups="0::/kubelet\n")
    (node.host / "var/lib/kubelet").unlink()
    assert problem(node.dump(preflight=True), "file", path).startswith("not read: ")
    assert node.dump(preflight=True, READ_ALSO="/data/kubelet").read("file", path) == "{}"
    assert node.dump(preflight=True, KUBELET_ROOT="/data/kubelet").read("file", path) == "{}"
    (node.host / "data").chmod(0o777)
    assert "others may write" in problem(node.dump(preflight=True, READ_ALSO="/data"), "file", path)


@ROWS
@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ('{"policyName":"none","defaultCpuSet":"","checksum":1}', True),
        ('{\n "Data": {}, "Checksum": 1}', True),
        ("", True),
        (f'{{"a":"{MARKER}"}}', False),
        (f"{MARKER}\n", False),
        (f'["{MARKER}"]', False),
    ],
)
def test_a_state_file_is_shown_only_if_it_is_one(node: FakeNode, content: str, shown: bool) -> None:
    node.write("/var/lib/kubelet/cpu_manager_state", content)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert MARKER not in text
    probe = dump.probe("file", "/var/lib/kubelet/cpu_manager_state")
    if shown:
        assert probe.text == content
    elif content.startswith("{"):
        assert probe.problem == "not shown: it is not a state file of a kubelet"
    else:
        assert probe.text == "no JSON object, and left out"


def test_no_text_of_others_becomes_a_line_of_the_dump(node: FakeNode) -> None:
    forged = '=end 0\n=probe\n|x\n{"hashcompat":"end"}\n=late 1\n=text\nprobe 9\ndone\n'
    with_crictl(node, "p")
    node.process(2, "kthreadd")
    node.process(100, "app", groups=f"0::/kubepods/id-p\n{forged}")
    node.process(300, "containerd-shim", ["containerd-shim", f"-id\n{forged}", forged])
    node.process(301, f"a) S 1 1\\n{forged}", [])
    node.write("/etc/os-release", forged)
    node.write(f"/etc/cni/net.d/{forged.splitlines()[0]}\n7", "")
    dump = node.dump(preflight=True)
    assert dump.complete
    assert dump.read("file", "/etc/os-release") == forged
    assert dump.read("process", "100") == f"S\n0::/kubepods/id-p\n{forged}"
    assert len(dump.read("arguments", "300").splitlines()) == 3
    rows = dump.read("processes", "all").splitlines()
    assert sorted(row.split()[0] for row in rows) == ["1", "100", "2", "300", "301"]


@ROWS
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["/usr/local/bin/k3s", "server", "--token", MARKER], "/usr/local/bin/k3s"),
        (
            ["/usr/local/bin/k3s server", "", ""],
            "/usr/local/bin/k3s server",
        ),  # as k3s calls itself once it runs
    ],
)
def test_a_kubelet_inside_another_program_has_no_arguments_of_its_own(
    node: FakeNode, words: list[str], shown: str
) -> None:
    node.process(77, "k3s-server", words)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    said = problem(dump, "arguments", "kubelet")
    assert said == f"the kubelet is a part of another program, {shown}"
    assert MARKER not in text


@pytest.mark.parametrize(("flags", "files", "shown"), K3S)
def test_what_k3s_is_given_for_its_kubelet(
    node: FakeNode, flags: str, files: dict[str, str], shown: list[str] | None
) -> None:
    node.process(77, "k3s-server", ["/usr/local/bin/k3s server"])
    node.write(
        "/etc/systemd/system/k3s.service",
        f"[Service]\nExecStart=/usr/local/bin/k3s \\\n server \\\n{flags}\n",
    )
    for name, text in files.items():
        node.write(f"/etc/rancher/k3s/{name}", text)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    own = dump.probe("arguments", "k3s")
    assert ((own.text or "").splitlines()[1:], bool(own.problem)) == (shown or [], shown is None)
    assert "hidden" not in text


def test_processes_that_look_gone_are_read_twice_and_others_once(node: FakeNode) -> None:
    with_crictl(node, "p", "q", "r", "s")
    node.process(2, "kthreadd")
    node.process(100, "app", groups="0::/kubepods/id-p\n")
    node.process(101, "app", state="Z", groups="0::/kubepods/id-q\n")
    node.process(102, "other", groups="0::/user.slice\n")
    dump = node.dump(preflight=True)
    reads = {
        pid: [probe.text for probe in dump.probes["process", pid]] for pid in ("100", "101", "102", "103")
    }
    assert reads == {
        "100": ["S\n0::/kubepods/id-p\n"],
        "101": ["Z\n0::/kubepods/id-q\n"] * 2,
        "102": ["S\n0::/user.slice\n"] * 2,
        "103": [None, None],
    }
    assert len(dump.probes["processes", "all"]) == 2
    assert "101 1 Z app\n" in dump.read("processes", "all")


def test_processes_that_cannot_be_seen_from_here_are_not_gone(node: FakeNode) -> None:
    with_crictl(node, "p", "q")
    node.process(1, "sh")
    dump = node.dump(preflight=True)
    for pid in ("100", "101"):
        assert problem(dump, "process", pid) == "the processes of the node cannot be seen from here"


def test_arguments_of_shims_are_read(node: FakeNode) -> None:
    node.process(300, "containerd-shim", ["containerd-shim-runc-v2", "-id", "abc"])
    node.process(301, "bash", ["bash", MARKER])
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert dump.read("arguments", "300") == "containerd-shim-runc-v2\n-id\nabc\n"
    assert MARKER not in text


def test_no_secret_enters_a_dump(node: FakeNode) -> None:
    with_crictl(node, "p")
    with_docker(node)
    (node.directory / "answers" / "docker-info").write_text(
        json.dumps(
            {"CgroupDriver": "systemd", "HttpProxy": f"http://u:{MARKER}@p", "RegistryConfig": {"a": MARKER}}
        )
    )
    for path, content in SECRETS.items():
        node.write(path, content)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    leaks = [key for key, probes in dump.probes.items() if any(MARKER in str(probe) for probe in probes)]
    assert leaks == []
    assert MARKER not in text


@ROWS
@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD=-{}",
        "TOKEN=--{}",
        "A=-{}",
        "SECRET=${}",
        "SECRET=${{{}}}",
        'export B="-p{} {}"',
        "ARGS=--token -{} --v=2",
        "ARGS=--token --{} --v=2",
    ],
)
def test_a_secret_that_looks_like_a_flag_or_a_variable_is_none(node: FakeNode, line: str) -> None:
    node.write("/etc/default/kubelet", line.format(MARKER, MARKER) + "\n")
    assert MARKER not in node.run(preflight=True)


def test_a_secret_that_looks_like_a_flag_is_none_in_arguments(node: FakeNode) -> None:
    node.process(
        50, "kubelet", ["/usr/bin/kubelet", "--token", f"-{MARKER}", "-v=2", "--password", "--rotate"]
    )
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert MARKER not in text
    assert dump.read("arguments", "kubelet").split("\n")[3] == "-v=2"


def test_flags_after_a_truth_value_stay(node: FakeNode) -> None:
    line = "ARGS=--authentication-token-webhook --anonymous-auth=false --rotate-certificates -v=2 $MORE"
    node.write("/etc/default/kubelet", f"{line}\nMORE=$OTHER\n")
    (dump,) = read_back(node.run(preflight=True))
    assert dump.read("file", "/etc/default/kubelet") == f"{line}\nMORE=$OTHER\n"


def test_a_command_over_several_lines_keeps_its_variables(node: FakeNode) -> None:
    path = "/etc/systemd/system/kubelet.service"
    lines = [
        "[Service]",
        "EnvironmentFile=-/etc/kubernetes/kubelet.env",
        "ExecStart=/usr/local/bin/kubelet \\",
        "\t\t$KUBE_LOGTOSTDERR \\",
        "# of the cluster",
        "\t\t${KUBELET_ARGS} --node-labels \\",
        "  a=b \\",
        f"  --x-token \\\n  {MARKER} \\\n  {MARKER}2 \\",
        "  $KUBELET_LAST",
        f"Environment=PASSWORD={MARKER} \\",
        f"  $FIRST {MARKER}",
        f"Environment=ARGS=--v=2\n  {MARKER} $NONE",
    ]
    node.write(path, "\n".join(lines) + "\n")
    (dump,) = read_back(text := node.run(preflight=True))
    assert MARKER not in text
    shown = [" ".join(line.split()) for line in dump.read("file", path).splitlines()]
    assert shown == [
        *lines[:3],
        "$KUBE_LOGTOSTDERR \\",
        "${KUBELET_ARGS} --node-labels \\",
        "a=b \\",
        "--x-token \\",
        "\\",
        "\\",
        "$KUBELET_LAST",
        "Environment=PASSWORD= \\",
        "",
        "Environment=ARGS=--v=2",
        "",
    ]


@ROWS
@pytest.mark.parametrize("name", ["x) Z 1 \nkubelet", "a\nb", "\n", "x) Z\n"])
def test_a_name_with_a_line_break_chooses_neither_state_nor_parent(node: FakeNode, name: str) -> None:
    node.process(60, "x")
    node.write("/proc/60/stat", f"60 ({name}) S 9 60 60 0\n")
    (dump,) = read_back(node.run(preflight=True))
    rows = dump.read("processes", "all").split("\n")
    assert [row.split(" ")[:3] for row in rows[:-1]] == [["1", "1", "S"], ["60", "9", "S"]]


def test_what_the_checks_need_stays_in_files_with_secrets(node: FakeNode) -> None:
    for path, content in SECRETS.items():
        node.write(path, content)
    dump = node.dump(preflight=True)
    assert dump.read("file", "/etc/default/kubelet").splitlines()[0] == (
        'KUBELET_EXTRA_ARGS="--node-ip=10.0.0.1 --feature-gates A=true --x-token '
    )
    unit = dump.read("file", "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf").splitlines()
    assert unit[1] == 'Environment="KUBELET_KUBECONFIG_ARGS=--kubeconfig=/etc/k.conf --config=/c"'
    assert unit[3:5] == ["EnvironmentFile=-/etc/default/kubelet", "ExecStart="]
    assert unit[5].split() == ["ExecStart=/usr/bin/env", "D=", "--password="]
    config = dump.read("file", "/var/lib/kubelet/config.yaml")
    assert yaml.safe_load(config) == {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {"webhook": {"enabled": True}},
        "staticPodURLHeader": "",
        "failSwapOn": False,
        "evictionHard": {"memory.available": "100Mi", "nodefs.available": "10%"},
        "clusterDNS": ["10.0.0.10"],
        **dict.fromkeys(("clusterDomain", "unknownField", "anotherUnknown", "logging", "cgroupRoot"), ""),
        "staticPodURL": "",
        "containerRuntimeEndpoint": "http://host/x,http://host/x",
    }
    assert json.loads(dump.read("file", "/etc/docker/daemon.json"))["exec-opts"] == [
        "native.cgroupdriver=systemd"
    ]
    assert dump.read("file", "/etc/passwd") == "kubelet:x:998:998:::\n"
    assert dump.read("file", "/etc/subuid") == "kubelet:65536:7208960\n998:1:2\n"
    assert dump.read("file", "/etc/nsswitch.conf") == "subid: files\n"
    networks = json.loads(dump.read("file", "/etc/cni/net.d/10-calico.conflist"))
    assert [row["type"] for row in networks["plugins"]] == ["calico", "portmap"]
    assert networks["plugins"][0]["ipam"] == {"type": "calico-ipam"}
    toml = dump.read("file", "/etc/containerd/config.toml")
    for line in ("version = 2", '  sandbox_image = "pause:3.9"', "  SystemdCgroup = true", 'root = "/data"'):
        assert f"{line}\n" in toml
    assert 'cgroup_manager = "systemd"\n' in dump.read("file", "/etc/crio/crio.conf")
    assert dump.read("certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem") == CERTIFICATE
    assert dump.read("certificate", "/etc/kubernetes/kubelet.conf") == CERTIFICATE
    assert "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n" in dump.read("file", "/proc/1/mounts")


def test_a_configuration_in_json_keeps_its_known_fields(node: FakeNode) -> None:
    node.process(77, "kubelet", ["/usr/bin/kubelet", "--config=/etc/kubernetes/kubelet.json"])
    for path, content in SECRETS.items():
        if path.endswith("kubelet.json"):
            node.write(path, content)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert json.loads(dump.read("file", "/etc/kubernetes/kubelet.json")) == {
        "kind": "KubeletConfiguration",
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "maxPods": 7,
        "clusterDNS": ["10.0.0.10", "10.0.0.11"],
        "unknown": {},
        "other": "",
        "evictionHard": {"memory.available": "100Mi"},
        "featureGates": {"A": True},
        "staticPodURLHeader": {},
    }
    assert MARKER not in text


def test_of_a_configuration_only_the_document_that_counts_is_shown(node: FakeNode) -> None:
    node.process(77, "kubelet", ["/usr/bin/kubelet", "--config=/etc/kubernetes/kubelet.yaml"])
    text = f"---\n{CONFIG}maxPods: 7\n--- # another\nmaxPods: 8\nany: thing {MARKER}\n"
    node.write("/etc/kubernetes/kubelet.yaml", text)
    content = node.dump(preflight=True).read("file", "/etc/kubernetes/kubelet.yaml")
    assert content == f"{CONFIG}maxPods: 7\n"


def test_links_are_followed_on_the_node_and_not_outside(node: FakeNode) -> None:
    node.write("/var/lib/kubelet/pki/dated.pem", CERTIFICATE)
    (node.host / "var/lib/kubelet/pki/kubelet-client-current.pem").symlink_to(
        "/var/lib/kubelet/pki/dated.pem"
    )
    node.write("/usr/lib/os-release", "ID=talos\n")
    (node.host / "etc").mkdir(exist_ok=True)
    (node.host / "etc/os-release").symlink_to("../usr/lib/os-release")
    dump = node.dump(preflight=True)
    assert dump.read("certificate", "/var/lib/kubelet/pki/kubelet-client-current.pem") == CERTIFICATE
    assert dump.read("file", "/etc/os-release") == "ID=talos\n"


def test_nothing_is_written_below_the_node(node: FakeNode) -> None:
    with_crictl(node, "p")
    with_docker(node)
    before = sorted(map(str, node.host.rglob("*")))
    node.run(preflight=True)
    assert sorted(map(str, node.host.rglob("*"))) == before


def test_a_cut_dump_is_an_error_at_every_line(node: FakeNode, run: Run) -> None:
    with_crictl(node, "p")
    lines = node.run().splitlines(keepends=True)
    for count in range(1, len(lines)):
        code, text = recorded(run, node, "".join(lines[:count]))
        assert (code, "node n1: the dump was cut" in text) == (1, True)


@pytest.fixture
def plain() -> Iterator[FakeNode]:
    with fake_node("/bin/sh") as made:
        yield made


@pytest.mark.slow
def test_a_dead_mount_delays_nothing_else(plain: FakeNode) -> None:
    node = plain  # busybox runs its own df, whatever the PATH has
    rows = "s:/a /mnt/dead nfs4 rw 0 0\ns:/b /mnt/a\\040b\\043* fuse.s3fs rw 0 0\ns:/c /mnt/c ext4 rw 0 0\n"
    node.write("/proc/1/mounts", rows)
    node.write("/mnt/a b#*/x", "")
    node.program("df")
    tools = node.directory / "tools"
    node.script("df", "none", f'case "$*" in *dead*) {HANG} ;; esac\nexec {tools}/df "$@"')
    dump = node.dump(preflight=True, SECONDS_EACH="1")
    assert node.took < 1 + SLACK
    assert problem(dump, "filesystem", "/mnt/dead") == "no answer within 1 s"
    assert len(dump.read("filesystem", "/mnt/a b#*").splitlines()) == 2
    assert ("filesystem", "/mnt/c") not in dump.probes


def test_files_that_units_name_are_read_without_secrets(node: FakeNode) -> None:
    unit = "[Service]\nEnvironmentFile=-/etc/kubernetes/flags.env\nEnvironmentFile=-/etc/default/kubelet\n"
    node.write("/usr/local/lib/systemd/system/kubelet.service", unit)
    patterns = "EnvironmentFile=/etc/kubernetes/*.txt\nEnvironmentFile=/etc/kubernetes/none.env\n"
    of_openshift = "EnvironmentFile=/etc/os-release\n"
    node.write("/etc/systemd/system/kubelet.service.d/1.conf", f"[Service]\n{patterns}{of_openshift}")
    node.write("/etc/os-release", "ID=rhel\n")
    node.write("/etc/kubernetes/flags.env", f"ARGS=--v=2\nTOKEN={MARKER}\n")
    node.write("/etc/kubernetes/other.txt", MARKER)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert dump.read("file", "/etc/kubernetes/flags.env").splitlines() == ["ARGS=--v=2", "TOKEN="]
    with pytest.raises(AbsentError):
        dump.read("file", "/etc/kubernetes/none.env")
    assert len(dump.probes["file", "/etc/default/kubelet"]) == 1
    assert dump.read("file", "/etc/os-release") == "ID=rhel\n"
    assert MARKER not in text


@ROWS
@pytest.mark.parametrize("place", ["", "/cpu", "/cpu,cpuacct"])
def test_cgroups_of_containers_are_listed(node: FakeNode, place: str) -> None:
    top = node.host / f"sys/fs/cgroup{place}"
    (top / "kubepods" / ("a" * 64)).mkdir(parents=True)
    (top / "kubepods.slice" / f"cri-containerd-{'b' * 64}.scope").mkdir(parents=True)
    (top / "kubepods" / ("c" * 63)).mkdir()
    cgroups = node.dump(preflight=True).read("cgroups", "all")
    expected = [f"/kubepods.slice/cri-containerd-{'b' * 64}.scope", f"/kubepods/{'a' * 64}"]
    assert sorted(cgroups.splitlines()) == expected


def test_cgroups_that_are_not_there(node: FakeNode) -> None:
    with pytest.raises(AbsentError):
        node.dump(preflight=True).read("cgroups", "all")
    (node.host / "sys/fs/cgroup").mkdir(parents=True)
    for name in ("all", "services"):
        assert problem(node.dump(preflight=True), "cgroups", name) == "nothing is mounted there"


@ROWS
@cgrouptrees.TREES
def test_cgroups_of_services_are_listed_with_their_controllers(
    node: FakeNode, make: Callable[[Path], None], lines: set[str]
) -> None:
    make(node.host)
    assert cgrouptrees.shown(node.dump(preflight=True).read("cgroups", "services")) == lines


def test_without_crictl_the_rest_of_the_cri_is_a_problem(node: FakeNode) -> None:
    node.listen(CONTAINERD)
    dump = node.dump(preflight=True)
    for name in ("version", "info", "images"):
        assert problem(dump, "cri", name) == "crictl is not on this node"


HEAD = "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n"
PROVIDERS = f"""\
{HEAD}providers:
  - name: ecr-credential-provider
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages:
      - "{MARKER}.dkr.ecr.example"
    args:
      - --token={MARKER}
    env:
      - name: AWS_PROFILE
        value: {MARKER}
"""
NAMED = ["ecr-credential-provider"]
ODD = "its providers are not written one key per line"


@ROWS
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (PROVIDERS, NAMED),
        (json.dumps(yaml.safe_load(PROVIDERS)), NAMED),
        (PROVIDERS.replace("Config\n", "Config # of ECR\n").replace("provider\n", "provider # a\n"), NAMED),
        (f"{HEAD}providers: []\n", []),
        (f"kind: Secret\ndata: {MARKER}\n", "it is not a CredentialProviderConfig"),
        (f"{HEAD}providers: [{{name: {MARKER}}}]\n", ODD),
        (f"{HEAD}providers:\n- {{name: {MARKER}}}\n", ODD),
        (f"{HEAD}providers:\n-\n  name: {MARKER}\n", ODD),
    ],
)
def test_of_credential_providers_only_names_are_shown(
    node: FakeNode, content: str, expected: list[str] | str
) -> None:
    path, programs = "/etc/kubernetes/creds.yaml", "/etc/kubernetes/creds"
    words = [f"--image-credential-provider-config={path}", f"--image-credential-provider-bin-dir={programs}"]
    node.process(77, "kubelet", ["/usr/bin/kubelet", *words])
    node.write(path, content)
    node.write(f"{programs}/ecr-credential-provider", MARKER)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert MARKER not in text
    assert dump.read("directory", programs) == "ecr-credential-provider\n"
    if isinstance(expected, str):
        assert dump.probe("file", path).problem == f"not shown: {expected}"
    else:
        read = yaml.safe_load(dump.read("file", path))
        assert [row["name"] for row in read["providers"]] == expected


def test_the_directory_of_static_pods_is_listed_and_not_read(node: FakeNode) -> None:
    node.process(77, "kubelet", ["/usr/bin/kubelet", "--config=/var/lib/kubelet/config.yaml"])
    node.write("/var/lib/kubelet/config.yaml", f"{CONFIG}staticPodPath: /etc/kubernetes/manifests\n")
    node.write("/etc/kubernetes/manifests/etcd.yaml", MARKER)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert dump.read("directory", "/etc/kubernetes/manifests") == "etcd.yaml\n"
    assert MARKER not in text


def test_what_is_at_a_path_is_shown_and_nothing_of_it(node: FakeNode) -> None:
    words = ["--cloud-config=/etc/kubernetes/cloud.conf", "--cloud-provider=gce"]
    words.append("--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf")
    node.process(77, "kubelet", ["/usr/bin/kubelet", *words])
    node.write("/etc/kubernetes/cloud.conf", MARKER)
    node.write("/etc/kubernetes/bootstrap-kubelet.conf", MARKER)
    node.write("/usr/bin/getsubids", MARKER)
    text = node.run(preflight=True)
    (dump,) = read_back(text)
    assert MARKER not in text
    assert dump.read("path", "/etc/kubernetes/cloud.conf") == "file"
    assert dump.read("path", "/etc/kubernetes/bootstrap-kubelet.conf") == "file"
    assert dump.read("path", "/usr/bin/getsubids") == "file"
    assert dump.probe("path", "/sbin/getsubids").text is None


def test_the_cloud_s_configuration_is_not_looked_for_anywhere(node: FakeNode) -> None:
    node.process(77, "kubelet", ["/usr/bin/kubelet", "--cloud-config=/root/.ssh/config"])
    dump = node.dump(preflight=True)
    assert dump.probe("path", "/root/.ssh/config").problem.startswith("not read:")
