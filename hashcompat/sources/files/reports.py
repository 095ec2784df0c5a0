"""Read what commands saved: a gate's containers, a preflight's findings, kept pages, a normalization."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.model.escape import word
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.pods import ContainerType, Origin
from hashcompat.core.model.preflight import (
    Finding,
    ManifestPin,
    Preflight,
    Rewrite,
    RewrittenNode,
    Status,
    Task,
    Work,
)
from hashcompat.core.model.results import SIGNATURE, About, KeptPage, KeptPages, Making, is_signed
from hashcompat.core.model.uids import SKEW, packed
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies.exceptions import Identity, baseline_of, check_target
from hashcompat.core.regex import regex
from hashcompat.sources.documents import JsonObject
from hashcompat.sources.files import plans
from hashcompat.sources.files.saved import Saved, opened

GATE: Final = "GateReport"


def baseline_in(name: str, target: str, is_of: Callable[[str], bool]) -> frozenset[Identity]:
    """Return the findings in a saved plan or gate of the release ``target``, as ``report_in`` reads one.

    Raises InputError, naming the file, for anything else.
    """
    readers = {plans.KIND: lambda document: plans.plan_of(document).items, GATE: items_of}
    with opened(name, readers, "what hashcompat plan or hashcompat gate saves with --out FILE") as document:
        baseline = baseline_of(readers[document.kind](document))
        spec = document.rest.row("spec")
        check_target((spec.row("plan") if document.kind == GATE else spec).text("to"), target, is_of)
        return baseline


def items_of(document: Saved) -> Iterator[Item]:
    """Yield the containers of a gate, without reasons; raises InputError, with the path, where it is none."""
    allowed = allowance.containers()
    for row in document.items():
        allowed.take(1)
        keys = ("node", "namespace", "pod", "uid", "owner", "workload")
        node, namespace, pod, uid, owner, workload = map(row.text, keys)
        name = PodName(node, namespace, pod, packed(uid), owner, workload)
        container = ContainerName(row.text("container"), row.word("containerType", ContainerType))
        yield Item(name, container, Prediction("", row.word("verdict", Verdict)))
    document.digest()


_HEAD: Final = 1 << 18
"""Bytes in which a page says what it is."""
_ABOUT: Final = re.compile(r'<meta name="hashcompat" content="([^"<>]*)">')


def pages_in(directory: str, own: str) -> KeptPages:
    """Return the pages that were kept in a directory, but for one of the kind ``own``, which joins others.

    Raises InputError, naming the directory, where there is none.
    """
    pages, foreign = list[KeptPage](), list[str]()
    try:
        paths = sorted(
            path for path in Path(directory).iterdir() if path.suffix == ".html" and path.is_file()
        )
        for path in paths:
            with path.open("rb") as stream:
                about = about_of(stream.read(_HEAD))
            if about is None:
                foreign.append(path.name)
            elif about.kind != own:
                pages.append(KeptPage(path.name, about))
    except OSError as error:
        raise InputError(f"{error.filename or directory}: {error.strerror}") from None
    if not pages:
        raise InputError(f"{directory}: no page of hashcompat in it; --report html=FILE makes one")
    return KeptPages(directory, tuple(pages), tuple(foreign))


def about_of(text: bytes) -> About | None:
    """Return what the beginning of a page says of itself; None for one that was not made by this program."""
    match = _ABOUT.search(text.decode(errors="replace"))
    if match is None:
        return None
    try:
        about = msgspec.json.decode(unescape(match[1]), type=About)
    except (msgspec.DecodeError, ValueError):  # a page that somebody else made, or edited
        return None
    return about if about.tone in ("bad", "open", "good", "") else None


PREFLIGHT: Final = "PreflightReport"


def report_in(
    name: str, target: str, is_of: Callable[[str], bool], check: Callable[[Preflight], None]
) -> Preflight:
    """Return a saved preflight of the release ``target``, which ``is_of`` knows by its other names too.

    Raises InputError, naming the file, for anything else, and where ``check`` does.
    """
    with opened(name, (PREFLIGHT,), "what hashcompat preflight saves with --out FILE") as document:
        preflight = checks_of(document)
        if not is_of(preflight.target):
            raise InputError(f"a preflight of {preflight.target}, and the plan is of {target}")
        check(preflight)
        return preflight


def checks_of(document: Saved) -> Preflight:
    """Return the findings in a document; raises InputError, with the path, for what none has."""
    findings = tuple(map(_finding, document.items()))
    spec, counts = document.rest.row("spec"), document.rest.row("summary")
    left_out = tuple((row.text("id"), row.text("needs")) for row in spec.rows("leftOut"))
    current = dict(
        spec.map_keys("from", lambda row, node: (node, None if row.value[node] is None else row.text(node)))
    )
    source = spec.row_or_none("source")  # an older version saved neither this nor what made it
    result = Preflight(
        spec.text("to"),
        current,
        findings,
        spec.texts("ignored"),
        left_out,
        plans.origin_of(source) if source else Origin(),
        plans.making_of(spec) if source else Making(version="unknown"),
    )
    if any(counts.number(status.value) != number for status, number in result.counts().items()):
        raise InputError(
            "$.summary: not the counts of its items: the report was cut or edited; save it again"
        )
    document.digest()
    return result


def _finding(row: JsonObject) -> Finding:
    return Finding(
        row.text("id"),
        row.text("node"),
        row.word("status", Status),
        row.text("object"),
        row.text("text"),
        row.text("advice"),
    )


# A normalization that ``hashcompat normalize --out`` saved, as far as one node goes.

NORMALIZATION: Final = "Normalization"
_WANTED: Final = "a normalization, as hashcompat normalize --out FILE saves it"

_ID: Final = regex(r"[0-9a-f]{64}")
_UID: Final = regex(r"[0-9A-Za-z-]{1,64}")
_SHOWN: Final = 5
"""Nodes that an error names."""


def work_in(name: str, node: str, key: bytes, longest: timedelta, now: datetime) -> Work:
    """Return what a document says of a node; ``key`` is that of its signature, empty for none.

    Raises InputError, naming the file, for anything but such a document, whole and unchanged, that is not
    older than ``longest``; for one without the node; and for one in which a container or a manifest is twice.
    """
    with opened(name, (NORMALIZATION,), _WANTED) as document:
        tasks = [task for row in document.items() for task in _task(row, node)]
        _check(document, key, longest, now)
        spec = document.rest.row("spec")
        nodes = [
            RewrittenNode(row.text("name"), row.text("kubelet"), row.text("runtime"))
            for row in spec.rows("nodes")
        ]
        this = next((entry for entry in nodes if entry.name == node), None)
        if this is None:
            names = ", ".join(word(entry.name) for entry in nodes[:_SHOWN] if entry.name) or "none"
            raise InputError(f"no node {word(node)} in it; it is about {names}; --node-name names this one")
        pins = [pin for row in spec.rows("manifests") for pin in _pin(row, node)]
        for kind, values in (
            ("container", [task.rewrite.id for task in tasks]),
            ("manifest", [pin.path for pin in pins]),
        ):
            if twice := {value for value in values if values.count(value) > 1}:
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
    # as it was made; a kubelet passes over files whose names begin with a dot, not over such directories
    if path != f"/{posixpath.normpath(path).lstrip('/')}" or posixpath.basename(path).startswith("."):
        raise InputError(f"{row.path}.path: want the absolute path of a manifest")
    if not _UID.fullmatch(uid) or not _ID.fullmatch(digest):
        raise InputError(f"{row.path}: want a uid and a digest")
    yield ManifestPin(node, row.text("namespace"), row.text("pod"), path, uid, digest)
