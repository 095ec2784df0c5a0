"""A container type tree as Go source, and the code that copies a new container to it.

go-spew prints the package and name of a type, so the types must be ``v1.Container`` again. Types of other
packages (``resource.Quantity``, ``intstr.IntOrString``) print the same in every release from 1.3 on and are
imported.

The copy goes field by field, and detects what is lost. Nil stays nil and empty stays empty, because the
hashed text shows the difference. The original is never modified; the copy shares its strings, pointers to
scalars and quantities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from hashcompat.core.errors import InputError
from hashcompat.core.go.jsonpath import keys

Definition = str | Sequence[Mapping[str, Any]]
_FOREIGN: Final = {
    "intstr": "k8s.io/apimachinery/pkg/util/intstr",
    "resource": "k8s.io/apimachinery/pkg/api/resource",
}


def type_declarations(types: Mapping[str, Definition], *, release: str, tags: bool) -> str:
    """Return the declarations of a tree's types, gofmt'd; ``tags`` adds JSON keys, where JSON is hashed."""
    return "\n".join(_declaration(name, types[name], release, tags) for name in sorted(types))


def foreign_imports(types: Mapping[str, Definition]) -> list[str]:
    """Return the sorted import paths of the packages whose types the tree uses."""
    notations = [
        notation
        for definition in types.values()
        for notation in ([definition] if isinstance(definition, str) else [row["type"] for row in definition])
    ]
    return sorted(
        path for name, path in _FOREIGN.items() if any(f"{name}." in notation for notation in notations)
    )


def _declaration(name: str, definition: Definition, release: str, tags: bool) -> str:
    comment = f"// {name} is the type of that name in kubelet {release}.\n"
    if isinstance(definition, str):
        return f"{comment}type {name} {definition}\n"
    fields = "".join(_aligned([_cells(row, tags) for row in definition]))
    return f"{comment}type {name} struct {{\n{fields}}}\n"


def _cells(row: Mapping[str, Any], tags: bool) -> list[str]:
    """Return a field's columns; an embedded field has no type column, so its tag comes second."""
    is_embedded = row.get("embedded")
    own = [row["name"]] if is_embedded else [row["name"], row["type"]]
    if not tags:
        return own
    options = ["omitempty"] if row.get("omitempty") else []
    options += ["inline"] if is_embedded else []
    return [*own, f'`json:"{",".join([row["json"], *options])}"`']


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


Types = Mapping[str, Definition]
Row = Mapping[str, Any]
_BUILTIN: Final = frozenset({"string", "bool", "int32", "int64"})


class ConvertedTypes(msgspec.Struct, frozen=True):
    """What the generated code converts between."""

    old: Types
    """The type tree of the old release."""
    new: Types
    """The type tree of the release to patch."""
    defaults: Mapping[tuple[str, str], Any]
    """Defaults that API servers set, by ``(type, field)`` of the new tree."""


def conversion_of(old: Types, new: Types, defaults: Sequence[tuple[str, Any]]) -> ConvertedTypes:
    """Return the conversion; ``defaults`` are pairs of a path below the container and a value."""
    placed = ((_place(path, new), value) for path, value in defaults)
    return ConvertedTypes(old, new, {place: value for place, value in placed if place is not None})


def _place(path: str, types: Types) -> tuple[str, str] | None:
    """Return the type and field of a path; None if the tree has no such field."""
    name, place = "Container", None
    for key in keys(path):
        row = next((row for row in _fields(types, name) if row["json"] == key), None)
        if row is None:
            return None
        place, name = (name, row["name"]), row["type"].lstrip("*[]")
    return place


def _fields(types: Types, name: str) -> Sequence[Row]:
    definition = types.get(name, "")
    return () if isinstance(definition, str) else definition


def conversion_functions(conversion: ConvertedTypes) -> str:
    """Return one function for each pair of struct types that a Container reaches, gofmt'd.

    Raises InputError for a field that cannot be copied because its type changed.
    """
    done: dict[tuple[str, str], str] = {}
    todo = [("Container", "Container")]
    while todo:
        pair = todo.pop()
        if pair not in done:
            lines = list(_body(conversion, *pair, todo))
            head = f"func (c *conversion) {_method(*pair)}(in *corev1.{pair[1]}) (out {pair[0]}) {{\n"
            done[pair] = head + "".join(f"\t{line}\n" for line in lines) + "\treturn out\n}\n"
    return "\n".join(done[pair] for pair in sorted(done))


def _method(old: str, new: str) -> str:
    name = old[0].lower() + old[1:]
    return name if old == new else f"{name}From{new}"


def _body(conversion: ConvertedTypes, old: str, new: str, todo: list[tuple[str, str]]) -> Iterator[str]:
    old_rows, new_rows = _fields(conversion.old, old), _fields(conversion.new, new)
    copied = []
    for row in old_rows:
        source = _source(row, conversion, new_rows)
        if source is not None:
            copied.append(source)
            yield from _copy(conversion, row, source, todo)
    for row in new_rows:
        if row not in copied:
            yield from _lost(conversion, new, row)


