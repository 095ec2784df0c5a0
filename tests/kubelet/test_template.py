"""A container hashed around a name has, for every name, the hash of the container with that name."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.hashing import hashers
from hashcompat.core.kubelet.template import around

RELEASES = (
    "1.0.7",
    "1.1.8",
    "1.5.8",
    "1.7.16",
    "1.9.11",
    "1.15.12",
    "1.16.15",
    "1.27.4",
    "1.30.14",
    "1.31.14",
)
NAMES = ("kube-api-access-bcdfg", "kube-api-access-99999", "a", "another-name-of-any-length")


def mounted(name: str) -> dict[str, Any]:
    mounts = [{"name": "v", "mountPath": "/v"}, {"name": name, "mountPath": "/t", "readOnly": True}]
    return {
        "name": "c",
        "image": "i:1",
        "args": ["\b<&>", "\u20ac", "x" * 300],
        "env": [{"name": "E", "value": "v"}],
        "resources": {"limits": {"cpu": "1500m"}},
        "volumeMounts": [*mounts, {"name": "w", "mountPath": "/w"}],
        "livenessProbe": {"httpGet": {"port": 80}, "exec": {"command": ["y" * 300]}},
    }


@pytest.mark.parametrize("release", RELEASES)
def test_every_name_has_the_hash_of_the_whole_container(release: str, catalog: Catalog) -> None:
    for hasher in hashers(catalog.kubelet(release)):
        surroundings = around(hasher, mounted("template-00000"), ["template-00000"])
        assert [surroundings.hash([name]) for name in NAMES] == [hasher.hash(mounted(name)) for name in NAMES]
        assert (not surroundings.after) == (release == "1.31.14"), "1.31 hashes no mounts"


@pytest.mark.parametrize("release", RELEASES)
def test_several_names_are_found_in_any_order(release: str, catalog: Catalog) -> None:
    def named(image: str, value: str, mount: str) -> dict[str, Any]:
        return {
            **mounted(mount),
            "image": image,
            "env": [{"name": "E", "value": value}],
            "args": [value + "!"],
        }

    words = ("word-00001", "word-00000", "word-00002")
    for hasher in hashers(catalog.kubelet(release)):
        template = {**named(*words), "args": ["fixed!"]}
        surroundings = around(hasher, template, words)
        for names in permutations(("registry.example.com:5000/a/b@c+d_e", *NAMES[:2])):
            assert surroundings.hash(names) == hasher.hash({**named(*names), "args": ["fixed!"]})


def test_a_name_that_is_there_twice_is_refused(catalog: Catalog) -> None:
    (hasher,) = hashers(catalog.kubelet("1.30.14"))
    with pytest.raises(ValueError, match="twice"):
        around(hasher, {**mounted("twice"), "image": "twice"}, ["twice"])


def test_without_a_name_there_is_one_hash(catalog: Catalog) -> None:
    (hasher,) = hashers(catalog.kubelet("1.30.14"))
    assert around(hasher, mounted("v"), ()).hash(()) == hasher.hash(mounted("v"))


def test_what_is_hashed_alike_for_every_name_has_one_way(catalog: Catalog) -> None:
    ways = {
        around(hasher, mounted(name), [name]).way
        for hasher in hashers(catalog.kubelet("1.30.14"))
        for name in NAMES[:2]
    }
    (other,) = hashers(catalog.kubelet("1.15.12"))
    assert len(ways) == 1
    assert around(other, mounted(NAMES[0]), NAMES[:1]).way not in ways
