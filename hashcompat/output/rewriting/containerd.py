"""containerd: the record that its CRI plug-in keeps of each container, read and replaced while it runs.

A container's CRI configuration, annotations included, is JSON in an extension of containerd's own object
(pkg/store/container/metadata.go, 1.6; internal/cri/store/container/metadata.go, 2.0). ``Update`` with a field
mask replaces that one extension (core/metadata/containers.go ``Update``); the process does not notice. The
plug-in reads it when containerd starts.

It is asked by calls of gRPC over its Unix socket, one after the other: HTTP/2 with messages behind a flag
and a length, and the status in the trailers. Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md.
h2 knows the protocol, and does no I/O.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import unquote

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import part
from hashcompat.core.go.jsonpath import text as text_at
from hashcompat.core.records import documents as names
from hashcompat.core.shown import said
from hashcompat.output.rewriting import (
    MeanwhileError,
    RuntimeAnswer,
    RuntimeContainer,
    or_broken,
    with_string,
)

OK: Final = 0
UNIMPLEMENTED: Final = 12

_PREFIX: Final = struct.Struct(">BI")
"""Whether a message is compressed, and its length."""
_CALL_SECONDS: Final = 30
"""The longest time for a call."""
_RECEIVED: Final = 1 << 16
_WINDOW: Final = 1 << 24
"""Bytes that the server may send before it hears that some were read."""
LONGEST: Final = 256 << 20
"""Bytes of an answer: 500 containers are about 10 MB."""
_SHOWN: Final = 300


class CallError(InputError):
    """The server answered a call with a status other than OK."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        """The status, as https://grpc.github.io/grpc/core/md_doc_statuscodes.html numbers them."""


class _Answer:
    """What the server has sent of one answer."""

    def __init__(self) -> None:
        self.data, self.headers, self.ended = bytearray(), dict[str, str](), False

    def add(self, event: h2.events.Event, stream: int) -> None:
        """Take what happened; raises OSError where the server ends the call, and InputError for too much."""
        if isinstance(event, h2.events.ConnectionTerminated):
            raise ConnectionAbortedError(0, "the server ended the connection")
        if getattr(event, "stream_id", stream) != stream:
            return
        if isinstance(event, h2.events.DataReceived):
            self.data += event.data or b""
            if len(self.data) > LONGEST:
                raise InputError(f"an answer of more than {LONGEST:,} bytes")
        elif isinstance(event, h2.events.ResponseReceived | h2.events.TrailersReceived):
            self.headers.update({str(key): str(value) for key, value in event.headers or ()})
        elif isinstance(event, h2.events.StreamReset):
            raise ConnectionAbortedError(0, "the server reset the call")
        elif isinstance(event, h2.events.StreamEnded):
            self.ended = True


