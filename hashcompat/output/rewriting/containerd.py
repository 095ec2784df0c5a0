"""containerd: the record that its CRI plug-in keeps of each container, read and replaced while it runs.

A container's CRI configuration, annotations included, is JSON in an extension of containerd's own object
(pkg/store/container/metadata.go, 1.6; internal/cri/store/container/metadata.go, 2.0). ``Update`` with a field
mask replaces that one extension (core/metadata/containers.go ``Update``); the process does not notice. The
plug-in reads it when containerd starts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import part
from hashcompat.core.go.jsonpath import text as text_at
from hashcompat.core.records import documents as names
from hashcompat.core.records.edits import with_string
from hashcompat.output.rewriting import Found, MeanwhileError, Shown, grpc
from hashcompat.output.rewriting.grpc import UNIMPLEMENTED, CallError, Channel

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
        return grpc.text_of(answer, 1).partition("~")[0].partition("+")[0].removeprefix("v")

    def find(self, wanted: Iterable[str]) -> list[Found]:
        """Return all containers of pods, sandboxes apart; errors as ``Place`` has them."""
        answer = self._channel.call(f"{_CONTAINERS}/List", b"", _NAMESPACE)
        found = [one for row in grpc.all_of(answer, 1) if (one := _found(row)) is not None]
        shown = answered(self._channel, {*wanted} & {one.id for one in found})
        return [
            structs.replace(one, running=seen.running, started=seen.started)
            if (seen := shown.get(one.id))
            else one
            for one in found
        ]

    def with_hash(self, value: bytes, old: str, new: str) -> bytes:
        """Return what is kept with another recorded hash; errors as ``Place`` has them."""
        return with_hash(value, old, new)

    def replace(self, found: Found, value: bytes) -> None:
        """Give a container another value of that extension: one transaction of containerd's database.

        Raises InputError where it has another value than ``found`` meanwhile, and where containerd does not
        answer with the very value that it was given.
        """
        request = grpc.made({1: found.id})
        answer = self._channel.call(f"{_CONTAINERS}/Get", request, _NAMESPACE)
        now = _found(grpc.one_of(answer, 1))
        if now is None or now.value != found.value:
            raise MeanwhileError(f"{found.id}: it changed meanwhile")
        extension = grpc.made({_TYPE: found.type_url, _VALUE: value})
        entry = grpc.made({1: EXTENSION, 2: extension})
        container = grpc.made({_ID: found.id, _EXTENSIONS: entry})
        mask = grpc.made({1: f"extensions.{EXTENSION}"})
        answer = self._channel.call(f"{_CONTAINERS}/Update", grpc.made({1: container, 2: mask}), _NAMESPACE)
        now = _found(grpc.one_of(answer, 1))
        if now is None or (now.id, now.value) != (found.id, value):
            raise InputError(f"{found.id}: containerd did not take the record")


def answered(channel: Channel, wanted: Collection[str]) -> Mapping[str, Shown]:
    """Return what a CRI runtime answers a kubelet about some containers, by id; those that it has."""
    rows = grpc.all_of(channel.call(f"{_CRI}/ListContainers", b""), 1)
    listed = {grpc.text_of(row, 1): grpc.texts_of(row, 9).get(names.HASH, "") for row in rows}
    return {one: _status(channel, one, found) for one, found in listed.items() if one in wanted}


def _status(channel: Channel, identity: str, listed: str) -> Shown:
    """Return the status of a container; raises InputError where its hash is not that of the list."""
    answer = channel.call(f"{_CRI}/ContainerStatus", grpc.made({1: identity}))
    status = grpc.one_of(answer, 1)
    found = grpc.texts_of(status, 13).get(names.HASH, "")
    if found != listed:
        raise InputError(f"{identity}: the runtime answers with two hashes")
    running = grpc.number_of(status, 3) == _RUNNING
    return Shown(found, running, str(grpc.number_of(status, 5)))


def named(channel: Channel) -> tuple[str, str]:
    """Return which CRI runtime answers, and its version: ``cri-o``, ``1.36.2``."""
    answer = channel.call(f"{_CRI}/Version", b"")
    return grpc.text_of(answer, 2), grpc.text_of(answer, 3)


def _found(container: bytes) -> Found | None:
    """Return a container as it is kept; None for a sandbox, and what no kubelet created."""
    extension = grpc.map_of(container, _EXTENSIONS).get(EXTENSION)
    if extension is None:
        return None
    identity, value = grpc.text_of(container, _ID), grpc.one_of(extension, _VALUE)
    try:
        content: Any = jsontext.loads(jsontext.decode_text(value))
    except InputError as error:
        raise InputError(f"{identity}: its record is not what containerd writes: {error}") from None
    if not isinstance(content, dict) or content.get("Version") != "v1":
        raise InputError(f"{identity}: its record is of a version that this program does not know")
    config = part(part(content, "Metadata"), "Config")
    labels, annotations = part(config, "labels"), part(config, "annotations")
    time = grpc.one_of(container, _CREATED)
    seconds, nanoseconds = grpc.number_of(time, _SECONDS), grpc.number_of(time, _NANOS)
    return Found(
        identity,
        text_at(labels, names.UID),
        text_at(labels, names.NAMESPACE),
        text_at(labels, names.POD),
        text_at(labels, names.NAME),
        created=seconds * 10**9 + nanoseconds,
        hash=str(annotations.get(names.HASH, "")),
        value=value,
        running=False,
        type_url=grpc.text_of(extension, _TYPE),
    )


def with_hash(value: bytes, old: str, new: str) -> bytes:
    """Return an extension with another recorded hash; every other byte of it stays.

    Raises InputError where the hash in it is not ``old``.
    """
    text = jsontext.decode_text(value)
    return with_string(text, _HASH_PATH, old, new).encode(errors="surrogateescape")
