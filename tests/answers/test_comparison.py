"""What differs between two releases for any container."""

from __future__ import annotations

from hashcompat.analysis.answers.comparison import ABSENT, compare_releases
from hashcompat.core.catalog.eras import reachable_fields
from hashcompat.core.catalog.lookup import Catalog


def rows(catalog: Catalog, old: str, new: str) -> dict[tuple[str, str], tuple[str, str]]:
    fields = compare_releases(old, new, catalog).types
    assert len({(row.type, row.field) for row in fields}) == len(fields), "each field once"
    return {(row.type, row.field): (row.old, row.new) for row in fields}


def test_a_type_of_which_little_is_left_is_compared_field_by_field(catalog: Catalog) -> None:
    fields = rows(catalog, "1.0.0", "1.36.0")
    assert ("EnvVarSource", "FieldRef") not in fields, "it has been there all the time"
    assert fields["EnvVarSource", "FileKeyRef"] == (ABSENT, "*FileKeySelector")


def test_every_difference_of_two_trees_is_found(catalog: Catalog) -> None:
    for old, new in (("1.0.0", "1.36.0"), ("1.5.8", "1.6.0"), ("1.22.0", "1.23.0"), ("1.36.0", "1.9.11")):
        first, other = (
            {
                (name, field): go_type
                for name, fields in reachable_fields(catalog.kubelet(release).schema).items()
                for field, go_type in fields.items()
            }
            for release in (old, new)
        )
        expected = {
            place: (first.get(place, ABSENT), other.get(place, ABSENT))
            for place in first.keys() | other.keys()
            if first.get(place) != other.get(place)
        }
        assert rows(catalog, old, new) == expected, (old, new)


def test_the_changes_of_era_lie_between_the_two(catalog: Catalog) -> None:
    def eras(old: str, new: str) -> list[str]:
        return [row.release for row in compare_releases(old, new, catalog).upstream]

    assert eras("1.9.11", "1.31.0") == eras("1.31.0", "1.9.11") == ["1.16", "1.31"]
    assert eras("1.16.0", "1.30.0") == []
