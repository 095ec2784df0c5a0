"""What an API server serves of a manifest: every default of its release, against golden/served."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.catalog.lookup import Catalog
from hashcompat.compile.decode import compile_decoder
from hashcompat.go.jsontext import loads
from tests.helpers.manifests import LISTS, RELEASES, served
from tests.helpers.program import GOLDEN

SERVED = GOLDEN / "served"
CASES = sorted(path.stem for path in (SERVED / "inputs").glob("*.json"))


def manifest(case: str) -> Any:
    return loads((SERVED / "inputs" / f"{case}.json").read_text())["manifest"]


def typed(catalog: Catalog, release: str, containers: list[Any]) -> list[Any]:
    """Return what a kubelet of the release decodes, which is all that it can hash."""
    return list(map(compile_decoder(catalog.kubelet(release).schema.container, keep_empty=False), containers))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("release", RELEASES)
def test_every_container_is_served_as_go_serves_it(catalog: Catalog, release: str, case: str) -> None:
    answer = loads((SERVED / release / f"{case}.json").read_text())
    spec = manifest(case)["spec"]
    for key in LISTS:
        assert typed(catalog, release, served(spec, key, catalog.api_server(release))) == typed(
            catalog, release, answer.get(key, [])
        )


def test_releases_differ_where_images_and_grpc_are_read_in_different_ways(catalog: Catalog) -> None:
    def differing(case: str) -> list[str]:
        answers = [
            served(manifest(case)["spec"], "containers", catalog.api_server(release)) for release in RELEASES
        ]
        return [
            release
            for release, one, other in zip(RELEASES[1:], answers, answers[1:], strict=False)
            if one != other
        ]

    assert {case: differing(case) for case in ("images", "grpc")} == {
        "images": ["1.31.14", "1.34.10"],
        "grpc": ["1.18.19", "1.24.17"],  # 1.18 keeps startup probes, 1.24 knows gRPC
    }


def test_no_golden_file_is_unused() -> None:
    expected = {f"{folder}/{case}.json" for folder in ("inputs", *RELEASES) for case in CASES}
    assert {str(path.relative_to(SERVED)) for path in SERVED.rglob("*") if path.is_file()} == expected


def test_every_input_says_what_it_shows() -> None:
    for case in CASES:
        document = json.loads((SERVED / "inputs" / f"{case}.json").read_text())
        assert set(document) == {"about", "manifest"}
        assert document["about"]
