"""Random static pod manifests: text, UID and each container's text and hash equal those of real Go."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.go.jsontext import decode_text, loads
from hashcompat.core.kubelet.hashing import hashers
from hashcompat.core.kubelet.staticpods import static_containers, static_pod_text, static_pod_uid
from scripts.golden import staticpods
from scripts.lib.generated import one_release
from scripts.lib.paths import POD_TYPES, STATIC_PODS
from tests.helpers import random_pods, randomness, slices

pytestmark = pytest.mark.oracle

COUNT = randomness.count("RANDOM_PODS", 100)


@pytest.mark.parametrize("release", slices.releases(staticpods.oracles(), "era"))
def test_random_static_pods_equal_go(release: str, record_property: Callable[[str, object], None]) -> None:
    manifests = list(random_pods.manifests(random_pods.newest_tree(), randomness.SEED, COUNT))
    compared = 0
    for manifest, answer in zip(
        manifests, staticpods.ask(release, map(random_pods.request, manifests)), strict=True
    ):
        assert answer == expected(release, loads(decode_text(manifest)), answer["suffix"]), manifest
        compared += 1
    record_property("random_pods", compared)
    assert compared == COUNT


def expected(release: str, manifest: dict[str, Any], suffix: str) -> dict[str, Any]:
    """Return what this program computes, in the form of the oracle's answer."""
    kubelet = default_catalog().kubelet(release)
    (hasher,) = hashers(kubelet, keep_empty=True)
    all_containers = [*static_containers(manifest, kubelet).values()]
    containers = all_containers[
        : len(all_containers) - len(manifest["spec"].get("ephemeralContainers") or ())
    ]
    return {
        "uid": static_pod_uid(manifest, kubelet, random_pods.NODE, f"file:{random_pods.PATH}").uid,
        "text": static_pod_text(manifest, kubelet),
        "suffix": suffix,
        "uidGiven": False,
        "containers": [
            {
                "name": hasher.decode(container)[0],
                "text": hasher.text(container),
                "hash": hasher.hash(container),
            }
            for container in containers
        ],
    }


@pytest.mark.parametrize("release", slices.releases(staticpods.oracles(), "era"))
def test_golden_data_is_what_go_computes_today(release: str) -> None:
    assert one_release(STATIC_PODS, release, staticpods.of_release).check() == []


@pytest.mark.parametrize("release", slices.releases(staticpods.oracles(), "era"))
def test_compiled_types_equal_those_read_from_source(release: str) -> None:
    """Reflection sees no JSON keys and no v1 types: the internal types have none."""
    tree = json.loads((POD_TYPES / f"{tree_of(release)}.json").read_text())
    for described in tree["types"].values():
        for field in described if isinstance(described, list) else ():
            for key in field.keys() - {"name", "type", "embedded"}:
                del field[key]
    assert staticpods.types(release) == {key: tree[key] for key in ("package", "root", "packages", "types")}


def tree_of(release: str) -> str:
    """Return the minor that the tree of a release is named after: the newest that is not newer."""
    named = [int(path.stem.partition(".")[2]) for path in POD_TYPES.glob("1.*.json")]
    return f"1.{max(minor for minor in named if minor <= int(release.split('.')[1]))}"