def _source(row: Row, conversion: ConvertedTypes, new_rows: Sequence[Row]) -> Row | None:
    """Return the new field with the same JSON key; an embedded struct was renamed (``ProbeHandler``)."""
    if not row.get("embedded"):
        alike = (
            candidate
            for candidate in new_rows
            if candidate["json"] == row["json"] and not candidate.get("embedded")
        )
        return next(alike, None)
    keys = {inner["json"] for inner in _fields(conversion.old, row["type"])}
    embedded = (candidate for candidate in new_rows if candidate.get("embedded"))
    alike = (
        candidate
        for candidate in embedded
        if keys & {row["json"] for row in _fields(conversion.new, candidate["type"])}
    )
    return next(alike, None)


def _copy(conversion: ConvertedTypes, row: Row, source: Row, todo: list[tuple[str, str]]) -> Iterator[str]:
    target, expression = f"out.{row['name']}", f"in.{source['name']}"
    old_type, new_type = row["type"], source["type"]
    old_name, new_name = old_type.lstrip("*[]"), new_type.lstrip("*[]")
    shape = old_type.removesuffix(old_name)
    if shape != new_type.removesuffix(new_name):
        raise InputError(
            f"field {row['name']} is {old_type} in one release and {new_type} in the other; "
            "there is no conversion between them"
        )
    if _fields(conversion.old, old_name):
        todo.append((old_name, new_name))
        yield from _copy_struct(shape, target, expression, old_name, f"c.{_method(old_name, new_name)}")
    elif old_name in _BUILTIN or "." in old_name:
        yield f"{target} = {expression}"
    elif str(conversion.old[old_name]).startswith("map["):
        key = str(conversion.old[old_name]).removeprefix("map[").partition("]")[0]
        yield f"if {expression} != nil {{"
        yield f"\t{target} = make({old_name}, len({expression}))"
        yield f"\tfor key, value := range {expression} {{"
        yield f"\t\t{target}[{key}(key)] = value"
        yield "\t}"
        yield "}"
    elif shape == "[]":
        yield from _loop(target, expression, f"[]{old_name}", f"{old_name}({expression}[i])")
    else:
        made = f"({shape}{old_name})" if shape else old_name
        yield f"{target} = {made}({expression})"


def _copy_struct(shape: str, target: str, expression: str, name: str, convert: str) -> Iterator[str]:
    if shape == "[]":
        yield from _loop(target, expression, f"[]{name}", f"{convert}(&{expression}[i])")
    elif shape == "*":
        yield f"if {expression} != nil {{"
        yield f"\tcopied := {convert}({expression})"
        yield f"\t{target} = &copied"
        yield "}"
    else:
        yield f"{target} = {convert}(&{expression})"


def _loop(target: str, expression: str, go_type: str, element: str) -> Iterator[str]:
    yield f"if {expression} != nil {{"
    yield f"\t{target} = make({go_type}, len({expression}))"
    yield f"\tfor i := range {expression} {{"
    yield f"\t\t{target}[i] = {element}"
    yield "\t}"
    yield "}"


def _lost(conversion: ConvertedTypes, struct: str, row: Row) -> Iterator[str]:
    """Yield the code that detects a set field which the old type lacks, unless it has a server's default."""
    expression, go_type = f"in.{row['name']}", row["type"]
    default = conversion.defaults.get((struct, row["name"]))
    if default is not None and go_type.startswith("[]"):
        name = go_type.removeprefix("[]")
        yield from _lost_elements(expression, name, _fields(conversion.new, name), default)
    elif default is not None:
        held, is_set = (
            (f"*{expression}", f"{expression} != nil")
            if go_type.startswith("*")
            else (expression, f'{expression} != ""')
        )
        yield f"c.lacks({is_set} && {held} != {_quoted(default)})"
    else:
        yield f"c.lacks({_is_set(expression, go_type, conversion.new)})"


def _is_set(expression: str, go_type: str, types: Types) -> str:
    if go_type.startswith("*"):
        return f"{expression} != nil"
    if go_type.startswith(("[]", "map[")) or str(types.get(go_type, "")).startswith(("[]", "map[")):
        return f"len({expression}) > 0"
    kind = types.get(go_type, go_type)
    if kind == "string":
        return f'{expression} != ""'
    if kind == "bool":
        return expression
    if isinstance(kind, str) and kind in _BUILTIN:
        return f"{expression} != 0"
    raise InputError(f"there is a new field of type {go_type}; no test is known for whether it is set")


def _lost_elements(expression: str, name: str, rows: Sequence[Row], values: Sequence[Row]) -> Iterator[str]:
    """Yield the code for a list of defaults: an API server adds any of these, so only others are lost."""
    literals = [
        ", ".join(f"{row['name']}: {_quoted(value[row['json']])}" for row in rows if row["json"] in value)
        for value in values
    ]
    differs = " && ".join(f"{expression}[i] != (corev1.{name}{{{literal}}})" for literal in literals)
    yield f"for i := range {expression} {{"
    yield f"\tc.lacks({differs})"
    yield "}"


def _quoted(value: Any) -> str:
    """Return a plain ASCII word as a Go string literal."""
    return f'"{value}"'
