"""Every pair of releases at once: what makes a container restart between them, and which way from one to another costs least."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import permutations

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.catalog.types import Schema
from hashcompat.compile.gojson import json_fields
from hashcompat.go.types import Coded, GoType, Map, Pointer, Slice, Struct
from hashcompat.planning.differences import FieldChange

Cost = Callable[[str, str], int]
"""How many containers are killed when kubelets go from one release to another."""


class Scope(StrEnum):
    """Which containers restart between two releases: all of them, those that have or set certain fields, none."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Cell:
    """What an upgrade from one release to another does to an unchanged API pod.

    ``fields`` are the changed fields behind it. Where every field is part of the hashed text, a container
    restarts that has what a field belongs to (``volumeMounts[*]``); where JSON is hashed (``if_set``), one
    that sets the field itself, and where ``go`` one that holds a backspace or form feed, which encoding/json
    of Go 1.22 writes differently (kubernetes/kubernetes#125895 - #125898).
    """

    old: str
    new: str
    scope: Scope
    era: str = ""
    fields: tuple[FieldChange, ...] = ()
    if_set: bool = False
    go: bool = False


def cell(old: Kubelet, new: Kubelet) -> Cell:
    """Compare two releases by their eras, their types and their Go alone."""
    names = str(old.release), str(new.release)
    if old.era is not new.era:
        return Cell(*names, Scope.ALL, era=f"{old.era.name} -> {new.era.name}")
    first_step = old.era.steps[0]
    if not old.era.whole:
        return Cell(*names, Scope.NONE)
    fields = schema_changes(old.schema, new.schema)
    if first_step != "spew":
        fields = tuple(change for change in fields if change.added is not None)
    elif any("." not in change.path for change in fields):
        return Cell(*names, Scope.ALL, fields=tuple(change for change in fields if "." not in change.path))
    go = "json" in old.era.steps and old.escapes != new.escapes
    return Cell(
        *names, Scope.SOME if fields or go else Scope.NONE, fields=fields, if_set=first_step != "spew", go=go
    )


@lru_cache(maxsize=4096)
def schema_changes(old: Schema, new: Schema) -> tuple[FieldChange, ...]:
    """Return the fields that only one of two trees has, or with another type, at every place where both have what they belong to."""
    return tuple(dict.fromkeys(_walk(old.container, new.container, "")))


def _walk(old: GoType, new: GoType, path: str) -> Iterator[FieldChange]:
    match old, new:
        case Struct(), Struct() if not isinstance(old, Coded):
            yield from _walk_structs(old, new, path)
        case Pointer(_, old_elem), Pointer(_, new_elem):
            yield from _walk(old_elem, new_elem, path)
        case Slice(_, old_elem), Slice(_, new_elem):
            yield from _walk(old_elem, new_elem, f"{path}[*]")


def _walk_structs(old: Struct, new: Struct, path: str) -> Iterator[FieldChange]:
    old_fields, new_fields = (
        {field.json: (owner, field) for _, owner, field in json_fields(side)} for side in (old, new)
    )
    for key in dict.fromkeys([*new_fields, *old_fields]):
        place = f"{path}.{key}".lstrip(".")
        if key in old_fields and key in new_fields:
            (owner, field), (_, new_field) = old_fields[key], new_fields[key]
            if _retyped(field.type, new_field.type):
                yield FieldChange(place, owner.name.rpartition(".")[2], field.name, None)
            yield from _walk(field.type, new_field.type, place)
        else:
            owner, field = new_fields.get(key) or old_fields[key]
            yield FieldChange(place, owner.name.rpartition(".")[2], field.name, key in new_fields)


def _retyped(old: GoType, new: GoType) -> bool:
    """Tell whether the name of a field's type is another, or what the quantities in its map print."""
    if (
        isinstance(old, Map)
        and isinstance(new, Map)
        and isinstance(old.value, Coded)
        and isinstance(new.value, Coded)
    ):
        return old.value.fields != new.value.fields
    return old.name != new.name


@dataclass(frozen=True, slots=True)
class Path:
    """A way from one release to another, and what each step of it costs."""

    releases: tuple[str, ...]
    costs: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many times a container is killed on the whole way."""
        return sum(self.costs)


def cheapest_path(releases: Sequence[str], cost: Cost) -> Path:
    """Return the way from the first release to the last, by any of those between, that kills least; of equal ways the one with most stops.

    Small steps are what upstream supports, so a stop that costs nothing is kept.
    """
    best: dict[str, Path] = {releases[0]: Path((releases[0],), ())}
    for index, release in enumerate(releases[1:], 1):
        ways = [_longer(best[earlier], release, cost(earlier, release)) for earlier in releases[:index]]
        best[release] = min(ways, key=lambda path: (path.total, -len(path.releases)))
    return best[releases[-1]]


def _longer(path: Path, release: str, cost: int) -> Path:
    return Path((*path.releases, release), (*path.costs, cost))


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every ordered pair of some releases; ``findings`` and the cheapest ``path`` only where pods were given."""

    releases: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    findings: Mapping[tuple[str, str], int] | None = None
    path: Path | None = None


def make_matrix(releases: Sequence[str], catalog: Catalog, cost: Cost | None = None) -> Matrix:
    """Compare every ordered pair of releases; ``cost`` counts the findings among some pods."""
    pairs = list(permutations(releases, 2))
    cells = {(old, new): cell(catalog.kubelet(old), catalog.kubelet(new)) for old, new in pairs}
    if cost is None:
        return Matrix(tuple(releases), cells)
    findings = {pair: cost(*pair) for pair in pairs}
    return Matrix(
        tuple(releases), cells, findings, cheapest_path(releases, lambda old, new: findings[old, new])
    )
