"""One input -> its part: the rows of one cluster for all target releases, in one file.

``work`` is what every engine runs. It may run twice, at once or on several machines: the part has the same
name and content each time.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import structs

import hashcompat
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.model.pods import Inventory, Origin
from hashcompat.fleet import VERSION, Status
from hashcompat.fleet.cluster import Answer, Question, answers, failed, shown
from hashcompat.fleet.engines import Apart
from hashcompat.fleet.store import PARTS, Entry, Place, StoreError, local_copy
from hashcompat.sources.content import python_zstd
from hashcompat.sources.files import collect as files
from hashcompat.sources.files.inputs import inputs

Value = TypeVar("Value")

_SUFFIX: Final = ".part"
_TRIED: Final = ".tried"
"""What a file is called that shows that a process began with an input; a number follows."""
_LEVEL: Final = 3
_BETWEEN_COLLECTIONS: Final = 100_000
"""As of the command line: what is planned has no cycles."""


class Task(msgspec.Struct, frozen=True):
    """One input, and what is asked of it."""

    entry: Entry
    key: str
    question: Question
    out: str
    """Where the part goes."""
    data: str
    """The digest of the release data by which the answer has to be made."""
    schemas: str = ""
    """The directory of these, if it is not the program's own."""
    tried: int | None = None
    """How often a process that could not be watched died with it; None where processes are watched."""


class Head(msgspec.Struct, frozen=True):
    """What is known of an input, whatever the target."""

    entry: Entry
    key: str
    uid: str = ""
    name: str = ""
    """The cluster's own; empty where the input does not show it."""
    labels: dict[str, str] = {}
    taken: datetime | None = None
    statuses: dict[str, Status] = {}
    """By target."""
    outcomes: dict[str, str] = {}
    """By target; only of what was planned."""
    restarts: dict[str, int] = {}
    """Containers that are killed, by target; only of what was planned."""

    @property
    def cluster(self) -> str:
        """What the cluster is called."""
        return self.name or self.entry.name


class Part(msgspec.Struct, frozen=True):
    """All of one input."""

    head: Head
    answers: tuple[Answer, ...]


def key_of(entry: Entry, question: Question, data: str) -> str:
    """Return the key of an input: equal keys mean equal rows.

    ``data`` is the digest of the release data.
    """
    asked = msgspec.json.encode(question)
    words = (str(VERSION), hashcompat.__version__, data, entry.url, entry.stamp)
    return hashlib.sha256("\n".join(words).encode() + asked).hexdigest()[:20]


def file_of(key: str) -> str:
    """Return the name of a part, below the output."""
    return f"{PARTS}/{key}{_SUFFIX}"


def tries_in(names: Iterable[str]) -> dict[str, int]:
    """Return how often a process began with an input and did not end, by key."""
    marks = (name.partition(_TRIED) for name in names if _TRIED in name)
    found = dict[str, int]()
    for key, _, number in marks:
        found[key] = max(found.get(key, 0), int(number))
    return found


def keys_in(names: Iterable[str]) -> set[str]:
    """Return the keys of the parts among the files of their folder."""
    return {name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)}


def packed(value: object) -> bytes:
    """Return a value as a file of this room has it."""
    content: bytes = python_zstd().compress(msgspec.msgpack.encode(value), _LEVEL)
    return content


def unpacked(content: bytes, kind: type[Value]) -> Value:
    """Return the value in a file; raises InputError for what is none, or of another version."""
    try:
        return msgspec.msgpack.decode(python_zstd().decompress(content), type=kind)
    except (msgspec.MsgspecError, python_zstd().ZstdError, EOFError) as error:
        raise InputError(f"not a part of this version of hashcompat ({type(error).__name__})") from None


@cache
def catalog_of(schemas: str) -> Catalog:
    """Return the release data of a directory, or the program's own; once for each process."""
    return Catalog(Path(schemas)) if schemas else default_catalog()


@cache
def digest_of(schemas: str) -> str:
    """Return the digest of that data."""
    return catalog_of(schemas).digest


class Made(msgspec.Struct, frozen=True):
    """What came of an input."""

    part: Part
    """Without rows where there is content."""
    content: bytes = b""
    """The file of the part; empty where another run may find more."""


def work(task: Task, apart: Apart | None = None) -> Part:
    """Answer for one input and write its part; return it, without rows if it was written.

    ``apart`` is what plans it in another process, if one is to.

    It is not written where another run may find more: where the store failed or memory did. Raises UsageError
    on a machine with other release data than the task is of, StoreError where the part cannot be written.
    """
    if digest_of(task.schemas) != task.data:
        raise UsageError(
            "a worker has other release data than this program; install the same version, with the same "
            "added releases, on all machines"
        )
    place = Place(task.out)
    marks = [f"{PARTS}/{task.key}{_TRIED}{number}" for number in range(1, (task.tried or 0) + 2)]
    if task.tried is not None:
        place.write(marks[-1], b"")
    found = _safely(task, apart)
    if found.content:
        place.write(file_of(task.key), found.content)
    if task.tried is not None:
        for mark in marks:
            place.remove(mark)
    return found.part


def _safely(task: Task, apart: Apart | None) -> Made:
    """Return what comes of an input whatever is wrong with it or its store."""
    try:
        with local_copy(task.entry) as path:
            found: Made = (apart or answer)(task, str(path))
            return found
    except StoreError as error:
        return Made(loose(task, failed(task.question.targets, shown(error))))
    except InputError as error:
        return _for_good(loose(task, failed(task.question.targets, shown(error))))


def answer(task: Task, path: str) -> Made:
    """Return what comes of an input that is a local file; it needs no store."""
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    try:
        inventory = _inventory(task.entry, Path(path))
        found = answers(inventory, task.question, catalog_of(task.schemas))
        return _for_good(Part(_head(task, found, inventory), found))
    except InputError as error:
        return _for_good(loose(task, failed(task.question.targets, shown(error))))
    except MemoryError:
        return Made(lost(task, "not enough memory"))
    except Exception as error:  # noqa: BLE001 - one input must not keep the others from an answer
        return Made(lost(task, f"a bug in hashcompat ({type(error).__name__})"))


def _for_good(part: Part) -> Made:
    return Made(Part(part.head, ()), packed(part))


def _inventory(entry: Entry, path: Path) -> Inventory:
    """Read a file under the name of what it is a copy of; raises InputError."""
    (source,) = inputs(str(path), recursive=False, suffixes=())
    return files.collect((structs.replace(source, origin=entry.url),))


def loose(task: Task, found: tuple[Answer, ...]) -> Part:
    """Return the part of an input of which nothing is known but its file."""
    return Part(_head(task, found), found)


def lost(task: Task, why: str) -> Part:
    """Return the part of an input that no process could answer for."""
    return loose(task, failed(task.question.targets, why, Status.LOST))


def _head(task: Task, found: tuple[Answer, ...], inventory: Inventory | None = None) -> Head:
    origin = inventory.origin if inventory else Origin()
    taken = [one.counts["taken"] for one in found if "taken" in one.counts]
    return Head(
        task.entry,
        task.key,
        origin.cluster,
        origin.name,
        dict(origin.labels),
        taken=taken[0] if taken else origin.taken,
        statuses={one.target: one.status for one in found},
        outcomes={one.target: one.counts["outcome"] for one in found if "outcome" in one.counts},
        restarts={
            one.target: one.counts["restart"] + one.counts["kill"] for one in found if "kill" in one.counts
        },
    )
