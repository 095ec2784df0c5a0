"""The types below ``v1.Container`` in Kubernetes' own core/v1/types.go, read by tree-sitter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from hashcompat.core.errors import InputError, UsageError
from hashcompat.core.go.metav1 import DEFAULTS

if TYPE_CHECKING:
    from tree_sitter import Node

ROOT: Final = "Container"
_BASIC: Final = frozenset(
    {
        "bool",
        "string",
        "byte",
        "int",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    }
)
_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")
_JSON: Final = re.compile(r'json:"([^",]*)((?:,[a-z]+)*)"')
_MAP: Final = "map"


def container_types(source: bytes, origin: str) -> dict[str, Any]:
    """Return the types that Container reaches, as a type tree holds them.

    A struct is its fields, any other type the text of its definition. Raises InputError, with ``origin``
    and the line, for what is not Go, and for types of other packages that this program does not know.
    """
    try:
        source.decode()
    except UnicodeDecodeError:
        raise InputError(f"{origin}: not UTF-8 text, so not a Go source file") from None
    definitions = dict(_definitions(_parse(source, origin)))
    if ROOT not in definitions:
        raise InputError(f"{origin}: no type {ROOT} in it; want core/v1/types.go of k8s.io/api")
    found: dict[str, Any] = {}
    waiting = [ROOT]
    while waiting:
        name = waiting.pop()
        if name not in found:
            if name not in definitions:
                raise InputError(
                    f"{origin}: {name} is not defined in it; this program has to learn that type first"
                )
            found[name] = _described(definitions[name])
            waiting += _mentioned(found[name])
    return dict(sorted(found.items()))


def _parse(source: bytes, origin: str) -> Node:
    try:
        import tree_sitter  # noqa: PLC0415 - an extra, which only adding a release needs
        import tree_sitter_go  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "reading Go needs a parser; install it with: pip install tree-sitter tree-sitter-go"
        ) from None
    root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language())).parse(source).root_node
    if root.has_error:
        line = next((node.start_point.row + 1 for node in _walk(root) if node.is_error or node.is_missing), 1)
        raise InputError(f"{origin}: line {line}: not Go; want core/v1/types.go of k8s.io/api")
    return root


def _walk(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += reversed(found.children)


def _definitions(root: Node) -> Iterator[tuple[str, Node]]:
    """Yield the name and the definition of each type that the file declares."""
    for declaration in root.children:
        for spec in declaration.named_children if declaration.type == "type_declaration" else ():
            name, definition = spec.child_by_field_name("name"), spec.child_by_field_name("type")
            if name and definition:
                yield _text(name), definition


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _described(definition: Node) -> str | list[dict[str, Any]]:
    if definition.type != "struct_type":
        return _text(definition)
    fields = [
        node for node in definition.named_children[0].named_children if node.type == "field_declaration"
    ]
    return [row for field in fields for row in _rows(field)]


def _rows(field: Node) -> Iterator[dict[str, Any]]:
    """Yield a row for each name of a field declaration; an embedded field has its type's name.

    Without a name in its tag a field goes by its own in JSON (encoding/json), and an embedded one by none.
    """
    go_type, tag = field.child_by_field_name("type"), field.child_by_field_name("tag")
    match = _JSON.search(_text(tag)) if tag else None
    type_text = _text(go_type) if go_type else ""
    names = [_text(name) for name in field.children_by_field_name("name")]
    key, options = match.groups() if match else ("", "")
    for name in names or [type_text.rpartition(".")[2]]:
        row: dict[str, Any] = {"name": name, "type": type_text, "json": key or (name if names else "")}
        row |= {"omitempty": True} if ",omitempty" in options else {}
        yield row if names else {**row, "embedded": True}


def _mentioned(described: str | list[dict[str, Any]]) -> Iterator[str]:
    """Yield the types that a definition names and that must be defined, except those with their own code."""
    for text in [described] if isinstance(described, str) else [row["type"] for row in described]:
        yield from (
            name
            for name in _NAME.findall(text)
            if name not in _BASIC and name != _MAP and name not in DEFAULTS
        )
