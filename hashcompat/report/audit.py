"""The audit of a stripping patch, as a document and as text; paths are named, values never."""

from __future__ import annotations

from typing import Any

from hashcompat.model.words import count
from hashcompat.patching.audit import Audit, AuditRow
from hashcompat.report.documents import Document, document
from hashcompat.report.formats import printable
from hashcompat.report.tables import table


def audit_document(audit: Audit) -> Document:
    """Return the PatchAudit: an item for each container whose stripped hash is not the old one."""
    return document(
        "PatchAudit",
        spec={
            "kubelet": str(audit.new.release),
            "like": str(audit.old.release),
            "cuts": [{"field": cut.field, "text": cut.piece, "instead": cut.instead} for cut in audit.cuts],
        },
        summary={"containers": audit.containers, "hit": len(audit.rows)},
        items=[_item(row) for row in audit.rows],
        article={"staticPods": list(audit.static_pods), "podTemplates": list(audit.templates)},
    )


def _item(row: AuditRow) -> dict[str, Any]:
    return {
        "node": row.pod.node,
        "namespace": row.pod.namespace,
        "pod": row.pod.name,
        "uid": row.pod.uid,
        "container": row.container.name,
        "strings": list(row.hit.strings),
        "newFields": list(row.hit.fields),
    }


def audit_table(audit: Audit, *, headers: bool = True) -> str:
    """Return a line for each container that is hit."""
    columns = ["NODE", "NAMESPACE", "POD", "CONTAINER", "OWN STRINGS", "NEW FIELDS"]
    rows = [
        [
            row.pod.node,
            row.pod.namespace,
            row.pod.name,
            row.container.name,
            ", ".join(row.hit.strings),
            ", ".join(row.hit.fields),
        ]
        for row in audit.rows
    ]
    return table(columns, rows, show_headers=headers) if rows else ""


def audit_names(audit: Audit) -> str:
    """Return NAMESPACE/POD/CONTAINER a line for each container that is hit."""
    return "\n".join(
        printable(f"{row.pod.namespace}/{row.pod.name}/{row.container.name}") for row in audit.rows
    )


def audit_notes(audit: Audit) -> list[str]:
    """Return the closing lines: how many are hit, and what the global form changes beside the container hash."""
    return [
        f"{len(audit.rows)} of {count(audit.containers, 'container')} would not hash as {audit.old.release} hashes them",
        f"--article would also give {_counted(audit.static_pods, 'static pod')} another UID, which recreates them",
        f"--article would also give {_counted(audit.templates, 'pod template')} another hash, if more than the kubelet is replaced",
        "--article changes no checkpoint checksum: checkpoints hold none of the text that is cut",
    ]


def _counted(names: tuple[str, ...], noun: str) -> str:
    told = f" ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})" if names else ""
    return f"{count(len(names), noun)}{told}"
