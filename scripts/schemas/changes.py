"""Hold the rows of schemas/tables/changes.json to what changed between the container type trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from scripts.schemas.trees import Field, Types

Change = tuple[str, str, str, str]
"""Release, type, field, what happened: the kinds are those of schemas/README.md."""


def problems(trees: Mapping[str, Types], rows: list[dict[str, str]]) -> list[str]:
    """Name what the rows say and the trees do not, and the reverse; ``trees`` are by minor, oldest first."""
    listed = [(row["release"], row["type"], row["field"], row["change"]) for row in rows]
    changes = list(_tree_changes(trees))
    extra = [f"changes.json: not in the trees: {row}" for row in listed if row not in changes]
    return extra + [f"changes.json: missing: {row}" for row in changes if row not in listed]


def _tree_changes(trees: Mapping[str, Types]) -> Iterator[Change]:
    for (_, old), (release, new) in pairwise(trees.items()):
        for name, fields in new.items():
            origin = _ancestor(name, old, new) if isinstance(fields, list) else None
            if origin:
                yield from ((release, name, *change) for change in _field_changes(old[origin], fields))
            elif name in old and old[name] != fields:
                yield release, name, "", "retyped"


def _ancestor(name: str, old: Types, new: Types) -> str | None:
    """Find the struct that a struct continues: itself, or a removed one whose fields it begins with.

    1.23 renamed Handler to LifecycleHandler and ProbeHandler.
    """
    if name in old:
        return name
    vanished = [other for other in old if other not in new and isinstance(old[other], list)]
    return next((other for other in vanished if new[name][: len(old[other])] == old[other]), None)


def _field_changes(before: list[Field], after: list[Field]) -> Iterator[tuple[str, str]]:
    """Yield (field, change) for two versions of one struct; new types come with the field that names them."""
    old, new = ({field["name"]: field for field in fields} for fields in (before, after))
    gone = [name for name in old if name not in new]
    for name, field in new.items():
        if name not in old:
            embedded = field.get("embedded") and any(old[other].get("embedded") for other in gone)
            yield name, "renamed" if embedded else "added"
            gone = [] if embedded else gone
        elif field["type"] != old[name]["type"]:
            yield name, "retyped"
        elif field != old[name]:
            yield name, "retagged"
    yield from ((name, "removed") for name in gone)
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield "", "reordered"
