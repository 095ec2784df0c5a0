"""Roles and their bindings: as a manifest to apply, and for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hashcompat.report.tables import table

Role = Mapping[str, Any]


def roles_document(roles: Iterable[Role]) -> dict[str, Any]:
    """Return the ``List`` that kubectl applies."""
    return {"apiVersion": "v1", "kind": "List", "items": list(roles)}


def role_names(roles: Iterable[Role]) -> str:
    """Return one ``Kind/[namespace/]name`` a line."""
    return "\n".join("/".join([role["kind"], *_place(role)]) for role in roles)


def _place(role: Role) -> list[str]:
    return [role["metadata"][key] for key in ("namespace", "name") if key in role["metadata"]]


def roles_table(roles: Iterable[Role], *, headers: bool = True) -> str:
    """Return one line a rule: where it holds, and what it allows."""
    rows = [
        [
            role["kind"],
            role["metadata"].get("namespace"),
            *(", ".join(rule.get(key, ())) for key in ("verbs", "resources", "resourceNames")),
        ]
        for role in roles
        for rule in role.get("rules", ())
    ]
    return table(["KIND", "NAMESPACE", "VERBS", "RESOURCES", "NAMES"], rows, show_headers=headers)
