"""This node, read for preflight: a Docker in a few lines of Python, crictl as a script, and a made-up /."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsontext import load_all
from hashcompat.core.records.probes import Dump, dumps
from hashcompat.sources.node import NodeReader, cri, docker, live, services
from hashcompat.sources.node.root import Root
from tests.helpers import cgrouptrees, hostproc
from tests.helpers.dumps import APP, POD_ROWS, SANDBOX, as_text, found, inspected, upgrade
from tests.helpers.hostproc import KUBELET, process, write
from tests.helpers.program import Run

TO = upgrade("1.22.17")
STUCK = "b" * 64


class Docker(socketserver.ThreadingUnixStreamServer):
    """A daemon; ``answers`` are texts, lists of them in turn, a status, or seconds to wait before the end."""

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, socket: Path, answers: dict[str, Any]) -> None:
        super().__init__(str(socket), Handler)
        self.answers, self.asked, self.at_once, self.most = answers, list[str](), 0, 0
        self.lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    server: Docker

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.asked.append(self.path)
            self.server.at_once += 1
            self.server.most = max(self.server.most, self.server.at_once)
        try:
            self._answer(
                self.server.answers.get(self.path.partition("/v1.")[2].partition("/")[2] or self.path)
            )
        finally:
            with self.server.lock:
                self.server.at_once -= 1

    def _answer(self, answer: Any) -> None:
        if isinstance(answer, list):
            answer = answer.pop(0)
        if isinstance(answer, float):
            time.sleep(answer)
            return
        time.sleep(0.01)
        body = (answer if isinstance(answer, str) else '{"message":"no"}').encode()
        self.send_response(answer if isinstance(answer, int) else 404 if answer is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_: Any) -> None:
        """Stay quiet."""


def answers(more: dict[str, Any] | None = None, rows: list[Any] | None = None) -> dict[str, Any]:
    """Return what a healthy Docker answers, and what differs."""
    made = {
        "/version": '{"Version":"20.10.24","ApiVersion":"1.41","MinAPIVersion":"1.12"}',
        "info": '{"Driver":"overlay2"}',
        "images/json": "[]",
        "containers/json?all=1": json.dumps(POD_ROWS if rows is None else rows),
        f"containers/{SANDBOX}/json": inspected(SANDBOX, 4320),
        f"containers/{APP}/json": inspected(APP, 4321),
    }
    return {**made, **(more or {})}


@contextmanager
def daemon(directory: Path, given: dict[str, Any]) -> Iterator[Docker]:
    server = Docker(directory / "docker.sock", given)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def _soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look again at what may be ending after less than a second."""
    monkeypatch.setattr(live, "_AGAIN_SECONDS", 0.01)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A / with the processes of a healthy pod."""
    made = tmp_path / "root"
    write(made, "etc/hostname", "N1\n")
    process(made, 1, "S", "systemd", "/")
    process(made, 900, "S", "dockerd", "/")
    process(made, 4320, "S", "pause", f"/kubepods/{SANDBOX}")
    process(made, 4321, "S", "app (x) y", f"/kubepods/{APP}")
    (made / "sys/fs/cgroup/kubepods" / SANDBOX).mkdir(parents=True)
    (made / "sys/fs/cgroup/kubepods" / APP).mkdir(parents=True)
    return made


def read(tmp_path: Path, kind: str = "docker", each: float = 5, whole: float = 60) -> Dump:
    endpoint = str(tmp_path / "docker.sock") if kind == "docker" else "/run/cri.sock"
    return live.collect(kind, endpoint, str(tmp_path / "root"), asking=NodeReader(each, whole))


def statuses(given: Dump) -> list[str]:
    return [row[0] for check in ("PF-000", "PF-001", "PF-003") for row in found(check, given, TO)]


def test_a_healthy_node(tmp_path: Path, root: Path) -> None:
    with daemon(tmp_path, answers()) as server:
        given = read(tmp_path)
    assert given.node == "n1"
    assert statuses(given) == ["OK", "OK", "OK"]
    assert sorted(server.asked) == [
        "/v1.41/containers/" + name for name in sorted((f"{SANDBOX}/json", f"{APP}/json", "json?all=1"))
    ] + ["/v1.41/images/json", "/v1.41/info", "/version"]
    assert given.read("processes", "all").splitlines()[-1] == "4321 1 S app (x) y"
    assert sorted(given.read("cgroups", "all").splitlines()) == [f"/kubepods/{SANDBOX}", f"/kubepods/{APP}"]
    assert root.exists()


@cgrouptrees.TREES
def test_cgroups_of_services_are_listed_with_their_controllers(
    tmp_path: Path, make: Callable[[Path], None], lines: set[str]
) -> None:
    make(tmp_path)
    (probe,) = NodeReader(5, 60).ask_all([services(Root(tmp_path))])
    assert cgrouptrees.shown(probe.text or "") == lines


def test_cgroups_of_services_that_are_not_there(tmp_path: Path) -> None:
    (gone,) = NodeReader(5, 60).ask_all([services(Root(tmp_path))])
    assert (gone.text, gone.problem) == (None, "")
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (bare,) = NodeReader(5, 60).ask_all([services(Root(tmp_path))])
    assert bare.problem == "nothing is mounted there"


@pytest.mark.parametrize(
    ("version", "spoken"),
    [
        ('{"Version":"1.11.2","ApiVersion":"1.23"}', "1.23"),
        ('{"Version":"29.0.0","ApiVersion":"1.52","MinAPIVersion":"1.44"}', "1.52"),
    ],
)
def test_every_docker_is_asked_in_its_version(tmp_path: Path, root: Path, version: str, spoken: str) -> None:
    assert root.exists()
    with daemon(tmp_path, answers({"/version": version})) as server:
        assert statuses(read(tmp_path)) == ["OK", "OK", "OK"]
    assert {path.split("/")[1] for path in server.asked} == {"version", f"v{spoken}"}


@pytest.mark.slow
def test_one_of_sixty_never_answers(tmp_path: Path, root: Path) -> None:
    assert root.exists()
    rows = [*POD_ROWS, *({**POD_ROWS[1], "Id": f"{number:064d}", "State": "exited"} for number in range(57))]
    ended = {f"containers/{number:064d}/json": '{"State":{"Running":false,"Pid":0}}' for number in range(57)}
    rows.append({**POD_ROWS[1], "Id": STUCK})
    begun = time.monotonic()
    with daemon(tmp_path, answers({**ended, f"containers/{STUCK}/json": 3.0}, rows)) as server:
        given = read(tmp_path, each=1)
    assert time.monotonic() - begun < 15
    assert given.probe("docker", f"inspect {STUCK}").problem == "no answer within 1 s"
    assert [row[:2] for row in found("PF-003", given, TO)] == [("WARN", "ns/p/app")]  # it has no cgroup
    assert 1 < server.most <= 9, "eight at once, and the one that nobody waits for any more"
    assert len(set(server.asked)) == len(server.asked)


@pytest.mark.slow
def test_the_whole_has_an_end(tmp_path: Path, root: Path) -> None:
    assert root.exists()
    rows = [{**POD_ROWS[1], "Id": f"{number:064d}"} for number in range(20)]
    stuck = {f"containers/{number:064d}/json": 9.0 for number in range(20)}
    begun = time.monotonic()
    with daemon(tmp_path, answers(stuck, rows)):
        given = read(tmp_path, each=0.5, whole=0.75)
    assert time.monotonic() - begun < 10
    problems = {probe.problem for probe in given.of_kind("docker") if probe.name.startswith("inspect")}
    assert problems == {"no answer within 0.5 s", "not read: the 0.75 s for the whole node were over"}


@pytest.mark.slow
def test_a_list_that_is_late(tmp_path: Path, root: Path) -> None:
    assert root.exists()
    with daemon(tmp_path, answers({"containers/json?all=1": 3.0})):
        given = read(tmp_path, each=0.5)
    assert statuses(given) == ["UNKNOWN", "UNKNOWN", "ERROR", "UNKNOWN"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"/version": "no"}, "not valid JSON"),
        ({"/version": '{"ApiVersion":"1.99","MinAPIVersion":"1.60"}'}, "Docker speaks API 1.60 and newer"),
        ({"/version": 500}, "Docker answered 500"),
        ({"containers/json?all=1": 500}, 'Docker answered 500: {"message":"no"}'),
        ({"containers/json?all=1": "{"}, "not valid JSON"),
        ({"containers/json?all=1": '{"Id":"x"}'}, "want a list"),
    ],
)
def test_answers_that_cannot_be_used(tmp_path: Path, root: Path, more: Any, problem: str) -> None:
    assert root.exists()
    with daemon(tmp_path, answers(more)):
        [(status, _, text)] = found("PF-000", read(tmp_path), TO)
    assert status == "UNKNOWN"
    assert problem in text


def test_a_container_that_was_removed_meanwhile(tmp_path: Path, root: Path) -> None:
    assert root.exists()
    with daemon(tmp_path, answers({f"containers/{APP}/json": 404})):
        given = read(tmp_path)
    assert given.probe("docker", f"inspect {APP}").problem == ""
    assert statuses(given) == ["OK", "OK", "OK"]


def test_a_process_that_is_missing_is_read_twice_with_the_list(tmp_path: Path, root: Path) -> None:
    process(root, 4321, "Z", "app", "/")
    with daemon(tmp_path, answers()) as server:
        given = read(tmp_path)
    assert [row[:2] for row in found("PF-001", given, TO)] == [("WARN", "ns/p/app")]
    assert len(given.probes["process", "4321"]) == 2
    assert len(given.probes["docker", "list"]) == 1
    assert server.asked.count("/v1.41/containers/json?all=1") == 2


def test_a_container_that_ends_meanwhile_is_in_order(tmp_path: Path, root: Path) -> None:
    assert root.exists()
    (root / "proc/4321/stat").unlink()
    ended = json.dumps([POD_ROWS[0], {**POD_ROWS[1], "State": "exited", "Status": "Exited (0)"}])
    with daemon(tmp_path, answers({"containers/json?all=1": [json.dumps(POD_ROWS), ended]})):
        given = read(tmp_path)
    assert [row[0] for row in found("PF-001", given, TO)] == ["OK"]
    (again,) = dumps(load_all(as_text(given)), "f")
    assert again.probes == given.probes


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docker, "SOCKETS", ("/var/run/docker.sock",))
    monkeypatch.setattr(cri, "SOCKETS", ("/run/containerd.sock", "/run/crio.sock"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


@pytest.mark.usefixtures("usual")
def test_sockets_are_found_below_the_root_by_links(root: Path) -> None:
    (root / "run").mkdir()
    (root / "var").mkdir()
    (root / "var/run").symlink_to("/run")
    with daemon(root / "run", answers()):
        given = live.collect("auto", "", str(root), asking=NodeReader(5, 60))
    assert given.read("endpoint", "docker") == str(root / "run/docker.sock")
    assert statuses(given) == ["OK", "OK", "OK"]


@pytest.mark.usefixtures("usual")
def test_a_socket_that_was_left_over_is_none(root: Path) -> None:
    write(root, "var/run/docker.sock", "")
    given = live.collect("auto", "", str(root), asking=NodeReader(5, 60))
    [(status, _, text)] = found("PF-000", given, TO)
    assert (status, text) == (
        "UNKNOWN",
        "no container runtime was found; name its socket with --runtime-endpoint",
    )


CRICTL = """
case "$*" in
  *version*) echo '{"runtimeName":"containerd","runtimeVersion":"1.6.20"}' ;;
  *" ps "*) case $2 in *crio*) echo '{"containers":[]}' ;; *) cat "$(dirname "$0")/ps.json" ;; esac ;;
  *pods*) echo '{"items":[{"id":"s1"}]}' ;;
  *inspect*) INSPECT ;;
  *stats*) STATS ;;
  *) echo '{}' ;;
