"""What ranges of releases cover together, in words."""

from __future__ import annotations

import pytest
from packaging.version import Version

from hashcompat.catalog.files import (
    DataFiles,
    beginnings,
    common,
    default_directory,
    merged,
    rows_at,
    span,
    span_words,
)

DATA = DataFiles(default_directory())


def spans(*ranges: str) -> list[tuple[Version, Version]]:
    return [span({"releases": held}) for held in ranges]


@pytest.mark.parametrize(
    ("ranges", "said"),
    [
        ((">=1.24",), "1.24 and later"),
        (("<1.6",), "up to 1.5"),
        ((">=1.0,<1.6",), "up to 1.5"),
        (("<1.6", ">=1.6"), "every release"),
        ((">=1.33,<1.37",), "1.33 - 1.36"),
        ((">=1.28,<1.29",), "1.28"),
        ((">=1.25.10,<1.25.14",), "1.25.10 - 1.25.13"),
        ((">=1.6,<1.8", ">=1.8,<1.9", ">=1.0,<1.3"), "up to 1.2 and 1.6 - 1.8"),
        ((">=1.6,<1.20", ">=1.8,<1.9"), "1.6 - 1.19"),
        ((">=1.6,<1.7", ">=1.8,<1.9", ">=1.10"), "1.6, 1.8 and 1.10 and later"),
    ],
)
def test_spans_in_words(ranges: tuple[str, ...], said: str) -> None:
    assert span_words(spans(*ranges)) == said


def test_beginnings_are_in_order_and_the_first_release_is_not_one() -> None:
    assert (
        beginnings(spans(">=1.31", "<1.6", ">=1.16,<1.31", ">=1.9.11", ">=1.16")) == "1.9.11, 1.16 and 1.31"
    )
    assert beginnings(spans(">=1.24")) == "1.24"


def test_a_row_with_one_release_is_that_one_and_all_after_it() -> None:
    assert span_words([span({"release": "1.27.16"})]) == "1.27.16 and later"


def test_what_two_have_in_common() -> None:
    limits = merged(spans(">=1.6,<1.16", ">=1.31"))
    assert span_words(common(spans(">=1.2", "<1.4"), limits)) == "1.6 - 1.15 and 1.31 and later"
    assert list(common(spans("<1.4"), limits)) == []


@pytest.mark.parametrize(
    ("table", "at", "first"),
    [
        ("behaviour", ("dockershim",), "<1.24"),
        ("eras", (), ">=1.0,<1.6"),
        ("eras", ("spew-fnv32a",), ">=1.6,<1.16"),
        ("gates", ("gates", "SidecarContainers"), ">=1.28,<1.29"),
        ("apiserver", (), ">=1.6"),
    ],
)
def test_rows_are_a_list_or_the_values_of_an_object_or_one(
    table: str, at: tuple[str, ...], first: str
) -> None:
    assert rows_at(DATA.table(table), at)[0]["releases"] == first