class Channel:
    """A connection to a server, for one call at a time."""

    def __init__(self, path: str) -> None:
        """Connect to a socket; raises InputError."""
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_CALL_SECONDS)
        settings = h2.config.H2Configuration(client_side=True, header_encoding="utf-8")
        self._connection = h2.connection.H2Connection(settings)
        try:
            self._socket.connect(path)
            self._connection.initiate_connection()
            self._connection.increment_flow_control_window(_WINDOW)
            self._send()
        except OSError as error:
            self._socket.close()
            raise self._failed(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def call(self, method: str, request: bytes, metadata: Mapping[str, str] | None = None) -> bytes:
        """Return the answer to ``/package.Service/Method``.

        Raises CallError for a status other than OK, and InputError, naming the socket, where there is none.
        """
        try:
            return self._answered(method, request, metadata or {})
        except (OSError, h2.exceptions.ProtocolError) as error:
            raise self._failed(error) from None

    def _answered(self, method: str, request: bytes, metadata: Mapping[str, str]) -> bytes:
        end, connection = time.monotonic() + _CALL_SECONDS, self._connection
        stream = connection.get_next_available_stream_id()
        headers = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", "localhost"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("user-agent", "hashcompat"),
            *metadata.items(),
        ]
        connection.send_headers(stream, headers)
        connection.increment_flow_control_window(_WINDOW, stream)
        rest, answer = memoryview(_PREFIX.pack(0, len(request)) + request), _Answer()
        while not answer.ended:
            while rest and (room := min(connection.local_flow_control_window(stream), len(rest))):
                size = min(room, connection.max_outbound_frame_size)
                connection.send_data(stream, bytes(rest[:size]), end_stream=size == len(rest))
                rest = rest[size:]
            self._send()
            for event in self._received(end):
                answer.add(event, stream)
                if isinstance(event, h2.events.DataReceived):
                    connection.acknowledge_received_data(event.flow_controlled_length or 0, event.stream_id)
        self._send()
        return self._message(method, bytes(answer.data), answer.headers)

    def _message(self, method: str, answer: bytes, headers: Mapping[str, str]) -> bytes:
        status = headers.get("grpc-status", "")
        if not status.isdecimal():
            raise InputError(f"{self._path}: whatever listens there speaks no gRPC: {method} has no status")
        if int(status) != OK:
            words = said(unquote(headers.get("grpc-message", "")))[:_SHOWN]
            raise CallError(int(status), f"{self._path}: {method.rpartition('/')[2]}: {words or status}")
        if len(answer) < _PREFIX.size:
            raise InputError(f"{self._path}: {method}: an answer without a message")
        compressed, size = _PREFIX.unpack_from(answer)
        if compressed or len(answer) != _PREFIX.size + size:
            raise InputError(f"{self._path}: {method}: an answer that is not one plain message")
        return answer[_PREFIX.size :]

    def _received(self, end: float) -> list[h2.events.Event]:
        self._socket.settimeout(max(end - time.monotonic(), 0.001))
        data = self._socket.recv(_RECEIVED)
        if not data:
            raise ConnectionAbortedError(0, "the server closed the connection")
        return self._connection.receive_data(data)

    def _send(self) -> None:
        self._socket.sendall(self._connection.data_to_send())

    def _failed(self, error: Exception) -> InputError:
        if isinstance(error, TimeoutError):
            return InputError(f"{self._path}: no answer within {_CALL_SECONDS:g} s")
        why = error.strerror if isinstance(error, OSError) else "it speaks no HTTP/2"
        return InputError(f"{self._path}: cannot ask the runtime: {why or type(error).__name__}")


# The wire format of protocol buffers, as far as a few messages need it: no schema, and no field is lost.
#
# A message is a sequence of fields, each with its number and the bytes that it had. What is not asked for
# is neither decoded nor changed. Source: https://protobuf.dev/programming-guides/encoding/.

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED: Final = {FIXED64: 8, FIXED32: 4}
_LONGEST: Final = 10
"""Bytes of the longest varint."""

Value = int | bytes
"""What a field holds: a number of a varint, else bytes."""


def fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """Yield the number and the value of each field, in their order; raises InputError for no message."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        kind = tag & 7
        if kind == VARINT:
            value, place = _varint(message, place)
            yield tag >> 3, value
            continue
        if kind == BYTES:
            size, place = _varint(message, place)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise InputError(f"not a message: a field of kind {kind}")
        if place + size > len(message):
            raise InputError("not a message: it ends within a field")
        yield tag >> 3, message[place : place + size]
        place += size


def all_of(message: bytes, number: int) -> Iterator[bytes]:
    """Yield the bytes of each field of a number; errors as ``fields``."""
    for field, value in fields(message):
        if field == number:
            if isinstance(value, int):
                raise InputError("not a message: a number in place of bytes")
            yield value


def one_of(message: bytes, number: int) -> bytes:
    """Return the bytes of the field of a number, the last one if there are several; empty for none."""
    last = b""
    for value in all_of(message, number):
        last = value
    return last


def text_of(message: bytes, number: int) -> str:
    """Return a string; empty for none. Raises InputError for what is not UTF-8."""
    try:
        return one_of(message, number).decode()
    except UnicodeDecodeError:
        raise InputError("not a message: a string is not UTF-8") from None


def number_of(message: bytes, number: int) -> int:
    """Return an integer; 0 for none. Negative ones are as two's complement in 64 bits."""
    last = 0
    for field, value in fields(message):
        if field == number:
            if not isinstance(value, int):
                raise InputError("not a message: bytes in place of a number")
            last = value
    return last


