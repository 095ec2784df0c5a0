"""What a snapshot holds besides Kubernetes objects: hashes of containers, and the records of its nodes.

A hash is a number, or ``h`` and the number of one that the snapshot hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import part
from hashcompat.core.go.jsontext import clean, kind_of
from hashcompat.core.model.documents import API_VERSION
from hashcompat.core.model.pods import Container, Pod
from hashcompat.core.model.verdicts import (
    Applied,
    Files,
    Hash,
    HiddenHash,
    Record,
    Recorded,
    Sandbox,
    StoredHashes,
)
from hashcompat.core.regex import regex
from hashcompat.core.shown import name
from hashcompat.sources.documents import Fields, JsonObject, row_of
from hashcompat.sources.statuses import time_of

KIND: Final = "ClusterSnapshot"
HASHES: Final = "hashcompat.io/hashes"
"""A key of a snapshot's containers; anywhere else it is a field that Go does not know."""
WORKLOAD: Final = "hashcompat.io/workload"
"""The annotation of a snapshot's pods that names their workload, for the labels that show it are not kept."""
DRIVERS: Final = "csi.volume.kubernetes.io/nodeid"
"""The annotation of a Node in which its kubelet notes the CSI drivers that are registered with it."""
PUBLIC: Final = "same"
"""Stands for a hash in which no hidden value takes part: the one computed of what is in the snapshot."""
HIDDEN: Final = "hidden"
"""What the spec of a snapshot says of hashes over hidden values; otherwise they are kept."""
_NUMBER: Final = regex(r"h(0|[1-9][0-9]{0,8})")
_TEXT: Final = regex(r"[0-9a-f]{1,8}")
_BEGINS: Final = regex(rf'\s*\{{\s*"apiVersion"\s*:\s*"hashcompat\.io/v1"\s*,\s*"kind"\s*:\s*"{KIND}"\s*,')
_LIMIT: Final = 1 << 32
"""Hashes have 32 bits."""


def text_of(value: Hash) -> int | str:
    """Return a hash as a snapshot holds it."""
    return f"h{value.number}" if isinstance(value, HiddenHash) else value


def document_of(stored: StoredHashes) -> dict[str, int | str]:
    """Return a container's stored hashes as a snapshot holds them."""
    return {
        f"{text:x}": PUBLIC if stored.hidden and isinstance(value, int) else text_of(value)
        for text, value in stored.by_text.items()
    }


def stored_hashes(value: object, place: str) -> StoredHashes:
    """Read a container's stored hashes.

    Raises InputError, which names the place, for what no snapshot has.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{place}: want an object, got {kind_of(value)}; take a new snapshot")
    pairs = [(text, entry if type(entry) in (int, str) else None) for text, entry in value.items()]
    stored = _stored(tuple(pairs))
    if isinstance(stored, str):
        raise InputError(f"{place}: {name(stored)!r}: not a hash of a snapshot; take a new one")
    return stored


@lru_cache(maxsize=1 << 10)
def _stored(pairs: tuple[tuple[str, int | str | None], ...]) -> StoredHashes | str:
    """Return the stored hashes, which all replicas have; the key of one that is none."""
    hidden = any(isinstance(entry, str) for _, entry in pairs)
    by_text: dict[int, Hash] = {}
    for text, entry in pairs:
        # "same" stands for the key itself: nothing is hidden in that text, so its hash tells nothing new
        value = int(text, 16) if entry == PUBLIC and _TEXT.fullmatch(text) else hash_of(entry)
        if value is None or not _TEXT.fullmatch(text) or isinstance(entry, str) != hidden:
            return text
        by_text[int(text, 16)] = value
    return StoredHashes(by_text, hidden=hidden)


def with_stored(fields: Fields, pod: Pod) -> Pod:
    """Take out what a snapshot adds to a pod: the stored hashes of its containers, and its workload.

    Errors as ``stored_hashes``.
    """
    containers = tuple(_opened(pod, container) for container in pod.containers)
    workload = fields.object("metadata").object("annotations").string(WORKLOAD)
    return structs.replace(pod, containers=containers, workload=workload or pod.workload)


def _opened(pod: Pod, container: Container) -> Container:
    if HASHES not in container.spec:
        return container
    spec, place = dict(container.spec), f"{pod.origin}: {container.path}[{HASHES!r}]"
    return structs.replace(container, stored=stored_hashes(spec.pop(HASHES), place), spec=spec)


def begins(text: str) -> bool:
    """Return whether a file that begins so is a snapshot, as this program writes it."""
    return _BEGINS.match(text) is not None


def warnings(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield what plans of a snapshot do not show."""
    spec = document.get("spec")
    if isinstance(spec, Mapping) and spec.get("hashes") == HIDDEN:
        yield (
            "the snapshot hides values and the hashes over them: such a hash is shown as none"
            " (snapshot --with-hashes keeps them)"
        )


def check_version(document: Mapping[str, Any], origin: str) -> None:
    """Raise InputError, with ``origin``, for a snapshot whose hashes may mean other things."""
    if document.get("apiVersion", API_VERSION) != API_VERSION:
        raise InputError(
            f"{origin}: $.apiVersion: want {API_VERSION}: made by another version of this program; "
            "take the snapshot again with this one"
        )


def taken_at(document: Mapping[str, Any], origin: str) -> datetime | None:
    """Return when a snapshot was taken, UTC; None where it does not say that, as older ones.

    Raises InputError, with ``origin``, for anything but a time.
    """
    text = part(document, "spec").get("takenAt")
    if text is None:
        return None
    is_time, time = time_of(text) if isinstance(text, str) else (False, None)
    if not is_time:
        raise InputError(
            f"{origin}: $.spec.takenAt: want a time such as 2026-01-31T12:00:00Z; take a new snapshot"
        )
    return time


