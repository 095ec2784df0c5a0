"""The runtime extension of examples/cluster-api, asked over TLS as Cluster API asks it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import pytest
import trustme
import uvicorn

import hooks
import server
from clusters import Clusters
from tests.helpers.examples import EXAMPLES, of_kind
from tests.helpers.pods import Json, listed, node, pod
from tests.helpers.processes import free_port

OLD, SAME, NEW = "v1.30.9", "v1.30.14", "v1.31.9"
"""A pod is kept from the first to the second, and restarts on the way to the third."""

API = "hooks.runtime.cluster.x-k8s.io/v1alpha1"
MACHINE = f"/{API}/canupdatemachine/can-update-machine"
MACHINE_SET = f"/{API}/canupdatemachineset/can-update-machine-set"
DISCOVERY = f"/{API}/discovery"


def machine_spec(version: str) -> Json:
    return {"clusterName": "prod", "version": version, "bootstrap": {}, "infrastructureRef": {"name": "i"}}


def machine_request(desired: str, name: str = "m-1", current: str = OLD) -> Json:
    """Return what the documentation shows: whole objects without status, and settings."""

    def objects(version: str) -> Json:
        metadata = {"name": name, "namespace": "fleet", "labels": {"pool": "a"}}
        return {
            "machine": {
                "apiVersion": "cluster.x-k8s.io/v1beta2",
                "kind": "Machine",
                "metadata": metadata,
                "spec": machine_spec(version),
            },
            "infrastructureMachine": {
                "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1",
                "kind": "VSphereMachine",
                "metadata": metadata,
                "spec": {},
            },
            "bootstrapConfig": {
                "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta2",
                "kind": "KubeadmConfig",
                "metadata": metadata,
                "spec": {},
            },
        }

    return {
        "apiVersion": API,
        "kind": "CanUpdateMachineRequest",
        "settings": {},
        "current": objects(current),
        "desired": objects(desired),
    }


def set_request(desired: str, replicas: int = 2) -> Json:
    def objects(version: str) -> Json:
        spec = {
            "clusterName": "prod",
            "replicas": replicas,
            "template": {"metadata": {}, "spec": machine_spec(version)},
        }
        made = {
            "apiVersion": "cluster.x-k8s.io/v1beta2",
            "kind": "MachineSet",
            "metadata": {"name": "ms", "namespace": "fleet"},
            "spec": spec,
        }
        return {"machineSet": made, "infrastructureMachineTemplate": {}, "bootstrapConfigTemplate": {}}

    kind = "CanUpdateMachineSetRequest"
    return {"apiVersion": API, "kind": kind, "current": objects(OLD), "desired": objects(desired)}


def of_machine(name: str, machine: str, kubelet: str = OLD) -> Json:
    """Return a node with the annotations that Cluster API sets."""
    made = node(kubelet, name)
    named = {"machine": machine, "owner-kind": "MachineSet", "owner-name": "ms"}
    named |= {"cluster-name": "prod", "cluster-namespace": "fleet"}
    made["metadata"]["annotations"] = {f"cluster.x-k8s.io/{key}": value for key, value in named.items()}
    made["status"]["conditions"] = [{"type": "Ready", "lastHeartbeatTime": f"{datetime.now(UTC):%FT%TZ}"}]
    return made


def write(directory: Path, *objects: Json, age: float = 0) -> None:
    (directory / "fleet").mkdir(exist_ok=True)
    path = directory / "fleet" / "prod.json"
    path.write_text(json.dumps(listed(*objects)))
    when = time.time() - age
    os.utime(path, (when, when))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return the files of the workload clusters: one, of two machines of one MachineSet."""
    pods = [pod(name=name, node=name) for name in ("n1", "n2", "n3")]
    write(tmp_path, of_machine("n1", "m-1"), of_machine("n2", "m-2"), node(NEW, "n3"), *pods)
    return tmp_path


def asked(directory: Path, request: Json) -> Json:
    hook = next(hook for hook in hooks.HOOKS if request["kind"] == f"{hook.name}Request")
    return hooks.answered(hook, request, Clusters(directory).judge)


def change(response: Json, key: str) -> Any:
    assert response[key]["patchType"] == "JSONMergePatch"
    return json.loads(base64.b64decode(response[key]["patch"]))


def test_a_machine_is_updated_in_place_where_nothing_restarts(directory: Path) -> None:
    response = asked(directory, machine_request(SAME))
    assert (response["kind"], response["status"]) == ("CanUpdateMachineResponse", "Success")
    assert change(response, "machinePatch") == {"spec": {"version": SAME}}
    assert "affectsAvailability" not in response, "its default, true, keeps the safety net"
    assert response["message"].startswith("in place: 0 of 1 containers on 1 nodes restart")