esac
"""
TWO = '{"status":{"id":"c1"},"info":{"pid":4320}} {"status":{"id":"c2"},"info":{"pid":4321}}'
ALONE = """case "$*" in *c1*c2*) exit 1 ;; *c1*) echo '{"status":{"id":"c1"},"info":{"pid":4320}}' ;;
 *) echo "rpc error: code = NotFound desc = no" >&2; exit 1 ;; esac"""


def crictl(directory: Path, inspect: str = f"echo '{TWO}'", stats: str = "echo '{}'") -> None:
    rows = [
        {"id": name, "podSandboxId": "s1", "metadata": {"name": name}, "state": "CONTAINER_RUNNING"}
        for name in ("c1", "c2")
    ]
    (directory / "ps.json").write_text(json.dumps({"containers": rows}))
    program = directory / "crictl"
    program.write_text("#!/bin/sh" + CRICTL.replace("INSPECT", inspect).replace("STATS", stats))
    program.chmod(0o755)


@pytest.mark.usefixtures("usual")
@pytest.mark.parametrize("inspect", [f"echo '{TWO}'", f"echo '[{TWO.replace('} {', '},{')}]'"])
def test_a_cri_runtime(tmp_path: Path, root: Path, inspect: str) -> None:
    crictl(tmp_path, inspect)
    for pid, name in ((4320, "c1"), (4321, "c2")):
        process(root, pid, "S", name, f"/kubepods/{name}")
    given = read(tmp_path, "cri")
    assert given.read("cri", "inspect c2")
    assert statuses(given) == ["OK", "OK", "OK"]
    (tmp_path / "ps.json").write_text('{"containers":[{"id":"--x","podSandboxId":"s1","state":1}]}')
    assert statuses(read(tmp_path, "cri")) == ["OK", "UNKNOWN", "UNKNOWN"]  # an id never becomes an option


@pytest.mark.usefixtures("usual")
def test_containers_are_inspected_alone_where_they_cannot_be_together(tmp_path: Path, root: Path) -> None:
    assert root.exists()
    crictl(tmp_path, ALONE)
    given = read(tmp_path, "cri")
    assert given.read("cri", "inspect c1")
    assert given.probe("cri", "inspect c2").text is None
    assert given.probe("cri", "inspect c2").problem == ""


@pytest.mark.slow
@pytest.mark.usefixtures("usual")
@pytest.mark.parametrize(
    ("stats", "status"),
    [
        ("exec sleep 20", "WARN"),
        ("echo 'code = DeadlineExceeded desc = context deadline exceeded' >&2; exit 1", "WARN"),
        ("echo 'no' >&2; exit 1", "UNKNOWN"),
        ("echo 'code = NotFound' >&2; exit 1", "OK"),
    ],
)
def test_statistics_that_hang(tmp_path: Path, root: Path, stats: str, status: str) -> None:
    assert root.exists()
    crictl(tmp_path, stats=stats)
    assert found("PF-003", read(tmp_path, "cri", each=1), TO)[0][0] == status


@pytest.mark.usefixtures("usual")
def test_without_crictl_the_collector_is_the_way(tmp_path: Path, root: Path) -> None:
    assert root.exists()
    [(status, _, text)] = found("PF-000", read(tmp_path, "cri"), TO)
    assert status == "UNKNOWN"
    assert "crictl is not on the PATH; install it, or give the output of hashcompat collector" in text


@pytest.mark.usefixtures("usual")
@pytest.mark.parametrize("kind", ["auto"])
def test_of_an_endpoint_whichever_answers_counts(tmp_path: Path, root: Path, kind: str) -> None:
    assert root.exists()
    with daemon(tmp_path, answers()):
        given = live.collect(kind, f"unix://{tmp_path}/docker.sock", str(root), asking=NodeReader(5, 60))
    assert statuses(given) == ["OK", "OK", "OK"]
    assert ("cri", "containers") not in given.probes


BLOCK = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"
CONFIG = "kind: KubeletConfiguration\n"


def test_the_kubelet_and_its_files(tmp_path: Path, root: Path) -> None:
    state = "var/lib/k0s/kubelet"
    words = ("--config", "/etc/k0s/k.yaml", f"--root-dir=/{state}/", "--hostname-override=Node-7", "--v=2")
    process(root, 700, "S", "kubelet", KUBELET, *words, "--config-dir=/etc/k0s/k.d")
    write(root, "etc/k0s/k.yaml", CONFIG)
    write(root, "etc/k0s/k.d/a.conf", f"{CONFIG}x: 1\n")
    write(root, f"{state}/cpu_manager_state", "{}")
    write(root, f"{state}/pki/kubelet.pem", f"{KEY}{BLOCK}")
    write(root, f"{state}/pki/kubelet.crt", KEY)
    write(root, "etc/kubernetes/kubelet.conf", f"  client-certificate: /{state}/pki/kubelet.pem\n")
    hostproc.program(root, "usr/bin/kubelet")
    with daemon(tmp_path, answers()):
        given = read(tmp_path)
    assert given.node == "node-7"
    assert given.read("version", "kubelet") == "Kubernetes v1.23.13\n"
    assert given.read("arguments", "kubelet").splitlines()[:3] == ["kubelet", "--config", "/etc/k0s/k.yaml"]
    assert given.read("file", "/etc/k0s/k.yaml").startswith("kind")
    assert given.read("file", "/etc/k0s/k.d/a.conf") == f"{CONFIG}x: 1\n"
    assert given.read("file", f"/{state}/cpu_manager_state") == "{}"
    for name in (f"/{state}/pki/kubelet.pem", "/etc/kubernetes/kubelet.conf"):
        assert given.read("certificate", name) == BLOCK
    assert given.probe("certificate", f"/{state}/pki/kubelet.crt").problem == "no certificate in it"
    assert len(given.read("filesystem", f"/{state}").splitlines()) == 2
    assert given.probe("file", "/proc/swaps").text is None


@pytest.mark.parametrize(
    ("conf", "problem"),
    [
        ("client-certificate-data: %%%\n", ""),
        ("client-certificate-data: LS0=\n", "no certificate in it"),
        ("client-certificate-data: A\n", "its client certificate is not base64"),
        ("users: []\n", "no certificate in it"),
    ],
)
def test_kubeconfigs_without_a_certificate(tmp_path: Path, root: Path, conf: str, problem: str) -> None:
    write(root, "etc/kubernetes/kubelet.conf", conf)
    with daemon(tmp_path, answers()):
        given = read(tmp_path)
    shown = given.probe("certificate", "/etc/kubernetes/kubelet.conf")
    assert shown.text is None
    assert problem in shown.problem


def test_a_kubelet_that_does_not_give_its_version(tmp_path: Path, root: Path) -> None:
    process(root, 700, "S", "kubelet", KUBELET)
    write(root, "usr/bin/kubelet", "#!/bin/sh\necho no >&2\nexit 1\n", 0o755)
    with daemon(tmp_path, answers()):
        given = read(tmp_path)
    assert given.probe("version", "kubelet").problem == "kubelet --version failed: no"


def test_a_root_that_is_none() -> None:
    with pytest.raises(InputError, match="want the directory"):
        live.collect("auto", "", "/none")


def test_on_the_command_line(run: Run, tmp_path: Path, root: Path) -> None:
    flags = ("--runtime", "docker", "--runtime-endpoint", tmp_path / "docker.sock", "--root", root)
    with daemon(tmp_path, answers(rows=[POD_ROWS[1]])):
        result = run("preflight", "--to", "1.22.17", *flags, "-o", "json")
    rows = [(item["id"], item["status"]) for item in result.items if item["id"] == "PF-000"]
    assert (result.code, rows) == (2, [("PF-000", "ERROR")])
    both = run("preflight", "--to", "1.22.17", "--dump", tmp_path, *flags)
    assert both.code == 64


def test_a_container_that_ended_is_recorded_once_with_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {
        "id": "c" * 64,
        "state": "CONTAINER_EXITED",
        "labels": {
            "io.kubernetes.container.name": "c",
            "io.kubernetes.pod.name": "p",
            "io.kubernetes.pod.namespace": "ns",
            "io.kubernetes.pod.uid": "uid-p",
        },
        "annotations": {"io.kubernetes.container.hash": "1"},
    }
    answer = [{"containers": [row]}, {"status": {**row, "exitCode": 3}}]
    runtime = structs.replace(live._RUNTIMES["cri"], documents=lambda _: answer)
    monkeypatch.setitem(live._RUNTIMES, "cri", runtime)
    (record,) = live.recorded("cri", "/some.sock")
    assert getattr(record, "code", None) == 3
