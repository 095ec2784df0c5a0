"""What a snapshot holds besides Kubernetes objects: hashes of containers, and the records of its nodes.

A hash is a number, or ``h`` and the number of one that the snapshot hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from msgspec import structs

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import part
from hashcompat.core.go.jsontext import clean, kind_of
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
from hashcompat.sources.documents import Fields, time_of
from hashcompat.sources.statuses import time_of as reported_time

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
        f"{text:x}": PUBLIC if stored.hidden and isinstance(one, int) else text_of(one)
        for text, one in stored.by_text.items()
    }


def stored_hashes(value: object, place: str) -> StoredHashes:
    """Read a container's stored hashes.

    Raises InputError, which names the place, for what no snapshot has.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{place}: want an object, got {kind_of(value)}; take a new snapshot")
    pairs = [(text, one if type(one) in (int, str) else None) for text, one in value.items()]
    found = _stored(tuple(pairs))
    if isinstance(found, str):
        raise InputError(f"{place}: {name(found)!r}: not a hash of a snapshot; take a new one")
    return found


@lru_cache(maxsize=1 << 10)
def _stored(pairs: tuple[tuple[str, int | str | None], ...]) -> StoredHashes | str:
    """Return the stored hashes, which all replicas have; the key of one that is none."""
    hidden = any(isinstance(one, str) for _, one in pairs)
    by_text: dict[int, Hash] = {}
    for text, one in pairs:
        # "same" stands for the key itself: nothing is hidden in that text, so its hash tells nothing new
        found = int(text, 16) if one == PUBLIC and _TEXT.fullmatch(text) else hash_of(one)
        if found is None or not _TEXT.fullmatch(text) or isinstance(one, str) != hidden:
            return text
        by_text[int(text, 16)] = found
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


def taken_at(document: Mapping[str, Any], origin: str) -> datetime | None:
    """Return when a snapshot was taken, UTC; None where it does not say that, as older ones.

    Raises InputError, with ``origin``, for anything but a time.
    """
    text = part(document, "spec").get("takenAt")
    if text is None:
        return None
    is_time, found = reported_time(text) if isinstance(text, str) else (False, None)
    if not is_time:
        raise InputError(
            f"{origin}: $.spec.takenAt: want a time such as 2026-01-31T12:00:00Z; take a new snapshot"
        )
    return found


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
                yield read(_Row(row))
            except (KeyError, TypeError) as error:
                raise _error(f"{origin}: $.{key}[{index}]", str(error)) from None
            except (ValueError, OverflowError):  # the last of times
                raise _error(f"{origin}: $.{key}[{index}]", "not a time") from None


def _error(place: str, why: str) -> InputError:
    return InputError(f"{place}: not a row of a snapshot: {why}; take a new one")


class _Row:
    """A row, whose values are checked for their types as they are taken."""

    def __init__(self, values: object) -> None:
        if not isinstance(values, Mapping):
            raise TypeError(f"want an object, got {kind_of(values)}")
        self._values = values

    def text(self, key: str, default: str | None = None) -> str:
        found = self._values[key] if default is None else self._values.get(key, default)
        if not isinstance(found, str):
            raise TypeError(f"{key}: want a string, got {kind_of(found)}")
        return found

    def is_null(self, key: str) -> bool:
        return self._values[key] is None

    def truth(self, key: str) -> bool:
        found = self.truth_or_none(key)
        if found is None:
            raise TypeError(f"{key}: want true or false, got null")
        return found

    def truth_or_none(self, key: str) -> bool | None:
        found = self._values[key]
        if not isinstance(found, bool | None):
            raise TypeError(f"{key}: want true or false, got {kind_of(found)}")
        return found

    def flag(self, key: str) -> bool:
        return key in self._values and self.truth(key)

    def count(self, key: str) -> int | None:
        found = self._values.get(key)
        if found is not None and type(found) is not int:
            raise TypeError(f"{key}: want an integer, got {kind_of(found)}")
        return found

    def texts(self, key: str) -> tuple[str, ...] | None:
        found = self._values.get(key)
        if found is None:
            return None
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise TypeError(f"{key}: want a list of strings")
        return tuple(found)

    def hash(self, key: str) -> Hash | None:
        found = hash_of(self._values[key])
        if found is None and self._values[key] is not None:
            raise TypeError(f"{key}: a hash is a number, or h and a number")
        return found

    def time(self, key: str) -> datetime | None:
        found = self._values.get(key)
        return None if found is None else time_of(self.text(key)).astimezone(UTC)

    def has(self, key: str) -> bool:
        return key in self._values

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._values)

    def rows(self, key: str) -> Iterator[_Row]:
        found = self._values[key]
        if not isinstance(found, list):
            raise TypeError(f"{key}: want a list, got {kind_of(found)}")
        return map(_Row, found)

    def object(self, key: str) -> Mapping[str, Any]:
        found = self._values[key]
        if not isinstance(found, Mapping):
            raise TypeError(f"{key}: want an object, got {kind_of(found)}")
        return found


def _recorded(row: _Row) -> Recorded:
    return Recorded(
        row.text("uid"),
        row.text("namespace"),
        row.text("pod"),
        row.text("container"),
        row.hash("hash"),
        running=row.truth_or_none("running"),
        attempt=row.count("attempt"),
        hash_version=row.text("hashVersion", ""),
        without_resources=row.hash("hashWithoutResources"),
        id=row.text("id", ""),
        created=row.time("created"),
        any_year=row.flag("createdInAnyYear"),
        docker=row.flag("docker"),
        code=row.count("exitCode"),
        unapplied=row.flag("unapplied"),
        plugins=row.texts("plugins"),
        lost=row.flag("stateUnknown"),
        begun=row.truth("begun") if row.has("begun") else True,
        out_of_memory=row.flag("outOfMemory"),
    )


def _sandbox(row: _Row) -> Sandbox:
    return Sandbox(
        row.text("uid"),
        row.text("namespace"),
        row.text("pod"),
        row.truth("ready"),
        row.count("attempt") or 0,
        row.truth_or_none("hostNetwork"),
        None if row.is_null("ip") else row.text("ip"),
        row.count("created"),
        docker=row.flag("docker"),
    )


def _applied(row: _Row) -> Applied:
    return Applied(row.text("uid"), row.text("container"), row.object("resources"))


def _files(row: _Row) -> Files:
    """Return the files of a node; older snapshots have none."""
    devices = row.object("devices") if row.has("devices") else None
    return Files(
        row.text("node"),
        frozenset(row.texts("uids") or ()),
        tuple(map(_probe, row.rows("probes"))),
        None if devices is None else {name: _devices(_Row(of)) for name, of in devices.items()},
        {uid: _objects(_Row(of)) for uid, of in row.object("allocated").items()},
    )


def _probe(row: _Row) -> tuple[str, str, str | None, str]:
    shown = row.text("text") if row.has("text") else None
    return row.text("kind"), row.text("name"), shown, row.text("problem", "")


def _devices(row: _Row) -> dict[str, frozenset[str]]:
    return {uid: frozenset(row.texts(uid) or ()) for uid in row.keys}


def _objects(row: _Row) -> dict[str, Mapping[str, Any]]:
    return {name: row.object(name) for name in row.keys}
