"""The chains of steps, held against hashes that real kubelets recorded and Kubernetes' own tests assert."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hashcompat.core.catalog.eras import Era
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.catalog.releases import parse_range
from hashcompat.core.errors import DecodeError, UsageError
from hashcompat.core.kubelet.hashing import ContainerHash, compile_hasher, container_hash, hashers
from tests.helpers.golden import container

PORTS = {
    "name": "test_container",
    "image": "foo/image:v1",
    "args": ["/bin/sh", "-c", "echo abc"],
    "ports": [{"containerPort": 8001}],
}
FULL = {
    **PORTS,
    "command": ["/bin/testcmd"],
    "env": [
        {"name": "ENV_FOO", "value": "bar"},
        {"name": "ENV_BAR", "valueFrom": {"secretKeyRef": {"name": "foo", "key": "bar", "optional": True}}},
    ],
    "resources": {"limits": {"foo": "1G"}, "requests": {"foo": "500M"}},
}
NAMES = {"name": "test_container", "image": "foo/image:v1"}


def recorded_container(name: str) -> dict[str, Any]:
    return container(f"recorded-{name}")


def exporter() -> dict[str, Any]:
    return recorded_container("prometheus-node-exporter")


@pytest.mark.parametrize(
    ("case", "releases", "recorded"),
    [
        ("infra-pod", ("1.0.0", "1.0.7"), "e4cc795"),
        ("kube-addon-manager", ("1.3.0", "1.4.12", "1.5.8"), "96c28b3c"),
    ],
)
def test_hashes_that_kubelets_before_1_6_recorded(
    catalog: Catalog, case: str, releases: tuple[str, ...], recorded: str
) -> None:
    for release in releases:
        assert container_hash(recorded_container(case), catalog.kubelet(release)).hex == recorded


@pytest.mark.parametrize(("release", "recorded"), [("1.7.16", 1559107639), ("1.9.11", 1428860573)])
def test_hashes_that_kubelets_recorded(catalog: Catalog, release: str, recorded: int) -> None:
    assert container_hash(exporter(), catalog.kubelet(release)).value == recorded


@pytest.mark.parametrize(
    ("container", "releases", "asserted"),
    [
        pytest.param(PORTS, ("1.16.0", "1.22.17", "1.30.14"), "3c42280f", id="args and a port, 1.16 - 1.30"),
        pytest.param(
            FULL, ("1.16.0", "1.22.17", "1.30.14"), "311670a", id="command, env and resources, 1.16 - 1.30"
        ),
        pytest.param(NAMES, ("1.31.0", "1.36.0"), "8e45cbd0", id="name and image, 1.31 - 1.36"),
        pytest.param(FULL, ("1.31.0", "1.36.0"), "8e45cbd0", id="all else does not count, 1.31 - 1.36"),
    ],
)
def test_hashes_that_kubernetes_asserts(
    catalog: Catalog, container: dict[str, Any], releases: tuple[str, ...], asserted: str
) -> None:
    assert {container_hash(container, catalog.kubelet(release)).hex for release in releases} == {asserted}


def test_the_text_of_1_31_is_the_bytes_of_name_and_image(catalog: Catalog) -> None:
    (hasher,) = hashers(catalog.kubelet("1.31.0"))
    document = '{"image":"foo/image:v1","name":"test_container"}'
    assert hasher.text(FULL) == f"([]uint8)[{' '.join(str(byte) for byte in document.encode())}]"
    assert hasher.readable(FULL) == document
    assert hasher.tree(FULL) == NAMES


def test_the_text_of_1_16_is_the_bytes_of_the_json(catalog: Catalog) -> None:
    (hasher,) = hashers(catalog.kubelet("1.16.0"))
    document = '{"name":"a\\u003cb","resources":{"limits":{"cpu":"100m"}}}'
    container = {"name": "a<b", "resources": {"limits": {"cpu": "0.1"}}}
    assert hasher.text(container) == f"([]uint8)[{' '.join(str(byte) for byte in document.encode())}]"
    assert hasher.readable(container) == document
    assert hasher.tree(container) == json.loads(document)


def test_the_text_of_1_9_is_readable_as_it_is(catalog: Catalog) -> None:
    (hasher,) = hashers(catalog.kubelet("1.9.11"))
    text = hasher.text({"name": "app", "ports": [{"containerPort": 80}]})
    assert text.startswith("(v1.Container){Name:(string)app Image:(string) Command:([]string)<nil> ")
    assert "Ports:([]v1.ContainerPort)[{Name:(string) HostPort:(int32)0 ContainerPort:(int32)80 " in text
    assert hasher.readable({"name": "app", "ports": [{"containerPort": 80}]}) == text


def test_the_tree_of_1_9_has_every_field_by_its_go_name(catalog: Catalog) -> None:
    (hasher,) = hashers(catalog.kubelet("1.9.11"))
    tree = hasher.tree({"name": "app", "resources": {"limits": {"cpu": "0.1"}}})
    assert (tree["Name"], tree["VolumeDevices"], tree["Resources"]["Limits"]) == (
        "app",
        None,
        {"cpu": "100m"},
    )


@pytest.mark.parametrize(
    ("release", "differ"),
    [("1.15.12", True), ("1.16.0", False), ("1.31.0", False)],
    ids=["spew", "JSON", "picked"],
)
def test_an_empty_list_counts_where_unset_fields_are_hashed(
    catalog: Catalog, release: str, *, differ: bool
) -> None:
    container, kubelet = {"name": "a", "command": []}, catalog.kubelet(release)
    from_file = container_hash(container, kubelet, keep_empty=True)
    assert (from_file != container_hash(container, kubelet, keep_empty=False)) is differ
    assert container_hash(container, kubelet) == container_hash({"name": "a"}, kubelet)


@pytest.mark.parametrize("release", ["1.9.11", "1.20.0", "1.36.0"])
def test_fields_that_a_release_does_not_know_are_dropped(catalog: Catalog, release: str) -> None:
    kubelet = catalog.kubelet(release)
    assert container_hash({**NAMES, "ofTheFuture": {"a": 1}}, kubelet) == container_hash(NAMES, kubelet)


@pytest.mark.parametrize("char", ["\b", "\f"], ids=["backspace", "form feed"])
def test_a_vendors_go_leaves_two_candidates_and_no_value(catalog: Catalog, char: str) -> None:
    container = {**NAMES, "args": [char]}
    vendor = container_hash(container, catalog.kubelet("v1.27.3-gke.100"))
    assert (vendor.value, vendor.hex) == (None, None)
    assert vendor.candidates == {
        container_hash(container, catalog.kubelet(name)).value for name in ("1.27.15", "1.27.16")
    }


def test_without_those_characters_a_vendors_go_does_not_matter(catalog: Catalog) -> None:
    vendor, upstream = (container_hash(FULL, catalog.kubelet(name)) for name in ("v1.27.3-gke.100", "1.27.3"))
    assert vendor == upstream
    assert vendor.hex == "311670a"


@pytest.mark.parametrize("release", ["1.9.11", "1.15.12", "1.30.0"])
def test_where_the_go_of_the_kubelet_cannot_matter_there_is_one_candidate(
    catalog: Catalog, release: str
) -> None:
    vendor = container_hash({**NAMES, "args": ["\b"]}, catalog.kubelet(f"{release}+vendor"))
    assert vendor == container_hash({**NAMES, "args": ["\b"]}, catalog.kubelet(release))
    assert vendor.value is not None


def test_the_hex_form_is_not_padded() -> None:
    assert ContainerHash(frozenset({0xE4CC795}), "x").hex == "e4cc795"
    assert ContainerHash(frozenset({0}), "x").hex == "0"


def test_a_hash_names_its_era(catalog: Catalog) -> None:
    assert container_hash(NAMES, catalog.kubelet("1.9.11")).era == "spew-fnv32a"


def test_what_does_not_decode_is_an_error_with_its_path(catalog: Catalog) -> None:
    with pytest.raises(DecodeError) as caught:
        container_hash({"ports": [{"containerPort": "80"}]}, catalog.kubelet("1.36.0"))
    assert str(caught.value) == ".ports[0].containerPort: want an integer, got a string"


def test_a_hasher_is_compiled_once(catalog: Catalog) -> None:
    kubelet = catalog.kubelet("1.9.11")
    assert hashers(kubelet)[0] is hashers(catalog.kubelet("1.9.0"))[0]
    assert hashers(kubelet)[0] is not hashers(kubelet, keep_empty=True)[0]


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        (("zip", "spew", "fnv32a"), "unknown step 'zip'"),
        (("spew", "md5"), "unknown digest 'md5'"),
        (("json", "pick name", "spew", "fnv32a"), "picks fields of something that is not a struct"),
    ],
)
def test_an_era_that_this_program_cannot_compute_is_refused(
    catalog: Catalog, steps: tuple[str, ...], problem: str
) -> None:
    era = Era("made-up", steps, parse_range(">=1.99"), "", "")
    with pytest.raises(UsageError, match=problem):
        compile_hasher(catalog.newest_schema(), era, "go1.22", False)