def test_the_patch_of_a_machine_set_is_of_its_template(directory: Path) -> None:
    response = asked(directory, set_request(SAME))
    expected = {"spec": {"template": {"spec": {"version": SAME}}}}
    assert change(response, "machineSetPatch") == expected
    assert "of 2 containers on 2 nodes" in response["message"]


UNDECIDED = {
    "a restart": (machine_request(NEW), "1 of 1 containers on 1 nodes restart"),
    "a restart in a set": (set_request(NEW), "2 of 2 containers on 2 nodes restart"),
    "no node": (machine_request(SAME, "m-9"), "undecided: 0 nodes of Machine/m-9 are known, want 1"),
    "a node less": (set_request(SAME, 3), "undecided: 2 nodes of MachineSet/ms are known, want 3"),
    "another release": (machine_request(SAME, current="v1.29.0"), "not every node of Machine/m-1 reports"),
    "an unknown release": (machine_request("v9.9.9"), "undecided: "),
    "no change": (machine_request(OLD), "the version stays"),
}


@pytest.mark.parametrize(("request_body", "why"), UNDECIDED.values(), ids=list(UNDECIDED))
def test_there_is_no_patch_for(directory: Path, request_body: Json, why: str) -> None:
    response = asked(directory, request_body)
    assert (response["status"], [key for key in response if key.endswith("Patch")]) == ("Success", [])
    assert why in response["message"]
    assert asked(directory, request_body) == response, "answers are the same for the same input"


def test_a_file_decides_nothing_that_is_not_of_now_and_whole(directory: Path) -> None:
    request, file = machine_request(SAME), directory / "fleet" / "prod.json"
    write(directory, of_machine("n1", "m-1"), pod(), age=3601)
    assert "fleet/prod.json is too old" in asked(directory, request)["message"]
    stale = of_machine("n1", "m-1")
    stale["status"]["conditions"] = [{"type": "Ready", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}]
    write(directory, stale, pod())
    assert "was taken 2026-01-01T00:00:00Z, too long ago" in asked(directory, request)["message"]
    for without in ([], [{"type": "Ready", "lastHeartbeatTime": "2999-01-01T00:00:00Z"}]):
        stale["status"]["conditions"] = without
        write(directory, stale, pod())
        assert "undecided: nothing shows when" in asked(directory, request)["message"]
    for content in ("{", "[" * 200_000, "[]", '{"items": 1}'):
        file.write_text(content)
        assert "is not " in asked(directory, request)["message"]
    file.unlink()
    assert "cannot be read: No such file" in asked(directory, request)["message"]


def test_names_lead_to_no_other_file(directory: Path) -> None:
    for place in ("../fleet", "..", "/etc", "fleet\n", "", "a" * 300):
        request = machine_request(SAME)
        request["current"]["machine"]["metadata"]["namespace"] = place
        if place:
            assert "names of the namespace" in asked(directory, request)["message"]
        else:
            with pytest.raises(hooks.BadRequestError, match="namespace is missing"):
                asked(directory, request)


# Over TLS


