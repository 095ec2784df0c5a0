"""Records in files of a node, which are read without following a link and replaced whole: CRI-O's, Docker's.

CRI-O: one annotation in a container's own file, which CRI-O reads when it starts.

It keeps the CRI annotations of a container as JSON in an annotation of its OCI spec, and each of them beside
that one (internal/factory/container/container.go ``SpecAddAnnotations``, 1.36). When CRI-O starts it reads
them in ``config.json`` in the container's directory below the root of the storage, which it wrote when it
created the container, and does not write again (internal/lib/container_server.go ``LoadContainer``). What
runs does not notice: the OCI runtime was given a copy.

Docker: the label of a container's own file, changed while dockerd does not run.

A kubelet with dockershim, or cri-dockerd, keeps the recorded hash in a label (pkg/kubelet/dockershim/
convert.go, ``annotation.`` before the name). dockerd reads ``containers/<id>/config.v2.json`` when it starts,
and would write over it while it runs. With live-restore the containers run on meanwhile; without, dockerd
ends them when it stops, and at the latest when it starts again.
"""

from __future__ import annotations

import json
import os
import socket
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import part
from hashcompat.core.go.jsonpath import text as text_at
from hashcompat.core.model.preflight import CRIO
from hashcompat.core.records import documents as names
from hashcompat.output.rewriting import (
    MeanwhileError,
    RuntimeAnswer,
    RuntimeContainer,
    lives,
    or_broken,
    with_string,
    with_string_in_string,
)

_MOST: Final = 16 << 20
"""Bytes of a file that is read: Docker's of a container are a few kB, manifests 10 MB at most."""
_PRIVATE: Final = 0o600
_TO_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TO_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


@contextmanager
def directory_of(path: Path, root: Path) -> Iterator[int]:
    """Open the directory of a file below ``root``, whose own path may have links, and what follows none.

    Raises InputError for a link on the way, and OSError.
    """
    below = path.relative_to(root).parent.parts
    current = os.open(os.path.realpath(root), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in below:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)


def content(path: Path, root: Path) -> bytes:
    """Return what is in a regular file below a directory; raises InputError, naming it."""
    try:
        with directory_of(path, root) as directory:
            handle = os.open(path.name, _TO_READ, dir_fd=directory)
            with os.fdopen(handle, "rb") as stream:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise InputError(f"{path}: not a regular file")
                data = stream.read(_MOST + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST:
        raise InputError(f"{path}: more than {_MOST:,} bytes")
    return data


def replace(path: Path, root: Path, before: bytes, after: bytes) -> None:
    """Put other content into a file; its owner and mode stay. What is there must be ``before``.

    The new file is on the disk before it takes the old one's name, and its name begins with a dot, which
    kubelets skip. Raises InputError, naming it, and leaves no half file.
    """
    if content(path, root) != before:
        raise MeanwhileError(f"{path}: it changed meanwhile")
    temporary = f".hashcompat-{os.urandom(8).hex()}"
    try:
        with directory_of(path, root) as directory:
            seen = os.stat(path.name, dir_fd=directory, follow_symlinks=False)
            try:
                handle = os.open(temporary, _TO_WRITE, _PRIVATE, dir_fd=directory)
                with os.fdopen(handle, "wb") as stream:
                    stream.write(after)
                    os.fchown(handle, seen.st_uid, seen.st_gid)
                    os.fchmod(handle, stat.S_IMODE(seen.st_mode))
                    stream.flush()
                    os.fsync(handle)
                os.rename(temporary, path.name, src_dir_fd=directory, dst_dir_fd=directory)
                os.fsync(directory)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=directory)
                raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def save(path: Path, data: bytes) -> None:
    """Write a file of one's own, mode 0600, whole or not at all; it and its name are on the disk then."""
    temporary = path.with_name(f".hashcompat-{os.urandom(8).hex()}")
    try:
        try:
            with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, _PRIVATE)) as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


class InFiles(ABC):
    """The records of a runtime that keeps each container in a file of its own below a directory."""

    usual: ClassVar[str]
    """That directory, by default."""

    def __init__(self, root: str = "") -> None:
        self.root = Path(root or self.usual).absolute()

    @abstractmethod
    def ids(self) -> Iterable[str]:
        """Return the ids of what has a file, sandboxes included. Raises InputError."""

    @abstractmethod
    def path(self, identity: str) -> Path:
        """Return where the file is. Raises InputError for one that is gone."""

    @abstractmethod
    def container(self, identity: str) -> RuntimeContainer | None:
        """Return what is in it; None for what is no container of a kubelet. Raises InputError."""

    def find(self, wanted: Iterable[str]) -> list[RuntimeContainer]:  # noqa: ARG002 - all are needed to know the newest
        """Return all containers that a kubelet created, and what may be one that it cannot read."""
        return [
            container
            for identity in self.ids()
            if (container := or_broken(identity, partial(self.container, identity))) is not None
        ]

    def replace(self, container: RuntimeContainer, value: bytes) -> None:
        """Replace the file of a container."""
        replace(self.path(container.id), self.root, container.value, value)


