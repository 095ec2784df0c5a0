"""A containerd that speaks gRPC on a Unix socket: its containers in memory, and its CRI plug-in's copy."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import h2.exceptions

from hashcompat.output.rewriting.containerd import EXTENSION, all_of, fields, made, map_of, one_of, text_of

TYPE_URL = "github.com/containerd/cri/pkg/store/container/Metadata"
STARTED = 1_700_000_000_000_000_000
_LABELS = ("io.kubernetes.pod.uid", "io.kubernetes.pod.namespace", "io.kubernetes.pod.name")
HASH = "io.kubernetes.container.hash"


def number(place: int, value: int) -> bytes:
    """Return a field with a number."""
    data = bytearray([place << 3])
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*data, value])


def container(identity: str, value: str, pod: str = "p", name: str = "c", created: int = 1) -> bytes:
    """Return a container as containerd keeps it, with fields that nobody here knows."""
    labels = dict(zip(_LABELS, (f"uid-{pod}", "ns", pod), strict=True)) | {
        "io.kubernetes.container.name": name
    }
    config = {"metadata": {"name": name}, "labels": labels, "annotations": {"a": "<>", HASH: value}}
    content = json.dumps({"Version": "v1", "Metadata": {"ID": identity, "Config": config}}).encode()
    extension = made({1: TYPE_URL, 2: content})
    time = number(1, 1_700_000_000 + created) + number(2, 5)
    others = made({2: made({1: "label", 2: "x"}), 3: "image", 99: b"\xff\x00"})
    return made({1: identity}) + others + made({8: time, 10: made({1: EXTENSION, 2: extension})})


def sandbox(identity: str) -> bytes:
    """Return a sandbox, which has another extension."""
    return made(
        {1: identity, 10: made({1: "io.cri-containerd.sandbox.metadata", 2: made({1: "x", 2: b"{}"})})}
    )


def hash_in(stored: bytes) -> str:
    """Return the hash that a container's extension has."""
    value = one_of(map_of(stored, 10)[EXTENSION], 2)
    annotation: str = json.loads(value)["Metadata"]["Config"]["annotations"][HASH]
    return annotation


@dataclass
class Fake:
    """The daemon: what it keeps, and what its CRI plug-in has read."""

    path: Path
    kept: dict[str, bytes] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    name: str = "containerd"
    version: str = "1.6.20~ds1"
    started: int = STARTED
    running: bool = True
    fail: Callable[[str], tuple[int, str] | None] = lambda _: None
    """Returns with which status and message a method fails."""
    calls: list[str] = field(default_factory=list)

    def add(self, *stored: bytes) -> None:
        self.kept |= {text_of(entry, 1): entry for entry in stored}
        self.restart()

    def restart(self) -> None:
        """Let the CRI plug-in read what is kept."""
        self.shown = {
            identity: hash_in(entry)
            for identity, entry in self.kept.items()
            if EXTENSION in map_of(entry, 10)
        }

    def answer(self, method: str, request: bytes) -> tuple[int, str, bytes]:
        """Return the status, the message and the answer to a call."""
        self.calls.append(method)
        if failure := self.fail(method):
            return *failure, b""
        name = method.rpartition("/")[2]
        if name == "Version":
            of_cri = {1: "0.1.0", 2: self.name, 3: self.version}
            return 0, "", made(of_cri if "runtime.v1" in method else {1: self.version})
        if name == "List":
            return 0, "", b"".join(made({1: entry}) for entry in self.kept.values())
        if name == "Get":
            entry = self.kept.get(text_of(request, 1))
            return (0, "", made({1: entry})) if entry else (5, "container%20not found", b"")
        if name == "Update":
            return self._update(request)
        if name == "ListContainers":
            return 0, "", b"".join(made({1: self._row(identity)}) for identity in self.shown)
        identity = text_of(request, 1)
        status = made({1: identity}) + number(3, int(self.running)) + number(5, self.started)
        return 0, "", made({1: status + made({13: made({1: HASH, 2: self.shown[identity]})})})

    def _row(self, identity: str) -> bytes:
        state = number(6, int(self.running))
        return made({1: identity}) + state + made({9: made({1: HASH, 2: self.shown[identity]})})

    def _update(self, request: bytes) -> tuple[int, str, bytes]:
        (path,) = all_of(one_of(request, 2), 1)
        assert path == f"extensions.{EXTENSION}".encode()
        given = one_of(request, 1)
        identity = text_of(given, 1)
        value = map_of(given, 10)[EXTENSION]
        before = self.kept[identity]
        assert [place for place, _ in fields(given)] == [1, 10]
        last = made({10: made({1: EXTENSION, 2: map_of(before, 10)[EXTENSION]})})
        assert before.endswith(last)
        self.kept[identity] = before[: -len(last)] + made({10: made({1: EXTENSION, 2: value})})
        return 0, "", made({1: self.kept[identity]})


def _serve(fake: Fake, listening: socket.socket) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        with connection, suppress(OSError, h2.exceptions.ProtocolError):
            _talk(fake, connection)


def _talk(fake: Fake, connection: socket.socket) -> None:
    protocol = h2.connection.H2Connection(
        h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
    )
    protocol.initiate_connection()
    connection.sendall(protocol.data_to_send())
    asked: dict[int, tuple[str, bytearray]] = {}
    waiting: dict[int, bytes] = {}
    while data := connection.recv(1 << 16):
        for event in protocol.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                headers = {str(key): str(value) for key, value in event.headers or ()}
                asked[event.stream_id] = headers[":path"], bytearray()
            elif isinstance(event, h2.events.DataReceived):
                asked[event.stream_id][1].extend(event.data or b"")
                protocol.acknowledge_received_data(event.flow_controlled_length or 0, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                method, body = asked.pop(event.stream_id)
                _reply(fake, protocol, event.stream_id, method, bytes(body[5:]), waiting)
        for stream in list(waiting):
            _flush(protocol, stream, waiting)
        connection.sendall(protocol.data_to_send())


def _reply(
    fake: Fake,
    protocol: h2.connection.H2Connection,
    stream: int,
    method: str,
    request: bytes,
    waiting: dict[int, bytes],
) -> None:
    status, message, answer = fake.answer(method, request)
    protocol.send_headers(stream, [(":status", "200"), ("content-type", "application/grpc")])
    if status:
        trailers = [("grpc-status", str(status)), ("grpc-message", message)]
        protocol.send_headers(stream, trailers, end_stream=True)
    else:
        waiting[stream] = b"\0" + len(answer).to_bytes(4, "big") + answer


def _flush(protocol: h2.connection.H2Connection, stream: int, waiting: dict[int, bytes]) -> None:
    """Send as much of an answer as the client takes just now."""
    rest = waiting[stream]
    while rest and (
        room := min(protocol.local_flow_control_window(stream), protocol.max_outbound_frame_size)
    ):
        protocol.send_data(stream, rest[:room])
        rest = rest[room:]
    waiting[stream] = rest
    if not rest:
        del waiting[stream]
        protocol.send_headers(stream, [("grpc-status", "0")], end_stream=True)


@contextmanager
def running(path: Path) -> Iterator[Fake]:
    """Run a fake on a socket."""
    fake = Fake(path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        thread = threading.Thread(target=_serve, args=(fake, listening), daemon=True)
        thread.start()
        yield fake
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(5)
