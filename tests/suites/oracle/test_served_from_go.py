"""Manifests as an API server serves them: golden, static pods' and random ones, against real Go."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Kubelet, default_catalog
from hashcompat.core.compile.gojson import compile_decoder
from hashcompat.core.go.jsontext import decode_text, dumps, loads
from scripts.golden import served as oracle
from scripts.golden import staticpods
from scripts.lib.generated import one_release
from scripts.lib.paths import SERVED
from tests.helpers import random_containers, randomness, slices
from tests.helpers.manifests import CASES, LISTS, case, served

pytestmark = pytest.mark.oracle

COUNT = randomness.count("RANDOM_CONTAINERS", 500)


SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
NUMBER = re.compile(rb"\d+(?:\.\d+)?(?:[eE]\+?\d+)?")
GREATEST_FLOAT32 = 3.4028234e38
LAST_OF_ANOTHER_READER = 22


def read_otherwise(text: bytes) -> bool:
    """Return whether API servers to 1.22 read a text otherwise than encoding/json does.

    Their json-iterator replaces lone surrogates, and refuses numbers that do not fit a float32.
    """
    return bool(SURROGATE.search(text)) or any(
        float(number) > GREATEST_FLOAT32 for number in NUMBER.findall(text)
    )


def differing(kubelet: Kubelet, spec: Mapping[str, Any], answer: Mapping[str, Any]) -> list[Any]:
    """Return the containers of a manifest that are not served as by Go, once a kubelet has decoded both."""
    decode, server = (
        compile_decoder(kubelet.schema.container, keep_empty=False),
        default_catalog().api_server(str(kubelet.release)),
    )
    pairs = [
        (given, own, go)
        for key in LISTS
        for given, own, go in zip(
            spec.get(key) or (), served(spec, key, server), answer.get(key, ()), strict=True
        )
    ]
    return [given for given, own, go in pairs if decode(own) != decode(go)]


@pytest.mark.parametrize("release", slices.releases(staticpods.oracles(), "era"))
def test_golden_data_is_what_go_serves_today(release: str) -> None:
    assert one_release(SERVED, release, oracle.of_release).check() == []


@pytest.mark.parametrize("release", slices.releases(staticpods.oracles(), "era"))
def test_static_pods_manifests(release: str) -> None:
    kubelet = default_catalog().kubelet(release)
    pods = [
        dumps({"apiVersion": "v1", "kind": "Pod", "spec": case(name)[0].get("spec") or {}}) for name in CASES
    ]
    specs = {name: loads(pod)["spec"] for name, pod in zip(CASES, pods, strict=True)}
    answers = map(loads, map(bytes.decode, oracle.ask(release, map(str.encode, pods))))
    differences = {
        name: differing(kubelet, spec, answer)
        for (name, spec), answer in zip(specs.items(), answers, strict=True)
    }
    assert {name: containers for name, containers in differences.items() if containers} == {}


@pytest.mark.parametrize("network", [b"false", b"true"])
@pytest.mark.parametrize("release", slices.releases(staticpods.oracles(), "era"))
def test_random_manifests(
    release: str, network: bytes, record_property: Callable[[str, object], None]
) -> None:
    kubelet = default_catalog().kubelet(release)
    containers = list(
        random_containers.containers(default_catalog().newest_schema().tree, randomness.SEED, COUNT, "file")
    )
    if kubelet.release.minor_number <= LAST_OF_ANOTHER_READER:
        containers = [container for container in containers if not read_otherwise(container)]
    pods = [
        b'{"apiVersion":"v1","kind":"Pod","spec":{"hostNetwork":%s,"containers":[%s]}}' % (network, container)
        for container in containers
    ]
    for pod, answer in zip(pods, oracle.ask(release, pods), strict=True):
        document = loads(answer.decode())
        assert "error" not in document, (pod, document)
        assert differing(kubelet, loads(decode_text(pod))["spec"], document) == [], pod
    assert len(pods) > COUNT // 3
    record_property("random_containers", len(pods))
