"""Rows of behaviour.json: each release has exactly one value in each respect."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.catalog.behaviour import Behaviour
from hashcompat.catalog.lookup import Catalog


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


def test_every_row_cites_its_source(catalog: Catalog) -> None:
    rows = [row for rows in catalog._behaviour.rows.values() for row in rows]
    assert all(row.source and row.about for row in rows)
