"""Rewrites the records of a node, by a document that says which: the only thing here that changes a node.

Few kinds of places are written to, and nothing else: the extension of a container's own object in
containerd, one label in a container's own file of Docker, one annotation in that of CRI-O, and one line of a
static pod's manifest. What is changed is found by the container's id, and by what the document says of it:
the UID of its pod, its name, and the hash that is recorded. Whatever differs is skipped, with the reason.

The order is what makes it safe at every point:

1. Everything is checked before anything is written (``runtimes``): the kubelet does not run, so nobody reads
   a record while it changes, or creates a container.
2. All old and new values go into one file (``save_undo``), which is on the disk before the first change.
3. Each change is whole or not there: a transaction of containerd's database, or a file that is renamed.

So after a crash each record is either the old one or the new one, and both are in the file: ``apply`` goes
on, and ``undo`` goes back. A kubelet that starts in between is no danger. It compares each record by itself,
and the worst that a record which is not rewritten does is what it did before.

Here is the change of one string in JSON, which leaves all else as it is; that of a manifest is in
``core/records/manifests.py``, since a plan asks whether it can be made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext


def with_string(text: str, path: Sequence[str], old: str, new: str) -> str:
    """Return a JSON text in which the string at a path of keys is another one.

    Raises InputError for what is not JSON, has a key twice, or has not that string there.
    """
    start, end, current = _at(text, path)
    if current != old:
        raise InputError(f"{_path(path)}: not what it was")
    return text[:start] + json.dumps(new) + text[end:]


def with_string_in_string(text: str, path: Sequence[str], key: str, old: str, new: str) -> str:
    """Return a JSON text whose string at a path is JSON, in which the string of a key is another one.

    Keys and strings are plain: none has a character that JSON escapes. Errors as ``with_string``, also where
    the inner text is not as compact as Go's encoders write it.
    """
    start, end, current = _at(text, path)
    if not isinstance(current, str):
        raise InputError(f"{_path(path)}: want a string")
    wanted = with_string(current, (key,), old, new)
    was, now = (json.dumps(f'"{key}":"{value}"')[1:-1] for value in (old, new))
    changed = text[start:end].replace(was, now)
    if jsontext.loads(changed) != wanted:
        raise InputError(f"{_path(path)}: written in a way in which nothing can be changed safely")
    return text[:start] + changed + text[end:]


def _at(text: str, path: Sequence[str]) -> tuple[int, int, Any]:
    """Return where the value at a path of keys begins and ends, and the value."""
    value = jsontext.loads(text)
    for key in path:
        if not isinstance(value, dict) or key not in value:
            raise InputError(f"{_path(path)}: not there")
        value = value[key]
    start = jsontext.skip_space(text, 0)
    for key in path:
        start = jsontext.value_of(text, start, key)
    return start, jsontext.end_of_value(text, start), value


def _path(path: Sequence[str]) -> str:
    return ".".join(("$", *path))


# Where a runtime keeps its records.


class MeanwhileError(InputError):
    """What is to be changed is not what it was a moment ago."""


class RuntimeContainer(msgspec.Struct, frozen=True):
    """A container that a kubelet created, as its runtime keeps it."""

    id: str
    uid: str
    """The UID of its pod."""
    namespace: str
    pod: str
    container: str
    created: int
    """When it was created, in nanoseconds since 1970; 0 if the runtime does not say."""
    hash: str
    """The recorded hash as it is written; empty where there is none."""
    value: bytes
    """All that is kept in that place: an extension, or a file."""
    running: bool
    started: str = ""
    """When it started, as the runtime shows it."""
    type_url: str = ""
    """Of an extension, its type."""
    broken: str = ""
    """Why its record cannot be read, and nothing else is known of it; empty where it can."""


class RuntimeAnswer(msgspec.Struct, frozen=True):
    """A container, as its runtime answers a kubelet."""

    hash: str
    """The recorded hash; empty where there is none."""
    running: bool
    started: str
    """When it started, as the runtime shows it."""


class RecordStore(Protocol):
    """The records of one runtime."""

    kind: str
    """``containerd``, ``docker`` or ``cri-o``."""

    def find(self, wanted: Iterable[str]) -> list[RuntimeContainer]:
        """Return all containers, broken ones too; of what is wanted also whether it runs, and since when."""

    def with_hash(self, value: bytes, old: str, new: str) -> bytes:
        """Return what is kept with another recorded hash; every other byte stays.

        Raises InputError where the hash in it is not the old one.
        """

    def replace(self, container: RuntimeContainer, value: bytes) -> None:
        """Replace what is kept of a container, whole or not at all. Raises InputError."""


def lives(pid: object, identity: str) -> bool:
    """Return whether a process is in the cgroup of a container, so that it runs whatever a file says."""
    if type(pid) is not int or pid <= 0:
        return False
    try:
        return identity in Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return False


def or_broken(identity: str, read: Callable[[], RuntimeContainer | None]) -> RuntimeContainer | None:
    """Return a container as it is read; one whose record cannot be read does not keep others from theirs."""
    try:
        return read()
    except InputError as error:
        return RuntimeContainer(identity, "", "", "", "", 0, "", b"", running=False, broken=str(error))


def newest(containers: Sequence[RuntimeContainer]) -> Mapping[tuple[str, str], str]:
    """Return the id of the newest container of each name in each pod, which is what a kubelet looks at."""
    rows = sorted(containers, key=lambda container: container.created)
    return {(container.uid, container.container): container.id for container in rows}
