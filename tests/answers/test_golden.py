"""The golden data is computed again, covers all that the catalog distinguishes, and has nothing unused."""

from __future__ import annotations

import base64
from functools import cache

import pytest

from hashcompat import container_hash
from hashcompat.analysis.answers.golden import verify
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from tests.helpers.golden import container, exact_rows, files, releases, rows
from tests.helpers.program import CONTAINERS, GOLDEN, ROOT

RELEASES = releases("containers")
CASES = list(exact_rows("containers"))


def test_every_golden_text_and_hash_is_computed_anew(catalog: Catalog) -> None:
    result = verify(CONTAINERS, catalog)
    assert result.mismatches == ()
    assert set(result.releases) == set(RELEASES)
    assert (result.cases, result.compared) == (len(CASES), len(CASES) * len(RELEASES))


def test_there_is_enough_of_it() -> None:
    assert len(CASES) >= 300
    assert len(RELEASES) >= 24


@cache
def variants() -> dict[tuple[str, str, tuple[str, ...]], list[str]]:
    """Return upstream releases of every distinct schema, era and (in JSON eras) encoding/json."""
    names: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    catalog = default_catalog()
    for name in catalog.releases():
        kubelet = catalog.kubelet(name)
        picked = not kubelet.era.whole
        tree = "" if picked else kubelet.schema.name
        names.setdefault(
            (tree, kubelet.era.name, kubelet.escapes if kubelet.era.hashes_json else ()), []
        ).append(name)
    return names


@pytest.mark.parametrize(
    "variant", variants(), ids=lambda variant: "-".join((variant[0], variant[1], *variant[2]))
)
def test_every_schema_era_and_encoding_has_a_golden_release(
    variant: tuple[str, str, tuple[str, ...]],
) -> None:
    assert set(variants()[variant]) & set(RELEASES), f"add one of {variants()[variant]} to golden/containers"


@pytest.mark.parametrize(
    "schema", sorted({default_catalog().kubelet(name).schema.name for name in default_catalog().releases()})
)
def test_every_type_tree_has_a_golden_release(schema: str) -> None:
    catalog = default_catalog()
    assert schema in {catalog.kubelet(name).schema.name for name in RELEASES}


def test_no_file_is_unused() -> None:
    assert files("containers") == {f"{name}.jsonl" for name in ("inputs", *RELEASES)}


def test_no_folder_is_unused() -> None:
    """The others are read by the tests of static pods, files, room, served manifests and real kubelets."""
    assert {path.name for path in GOLDEN.iterdir()} == {
        "README.md",
        "checkpoints",
        "containers",
        "kubeadm",
        "normalized",
        "reality",
        "room",
        "served",
        "staticpods",
        "switched",
        "values",
    }
    assert {path.name for path in (GOLDEN / "values").iterdir()} == {
        "jsonpath.jsonl",
        "quantities.jsonl",
        "values.jsonl",
        "yaml.jsonl",
    }


def test_cases_are_sorted_and_complete() -> None:
    assert sorted(CASES) == CASES
    for release in RELEASES:
        assert list(rows("containers", release)) == CASES, release


def test_every_input_says_what_it_shows_and_none_says_it_twice() -> None:
    documents = rows("containers").values()
    assert {tuple(sorted(document)) for document in documents} == {
        ("about", "container", "source"),
        ("about", "containerBase64", "source"),
    }
    assert all(document["about"] for document in documents)


def test_what_is_in_base64_is_no_text_and_everything_else_is_readable() -> None:
    for name in ("inputs", *RELEASES):
        (CONTAINERS / f"{name}.jsonl").read_bytes().decode()
    coded = {
        case: base64.b64decode(row["containerBase64"])
        for case, row in rows("containers").items()
        if "containerBase64" in row
    }
    assert len(coded) == 6
    for data in coded.values():
        with pytest.raises(UnicodeDecodeError):
            data.decode()


RECORDED = [
    ("recorded-infra-pod", "1.0.7", 0xE4CC795),
    ("recorded-kube-addon-manager", "1.5.8", 0x96C28B3C),
    ("recorded-prometheus-node-exporter", "1.7.16", 1559107639),
    ("recorded-prometheus-node-exporter", "1.9.11", 1428860573),
    *(
        ("recorded-test-container-ports", release, 0x3C42280F)
        for release in RELEASES
        if 16 <= int(release.split(".")[1]) <= 30
    ),
    *(
        ("recorded-test-container-full", release, 0x311670A)
        for release in RELEASES
        if 16 <= int(release.split(".")[1]) <= 30
    ),
    *(
        ("recorded-test-container-name-and-image", release, 0x8E45CBD0)
        for release in RELEASES
        if int(release.split(".")[1]) >= 31
    ),
]


@pytest.mark.parametrize(
    ("case", "release", "value"), RECORDED, ids=[f"{case} {release}" for case, release, _ in RECORDED]
)
def test_hashes_that_kubelets_logged_or_kubernetes_own_tests_assert(
    case: str, release: str, value: int
) -> None:
    assert container_hash(container(case), release).value == value
    assert rows("containers", release)[case]["hash"] == value


def test_each_recorded_case_is_asserted_somewhere() -> None:
    assert {case for case, _, _ in RECORDED} >= {case for case in CASES if case.startswith("recorded-")}


def test_the_golden_readme_names_every_release() -> None:
    readme = (ROOT / "golden" / "README.md").read_text()
    assert [release for release in RELEASES if release not in readme] == []
