"""Apply a document to a node, check what the runtime shows afterwards, and go back."""

from __future__ import annotations

import binascii
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import jsontext, yaml
from hashcompat.core.model.documents import API_VERSION
from hashcompat.core.model.preflight import Done, ManifestPin, State, Task, Work
from hashcompat.core.records.manifests import with_uid
from hashcompat.output.rewriting import (
    MeanwhileError,
    RecordStore,
    RuntimeAnswer,
    RuntimeContainer,
    files,
    newest,
)

# The file with what was there before: every old and every new value, on the disk before the first change.

KIND: Final = "NormalizationUndo"
_SAFELY: Final = os.O_NOFOLLOW | os.O_NONBLOCK
_NOT_OWNER: Final = 0o077
_LONGEST: Final = 1 << 30


class Entry(msgspec.Struct, frozen=True):
    """One record or manifest: what it was, and what it becomes."""

    kind: str
    """``containerd``, ``docker`` or ``manifest``."""
    name: str
    """The container's id, or the manifest's path."""
    namespace: str
    pod: str
    container: str
    old: bytes
    """The whole value: an extension, or the content of a file."""
    new: bytes
    hashes: tuple[str, str]
    """The old and the new recorded hash as they are written; of a manifest an empty text and its UID."""
    started: str = ""
    """When the container started, as its runtime shows it."""


class _File(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    api_version: str
    kind: str
    digest: str
    node: str
    entries: list[Entry]


def undo_of(document: str) -> Path:
    """Return where the undo file of a document is: beside it."""
    return Path(document).absolute().with_name(f"{Path(document).name}.undo")


def load_undo(path: Path, digest: str, node: str) -> dict[tuple[str, str], Entry]:
    """Return the entries of a file by kind and name; none where there is no file.

    Raises InputError, naming it, for one that others can read or write, and one of another document.
    """
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _SAFELY)) as stream:
            seen = os.fstat(stream.fileno())
            if not stat.S_ISREG(seen.st_mode) or seen.st_uid != os.geteuid() or seen.st_mode & _NOT_OWNER:
                raise InputError(f"{path}: not a file that is yours alone")
            if seen.st_size > _LONGEST:
                raise InputError(f"{path}: more than {_LONGEST:,} bytes")
            data = stream.read()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, binascii.Error, ValueError) as error:
        raise InputError(f"{path}: not what hashcompat normalize apply writes: {error}") from None
    if (file.api_version, file.kind) != (API_VERSION, KIND):
        raise InputError(f"{path}: not what hashcompat normalize apply writes")
    if (file.digest, file.node) != (digest, node):
        raise InputError(f"{path}: of another document or node; move it away if that is what you want")
    return {(entry.kind, entry.name): entry for entry in file.entries}


def save_undo(path: Path, digest: str, node: str, entries: Iterable[Entry]) -> None:
    """Write the file; it is on the disk afterwards. Raises InputError, naming it."""
    content = _File(API_VERSION, KIND, digest, node, list(entries))
    files.save(path, msgspec.json.encode(content) + b"\n")


Entries = Mapping[tuple[str, str], Entry]

MANIFEST: Final = "manifest"
_BETWEEN: Final = 25
"""Changes between two looks at whether a kubelet has started."""


class Replacement(msgspec.Struct, frozen=True):
    """One thing to write: what is there now, and what it becomes."""

    entry: Entry
    now: RuntimeContainer | bytes
    """The container as its runtime keeps it, or the content of a manifest."""


class Replacements(msgspec.Struct, frozen=True):
    """What is to be written, and what became of the rest."""

    changes: tuple[Replacement, ...]
    rows: tuple[Done, ...]
    """Those that are not written."""


def planned(work: Work, place: RecordStore, manifests: Path | None) -> Replacements:
    """Compare a document with what is on the node; nothing is written.

    ``manifests`` is the directory whose manifests may be changed; None for none. Raises InputError for a
    document of which nothing is on this node.
    """
    asked = {task.rewrite.id: task for task in work.tasks}
    containers = place.find(asked)
    there, latest = {container.id: container for container in containers}, newest(containers)
    if asked and there.keys().isdisjoint(asked):
        raise InputError(
            f"no container of {work.node.name} is on this node: the document is of another one, or all were "
            "created again since"
        )
    made = [
        *(
            Done(container.id, "", "", container.id, State.SKIPPED, container.broken)
            for container in containers
            if container.broken and container.id not in asked
        ),
        *(_of_task(task, there.get(task.rewrite.id), latest, place) for task in work.tasks),
        *(_of_pin(pin, manifests) for pin in work.pins),
    ]
    return Replacements(
        tuple(outcome for outcome in made if isinstance(outcome, Replacement)),
        tuple(outcome for outcome in made if isinstance(outcome, Done)),
    )