# CRI-O: one annotation in a container's own file.

ANNOTATIONS: Final = "io.kubernetes.cri-o.Annotations"
_TYPE: Final = "io.kubernetes.cri-o.ContainerType"
_CREATED: Final = "io.kubernetes.cri-o.Created"
_KIND: Final = "container"
_BELOW: Final = "*-containers"
"""The directory of containers, behind the name of the storage's driver."""
_FILE: Final = Path("userdata", "config.json")


class CriO(InFiles):
    """The storage of CRI-O."""

    kind = CRIO
    usual = "/var/lib/containers/storage"

    def ids(self) -> Iterator[str]:
        """Yield the id of each container and sandbox."""
        drivers = sorted(self.root.glob(_BELOW))
        if not drivers:
            raise InputError(f"{self.root}: no storage of CRI-O; --runtime-root names another one")
        try:
            for driver in drivers:
                with os.scandir(driver) as rows:
                    yield from sorted(row.name for row in rows if (driver / row.name / _FILE).is_file())
        except OSError as error:
            raise InputError(f"{self.root}: cannot be read: {error.strerror}") from None

    def path(self, identity: str) -> Path:
        """Return where the file of a container is; errors as ``InFiles``."""
        file = next(self.root.glob(f"{_BELOW}/{identity}/{_FILE}"), None)
        if file is None:
            raise InputError(f"{identity}: there is no such container any more")
        return file

    def container(self, identity: str) -> RuntimeContainer | None:
        """Return the container; errors as ``InFiles``."""
        path = self.path(identity)
        value = content(path, self.root)
        try:
            container = crio_container(identity, value)
            if container is None:
                return None
            state = state_in(content(path.with_name("state.json"), self.root))
        except InputError as error:
            raise InputError(f"{path}: not what CRI-O writes: {error}") from None
        running = state.get("status") == "running" and lives(state.get("pid"), identity)
        started = names.nanoseconds(text_at(state, "started")) or 0
        return structs.replace(container, running=running, started=str(started))

    @staticmethod
    def with_hash(value: bytes, old: str, new: str) -> bytes:
        """Return a container's file with another recorded hash, in both places; every other byte of it stays.

        Raises InputError where the hash in it is not ``old``.
        """
        text = jsontext.decode_text(value)
        text = with_string_in_string(text, ("annotations", ANNOTATIONS), names.HASH, old, new)
        if names.HASH in part(json.loads(text), "annotations"):
            text = with_string(text, ("annotations", names.HASH), old, new)
        return text.encode(errors="surrogateescape")


def crio_container(identity: str, value: bytes) -> RuntimeContainer | None:
    """Return the container in a file of CRI-O, which does not say whether it runs; None for a sandbox.

    Raises InputError for what is no JSON.
    """
    content: Any = jsontext.loads(jsontext.decode_text(value))
    kept = part(content, "annotations") if isinstance(content, dict) else {}
    if kept.get(_TYPE) != _KIND:
        return None
    annotations: Any = jsontext.loads(text_at(kept, ANNOTATIONS) or "{}")
    return RuntimeContainer(
        identity,
        text_at(kept, names.UID),
        text_at(kept, names.NAMESPACE),
        text_at(kept, names.POD),
        text_at(kept, names.NAME),
        created=names.nanoseconds(text_at(kept, _CREATED)) or 0,
        hash=text_at(annotations, names.HASH) if isinstance(annotations, dict) else "",
        value=value,
        running=False,
    )


def state_in(value: bytes) -> dict[str, Any]:
    """Return what CRI-O stores of the state of a container; raises InputError for what is no object."""
    content: Any = jsontext.loads(jsontext.decode_text(value))
    if not isinstance(content, dict):
        raise InputError("state.json: want an object")
    return content


# Docker: the label of a container's own file.

LABEL: Final = f"annotation.{names.HASH}"
_HASH_PATH: Final = ("Config", "Labels", LABEL)
_SOCKET: Final = "/var/run/docker.sock"
_SECONDS: Final = 30.0
_OK: Final = 200
_SETTINGS: Final = "/etc/docker/daemon.json"


