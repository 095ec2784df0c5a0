"""Roles and their bindings: as a manifest to apply, and for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hashcompat.model.escape import name_path
from hashcompat.report.model import Document, Prose, Report, Table
from hashcompat.sources.cluster.roles import Roles


def _document(roles: Roles) -> Document:
    """Return the ``List`` that kubectl applies."""
    return {"apiVersion": "v1", "kind": "List", "items": list(roles.objects)}


def _names(roles: Roles) -> Iterator[str]:
    """Yield ``Kind/[namespace/]name``."""
    return (name_path(role["kind"], *_place(role)) for role in roles.objects)


def _place(role: Mapping[str, Any]) -> list[str]:
    return [role["metadata"][key] for key in ("namespace", "name") if key in role["metadata"]]


def _table(roles: Roles) -> Table:
    """Return one line per rule: where it holds, and what it allows."""
    return Table(("KIND", "NAMESPACE", "VERBS", "RESOURCES", "NAMES"), lambda: _rows(roles))


def _rows(roles: Roles) -> Iterator[list[object]]:
    for role in roles.objects:
        for rule in role.get("rules", ()):
            lists = (", ".join(rule.get(key, ())) for key in ("verbs", "resources", "resourceNames"))
            yield [role["kind"], role["metadata"].get("namespace"), *map(Prose, lists)]


ROLES: Final[Report[Roles]] = Report("List", document=_document, table=_table, names=_names)
