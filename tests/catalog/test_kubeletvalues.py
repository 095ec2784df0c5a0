"""The values with which kubelets do not start: every row is about what its releases know."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hashcompat.analysis.preflight.checks.forms import FORMS
from hashcompat.analysis.preflight.facts.settings import number_of
from hashcompat.core.catalog.kubeletsettings import Bounds, SettingReference, ValueRow
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.release import parse_release

MINORS = [f"1.{minor}" for minor in range(10, 38)]


def rows(catalog: Catalog) -> Iterator[tuple[str, ValueRow]]:
    for name in catalog.releases():
        if name.rpartition(".")[0] in MINORS:
            for row in catalog.value_table.rows(parse_release(name)):
                yield name, row


def others(row: ValueRow) -> list[SettingReference]:
    values = (getattr(row, name) for name in ValueRow.__struct_fields__)
    return [each for each in values if isinstance(each, SettingReference)]


def test_each_row_has_one_form_and_a_source(catalog: Catalog) -> None:
    for _, row in rows(catalog):
        assert sum(1 for name in FORMS if getattr(row, name)) == 1, row
        assert row.source
        assert row.field or row.flag


@pytest.mark.usefixtures("untraced")
def test_fields_flags_and_gates_are_those_of_the_releases(catalog: Catalog) -> None:
    for name, row in rows(catalog):
        release = parse_release(name)
        fields, flags = catalog.config_table.fields(release), catalog.flag_table.flags(release)
        given = [(row.field, row.flag), *((each.field, each.flag) for each in others(row))]
        for field, flag in given:
            assert not field or field in fields, (name, field)
            assert not flag or field or flag in flags, (name, flag)
        gates = catalog.kubelet(name).gates
        gate_names = {row.needs_gate, row.needs_gate_in_flags, *row.keys_one_of.values()} - {""}
        assert all(gates.knows(gate) or gates.is_on(gate) for gate in gate_names), (name, row)


def test_limits_are_numbers_or_durations(catalog: Catalog) -> None:
    for _, row in rows(catalog):
        limits = row.range or Bounds()
        given = [each for each in (limits.least, limits.most, limits.above) if each is not None]
        assert all(number_of(each) is not None for each in given)
        assert bool(given) is (row.range is not None)


@pytest.mark.parametrize(
    ("release", "at_least"), [("1.9.11", 20), ("1.10.13", 20), ("1.24.17", 60), ("1.37.1", 80)]
)
def test_how_many_rows_a_release_has(catalog: Catalog, release: str, at_least: int) -> None:
    values = catalog.value_table.rows(parse_release(release))
    assert len(values) >= at_least
    assert catalog.value_table.knows(parse_release(release)) is (release != "1.9.11")


def test_words_are_those_of_every_release(catalog: Catalog) -> None:
    assert {"UnlimitedSwap", "openstack", "align-by-socket"} <= catalog.value_table.words
    assert "" not in catalog.value_table.words
