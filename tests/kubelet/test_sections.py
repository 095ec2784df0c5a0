"""Texts that are put together of sections are those of the hasher, for every release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hashcompat.core.catalog.eras import Schema
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.compile.gojson import compile_pruner
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import ESCAPES
from hashcompat.core.kubelet.sections import Printing, SectionPrinter, keys_of, printing_of
from tests.helpers.golden import exact_rows

CASES = {case: row["container"] for case, row in exact_rows("containers").items() if "container" in row}
SOME = list(CASES)[:: max(len(CASES) // 60, 1)]


def printings(catalog: Catalog) -> Iterator[Printing]:
    """Yield each way of printing that a known release has, and the other encoding/json of it."""
    ways = dict.fromkeys(
        (kubelet.schema, kubelet.era) for kubelet in map(catalog.kubelet, catalog.releases())
    )
    for schema, era in ways:
        for escapes in ESCAPES if era.hashes_json else ["go1.22"]:
            yield printing_of(schema, era, escapes)


@pytest.mark.usefixtures("untraced")
def test_every_text_is_that_of_the_hasher(catalog: Catalog) -> None:
    every = list(printings(catalog))
    assert {printing.places is None for printing in every} == {True, False}
    texts = set[str]()
    for case in SOME:
        printer = SectionPrinter()
        for printing in every:
            try:
                expected = printing.hasher.text(CASES[case])
            except DecodeError:
                with pytest.raises(DecodeError):
                    printer.sections(printing, CASES[case])
                continue
            sections = printer.sections(printing, CASES[case])
            assert sections.text == expected, case
            assert printer.sections(printing, CASES[case]) == sections
            texts.add(expected)
    assert len(texts) > 5 * len(SOME)


@pytest.mark.parametrize(
    "container",
    [
        {"name": "c", "args": ["a", 1]},
        {"name": "c", "env": {"name": "A"}},
        {"name": 7, "image": "i"},
        {"name": "c", "resources": {"limits": {"cpu": "much"}}},
    ],
)
def test_what_does_not_decode_is_refused_each_time(catalog: Catalog, container: dict[str, Any]) -> None:
    printer = SectionPrinter()
    for printing in printings(catalog):
        for _ in range(2):
            with pytest.raises(DecodeError):
                printer.sections(printing, container)


def test_null_unset_and_unknown_fields(catalog: Catalog) -> None:
    given: dict[str, Any] = {
        "name": "c",
        "image": None,
        "env": [],
        "ports": None,
        "unknown": 1,
        "lifecycle": {},
    }
    printer = SectionPrinter()
    for printing in printings(catalog):
        for container in ({}, given):
            assert printer.sections(printing, container).text == printing.hasher.text(container)


@pytest.mark.usefixtures("untraced")
def test_what_a_schema_knows_and_the_keys_are_those_of_the_whole(catalog: Catalog) -> None:
    schemas = dict.fromkeys(catalog.kubelet(name).schema for name in catalog.releases())
    changed = 0
    for case in SOME:
        printer, container = SectionPrinter(), CASES[case]
        assert printer.keys(container) == keys_of(container)
        for schema in schemas:
            expected = compile_pruner(schema.container)(container)
            known = printer.pruned(schema, container)
            assert (known, list(known)) == (expected, list(expected)), case
            assert (known is container) == (expected is container)
            changed += known is not container
    assert changed > 0


def test_equal_values_are_one_object() -> None:
    printer = SectionPrinter()
    first = printer.shared({"args": ["a"], "stdin": True}, {})
    second = printer.shared({"args": ["a"], "stdin": 1, "command": ["a"]}, {})
    assert second["args"] is second["command"] is first["args"]
    assert second["stdin"] is not first["stdin"]
    other = ["a"]
    assert printer.shared({"args": other}, {"args": other})["args"] is other


def test_a_tree_with_an_embedded_field_is_left_to_the_hasher(catalog: Catalog) -> None:
    types = {
        "Container": [
            {"name": "Inner", "type": "Inner", "embedded": True},
            {"name": "Image", "type": "string", "json": "image"},
        ],
        "Inner": [{"name": "Name", "type": "string", "json": "name"}],
    }
    schema = Schema("x", {"package": "v1", "root": "Container", "types": types}, {})
    given, printer = {"name": "c", "image": "i", "other": 1}, SectionPrinter()
    for release in ("1.9.11", "1.20.15"):
        printing = printing_of(schema, catalog.kubelet(release).era, "go1.22")
        assert printer.sections(printing, given).text == printing.hasher.text(given)
    assert printer.pruned(schema, given) == {"name": "c", "image": "i"}
    assert printer.pruned(schema, {"name": "c"}) == {"name": "c"}