def _of_task(
    task: Task, container: RuntimeContainer | None, latest: Mapping[tuple[str, str], str], place: RecordStore
) -> Replacement | Done:
    rewrite, new = task.rewrite, f"{task.rewrite.new:x}"
    names = task.namespace, task.pod, task.container
    done = partial(Done, rewrite.id, *names)
    if container is None:
        return done(State.SKIPPED, "there is no such container any more")
    if container.broken:
        return done(State.SKIPPED, container.broken)
    if container.uid != rewrite.uid or (container.namespace, container.pod, container.container) != names:
        return done(State.SKIPPED, "it is another pod's")
    if latest[container.uid, container.container] != container.id:
        return done(State.SKIPPED, "there is a newer container of its name")
    if container.hash == new:
        return done(State.ALREADY, "")
    if container.hash != f"{rewrite.recorded:x}":
        return done(State.SKIPPED, "another hash is recorded than when the document was made")
    if not container.running:
        return done(State.SKIPPED, "it does not run")
    try:
        value = place.with_hash(container.value, container.hash, new)
    except InputError as error:
        return done(State.SKIPPED, str(error))
    hashes = container.hash, new
    return Replacement(
        Entry(place.kind, container.id, *names, container.value, value, hashes, container.started), container
    )


def _of_pin(pin: ManifestPin, manifests: Path | None) -> Replacement | Done:
    path, done = Path(pin.path), partial(Done, pin.path, pin.namespace, pin.pod, "")
    if manifests is None or path.parent != manifests:
        return done(State.SKIPPED, "it is in no directory that --static-pod-dir names")
    try:
        now = files.content(path, manifests)
        if hashlib.sha256(now).hexdigest() != pin.digest:
            uid = _uid_of(now)
            state = State.ALREADY if uid == pin.uid else State.SKIPPED
            return done(state, "" if uid == pin.uid else "it is not what it was when the document was made")
        after = with_uid(jsontext.decode_text(now), pin.uid).encode(errors="surrogateescape")
    except InputError as error:
        return done(State.SKIPPED, str(error))
    return Replacement(Entry(MANIFEST, pin.path, pin.namespace, pin.pod, "", now, after, ("", pin.uid)), now)


def _uid_of(manifest: bytes) -> str:
    """Return the UID that a manifest sets; empty for none, and for what is no manifest."""
    try:
        content = yaml.first(jsontext.decode_text(manifest), [])
    except InputError:
        return ""
    metadata = content.get("metadata") if isinstance(content, dict) else None
    return str(metadata.get("uid") or "") if isinstance(metadata, dict) else ""


def ready(plan: Replacements) -> list[Done]:
    """Return the rows of a run that changes nothing."""
    return [*(_row(change.entry, State.READY) for change in plan.changes), *plan.rows]


def _row(entry: Entry, state: State, why: str = "") -> Done:
    return Done(entry.name, entry.namespace, entry.pod, entry.container, state, why)


def recorded(plan: Replacements, undo: Entries) -> list[Entry]:
    """Return all entries of the undo file: what an earlier run wrote stays, for that was there first."""
    entries = dict(undo)
    for change in plan.changes:
        entries.setdefault((change.entry.kind, change.entry.name), change.entry)
    return list(entries.values())


def written(
    changes: Sequence[Replacement], place: RecordStore, manifests: Path | None, still: Callable[[], None]
) -> Iterator[Done]:
    """Write some changes, each as soon as its row is asked for; the undo file is on the disk already.

    ``still`` raises InputError once something speaks against going on; so does a runtime that fails. A
    container that changed meanwhile is skipped.
    """
    for number, change in enumerate(changes):
        if number % _BETWEEN == 0:
            still()
        try:
            _put(change.entry.name, change.now, change.entry.new, place, manifests)
        except MeanwhileError as error:
            yield _row(change.entry, State.SKIPPED, str(error))
        else:
            yield _row(change.entry, State.REWRITTEN)


def _put(
    name: str, now: RuntimeContainer | bytes, new: bytes, place: RecordStore, manifests: Path | None
) -> None:
    if isinstance(now, RuntimeContainer):
        place.replace(now, new)
    elif manifests is not None:
        files.replace(Path(name), manifests, now, new)


def restored(
    undo: Entries, place: RecordStore, manifests: Path | None, still: Callable[[], None], *, write: bool
) -> Iterator[Done]:
    """Put back what the undo file has; what is not as ``apply`` left it is changed in its one place, or kept.

    The last changes go first, so that no manifest has a uid whose containers are as they were.
    """
    there = {
        container.id: container
        for container in place.find([entry.name for entry in undo.values() if entry.kind != MANIFEST])
    }
    for number, entry in enumerate(reversed(list(undo.values()))):
        if write and number % _BETWEEN == 0:
            still()
        yield _restored(entry, there.get(entry.name), place, manifests, write=write)


