"""What an API server serves of a manifest: every default of its release, against golden/served."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.compile.gojson import compile_decoder
from tests.helpers.golden import exact_rows, files, rows
from tests.helpers.manifests import LISTS, RELEASES, served

CASES = list(rows("served"))


def manifest(case: str) -> Any:
    return exact_rows("served")[case]["manifest"]


def typed(catalog: Catalog, release: str, containers: list[Any]) -> list[Any]:
    """Return what a kubelet of the release decodes, which is all that it can hash."""
    return list(map(compile_decoder(catalog.kubelet(release).schema.container, keep_empty=False), containers))


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("release", RELEASES)
def test_every_container_is_served_as_go_serves_it(catalog: Catalog, release: str) -> None:
    for case, key in product(CASES, LISTS):
        containers = served(manifest(case)["spec"], key, catalog.api_server(release))
        answer = exact_rows("served", release)[case].get(key, [])
        assert typed(catalog, release, containers) == typed(catalog, release, answer), (case, key)


def test_releases_differ_where_images_and_grpc_are_read_in_different_ways(catalog: Catalog) -> None:
    def differing(case: str) -> list[str]:
        answers = [
            served(manifest(case)["spec"], "containers", catalog.api_server(release)) for release in RELEASES
        ]
        return [
            release
            for release, answer, other in zip(RELEASES[1:], answers, answers[1:], strict=False)
            if answer != other
        ]

    assert {case: differing(case) for case in ("images", "grpc")} == {
        "images": ["1.31.14", "1.34.10"],
        "grpc": ["1.18.19", "1.24.17"],  # 1.18 keeps startup probes, 1.24 knows gRPC
    }


def test_no_golden_file_is_unused() -> None:
    assert files("served") == {f"{name}.jsonl" for name in ("inputs", *RELEASES)}
    assert all(list(rows("served", release)) == CASES == sorted(CASES) for release in RELEASES)


def test_every_input_says_what_it_shows() -> None:
    for document in rows("served").values():
        assert set(document) == {"about", "manifest"}
        assert document["about"]