def map_of(message: bytes, number: int) -> dict[str, bytes]:
    """Return a map of strings to bytes; of a key that is there twice the last one counts, as in Go."""
    return {text_of(entry, 1): one_of(entry, 2) for entry in all_of(message, number)}


def texts_of(message: bytes, number: int) -> dict[str, str]:
    """Return a map of strings to strings; bytes that are not UTF-8 become surrogates."""
    entries = map_of(message, number)
    return {key: value.decode(errors="surrogateescape") for key, value in entries.items()}


def made(content: Mapping[int, bytes | str]) -> bytes:
    """Return a message of strings, bytes and messages by the numbers of their fields."""
    pieces = bytearray()
    for number, value in content.items():
        data = value.encode() if isinstance(value, str) else value
        pieces += _as_varint(number << 3 | BYTES) + _as_varint(len(data)) + data
    return bytes(pieces)


def _varint(message: bytes, place: int) -> tuple[int, int]:
    result = 0
    for index in range(_LONGEST):
        if place + index >= len(message):
            break
        byte = message[place + index]
        result |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return result, place + index + 1
    raise InputError("not a message: a number without an end")


def _as_varint(number: int) -> bytes:
    varint = bytearray()
    while number > 0x7F:
        varint.append(number & 0x7F | 0x80)
        number >>= 7
    varint.append(number)
    return bytes(varint)


# What containerd keeps of each container, and how it is replaced.

EXTENSION: Final = "io.cri-containerd.container.metadata"
_NAMESPACE: Final = {"containerd-namespace": "k8s.io"}
_CONTAINERS: Final = "/containerd.services.containers.v1.Containers"
_VERSION: Final = "/containerd.services.version.v1.Version/Version"
_CRI: Final = "/runtime.v1.RuntimeService"
_RUNNING: Final = 1
_HASH_PATH: Final = ("Metadata", "Config", "annotations", names.HASH)

# Fields of github.com/containerd/containerd/api: services/containers/v1/containers.proto, Container,
# and of google.protobuf.Any, Timestamp and FieldMask.
_ID, _CREATED, _EXTENSIONS = 1, 8, 10
_TYPE, _VALUE = 1, 2
_SECONDS, _NANOS = 1, 2


