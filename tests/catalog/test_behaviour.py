"""Rows of behaviour.json: each release has exactly one value in each respect."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from hashcompat.catalog.behaviour import Behaviour, behaviour_of, behaviour_table
from hashcompat.catalog.lookup import Catalog
from hashcompat.errors import InputError
from hashcompat.release import parse_release

NAMES = [field.name for field in fields(Behaviour)]


def camel(name: str) -> str:
    return "".join(word.capitalize() if index else word for index, word in enumerate(name.split("_")))


FULL = {camel(name): [{"releases": ">=1.0", "value": name, "source": "", "about": ""}] for name in NAMES}
ROW = {"value": 1, "source": "", "about": ""}
RELEASE = parse_release("v1.9.11-vendor")


@pytest.mark.parametrize(
    ("respect", "values"),
    [
        ("sidecars_compared", {"1.28.0": False, "1.31.14": False, "1.32.0": True, "1.36.0": True}),
        (
            "sidecar_startup_probe",
            {"1.31.0": "never", "1.32.0": "waits", "1.34.13": "waits", "1.35.3": "never", "1.35.4": "waits"},
        ),
        ("missing_hash", {"1.0.0": "kept", "1.5.8": "kept", "1.6.0": "restarts", "1.36.0": "restarts"}),
        ("hash_without_resources", {"1.26.15": False, "1.27.0": True, "1.30.14": True, "1.31.0": False}),
        ("resources_recorded", {"1.32.13": False, "1.33.0": True}),
        ("sandbox_maker", {"1.5.8": "dockertools", "1.6.0": "CRI"}),
        (
            "pause_image",
            {
                "1.1.8": "gcr.io/google_containers/pause:0.8.0",
                "1.2.0": "gcr.io/google_containers/pause:2.0",
                "1.6.0": None,
            },
        ),
        ("dockershim", {"1.23.17": True, "1.24.0": False}),
        ("missing_resource_record", {"1.36.6": "restarts", "1.37.0": "filled"}),
        ("minors_behind_server", {"1.24.17": 2, "1.25.0": 3}),
    ],
)
def test_the_value_on_both_sides_of_each_boundary(
    catalog: Catalog, respect: str, values: dict[str, Any]
) -> None:
    assert {release: getattr(catalog.kubelet(release).behaviour, respect) for release in values} == values


def test_the_behaviour_of_every_known_release_is_known(catalog: Catalog) -> None:
    for release in catalog.releases():
        assert isinstance(catalog.kubelet(release).behaviour, Behaviour)


def test_a_row_gives_its_value() -> None:
    assert behaviour_of(RELEASE, behaviour_table(FULL)) == Behaviour(*NAMES)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([], 0),
        ([{**ROW, "releases": "<1.9"}], 0),
        ([{**ROW, "releases": ">=1.9"}, {**ROW, "releases": "<1.10"}], 2),
    ],
)
def test_a_release_with_no_value_or_with_two_is_damaged_data(rows: list[dict[str, Any]], found: int) -> None:
    with pytest.raises(
        InputError, match=rf"behaviour\.json: dockershim: want one row for 1\.9\.11, found {found}"
    ):
        behaviour_of(RELEASE, behaviour_table({**FULL, "dockershim": rows}))


def test_a_missing_respect_is_damaged_data() -> None:
    with pytest.raises(InputError, match="restartLog: want one row"):
        behaviour_of(
            RELEASE, behaviour_table({name: rows for name, rows in FULL.items() if name != "restartLog"})
        )


def test_every_row_cites_its_source(catalog: Catalog) -> None:
    rows = [row for rows in catalog._behaviour.values() for row in rows]
    assert all(row.source and row.about for row in rows)
