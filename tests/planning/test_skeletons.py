"""What containers share that set the same fields is printed once, and every hash is that of each alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.errors import DecodeError
from hashcompat.go.jsontext import decode_text, loads
from hashcompat.kubelet.hashing import Hasher, hashers
from hashcompat.kubelet.template import around
from hashcompat.planning.differences import difference
from hashcompat.planning.patched import Accepting
from hashcompat.planning.skeletons import Skeletons
from hashcompat.planning.templates import Template
from tests.helpers import randomness
from tests.helpers.pods import Json
from tests.helpers.random_containers import containers

COUNT = randomness.count("RANDOM_CONTAINERS", 40)
WORDS = ("hashcompat-blank-00000", "hashcompat-blank-00001")


def usual(name: str, cpu: str = "100m", port: int = 80, **more: Any) -> Json:
    return {
        "name": name,
        "image": f"registry.example.com/{name}:v1",
        "args": ["--name", name, "\b<&>"],
        "env": [{"name": "A", "value": WORDS[1]}, {"name": "B", "value": name}],
        "ports": [{"containerPort": port, "name": "http"}],
        "resources": {"limits": {"cpu": cpu, "memory": "64Mi"}},
        "livenessProbe": {"httpGet": {"path": "/live", "port": port}, "timeoutSeconds": 3},
        "volumeMounts": [{"mountPath": "/data", "name": "data"}, {"mountPath": "/token", "name": WORDS[0]}],
        **more,
    }


def distinct(catalog: Catalog) -> list[Kubelet]:
    """Return a kubelet of each way of hashing."""
    every = map(catalog.kubelet, catalog.releases())
    return list({kubelet.way: kubelet for kubelet in every}.values())


def random_specs(catalog: Catalog) -> Iterator[Json]:
    for found in containers(catalog.newest_schema().tree, randomness.SEED, COUNT, "api"):
        spec = loads(decode_text(found))
        yield spec
        yield {**spec, "name": "another", "image": "other:2"}


def ways(hasher: Hasher, spec: Json, words: tuple[str, ...]) -> object:
    return around(hasher, hasher.decode(spec), words).way


def test_templates_of_one_skeleton_hash_as_each_by_itself(catalog: Catalog) -> None:
    skeletons = Skeletons()
    given = [usual("one"), usual("two", "2500m", 8080), usual("three", "1", 1)]
    found = [skeletons.of(spec, WORDS) for spec in given]
    assert len({id(bones.skeleton) for bones in found if bones}) == 1
    for kubelet in distinct(catalog):
        for hasher in hashers(kubelet):
            for spec, bones in zip(given, found, strict=True):
                made = bones.around(hasher) if bones else None
                assert made is not None
                assert made.way == ways(hasher, spec, WORDS), kubelet.release


def test_random_templates_hash_as_each_by_itself(catalog: Catalog) -> None:
    skeletons, compared = Skeletons(), 0
    for spec in random_specs(catalog):
        bones = skeletons.of(spec, ())
        for hasher in itertools.chain.from_iterable(map(hashers, distinct(catalog))) if bones else ():
            try:
                alone = ways(hasher, spec, ())
            except DecodeError:
                continue
            made = bones.around(hasher) if bones else None
            assert made is None or made.way == alone
            compared += made is not None
    assert compared > COUNT * 20


def test_two_kubelets_differ_in_the_fields_that_the_skeleton_shows(catalog: Catalog) -> None:
    skeletons, typical = Skeletons(), 0
    releases = ("1.1.8", "1.2.7", "1.5.8", "1.7.16", "1.9.11", "1.15.12", "1.16.15", "1.20.15", "1.30.14")
    specs = [usual("one"), usual("two", "2500m"), *itertools.islice(random_specs(catalog), 60)]
    for spec in specs:
        template = Template(spec, (), skeletons)
        for old, new in itertools.permutations(map(catalog.kubelet, releases), 2):
            try:
                alone = difference(spec, old, new, catalog)
            except DecodeError:
                continue
            shown = template.typical(old, new)
            assert difference(shown.spec, old, new, catalog) == alone
            typical += shown is not template
    assert typical > len(specs) * 10


def test_quantities_that_two_kubelets_read_differently_decide_for_themselves(catalog: Catalog) -> None:
    template = Template(usual("one"), WORDS, Skeletons())
    old, new = catalog.kubelet("1.1.8"), catalog.kubelet("1.3.10")
    assert template.typical(old, new) is template
    assert template.typical(catalog.kubelet("1.7.16"), catalog.kubelet("1.9.11")) is not template


def test_a_skeleton_is_printed_once(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    skeletons, (hasher,) = Skeletons(), hashers(catalog.kubelet("1.9.11"))
    one, other = skeletons.of(usual("one"), WORDS), skeletons.of(usual("two", port=9), WORDS)
    assert one
    assert other
    expected = ways(hasher, usual("two", port=9), WORDS)
    assert one.around(hasher) is not None
    monkeypatch.setattr(Hasher, "text", None)
    found = other.around(hasher)
    assert found is not None
    assert found.way == expected


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        pytest.param(usual("one", imagePullPolicy=WORDS[1], env=[]), WORDS, id="a name is in no gap"),
        pytest.param(usual("one", ports=[{"containerPort": "80"}]), WORDS, id="it does not decode"),
    ],
)
def test_some_templates_are_printed_by_themselves(
    spec: Json, names: tuple[str, ...], catalog: Catalog
) -> None:
    (hasher,) = hashers(catalog.kubelet("1.9.11"))
    found = Skeletons().of(spec, names)
    assert found is not None
    assert found.around(hasher) is None
    assert Skeletons().of({"name": "", "image": None}, ()) is None


def test_skeletons_do_not_grow_with_the_cluster() -> None:
    skeletons = Skeletons(kept=4)
    for number in range(20):
        assert skeletons.of(usual("c", args=["x"] * number), WORDS)
    assert len(skeletons._known) <= 4


def test_a_patch_accepts_of_a_skeleton_what_it_accepts_of_each_container(catalog: Catalog) -> None:
    skeletons, defaults, for_all = Skeletons(), tuple(catalog.server_defaults()), 0
    default: Json = {"securityContext": {"procMount": "Default"}}
    specs = [usual("one"), {**usual("two"), **default}, usual("three", unknown=1), *random_specs(catalog)]
    pairs = [("1.7.16", "1.9.11"), ("1.9.11", "1.8.15"), ("1.9.11", "1.13.12"), ("1.30.14", "1.31.14")]
    for old, new in (map(catalog.kubelet, pair) for pair in pairs):
        accepting = Accepting(new, [old], defaults)
        for spec in specs:
            skeleton = Template(spec, (), skeletons).skeleton
            try:
                alone = accepting.made(spec, keep_empty=False)
                found = accepting.for_all(skeleton.spec) if skeleton else None
            except DecodeError:
                continue
            if found is not None:
                assert [(hasher, spec) for hasher in found] == alone
                for_all += 1
    assert for_all > COUNT