def cluster_of(document: Mapping[str, Any], origin: str) -> str:
    """Return the UID of a snapshot's cluster; empty where it does not say that, as older ones.

    Raises InputError, with ``origin``, for anything but a string.
    """
    uid = part(document, "spec").get("clusterUID")
    if not isinstance(uid, str | None):
        raise InputError(
            f"{origin}: $.spec.clusterUID: want a string, got {kind_of(uid)}; take a new snapshot"
        )
    return clean(uid or "")


NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?"
"""How a cluster is named, so that the name can be that of a file."""
KEY: Final = rf"(?:{NAME}/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{{0,61}}[A-Za-z0-9])?"
"""The key of a label, as Kubernetes has them."""
VALUE: Final = r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?"
"""The value of a label, as Kubernetes has them."""
_NAME, _KEY, _VALUE = map(regex, (NAME, KEY, VALUE))

Labels = tuple[tuple[str, str], ...]
"""Labels, sorted by their keys."""


def named(document: Mapping[str, Any]) -> tuple[str, Labels]:
    """Return the name and the labels of a snapshot's cluster, as far as they have the form of such."""
    spec = part(document, "spec")
    name_, labels = spec.get("clusterName"), part(spec, "clusterLabels")
    rows = (
        (key, value)
        for key, value in labels.items()
        if isinstance(value, str) and _KEY.fullmatch(key) and _VALUE.fullmatch(value)
    )
    is_name = isinstance(name_, str) and _NAME.fullmatch(name_)
    return str(name_) if is_name else "", tuple(sorted(rows))


def hash_of(value: object) -> Hash | None:
    """Return what ``text_of`` makes a text of; None for anything else."""
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value)):
        return HiddenHash(int(match[1]))
    return value if type(value) is int and 0 <= value < _LIMIT else None


def records(document: Mapping[str, Any], origin: str) -> Iterator[Record]:
    """Yield what the snapshot's nodes recorded.

    Raises InputError, with the path, for a row that no snapshot has.
    """
    for key, read in (
        *(("recorded", _recorded), ("sandboxes", _sandbox)),
        *(("applied", _applied), ("files", _files)),
    ):
        rows = document.get(key)
        if not isinstance(rows, list | None):
            raise InputError(f"{origin}: $.{key}: want a list, got {kind_of(rows)}; take a new snapshot")
        for index, row in enumerate(rows or ()):
            try:
                yield read(row_of(row, ""))
            except InputError as error:
                why = str(error).removeprefix(".").removeprefix(": ")
                place = f"{origin}: $.{key}[{index}]"
                raise InputError(f"{place}: not a row of a snapshot: {why}; take a new one") from None


def _recorded(row: JsonObject) -> Recorded:
    return Recorded(
        row.text("uid"),
        row.text("namespace"),
        row.text("pod"),
        row.text("container"),
        _hash_of(row, "hash"),
        running=row.truth_or_none("running"),
        attempt=row.integer_or_none("attempt"),
        hash_version=row.text("hashVersion", ""),
        without_resources=_hash_of(row, "hashWithoutResources"),
        id=row.text("id", ""),
        created=row.time_or_none("created"),
        any_year=_flag(row, "createdInAnyYear"),
        docker=_flag(row, "docker"),
        code=row.integer_or_none("exitCode"),
        unapplied=_flag(row, "unapplied"),
        plugins=row.texts_or_none("plugins"),
        lost=_flag(row, "stateUnknown"),
        begun=row.truth("begun") if "begun" in row.value else True,
        out_of_memory=_flag(row, "outOfMemory"),
    )


def _sandbox(row: JsonObject) -> Sandbox:
    return Sandbox(
        row.text("uid"),
        row.text("namespace"),
        row.text("pod"),
        row.truth("ready"),
        row.integer_or_none("attempt") or 0,
        row.truth_or_none("hostNetwork"),
        None if row.value.get("ip", "") is None else row.text("ip"),
        row.integer_or_none("created"),
        docker=_flag(row, "docker"),
        id=row.text("id", ""),
    )


def _hash_of(row: JsonObject, key: str) -> Hash | None:
    value = hash_of(row.value.get(key))
    if value is None and row.value.get(key, "") is not None:
        raise InputError(f"{row.path}.{key}: a hash is a number, or h and a number")
    return value


def _flag(row: JsonObject, key: str) -> bool:
    return key in row.value and row.truth(key)


def _applied(row: JsonObject) -> Applied:
    return Applied(row.text("uid"), row.text("container"), row.row("resources").value)


def _files(row: JsonObject) -> Files:
    """Return the files of a node; older snapshots have none."""
    devices = row.row("devices") if "devices" in row.value else None
    allocated = row.row("allocated")
    return Files(
        row.text("node"),
        frozenset(row.texts_or_none("uids") or ()),
        tuple(map(_probe, row.rows("probes"))),
        None if devices is None else {name: _devices(devices.row(name)) for name in devices.value},
        {uid: _objects(allocated.row(uid)) for uid in allocated.value},
    )


def _probe(row: JsonObject) -> tuple[str, str, str | None, str]:
    shown = row.text("text") if "text" in row.value else None
    return row.text("kind"), row.text("name"), shown, row.text("problem", "")


def _devices(row: JsonObject) -> dict[str, frozenset[str]]:
    return {uid: frozenset(row.texts_or_none(uid) or ()) for uid in row.value}


def _objects(row: JsonObject) -> dict[str, Mapping[str, Any]]:
    return {name: row.row(name).value for name in row.value}
