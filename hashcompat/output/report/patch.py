"""A patch as text or in words, and the audit of a stripping patch.

The audit names paths, never values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from hashcompat.analysis.patching import Patch, wrapped
from hashcompat.analysis.patching.audit import Audit, AuditRow
from hashcompat.core.model.escape import count, name_path, word
from hashcompat.core.rules.pages import findings
from hashcompat.output.documents import containers as docs
from hashcompat.output.report.model import (
    Case,
    Document,
    Findings,
    Outcome,
    Prose,
    Report,
    Rows,
    Table,
    document,
    plain,
)

_COLUMNS: Final = ("NODE", "NAMESPACE", "POD", "CONTAINER", "OWN STRINGS", "NEW FIELDS")
_HIT: Final = "strip-misses"


def _document(audit: Audit) -> Document:
    """Return the PatchAudit: an item for each container whose stripped hash is not the old one."""
    cuts = tuple(docs.Cut(cut.field, cut.piece, cut.instead) for cut in audit.cuts)
    return document(
        docs.PatchAudit,
        spec=docs.AuditSpec(str(audit.new.release), str(audit.old.release), cuts),
        summary=docs.AuditSummary(audit.containers, len(audit.items)),
        items=Rows(audit.items, _item),
        article=docs.Article(audit.static_pods, audit.templates),
    )


def _item(row: AuditRow) -> Any:
    names = row.pod.node, row.pod.namespace, row.pod.name, row.pod.uid, row.container.name
    return plain(docs.AuditItem(*names, row.hit.strings, row.hit.fields))


def _table(audit: Audit) -> Table:
    return Table(_COLUMNS, lambda: map(_cells, audit.items), bare=True)


def _cells(row: AuditRow) -> list[object]:
    names = [row.pod.node, row.pod.namespace, row.pod.name, row.container.name]
    return [*names, Prose(", ".join(row.hit.strings)), Prose(", ".join(row.hit.fields))]


def _findings(audit: Audit) -> Findings:
    """Return a case for each container that stripping misses, or one for all where it misses none."""
    hit = len(audit.items)
    title = f"kubelet {audit.new.release}, stripped as {audit.old.release}"
    totals = {"HIT": hit, "SAME": audit.containers - hit}
    return Findings("audit", title, "containers", totals, lambda: _cases(audit), lambda: findings(_HIT))


def _cases(audit: Audit) -> Iterator[Case]:
    yield from map(_case, audit.items)
    # a report without a case would look as if nothing had been checked
    if not audit.items:
        text = f"{count(audit.containers, 'container')} would hash as {audit.old.release} hashes them"
        names = dict.fromkeys(("node", "namespace", "pod", "container"), "")
        yield Case(Outcome.PASSED, "SAME", "", text, "all pods", "every container", names)


def _case(row: AuditRow) -> Case:
    pod, name, hit = row.pod, row.container.name, row.hit
    names = {"node": pod.node, "namespace": pod.namespace, "pod": pod.name, "container": name}
    parts = [("own strings", hit.strings), ("new fields", hit.fields)]
    text = "; ".join(f"{words} {', '.join(paths)}" for words, paths in parts if paths)
    group = name_path(pod.namespace, pod.name)
    return Case(Outcome.FAILED, "HIT", _HIT, text, group, name_path(name), names, pod.file)


def _names(audit: Audit) -> Iterator[str]:
    return (name_path(row.pod.namespace, row.pod.name, row.container.name) for row in audit.items)


def _notes(audit: Audit) -> list[str]:
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
    told = f" ({', '.join(map(word, names[:3]))}{', …' if len(names) > 3 else ''})" if names else ""
    return f"{count(len(names), noun)}{told}"


AUDIT: Final[Report[Audit]] = Report(
    "PatchAudit", document=_document, table=_table, findings=_findings, names=_names, notes=_notes
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
