"""Read a normalization that ``hashcompat normalize --out`` saved, as far as one node goes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from hashcompat.core.errors import InputError
from hashcompat.core.model.escape import word
from hashcompat.core.model.preflight import ManifestPin, Rewrite, RewrittenNode, Task, Work
from hashcompat.core.model.results import SIGNATURE, is_signed
from hashcompat.core.model.uids import SKEW
from hashcompat.core.regex import regex
from hashcompat.sources.documents import JsonObject
from hashcompat.sources.files.saved import Saved, opened

KIND: Final = "Normalization"
WANTED: Final = "a normalization, as hashcompat normalize --out FILE saves it"

_ID: Final = regex(r"[0-9a-f]{64}")
_UID: Final = regex(r"[0-9A-Za-z-]{1,64}")
_SHOWN: Final = 5
"""Nodes that an error names."""


def read(name: str, node: str, key: bytes, longest: timedelta, now: datetime) -> Work:
    """Return what a document says of a node; ``key`` is that of its signature, empty for none.

    Raises InputError, naming the file, for anything but such a document, whole and unchanged, that is not
    older than ``longest``; for one without the node; and for one in which a container or a manifest is twice.
    """
    with opened(name, (KIND,), WANTED) as document:
        tasks = [task for row in document.items() for task in _task(row, node)]
        _check(document, key, longest, now)
        spec = document.rest.row("spec")
        nodes = [
            RewrittenNode(row.text("name"), row.text("kubelet"), row.text("runtime"))
            for row in spec.rows("nodes")
        ]
        this = next((one for one in nodes if one.name == node), None)
        if this is None:
            names = ", ".join(word(one.name) for one in nodes[:_SHOWN]) or "none"
            raise InputError(f"no node {word(node)} in it; it is about {names}; --node-name names this one")
        pins = [pin for row in spec.rows("manifests") for pin in _pin(row, node)]
        for kind, given in (
            ("container", [task.rewrite.id for task in tasks]),
            ("manifest", [pin.path for pin in pins]),
        ):
            if twice := {one for one in given if given.count(one) > 1}:
                raise InputError(f"the {kind} {word(min(twice))} is in it twice")
        return Work(this, spec.text("to"), document.digest(), tuple(tasks), tuple(pins))


def _check(document: Saved, key: bytes, longest: timedelta, now: datetime) -> None:
    """Raise InputError for a document that was edited, is not signed with the key, or is too old."""
    digest = document.digest()
    if not digest:
        raise InputError("$.digest: missing, so nothing shows whether it was edited; make it again")
    if key and not is_signed(digest, document.rest.text(SIGNATURE, ""), key):
        raise InputError("$.signature: not made with this key; make it again with --sign-key")
    created = document.rest.row("spec").time_or_none("createdAt")
    if created is None:
        raise InputError("$.spec.createdAt: missing; make it again")
    if created > now + SKEW:
        raise InputError(f"$.spec.createdAt: {created:%Y-%m-%dT%H:%M:%SZ} is in the future; check the clocks")
    if now - created > longest:
        hours = (now - created) // timedelta(hours=1)
        raise InputError(f"it is {hours} h old, more than --max-age allows; make it again")


def _task(row: JsonObject, node: str) -> Iterator[Task]:
    record = row.row_or_none("record")
    if record is None or row.text("node") != node:
        return
    identity, uid = record.text("containerID"), record.text("podUID")
    if not _ID.fullmatch(identity):
        raise InputError(f"{record.path}.containerID: want 64 hexadecimal digits")
    old, new = record.hash("hash"), record.hash("newHash")
    if old is None or new is None:
        raise InputError(f"{record.path}: want two hashes")
    rewrite = Rewrite(identity, uid, old, new, record.text("kubelet"))
    yield Task(rewrite, row.text("namespace"), row.text("pod"), row.text("container"))


def _pin(row: JsonObject, node: str) -> Iterator[ManifestPin]:
    if row.text("node") != node:
        return
    path, uid, digest = row.text("path"), row.text("uid"), row.text("sha256")
    if not path.startswith("/") or "/." in path or "//" in path:
        raise InputError(f"{row.path}.path: want an absolute path without dots")
    if not _UID.fullmatch(uid) or not _ID.fullmatch(digest):
        raise InputError(f"{row.path}: want a uid and a digest")
    yield ManifestPin(node, row.text("namespace"), row.text("pod"), path, uid, digest)
