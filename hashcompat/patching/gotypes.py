"""A container type tree as Go source: an old kubelet's Container, in a package of the same name.

go-spew prints the package and name of a type, so the types must be ``v1.Container`` again. Types of other
packages (``resource.Quantity``, ``intstr.IntOrString``) print the same in every release from 1.3 on and are
imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Definition = str | Sequence[Mapping[str, Any]]

_FOREIGN: Final = {
    "intstr": "k8s.io/apimachinery/pkg/util/intstr",
    "resource": "k8s.io/apimachinery/pkg/api/resource",
}


def type_declarations(types: Mapping[str, Definition], *, release: str, tags: bool) -> str:
    """Return the declarations of a tree's types, gofmt'd; ``tags`` adds JSON keys, where JSON is hashed."""
    return "\n".join(
        _declaration(name, definition, release, tags) for name, definition in sorted(types.items())
    )


def foreign_imports(types: Mapping[str, Definition]) -> list[str]:
    """Return the sorted import paths of the packages whose types the tree uses."""
    notations = [notation for definition in types.values() for notation in _notations(definition)]
    return sorted(
        path for name, path in _FOREIGN.items() if any(f"{name}." in notation for notation in notations)
    )


def _notations(definition: Definition) -> list[str]:
    return [definition] if isinstance(definition, str) else [row["type"] for row in definition]


def _declaration(name: str, definition: Definition, release: str, tags: bool) -> str:
    comment = f"// {name} is the type of that name in kubelet {release}.\n"
    if isinstance(definition, str):
        return f"{comment}type {name} {definition}\n"
    return (
        f"{comment}type {name} struct {{\n{''.join(_aligned([_cells(row, tags) for row in definition]))}}}\n"
    )


def _cells(row: Mapping[str, Any], tags: bool) -> list[str]:
    """Return a field's columns; an embedded field has no type column, so its tag comes second."""
    own = [row["name"]] if row.get("embedded") else [row["name"], row["type"]]
    return [*own, _tag(row)] if tags else own


def _tag(row: Mapping[str, Any]) -> str:
    options = [
        row["json"],
        *(["omitempty"] if row.get("omitempty") else []),
        *(["inline"] if row.get("embedded") else []),
    ]
    return f'`json:"{",".join(options)}"`'


def _aligned(rows: list[list[str]]) -> list[str]:
    """Return the rows with every cell padded that another one follows, as gofmt does."""
    columns = max(map(len, rows), default=0)
    widths = [
        max((len(row[column]) for row in rows if len(row) > column + 1), default=0)
        for column in range(columns)
    ]
    padded = [
        [*(f"{cell:<{width}} " for cell, width in zip(row[:-1], widths, strict=False)), row[-1]]
        for row in rows
    ]
    return ["\t" + "".join(cells) + "\n" for cells in padded]