def _restored(
    entry: Entry, there: RuntimeContainer | None, place: RecordStore, manifests: Path | None, *, write: bool
) -> Done:
    is_manifest = entry.kind == MANIFEST
    try:
        before = _manifest_before(entry, manifests) if is_manifest else _record_before(entry, there, place)
        if isinstance(before, Done):
            return before
        if not write:
            return _row(entry, State.READY)
        now, target = before
        _put(entry.name, now, target, place, manifests)
    except MeanwhileError as error:
        return _row(entry, State.SKIPPED, str(error))
    return _row(entry, State.RESTORED)


def _manifest_before(entry: Entry, manifests: Path | None) -> tuple[bytes, bytes] | Done:
    """Return what a manifest is now, and what it was."""
    if manifests is None or Path(entry.name).parent != manifests:
        return _row(entry, State.SKIPPED, "it is in no directory that --static-pod-dir names")
    try:
        now = files.content(Path(entry.name), manifests)
    except InputError as error:
        return _row(entry, State.SKIPPED, str(error))
    if now == entry.old:
        return _row(entry, State.ALREADY)
    if now != entry.new:
        return _row(entry, State.SKIPPED, "it was edited since; remove its uid by hand")
    return now, entry.old


def _record_before(
    entry: Entry, container: RuntimeContainer | None, place: RecordStore
) -> tuple[RuntimeContainer, bytes] | Done:
    """Return a container as it is kept now, and its record as it was."""
    if container is None:
        return _row(entry, State.SKIPPED, "there is no such container any more")
    if container.broken:
        return _row(entry, State.SKIPPED, container.broken)
    if container.hash == entry.hashes[0]:
        return _row(entry, State.ALREADY)
    if container.hash != entry.hashes[1]:
        return _row(entry, State.SKIPPED, "another hash is recorded than apply wrote")
    if container.value == entry.new:
        return container, entry.old
    try:
        return container, place.with_hash(container.value, *reversed(entry.hashes))
    except InputError as error:
        return _row(entry, State.SKIPPED, str(error))


def checked(
    work: Work, undo: Entries, shown: Mapping[str, RuntimeAnswer], read: Callable[[str], bytes]
) -> Iterator[Done]:
    """Compare what was written with what the runtime shows of each container, by id; then what was not.

    ``read`` returns the content of a manifest.
    """
    for entry in undo.values():
        manifest = entry.kind == MANIFEST
        yield _row(
            entry,
            *(
                _with_uid(entry.name, entry.hashes[1], read)
                if manifest
                else _answered(entry, shown.get(entry.name))
            ),
        )
    written = {entry.name for entry in undo.values()}
    for task in work.tasks:
        if task.rewrite.id not in written:
            now = _unwritten(f"{task.rewrite.new:x}", shown.get(task.rewrite.id))
            yield Done(task.rewrite.id, task.namespace, task.pod, task.container, *now)
    for pin in work.pins:
        if pin.path not in written:
            yield Done(pin.path, pin.namespace, pin.pod, "", *_with_uid(pin.path, pin.uid, read))


def _answered(entry: Entry, answer: RuntimeAnswer | None) -> tuple[State, str]:
    """Return what the runtime shows of a container whose record was rewritten."""
    if answer is None or not answer.running:
        return State.FAILED, "the runtime shows no such container that runs"
    if answer.started != entry.started:
        return State.FAILED, "it started again since"
    if answer.hash == entry.hashes[1]:
        return State.SHOWN, ""
    if answer.hash == entry.hashes[0]:
        return State.NOT_YET, "restart the runtime"
    return State.FAILED, "the runtime shows another hash"


def _unwritten(new: str, answer: RuntimeAnswer | None) -> tuple[State, str]:
    """Return what the runtime shows of a container with its old record; one that is gone is fine."""
    if answer is None or not answer.running:
        return State.SKIPPED, "there is no such container any more"
    if answer.hash == new:
        return State.SHOWN, ""
    return State.FAILED, "apply left it alone, so the new kubelet restarts it"


def _with_uid(path: str, uid: str, read: Callable[[str], bytes]) -> tuple[State, str]:
    """Return whether a manifest has a uid, and why not."""
    try:
        same = _uid_of(read(path)) == uid
    except InputError as error:
        return State.FAILED, str(error)
    return (State.SHOWN, "") if same else (State.FAILED, "it has not that uid")
