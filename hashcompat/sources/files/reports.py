"""Read what other commands saved: a gate's containers, as a baseline, and a preflight's findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go import allowance
from hashcompat.core.model.items import ContainerName, Item, PodName, Prediction
from hashcompat.core.model.pods import ContainerType, Origin
from hashcompat.core.model.preflight import Finding, Preflight, Status
from hashcompat.core.model.results import About, KeptPage, KeptPages, Making
from hashcompat.core.model.uids import packed
from hashcompat.core.model.verdicts import Verdict
from hashcompat.core.policies.exceptions import Identity, baseline_of
from hashcompat.sources.documents import JsonObject
from hashcompat.sources.files import plans
from hashcompat.sources.files.saved import Saved, opened

GATE: Final = "GateReport"


def baseline_in(name: str) -> frozenset[Identity]:
    """Return the findings in a saved plan or gate; raises InputError, naming the file, for anything else."""
    readers = {plans.KIND: lambda document: plans.plan_of(document).items, GATE: items_of}
    with opened(name, readers, "what hashcompat plan or hashcompat gate saves with --out FILE") as document:
        return baseline_of(readers[document.kind](document))


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
    pages, others = list[KeptPage](), list[str]()
    try:
        paths = sorted(
            path for path in Path(directory).iterdir() if path.suffix == ".html" and path.is_file()
        )
        for path in paths:
            with path.open("rb") as stream:
                about = about_of(stream.read(_HEAD))
            if about is None:
                others.append(path.name)
            elif about.kind != own:
                pages.append(KeptPage(path.name, about))
    except OSError as error:
        raise InputError(f"{error.filename or directory}: {error.strerror}") from None
    if not pages:
        raise InputError(f"{directory}: no page of hashcompat in it; --report html=FILE makes one")
    return KeptPages(directory, tuple(pages), tuple(others))


def about_of(text: bytes) -> About | None:
    """Return what the beginning of a page says of itself; None for one that was not made by this program."""
    found = _ABOUT.search(text.decode(errors="replace"))
    if found is None:
        return None
    try:
        about = msgspec.json.decode(unescape(found[1]), type=About)
    except (msgspec.DecodeError, ValueError):  # a page that somebody else made, or edited
        return None
    return about if about.tone in ("bad", "open", "good", "") else None


PREFLIGHT: Final = "PreflightReport"


def report_in(name: str, target: str, is_of: Callable[[str], bool]) -> Preflight:
    """Return a saved preflight of the release ``target``, which ``is_of`` knows by its other names too.

    Raises InputError, naming the file, for anything else.
    """
    with opened(name, (PREFLIGHT,), "what hashcompat preflight saves with --out FILE") as document:
        found = checks_of(document)
        if not is_of(found.target):
            raise InputError(f"a preflight of {found.target}, and the plan is of {target}")
        return found


def checks_of(document: Saved) -> Preflight:
    """Return the findings in a document; raises InputError, with the path, for what none has."""
    findings = tuple(map(_finding, document.items()))
    spec, counts = document.rest.row("spec"), document.rest.row("summary")
    left_out = tuple((row.text("id"), row.text("needs")) for row in spec.rows("leftOut"))
    current = dict(
        spec.each("from", lambda row, node: (node, None if row.value[node] is None else row.text(node)))
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