@dataclass(frozen=True)
class Client:
    """A client of a running extension."""

    port: int
    context: ssl.SSLContext

    def post(self, path: str, body: object, method: str = "POST") -> tuple[int, Json]:
        connection = HTTPSConnection("localhost", self.port, context=self.context, timeout=60)
        try:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, content, {"Content-Type": "application/json"})
            response = connection.getresponse()
            document: Json = json.loads(response.read())
            return response.status, document
        finally:
            connection.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Start the extension with a certificate of its own CA, for clients that have one of the same."""
    place = tmp_path_factory.mktemp("extension")
    ca = certified(place)
    write(place, of_machine("n1", "m-1"), of_machine("n2", "m-2"), pod(name="p"), pod(name="q", node="n2"))
    extension = server.Extension(Clusters(place).judge, server.Limits(read_seconds=2))
    with serving(extension, place) as port:
        yield Client(port, with_certificate(ca))


@contextmanager
def serving(extension: server.Extension, place: Path) -> Iterator[int]:
    """Run a server with the certificates in a directory, and yield its port."""
    running = server.server(extension, free_port(), place, place / "ca.crt")
    thread = threading.Thread(target=asyncio.run, args=[server.served(running, place, place / "ca.crt")])
    thread.start()
    try:
        yield started(running).config.port
    finally:
        running.should_exit = True
        thread.join()


def certified(place: Path) -> trustme.CA:
    """Write the certificate of a server, and the CA that its clients need one of; return the CA."""
    ca = trustme.CA()
    mine = ca.issue_cert("localhost")
    mine.private_key_pem.write_to_path(str(place / "tls.key"))
    mine.cert_chain_pems[0].write_to_path(str(place / "tls.crt"))
    ca.cert_pem.write_to_path(str(place / "ca.crt"))
    return ca


def started(running: uvicorn.Server) -> uvicorn.Server:
    end = time.monotonic() + 60
    while not running.started and time.monotonic() < end:
        time.sleep(0.01)
    assert running.started
    return running


def with_certificate(ca: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    ca.configure_trust(context)
    ca.issue_cert("controller@cluster-api").configure_cert(context)
    return context


def test_discovery_lists_the_hooks(client: Client) -> None:
    request = {"apiVersion": API, "kind": "DiscoveryRequest"}
    status, response = client.post(f"{DISCOVERY}?timeout=10s", request)
    assert (status, response["kind"], response["status"]) == (200, "DiscoveryResponse", "Success")
    request_hooks = {handler["name"]: handler["requestHook"] for handler in response["handlers"]}
    assert request_hooks == {
        "can-update-machine": {"apiVersion": API, "hook": "CanUpdateMachine"},
        "can-update-machine-set": {"apiVersion": API, "hook": "CanUpdateMachineSet"},
    }
    assert {handler["timeoutSeconds"] for handler in response["handlers"]} == {30}, "the most there may be"


def test_requests_are_answered(client: Client) -> None:
    status, response = client.post(f"{MACHINE}?timeout=30s", machine_request(SAME))
    assert (status, "machinePatch" in response) == (200, True)
    status, response = client.post(MACHINE_SET, set_request(NEW))
    assert (status, response["status"], "machineSetPatch" in response) == (200, "Success", False)


BAD = {
    "no JSON": (MACHINE, b"{", 400),
    "deep JSON": (MACHINE, b"[" * 200_000, 400),
    "another kind": (MACHINE, {"apiVersion": API, "kind": "DiscoveryRequest"}, 400),
    "no objects": (MACHINE, {"apiVersion": API, "kind": "CanUpdateMachineRequest"}, 400),
    "wrong types": (MACHINE, machine_request(NEW) | {"current": {"machine": []}}, 400),
    "a negative number": (MACHINE_SET, set_request(NEW, -1), 400),
    "another path": (f"{MACHINE}/x", machine_request(NEW), 404),
}


@pytest.mark.parametrize(("path", "body", "status"), BAD.values(), ids=list(BAD))
def test_a_bad_request_is_refused(client: Client, path: str, body: object, status: int) -> None:
    assert client.post(path, body)[0] == status


def test_only_posts_are_answered(client: Client) -> None:
    assert client.post(MACHINE, b"", "GET")[0] == 405


def opened(client: Client) -> ssl.SSLSocket:
    plain = socket.create_connection(("localhost", client.port), timeout=60)
    return client.context.wrap_socket(plain, server_hostname="localhost")


def head(length: str, path: str = MACHINE) -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: h\r\n{length}\r\n\r\n".encode()


CHUNKED = "Transfer-Encoding: chunked"


@pytest.mark.slow
def test_a_request_may_be_neither_long_nor_slow(client: Client, tmp_path: Path) -> None:
    ca = certified(tmp_path)
    extension = server.Extension(Clusters(tmp_path).judge, server.Limits(read_seconds=0.3))
    with serving(extension, tmp_path) as port:
        impatient = Client(port, with_certificate(ca))
        with opened(impatient) as slow:
            slow.sendall(head("Content-Length: 9") + b"{")
            assert b" 408 " in slow.recv(1 << 16).partition(b"\r\n")[0]
        for begun in (b"", b"POST / HTTP/1.1\r\nHo"):
            with opened(impatient) as silent:
                silent.sendall(begun)
                assert silent.recv(1) == b"", "the connection is closed"
    with opened(client) as long:
        long.sendall(head(f"Content-Length: {(2 << 20) + 1}"))
        assert b" 413 " in long.recv(1 << 16), "by its header, before anything is sent"


def test_a_long_request_that_hides_its_length_is_refused(tmp_path: Path) -> None:
    ca = certified(tmp_path)
    extension = server.Extension(Clusters(tmp_path).judge, server.Limits(bytes=1000))
    with serving(extension, tmp_path) as port, opened(Client(port, with_certificate(ca))) as long:
        long.sendall(head(CHUNKED) + b"3e9\r\n" + b" " * 1001)
        assert b" 413 " in long.recv(1 << 16)


@dataclass
class Counted:
    """Counts how much of what clients send is held at once."""

    limits: server.Limits
    largest: int = 0
    held: int = 0
    most: int = 0

    def body(self, body: Any) -> Any:
        async def counting(scope: Any, receive: Any, most: int) -> bytes:
            self.held += 1
            self.most = max(self.most, self.held)
            try:
                data: bytes = await body(scope, receive, most)
                self.largest = max(self.largest, len(data))
                return data
            finally:
                self.held -= 1

        return counting


def test_few_requests_are_read_at_once_and_the_loop_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six clients send what takes most memory; a seventh is answered while a judge is busy."""
    ca, limits = certified(tmp_path), server.Limits(bytes=200_000, requests=2, read_seconds=20)
    counted, busy, free = Counted(limits), threading.Event(), threading.Event()
    monkeypatch.setattr(server, "_body", counted.body(server._body))

    def judge(_: hooks.Question) -> hooks.Answer:
        busy.set()
        assert free.wait(60)
        return hooks.Answer(in_place=False, message="")

    hostile = b"[" + b"{}," * 60_000 + b"{}]"
    statuses: list[int] = []
    with serving(server.Extension(judge, limits), tmp_path) as port:
        client = Client(port, with_certificate(ca))

        def ask(body: object) -> None:
            statuses.append(client.post(MACHINE, body)[0])

        asking = threading.Thread(target=ask, args=[machine_request(NEW)])
        asking.start()
        assert busy.wait(60)
        many = [threading.Thread(target=ask, args=[hostile]) for _ in range(6)]
        for thread in many:
            thread.start()
        status, _ = client.post(DISCOVERY, {"apiVersion": API, "kind": "DiscoveryRequest"})
        assert status == 200
        for thread in many:
            thread.join()
        free.set()
        asking.join()
    assert sorted(statuses) == [200, *[400] * 6]
    assert counted.most <= limits.requests
    assert 180_000 < counted.largest <= limits.bytes


