"""How hashes compare: of containers, golden directories, recorded ones, and those that a patch leaves.

A calibration shows its share first, then a line for each record that needs a word. The audit of a patch names
paths, never values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import UNSET, structs

from hashcompat.analysis.answers.calibration import COMPARED, DIFFERS, CheckedRecord, RecordCheck
from hashcompat.analysis.answers.golden import Verification, Verifications
from hashcompat.analysis.answers.hashes import Hashed, HashRow
from hashcompat.analysis.patching import Patch, wrapped
from hashcompat.analysis.patching.strip import Audit, AuditRow
from hashcompat.core.model.escape import agree, count, name_path, word
from hashcompat.core.model.plan import ReleaseFacts
from hashcompat.core.model.verdicts import number_of
from hashcompat.core.rules import findings
from hashcompat.output.documents import containers as docs
from hashcompat.output.documents.containers import HashedContainer, HashFacts, HashList
from hashcompat.output.report.model import (
    CaseResult,
    Document,
    Findings,
    Prose,
    Report,
    ReportCase,
    Rows,
    Table,
    document,
    filled,
    plain,
)

_DIFFERS: Final = "golden-mismatch"


def _table(verifications: Verifications) -> Table:
    rows = [
        [result.directory, row.release, row.case, Prose(row.problem)]
        for result in verifications.items
        for row in result.mismatches
    ]
    return Table(("DIRECTORY", "KUBELET", "CASE", "PROBLEM"), lambda: rows, bare=True)


def _findings(verifications: Verifications) -> Findings:
    """Return a case for each mismatch, and one for each directory without any."""
    mismatches = sum(len(result.mismatches) for result in verifications.items)
    same = sum(result.compared for result in verifications.items) - mismatches
    return Findings(
        "verify",
        "verification of golden directories",
        "hashes",
        {"DIFFERS": mismatches, "SAME": max(same, 0)},
        lambda: _cases(verifications),
        lambda: findings(_DIFFERS),
    )


def _cases(verifications: Verifications) -> Iterator[ReportCase]:
    for result in verifications.items:
        group, names = word(result.directory), {"directory": result.directory, "release": "", "case": ""}
        for row in result.mismatches:
            of, name = {"release": row.release, "case": row.case}, name_path(row.release, row.case)
            yield ReportCase(
                CaseResult.FAILED, "DIFFERS", _DIFFERS, row.problem, group, name, {**names, **of}
            )
        if not result.mismatches:
            yield ReportCase(CaseResult.PASSED, "SAME", "", _compared(result), group, "every hash", names)


def _compared(result: Verification) -> str:
    return f"{count(result.compared, 'hash')} of {count(result.cases, 'case')} compared"


def _notes(verifications: Verifications) -> Iterator[str]:
    for result in verifications.items:
        number = len(result.mismatches)
        yield f"{result.directory}: {_compared(result)}, {number} {agree(number, 'differ')}"


VERIFICATIONS: Final[Report[Verifications]] = Report(
    "VerifyResult",
    document=lambda verifications: document(docs.VerifyResult, items=verifications.items),
    table=_table,
    findings=_findings,
    names=lambda verifications: (
        f"{row.release}/{row.case}" for result in verifications.items for row in result.mismatches
    ),
    notes=_notes,
)
_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "RECORDED", "COMPUTED", "PROBLEM")
_RULES: Final = ("record-differs", "record-not-compared")
_OUTCOMES: Final = {
    "DIFFERS": (CaseResult.FAILED, _RULES[0]),
    "UNDECIDED": (CaseResult.UNDECIDED, _RULES[1]),
    "REPRODUCED": (CaseResult.PASSED, ""),
}
"""By the verdict on a record, what it means and the rule behind it."""


def _record_document(check: RecordCheck) -> Document:
    """Return the CalibrationResult: counts of all, and an item for each that its release does not compute."""
    share = check.share
    summary = docs.CalibrationSummary(len(check.items), share.recorded, share.reproduced, check.skipped)
    return document(docs.CalibrationResult, summary=summary, items=Rows(_missed(check), _record_item))


def _record_item(row: CheckedRecord) -> Any:
    return plain(
        filled(
            docs.RecordItem,
            row.record,
            node=row.node,
            hash=docs.RecordHashes(number_of(row.record.hash), row.computed),
            problem=row.problem,
            origin=row.origin,
            token_mount=row.mount,
        )
    )


def _missed(check: RecordCheck) -> list[CheckedRecord]:
    return [row for row in check.items if row.problem]


def _cells(row: CheckedRecord) -> list[object]:
    record = row.record
    names = [row.node, record.namespace, record.pod, record.container]
    return [*names, number_of(record.hash), row.computed, Prose(_problem(row))]


def _problem(row: CheckedRecord) -> str:
    """Say why a record was not reproduced, or which release created the container."""
    if row.mount:
        return f"reproduced with the mount {row.mount.name} (one hash in {row.mount.one_in} is by chance)"
    if row.origin is None:
        return row.problem
    fields = f" (fields: {', '.join(row.origin.fields)})" if row.origin.fields else ""
    return f"created by {row.origin.release}{fields}"


def _record_findings(check: RecordCheck) -> Findings:
    """Return a case for each record, those included that were reproduced."""
    words = list(map(_verdict, check.items))
    totals = {word: words.count(word) for word in _OUTCOMES}
    title = "calibration with recorded hashes"
    return Findings(
        "records", title, "records", totals, lambda: _record_cases(check), lambda: findings(*_RULES)
    )


def _verdict(row: CheckedRecord) -> str:
    if row.problem == DIFFERS:
        return "DIFFERS"
    return "REPRODUCED" if row.problem in COMPARED else "UNDECIDED"


def _record_cases(check: RecordCheck) -> Iterator[ReportCase]:
    yield from map(_record_case, check.items)
    # no record at all must not pass for a calibration without a difference
    if not check.items:
        names = dict.fromkeys(("node", "namespace", "pod", "container"), "")
        text, rule = "no recorded hash could be compared", _RULES[1]
        yield ReportCase(CaseResult.UNDECIDED, "UNDECIDED", rule, text, "all pods", "every container", names)


def _record_case(row: CheckedRecord) -> ReportCase:
    record, verdict = row.record, _verdict(row)
    outcome, rule = _OUTCOMES[verdict]
    names = {"node": row.node, "namespace": record.namespace, "pod": record.pod}
    names["container"] = record.container
    group = name_path(record.namespace, record.pod)
    text = _problem(row) or "reproduced"
    return ReportCase(outcome, verdict, rule, text, group, name_path(record.container), names)


def _record_notes(check: RecordCheck) -> Iterator[str]:
    missed = len(check.items) - check.share.recorded
    skipped = f"{check.skipped} {agree(check.skipped, 'belong')}"
    yield f"{count(missed, 'record')} could not be compared; {skipped} to containers that no kubelet compares"


CALIBRATION: Final[Report[RecordCheck]] = Report(
    "CalibrationResult",
    document=_record_document,
    table=lambda check: Table(
        _COLUMNS, lambda: map(_cells, _missed(check)), caption=str(check.share), bare=True
    ),
    findings=_record_findings,
    names=lambda check: (
        name_path(row.record.namespace, row.record.pod, row.record.container) for row in _missed(check)
    ),
    notes=_record_notes,
)

# The hashes of containers, and the exact texts that are hashed.

_HASH_COLUMNS: Final = ("NAMESPACE", "POD", "CONTAINER", "KUBELET", "HASH", "HEX", "ERA")


def _hash_item(row: HashRow, releases: Mapping[str, ReleaseFacts]) -> HashedContainer:
    uids = {release: static.uid for release, static in row.uids.items()}
    return HashedContainer(
        node=row.pod.node,
        namespace=row.pod.namespace,
        pod=row.pod.name,
        uid=row.pod.uid,
        container=row.container.name,
        container_type=row.container.type,
        pod_uid=uids or UNSET,
        hashes={release: _hash(row, release, releases[release]) for release in row.hashes},
    )


def _hash(row: HashRow, release: str, read: ReleaseFacts) -> HashFacts:
    return filled(
        HashFacts,
        row.hashes[release],
        hash=row.hashes[release].value,
        vendor_assumed=read.vendor_assumed or UNSET,
        patch_assumed=read.patch_assumed or UNSET,
        text=row.texts.get(release, UNSET),
    )


def _wide(hashed: Hashed) -> Table:
    return Table(
        (*_HASH_COLUMNS, "TYPE", "OWNER", "POD-UID"),
        lambda: (
            [*cells, row.container.type.value, row.pod.owner, row.uids[release].uid if row.uids else None]
            for row in hashed.items
            for release, cells in _hash_cells(row)
        ),
    )


def _hash_cells(row: HashRow) -> Iterator[tuple[str, list[object]]]:
    """Yield a release and its line: decimal, hex, era."""
    names = [row.pod.namespace, row.pod.name, row.container.name]
    for release, result in row.hashes.items():
        yield release, [*names, release, result.value, result.hex, result.era]


def _container_names(result: Hashed | Audit) -> Iterator[str]:
    return (name_path(row.pod.namespace, row.pod.name, row.container.name) for row in result.items)


def _hash_notes(hashed: Hashed) -> Iterator[str]:
    yield from (f"Assumed: {assumption}" for assumption in hashed.assumptions)
    yield from hashed.unknown_uids
    yield from (f"Warning: {line}" for line in hashed.skipped)


HASHES: Final[Report[Hashed]] = Report(
    "HashList",
    # ``hash`` and ``hex`` are null where a vendor's Go decides
    document=lambda hashed: document(
        HashList,
        assumptions=hashed.assumptions,
        items=Rows(hashed.items, lambda row: plain(_hash_item(row, hashed.releases))),
    ),
    table=lambda hashed: Table(
        _HASH_COLUMNS, lambda: (cells for row in hashed.items for _, cells in _hash_cells(row))
    ),
    wide=_wide,
    names=_container_names,
    notes=_hash_notes,
)
TEXTS: Final = structs.replace(
    HASHES,
    table=None,
    wide=None,
    names=None,
    # each text with a last line break as the only addition
    raw=lambda hashed: (f"{text}\n" for row in hashed.items for text in row.texts.values()),
)


# A patch as text or in words, and the audit of a stripping patch, which names paths and no values.

_AUDIT_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "OWN STRINGS", "NEW FIELDS")
_HIT: Final = "strip-misses"


def _audit_document(audit: Audit) -> Document:
    """Return the PatchAudit: an item for each container whose stripped hash is not the old one."""

    def item(row: AuditRow) -> Any:
        names = row.pod.node, row.pod.namespace, row.pod.name, row.pod.uid, row.container.name
        return plain(docs.AuditItem(*names, row.hit.strings, row.hit.fields))

    cuts = tuple(docs.Cut(cut.field, cut.piece, cut.instead) for cut in audit.cuts)
    return document(
        docs.PatchAudit,
        spec=docs.AuditSpec(str(audit.new.release), str(audit.old.release), cuts),
        summary=docs.AuditSummary(audit.containers, len(audit.items)),
        items=Rows(audit.items, item),
        article=docs.Article(audit.static_pods, audit.templates),
    )


def _audit_cells(row: AuditRow) -> list[object]:
    names = [row.pod.node, row.pod.namespace, row.pod.name, row.container.name]
    return [*names, Prose(", ".join(row.hit.strings)), Prose(", ".join(row.hit.fields))]


def _audit_findings(audit: Audit) -> Findings:
    """Return a case for each container that stripping misses, or one for all where it misses none."""
    hit = len(audit.items)
    title = f"kubelet {audit.new.release}, stripped as {audit.old.release}"
    totals = {"HIT": hit, "SAME": audit.containers - hit}
    return Findings("audit", title, "containers", totals, lambda: _audit_cases(audit), lambda: findings(_HIT))


def _audit_cases(audit: Audit) -> Iterator[ReportCase]:
    yield from map(_audit_case, audit.items)
    # a report without a case would look as if nothing had been checked
    if not audit.items:
        text = f"{count(audit.containers, 'container')} would hash as {audit.old.release} hashes them"
        names = dict.fromkeys(("node", "namespace", "pod", "container"), "")
        yield ReportCase(CaseResult.PASSED, "SAME", "", text, "all pods", "every container", names)


def _audit_case(row: AuditRow) -> ReportCase:
    pod, name, hit = row.pod, row.container.name, row.hit
    names = {"node": pod.node, "namespace": pod.namespace, "pod": pod.name, "container": name}
    parts = [("own strings", hit.strings), ("new fields", hit.fields)]
    text = "; ".join(f"{words} {', '.join(paths)}" for words, paths in parts if paths)
    group = name_path(pod.namespace, pod.name)
    return ReportCase(CaseResult.FAILED, "HIT", _HIT, text, group, name_path(name), names, pod.file)


def _audit_notes(audit: Audit) -> list[str]:
    """Return the closing lines: how many are hit, and what else the global form changes."""
    hit = f"{len(audit.items)} of {count(audit.containers, 'container')}"
    static = _counted(audit.static_pods, "static pod")
    templates = _counted(audit.templates, "pod template")
    return [
        f"{hit} would not hash as {audit.old.release} hashes them",
        f"--article would also give {static} another UID, which recreates them",
        f"--article would also give {templates} another hash, if more than the kubelet is replaced",
        "--article changes no checkpoint checksum: checkpoints hold none of the text that is cut",
    ]


def _counted(names: tuple[str, ...], noun: str) -> str:
    listed = f" ({', '.join(map(word, names[:3]))}{', …' if len(names) > 3 else ''})" if names else ""
    return f"{count(len(names), noun)}{listed}"


AUDIT: Final[Report[Audit]] = Report(
    "PatchAudit",
    document=_audit_document,
    table=lambda audit: Table(_AUDIT_COLUMNS, lambda: map(_audit_cells, audit.items), bare=True),
    findings=_audit_findings,
    names=_container_names,
    notes=_audit_notes,
)


def in_words(patch: Patch) -> str:
    """Return all that a person needs to make the change by hand."""
    new = [f"=== new file {file.path}\n\n{file.text}" for file in patch.new_files]
    edits = [
        f"=== edit {edit.path}\n\n" + "\n\n".join(step.words for step in edit.steps) for edit in patch.edits
    ]
    return "\n".join([f"{patch.subject}\n\n{wrapped(patch.explanation)}\n", *new, *edits])


PATCH: Final[Report[str]] = Report("a patch", raw=lambda text: (text,))
"""The text of a patch, as ``git am`` takes it."""