class Docker(InFiles):
    """Docker's data directory."""

    kind = "docker"
    usual = "/var/lib/docker"

    def ids(self) -> list[str]:
        """Return the id of each container and sandbox.

        dockerd passes over a directory without a file as well (daemon/daemon.go ``restore``, 20.10).
        """
        try:
            with os.scandir(self.root / "containers") as rows:
                named = sorted(row.name for row in rows if row.is_dir(follow_symlinks=False))
            return [name for name in named if os.path.lexists(self.path(name))]
        except OSError as error:
            raise InputError(f"{self.root}: no data directory of Docker: {error.strerror}") from None

    def path(self, identity: str) -> Path:
        """Return where the file of a container is."""
        return self.root / "containers" / identity / "config.v2.json"

    def container(self, identity: str) -> RuntimeContainer | None:
        """Return the container; errors as ``InFiles``."""
        path = self.path(identity)
        value = content(path, self.root)
        try:
            return docker_container(identity, value)
        except InputError as error:
            raise InputError(f"{path}: not what Docker writes: {error}") from None

    @staticmethod
    def with_hash(value: bytes, old: str, new: str) -> bytes:
        """Return a container's file with another recorded hash; every other byte of it stays.

        Raises InputError where the hash in it is not ``old``.
        """
        text = jsontext.decode_text(value)
        return with_string(text, _HASH_PATH, old, new).encode(errors="surrogateescape")


def docker_container(identity: str, value: bytes) -> RuntimeContainer | None:
    """Return the container in a file of Docker; None for one that no kubelet created, and for a sandbox.

    Raises InputError for what is no JSON.
    """
    content: Any = jsontext.loads(jsontext.decode_text(value))
    labels = part(part(content, "Config"), "Labels") if isinstance(content, dict) else {}
    if not labels or content.get("ID") != identity or labels.get(names.DOCKER_TYPE) != _KIND:
        return None
    state = part(content, "State")
    return RuntimeContainer(
        identity,
        text_at(labels, names.UID),
        text_at(labels, names.NAMESPACE),
        text_at(labels, names.POD),
        text_at(labels, names.NAME),
        created=names.nanoseconds(text_at(content, "Created")) or 0,
        hash=text_at(labels, LABEL),
        value=value,
        running=state.get("Running") is True and lives(state.get("Pid"), identity),
        started=text_at(state, "StartedAt"),
    )


def check_stopped(endpoint: str) -> None:
    """Raise InputError where something listens on Docker's socket."""
    path = endpoint or _SOCKET
    with socket.socket(socket.AF_UNIX) as connection, suppress(OSError):
        connection.settimeout(5)
        connection.connect(path)
        raise InputError(
            f"{path}: dockerd runs, and would write over its files; stop it first: "
            "systemctl stop docker.socket docker"
        )


def check_live_restore(*, asserted: bool) -> None:
    """Raise InputError unless dockerd starts with live-restore, by its settings or by what the user says."""
    if asserted:
        return
    try:
        content = jsontext.loads(jsontext.decode_text(Path(_SETTINGS).read_bytes()))
    except FileNotFoundError:
        content = {}
    except OSError as error:
        raise InputError(f"{_SETTINGS}: cannot be read: {error.strerror}") from None
    if not isinstance(content, dict) or content.get("live-restore") is not True:
        raise InputError(
            f"{_SETTINGS}: no live-restore, so dockerd ends every container when it starts; "
            "--live-restore says that its command line has it"
        )


def answered(endpoint: str, wanted: Iterable[str]) -> dict[str, RuntimeAnswer]:
    """Return what dockerd answers of some containers, by id; those that it has.

    Raises InputError where dockerd cannot be asked.
    """
    from hashcompat.sources.node import docker  # noqa: PLC0415 - apply needs none of it

    path, answers = endpoint or _SOCKET, dict[str, RuntimeAnswer]()
    spoken = docker.negotiated(jsontext.loads(docker.answer(path, "/version", _SECONDS)[1]), path)
    for identity in wanted:
        status, text = docker.answer(path, f"/v{spoken}/containers/{identity}/json", _SECONDS)
        if status != _OK:
            continue
        content: Any = jsontext.loads(text)
        state, labels = part(content, "State"), part(part(content, "Config"), "Labels")
        answers[identity] = RuntimeAnswer(
            str(labels.get(LABEL, "")), state.get("Running") is True, str(state.get("StartedAt", ""))
        )
    return answers