def test_a_question_does_not_wait_for_ever(tmp_path: Path) -> None:
    ca, busy, free = certified(tmp_path), threading.Event(), threading.Event()

    def judge(_: hooks.Question) -> hooks.Answer:
        busy.set()
        assert free.wait(60)
        return hooks.Answer(in_place=False, message="")

    with serving(server.Extension(judge, server.Limits(wait_seconds=0.1)), tmp_path) as port:
        client = Client(port, with_certificate(ca))
        asking = threading.Thread(target=client.post, args=[MACHINE, machine_request(NEW)])
        asking.start()
        assert busy.wait(60)
        status, response = client.post(MACHINE, machine_request(NEW))
        free.set()
        asking.join()
    assert (status, response["status"]) == (503, "Failure")


def test_long_names_are_refused(client: Client) -> None:
    assert client.post(MACHINE, machine_request("v" * 1_000_000))[0] == 400


def test_nobody_else_is_answered(client: Client) -> None:
    without = ssl.create_default_context()
    without.check_hostname, without.verify_mode = False, ssl.CERT_NONE
    with pytest.raises((ssl.SSLError, ConnectionError)):
        Client(client.port, without).post(DISCOVERY, {})


def test_a_renewed_certificate_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """cert-manager replaces the files; the context of new connections is the same object."""
    ca = certified(tmp_path)

    def issue() -> bytes:
        cert = ca.issue_cert("localhost")
        cert.private_key_pem.write_to_path(str(tmp_path / "tls.key"))
        cert.cert_chain_pems[0].write_to_path(str(tmp_path / "tls.crt"))
        return ssl.PEM_cert_to_DER_cert(cert.cert_chain_pems[0].bytes().decode())

    issue()
    monkeypatch.setattr(server, "_RENEWED_SECONDS", 0.01)
    with serving(server.Extension(Clusters(tmp_path).judge), tmp_path) as port:
        client = Client(port, with_certificate(ca))
        renewed, certificate, end = issue(), b"", time.monotonic() + 60
        while certificate != renewed and time.monotonic() < end:
            with opened(client) as connection:
                certificate = connection.getpeercert(binary_form=True) or b""
        assert certificate == renewed


def test_certificates_that_are_missing_are_named(tmp_path: Path) -> None:
    words = ["--tls", str(tmp_path), "--clusters", str(tmp_path)]
    with pytest.raises(SystemExit, match=r"cannot read tls\.crt, tls\.key and the CA: No such file"):
        server.main([*words, "--client-ca", str(tmp_path / "ca.crt")])
    with pytest.raises(SystemExit, match="2"):
        server.main(words)


def test_the_example_answers_only_clients_of_its_ca() -> None:
    deployment = of_kind(EXAMPLES / "cluster-api" / "extension.yaml", "Deployment")
    spec = deployment["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    (flag,) = [word for word in container["command"] if word.startswith("--client-ca=")]
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert mounts[str(Path(flag.partition("=")[2]).parent)] == "client-ca"
