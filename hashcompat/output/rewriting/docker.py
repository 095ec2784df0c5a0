"""Docker: the label of a container's own file, changed while dockerd does not run.

A kubelet with dockershim, or cri-dockerd, keeps the recorded hash in a label (pkg/kubelet/dockershim/
convert.go, ``annotation.`` before the name). dockerd reads ``containers/<id>/config.v2.json`` when it starts,
and would write over it while it runs. With live-restore the containers run on meanwhile; without, dockerd
ends them when it stops, and at the latest when it starts again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext
from hashcompat.core.go.jsonpath import part
from hashcompat.core.go.jsonpath import text as text_at
from hashcompat.core.records import documents as names
from hashcompat.core.records.edits import with_string
from hashcompat.output.rewriting import Found, Shown, files, lives

LABEL: Final = f"annotation.{names.HASH}"
_HASH_PATH: Final = ("Config", "Labels", LABEL)
_KIND: Final = "container"
_SOCKET: Final = "/var/run/docker.sock"
_SECONDS: Final = 30.0
_OK: Final = 200
_SETTINGS: Final = "/etc/docker/daemon.json"


class Docker(files.InFiles):
    """Docker's data directory."""

    kind = "docker"
    usual = "/var/lib/docker"

    def ids(self) -> list[str]:
        """Return the id of each container and sandbox."""
        try:
            with os.scandir(self.root / "containers") as rows:
                return sorted(row.name for row in rows if row.is_dir(follow_symlinks=False))
        except OSError as error:
            raise InputError(f"{self.root}: no data directory of Docker: {error.strerror}") from None

    def path(self, identity: str) -> Path:
        """Return where the file of a container is."""
        return self.root / "containers" / identity / "config.v2.json"

    def found(self, identity: str) -> Found | None:
        """Return the container; errors as ``InFiles``."""
        path = self.path(identity)
        value = files.content(path, self.root)
        try:
            return found_in(identity, value)
        except InputError as error:
            raise InputError(f"{path}: not what Docker writes: {error}") from None

    def with_hash(self, value: bytes, old: str, new: str) -> bytes:
        """Return what is kept with another recorded hash; errors as ``Place`` has them."""
        return with_hash(value, old, new)


def found_in(identity: str, value: bytes) -> Found | None:
    """Return the container in a file of Docker; None for one that no kubelet created, and for a sandbox.

    Raises InputError for what is no JSON.
    """
    content: Any = jsontext.loads(jsontext.decode_text(value))
    labels = part(part(content, "Config"), "Labels") if isinstance(content, dict) else {}
    if not labels or content.get("ID") != identity or labels.get(names.DOCKER_TYPE) != _KIND:
        return None
    state = part(content, "State")
    return Found(
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


def check_stopped(endpoint: str = "") -> None:
    """Raise InputError where something listens on Docker's socket."""
    path = endpoint or _SOCKET
    with socket.socket(socket.AF_UNIX) as connection, suppress(OSError):
        connection.settimeout(5)
        connection.connect(path)
        raise InputError(
            f"{path}: dockerd runs, and would write over its files; stop it first: "
            "systemctl stop docker.socket docker"
        )


def check_live_restore(*, asserted: bool, settings: str = _SETTINGS) -> None:
    """Raise InputError unless dockerd starts with live-restore, by its settings or by what the user says."""
    if asserted:
        return
    try:
        content = jsontext.loads(jsontext.decode_text(Path(settings).read_bytes()))
    except FileNotFoundError:
        content = {}
    except OSError as error:
        raise InputError(f"{settings}: cannot be read: {error.strerror}") from None
    if not isinstance(content, dict) or content.get("live-restore") is not True:
        raise InputError(
            f"{settings}: no live-restore, so dockerd ends every container when it starts; "
            "--live-restore says that its command line has it"
        )


def answered(endpoint: str, wanted: Iterable[str]) -> dict[str, Shown]:
    """Return what dockerd answers of some containers, by id; those that it has.

    Raises InputError where dockerd cannot be asked.
    """
    from hashcompat.sources.node import docker  # noqa: PLC0415 - apply needs none of it

    path, found = endpoint or _SOCKET, dict[str, Shown]()
    spoken = docker.negotiated(jsontext.loads(docker.answer(path, "/version", _SECONDS)[1]), path)
    for identity in wanted:
        status, text = docker.answer(path, f"/v{spoken}/containers/{identity}/json", _SECONDS)
        if status != _OK:
            continue
        content: Any = jsontext.loads(text)
        state, labels = part(content, "State"), part(part(content, "Config"), "Labels")
        found[identity] = Shown(
            str(labels.get(LABEL, "")),
            state.get("Running") is True,
            str(state.get("StartedAt", "")),
        )
    return found


def with_hash(value: bytes, old: str, new: str) -> bytes:
    """Return a container's file with another recorded hash; every other byte of it stays.

    Raises InputError where the hash in it is not ``old``.
    """
    text = jsontext.decode_text(value)
    return with_string(text, _HASH_PATH, old, new).encode(errors="surrogateescape")
