"""Releases: which are known, and what each one hashes (schemas/; kubelet changelogs and tags)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from packaging.version import Version

from hashcompat.core.catalog.eras import era_from_row
from hashcompat.core.catalog.files import default_directory
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.errors import InputError, UsageError

BEFORE, SINCE = ("before-go1.22",), ("go1.22",)
BOTH = BEFORE + SINCE


def test_releases_are_listed_oldest_first(catalog: Catalog) -> None:
    names = catalog.releases()
    assert names == sorted(names, key=Version)
    assert len(set(names)) == len(names)
    assert (names[0], names[-1].rpartition(".")[0]) == ("1.0.0", "1.37")


def test_every_release_has_a_tree_an_era_and_rules(catalog: Catalog) -> None:
    for name in catalog.releases():
        kubelet = catalog.kubelet(name)
        assert kubelet.schema.container.fields
        assert len(kubelet.escapes) == 1
        assert not kubelet.vendor_assumed
        assert not kubelet.patch_assumed


@pytest.mark.parametrize(
    ("name", "era", "steps"),
    [
        ("1.0.0", "spew-adler32", ("spew", "adler32")),
        ("1.5.8", "spew-adler32", ("spew", "adler32")),
        ("1.6.0", "spew-fnv32a", ("spew", "fnv32a")),
        ("1.15.12", "spew-fnv32a", ("spew", "fnv32a")),
        ("1.16.0", "json-spew-fnv32a", ("json", "spew", "fnv32a")),
        ("1.30.14", "json-spew-fnv32a", ("json", "spew", "fnv32a")),
        ("1.31.0", "picked-json-spew-fnv32a", ("pick name image", "json", "spew", "fnv32a")),
        ("1.36.0", "picked-json-spew-fnv32a", ("pick name image", "json", "spew", "fnv32a")),
    ],
)
def test_the_era_of_a_release(catalog: Catalog, name: str, era: str, steps: tuple[str, ...]) -> None:
    kubelet = catalog.kubelet(name)
    assert (kubelet.era.name, kubelet.era.described()) == (era, list(steps))
    assert kubelet.era is catalog.eras[era]


def test_an_era_is_its_row() -> None:
    era = era_from_row(
        "x",
        {
            "steps": ["json", "fnv32a"],
            "releases": ">=1.16",
            "pr": "kubernetes/kubernetes#1",
            "about": "y",
        },
    )
    assert (era.name, era.described(), str(era.releases), era.source, era.about) == (
        "x",
        ["json", "fnv32a"],
        ">=1.16",
        "kubernetes/kubernetes#1",
        "y",
    )


@pytest.mark.parametrize(
    ("name", "escapes"),
    [
        pytest.param("1.15.12", SINCE, id="no JSON is hashed"),
        pytest.param("1.16.0", BEFORE, id="1.16.0, Go 1.12"),
        pytest.param("1.26.15", BEFORE, id="1.26.15, Go 1.21"),
        pytest.param("1.27.15", BEFORE, id="1.27.15, Go 1.21.11"),
        pytest.param("1.27.16", SINCE, id="1.27.16, Go 1.22.5"),
        pytest.param("1.28.11", BEFORE, id="1.28.11, Go 1.21.11"),
        pytest.param("1.28.12", SINCE, id="1.28.12, Go 1.22.5"),
        pytest.param("1.29.6", BEFORE, id="1.29.6, Go 1.21.11"),
        pytest.param("1.29.7", SINCE, id="1.29.7, Go 1.22.5"),
        pytest.param("1.30.0", SINCE, id="1.30.0, Go 1.22.2"),
        pytest.param("1.27.99", SINCE, id="a newer patch has the newest known Go"),
        pytest.param("v1.27.3-gke.100", BOTH, id="a vendor of 1.27"),
        pytest.param("v1.27.16-eks-1", BOTH, id="a vendor of 1.27.16, whatever upstream used"),
        pytest.param("v1.16.15-eks-ad4801", BOTH, id="a vendor of 1.16"),
        pytest.param("v1.30.4+k3s1", SINCE, id="a vendor of 1.30, whose go.mod asks for 1.22"),
        pytest.param("v1.33.0+k3s1", SINCE, id="a vendor of 1.33"),
        pytest.param("v1.9.11-vendor", SINCE, id="a vendor where no JSON is hashed"),
    ],
)
def test_the_json_escapes_of_a_release(catalog: Catalog, name: str, escapes: tuple[str, ...]) -> None:
    assert catalog.kubelet(name).escapes == escapes


@pytest.mark.parametrize(
    ("name", "compared"),
    [("1.27.0", False), ("1.28.0", False), ("1.31.14", False), ("1.32.0", True), ("1.36.0", True)],
)
def test_sidecars_are_compared_from_1_32(catalog: Catalog, name: str, *, compared: bool) -> None:
    assert catalog.kubelet(name).behaviour.sidecars_compared is compared


@pytest.mark.parametrize(
    ("name", "log"),
    [
        (
            "1.7.16",
            (
                'Pod "{pod}" container "{container}" hash changed ({from} vs {to}), '
                "it will be killed and re-created."
            ),
        ),
        ("1.8.0", "Container spec hash changed ({from} vs {to}).. Container will be killed and recreated."),
        ("1.13.12", "Container spec hash changed ({from} vs {to}).. Container will be killed and recreated."),
        ("1.14.0", "Container {container} definition changed, will be restarted"),
    ],
)
def test_what_a_kubelet_logs(catalog: Catalog, name: str, log: str) -> None:
    assert catalog.kubelet(name).behaviour.restart_log == log


@pytest.mark.parametrize("name", ["v1.16.15-eks-ad4801", "v1.27.3-gke.100", "v1.28.2+k3s1"])
def test_a_vendors_build_is_read_as_its_upstream_release_and_marked(catalog: Catalog, name: str) -> None:
    kubelet = catalog.kubelet(name)
    upstream = catalog.kubelet(kubelet.release.upstream)
    assert kubelet.vendor_assumed
    assert not upstream.vendor_assumed
    assert (kubelet.schema, kubelet.era) == (upstream.schema, upstream.era)


def test_a_patch_newer_than_known_is_read_as_its_minor_and_marked(catalog: Catalog) -> None:
    kubelet = catalog.kubelet("1.33.999")
    assert kubelet.patch_assumed
    assert kubelet.schema is catalog.kubelet("1.33.0").schema


def test_every_patch_after_the_newest_known_one_is_assumed(catalog: Catalog) -> None:
    for row in catalog.known.rows:
        assert not catalog.kubelet(row.newest).patch_assumed
        assert catalog.kubelet(f"{row.minor}.{row.patches[-1] + 1}").patch_assumed


def test_names_of_one_release_share_its_data(catalog: Catalog) -> None:
    assert catalog.kubelet("1.9.11") is catalog.kubelet("1.9.11")
    assert catalog.kubelet("v1.9.11").schema is catalog.kubelet("1.9.0").schema


@pytest.mark.parametrize(
    ("older", "newer", "same"),
    [
        ("1.8", "1.9", False),
        ("1.10", "1.11", True),
        ("1.11", "1.12", False),
        ("1.12", "1.13", True),
        ("1.13", "1.14", False),
        ("1.16", "1.18", True),
        ("1.19", "1.20", True),
        ("1.20", "1.21", False),
    ],
)
def test_which_minors_share_a_tree(catalog: Catalog, older: str, newer: str, *, same: bool) -> None:
    assert (catalog.kubelet(f"{older}.0").schema is catalog.kubelet(f"{newer}.0").schema) is same


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param(
            "1.17.10",
            "'1.17.10' is not a known kubelet release; the nearest known releases are 1.17.9, 1.17.11, ",
            id="1.17.10 is a gap",
        ),
        pytest.param(
            "v1.18.7",
            "'v1.18.7' is not a known kubelet release; the nearest known releases are 1.18.6, 1.18.8, ",
            id="1.18.7 is a gap",
        ),
        pytest.param(
            "1.18.11+vendor",
            "is not a known kubelet release; the nearest known releases are 1.18.10, 1.18.12, ",
            id="a vendor's gap",
        ),
        pytest.param("0.21.4", "the nearest known releases are 1.0.0, ", id="a minor before the first"),
        pytest.param(
            "1.99.0", "the nearest known releases are 1.37.2, 1.37.1, ", id="a minor after the last"
        ),
        pytest.param(
            "1.9",
            "'1.9' is not a kubelet release; want MAJOR.MINOR.PATCH such as 1.9.11; "
            "the nearest known releases are 1.9.11, 1.9.10, ",
            id="no patch",
        ),
        pytest.param("v1.9.x", "the nearest known releases are 1.9.11, 1.9.10, ", id="a placeholder"),
        pytest.param("latest", "the nearest known releases are 1.37.2, 1.36.6, ", id="a word"),
        pytest.param("", "the nearest known releases are 1.37.2, 1.36.6, ", id="nothing"),
        pytest.param("9" * 5000, "the nearest known releases are ", id="5000 digits"),
        pytest.param(
            "1.30.0-rc.1",
            "is a pre-release; only releases have a known container schema; "
            "the nearest known releases are 1.30.0, ",
            id="candidate",
        ),
    ],
)
def test_an_unknown_release_is_a_usage_error_that_names_the_nearest(
    catalog: Catalog, name: str, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        catalog.kubelet(name)
    assert message in str(caught.value)
    assert not catalog.knows(name)


@pytest.mark.parametrize("name", ["1.9.11", "v1.28.2+k3s1", "1.33.999"])
def test_a_release_that_can_be_looked_up_is_known(catalog: Catalog, name: str) -> None:
    assert catalog.knows(name)


@pytest.mark.parametrize(
    ("name", "other", "same"),
    [
        ("1.28.2", "v1.28.2", True),
        ("1.28.2", "v1.28.2+k3s1", False),
        ("1.28.2", "1.28.3", False),
        ("1.28.2", "dev", False),
        ("dev", "dev", False),
    ],
)
def test_names_of_one_known_build(catalog: Catalog, name: str, other: str, *, same: bool) -> None:
    assert catalog.is_same_build(name, other) is same


def test_the_newest_schema_is_that_of_the_last_minor(catalog: Catalog) -> None:
    assert catalog.newest_schema() is catalog.kubelet(catalog.releases()[-1]).schema


def test_the_catalog_that_ships_is_loaded_once() -> None:
    assert default_catalog() is default_catalog()


def test_data_of_another_directory_can_be_used(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    for name in ("eras.json", "behaviour.json", "vendors.json"):
        (tables / name).write_text((default_directory() / "tables" / name).read_text())
    row = {
        "minor": "1.9",
        "types": "t",
        "era": "spew-fnv32a",
        "patches": {"0": "2017-12-15", "2": "2018-01-19"},
    }
    (tables / "releases.json").write_text(json.dumps({"releases": [row]}))
    types = tmp_path / "types" / "container"
    types.mkdir(parents=True)
    (types / "t.json").write_text(
        json.dumps({"package": "v1", "root": "C", "types": {"C": []}, "madeFrom": "here"})
    )
    other = Catalog(tmp_path)
    assert other.releases() == ["1.9.0", "1.9.2"]
    assert other.kubelet("1.9.2").schema.made_from == "here"
    assert not other.knows("1.9.1")
    with pytest.raises(InputError, match=r"changes\.json: cannot read"):
        _ = other.changes