class Containerd:
    """containerd behind a socket."""

    kind = "containerd"

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def version(self) -> str:
        """Return its version, ``1.6.20``; raises InputError for what is not containerd."""
        try:
            answer = self._channel.call(_VERSION, b"")
        except CallError as error:
            if error.code == UNIMPLEMENTED:
                raise InputError("whatever listens there is not containerd") from None
            raise
        return text_of(answer, 1).partition("~")[0].partition("+")[0].removeprefix("v")

    def find(self, wanted: Iterable[str]) -> list[RuntimeContainer]:
        """Return all containers of pods, sandboxes apart; errors as ``RecordStore`` has them."""
        answer = self._channel.call(f"{_CONTAINERS}/List", b"", _NAMESPACE)
        rows = all_of(answer, 1)
        containers = [
            container
            for row in rows
            if (container := or_broken(text_of(row, _ID), partial(_container, row))) is not None
        ]
        shown = answered(self._channel, {*wanted} & {container.id for container in containers})
        return [
            structs.replace(container, running=seen.running, started=seen.started)
            if (seen := shown.get(container.id))
            else container
            for container in containers
        ]

    @staticmethod
    def with_hash(value: bytes, old: str, new: str) -> bytes:
        """Return an extension with another recorded hash; every other byte of it stays.

        Raises InputError where the hash in it is not ``old``.
        """
        text = jsontext.decode_text(value)
        return with_string(text, _HASH_PATH, old, new).encode(errors="surrogateescape")

    def replace(self, container: RuntimeContainer, value: bytes) -> None:
        """Give a container another value of that extension: one transaction of containerd's database.

        Raises InputError where it has another value than ``container`` meanwhile, and where containerd does
        not answer with the very value that it was given.
        """
        request = made({1: container.id})
        answer = self._channel.call(f"{_CONTAINERS}/Get", request, _NAMESPACE)
        now = _container(one_of(answer, 1))
        if now is None or now.value != container.value:
            raise MeanwhileError(f"{container.id}: it changed meanwhile")
        extension = made({_TYPE: container.type_url, _VALUE: value})
        entry = made({1: EXTENSION, 2: extension})
        update = made({_ID: container.id, _EXTENSIONS: entry})
        mask = made({1: f"extensions.{EXTENSION}"})
        answer = self._channel.call(f"{_CONTAINERS}/Update", made({1: update, 2: mask}), _NAMESPACE)
        now = _container(one_of(answer, 1))
        if now is None or (now.id, now.value) != (container.id, value):
            raise InputError(f"{container.id}: containerd did not take the record")


def answered(channel: Channel, wanted: Collection[str]) -> Mapping[str, RuntimeAnswer]:
    """Return what a CRI runtime answers a kubelet about some containers, by id; those that it has."""
    rows = all_of(channel.call(f"{_CRI}/ListContainers", b""), 1)
    listed = {text_of(row, 1): texts_of(row, 9).get(names.HASH, "") for row in rows}
    return {
        identity: _status(channel, identity, annotation)
        for identity, annotation in listed.items()
        if identity in wanted
    }


def _status(channel: Channel, identity: str, listed: str) -> RuntimeAnswer:
    """Return the status of a container; raises InputError where its hash is not that of the list."""
    answer = channel.call(f"{_CRI}/ContainerStatus", made({1: identity}))
    status = one_of(answer, 1)
    annotation = texts_of(status, 13).get(names.HASH, "")
    if annotation != listed:
        raise InputError(f"{identity}: the runtime answers with two hashes")
    running = number_of(status, 3) == _RUNNING
    return RuntimeAnswer(annotation, running, str(number_of(status, 5)))


def named(channel: Channel) -> tuple[str, str]:
    """Return which CRI runtime answers, and its version: ``cri-o``, ``1.36.2``."""
    answer = channel.call(f"{_CRI}/Version", b"")
    return text_of(answer, 2), text_of(answer, 3)


def _container(container: bytes) -> RuntimeContainer | None:
    """Return a container as it is kept; None for a sandbox, and what no kubelet created."""
    extension = map_of(container, _EXTENSIONS).get(EXTENSION)
    if extension is None:
        return None
    identity, value = text_of(container, _ID), one_of(extension, _VALUE)
    try:
        content: Any = jsontext.loads(jsontext.decode_text(value))
    except InputError as error:
        raise InputError(f"{identity}: its record is not what containerd writes: {error}") from None
    if not isinstance(content, dict) or content.get("Version") != "v1":
        raise InputError(f"{identity}: its record is of a version that this program does not know")
    config = part(part(content, "Metadata"), "Config")
    labels, annotations = part(config, "labels"), part(config, "annotations")
    time = one_of(container, _CREATED)
    seconds, nanoseconds = number_of(time, _SECONDS), number_of(time, _NANOS)
    return RuntimeContainer(
        identity,
        text_at(labels, names.UID),
        text_at(labels, names.NAMESPACE),
        text_at(labels, names.POD),
        text_at(labels, names.NAME),
        created=seconds * 10**9 + nanoseconds,
        hash=str(annotations.get(names.HASH, "")),
        value=value,
        running=False,
        type_url=text_of(extension, _TYPE),
    )
