"""The quick way from a container's JSON to the text that is hashed: that of the steps, or none at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.compile import quick
from hashcompat.core.compile.quick import Remarshal, compile_parts
from hashcompat.core.errors import DecodeError
from hashcompat.core.go.jsontext import Number, decode_text, loads
from hashcompat.core.go.types import Basic, Field, Interface, Pointer, Slice, Struct
from hashcompat.core.kubelet import hashing
from hashcompat.core.kubelet.hashing import Hasher, compile_hasher, hashers
from tests.helpers import golden, random_containers, randomness
from tests.helpers.slices import every

RELEASES = (
    "1.0.7",
    "1.5.8",
    "1.7.16",
    "1.9.11",
    "1.15.12",
    "1.16.15",
    "1.23.17",
    "1.30.14",
    "1.31.14",
    "1.36.5",
)
_STRING = Basic("string", "string")
_LONG = "x" * (1 << 15)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile a struct for the first value."""
    monkeypatch.setattr(quick, "_FEW", 0)
    hashing.compile_hasher.cache_clear()
    yield
    hashing.compile_hasher.cache_clear()


def by_steps(hasher: Hasher, container: Any) -> str:
    try:
        return "".join(hasher.pieces(hasher.decode(container)))
    except DecodeError as error:
        return f"refused: {error}"


def as_asked(hasher: Hasher, container: Any) -> str:
    try:
        return hasher.text(container)
    except DecodeError as error:
        return f"refused: {error}"


def same(hasher: Hasher, container: Any) -> bool:
    """Compare both ways, twice, as parts are remembered; return whether the quick one was taken."""
    for _ in range(2):
        assert as_asked(hasher, container) == by_steps(hasher, container), container
    return hasher.quick is not None and hasher.quick(container) is not None


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("keep_empty", [False, True])
@pytest.mark.parametrize("release", every(2, RELEASES))
def test_golden_containers(catalog: Catalog, release: str, keep_empty: bool) -> None:
    for hasher in hashers(catalog.kubelet(release), keep_empty=keep_empty):
        taken = [
            same(hasher, row["container"])
            for row in golden.exact_rows("containers").values()
            if "container" in row
        ]
        assert sum(taken) > len(taken) // 2


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("source", ["api", "file"])
@pytest.mark.parametrize("release", every(2, RELEASES))
def test_random_containers(catalog: Catalog, release: str, source: random_containers.Source) -> None:
    hasher = hashers(catalog.kubelet(release), keep_empty=source == "file")[0]
    tree = catalog.newest_schema().tree
    for text in random_containers.containers(tree, randomness.SEED, 40, source):
        same(hasher, loads(decode_text(text)))


USUAL: dict[str, Any] = {
    "name": "c",
    "image": "i:1",
    "args": ["a && b", "<&>", '\t"x"', "\u00e9"],
    "env": [
        {"name": "A", "value": "1"},
        {"name": "EMPTY", "value": ""},
        {"name": "R", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}},
    ],
    "livenessProbe": {"httpGet": {"path": "/", "port": "web"}, "periodSeconds": 0},
    "ports": [{"containerPort": 80}],
    "resources": {"limits": {"memory": "1.5Gi", "cpu": 2}, "requests": {}},
    "securityContext": {"runAsUser": 0, "privileged": False, "capabilities": {}},
    "unknown": [1],
}
"""What each quick way takes."""

ODD: tuple[dict[str, Any], ...] = (
    {"args": []},
    {"args": None},
    {"args": [None]},
    {"args": [1]},
    {"args": ["\u2028"]},
    {"args": ["\b", "\f", "\x1b", "\u2028", "\\b"]},
    {"args": ["\ud800"]},
    {"args": [_LONG]},
    {"env": [{"value": "1"}]},
    {"env": [None]},
    {"env": {}},
    {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]},
    {"resources": None},
    {"resources": {"limits": {"cpu": Number("1.50")}}},
    {"resources": {"limits": {"cpu": True}}},
    {"resources": {"limits": {"cpu": {}}}},
    {"resources": {"limits": {"\u00e9": 1, "z": 1, "a": "1e3"}}},
    {"resources": {"limits": None}},
    {"ports": [{"containerPort": 1 << 31}]},
    {"ports": [{"containerPort": True}]},
    {"ports": [{"containerPort": Number("-0")}]},
    {"ports": [{"containerPort": Number("1.0")}]},
    {"ports": [{}]},
    {"livenessProbe": {}},
    {"livenessProbe": {"exec": None, "tcpSocket": {"port": 1}}},
    {"securityContext": {"runAsUser": 1 << 63}},
    {"securityContext": {"runAsUser": (1 << 63) - 1}},
    {"stdin": False, "tty": True},
    {"name": None},
    {"image": 1},
)


@pytest.mark.parametrize("release", RELEASES)
def test_usual_and_odd_json(catalog: Catalog, release: str) -> None:
    hasher = hashers(catalog.kubelet(release))[0]
    assert same(hasher, USUAL)
    for odd in ODD:
        same(hasher, {**USUAL, **odd})
    same(hasher, {"image": "without a name"})


def test_texts_of_parts_are_forgotten(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "_LARGEST", 0)
    hasher = hashers(catalog.kubelet("1.7.16"))[0]
    for number in range(3):
        assert same(hasher, {**USUAL, "workingDir": f"/{number}"})


def test_a_struct_is_compiled_once_it_pays(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "_FEW", 2)
    (hasher,) = hashers(catalog.kubelet("1.30.14"))
    assert [same(hasher, USUAL) for _ in range(2)] == [True, True]
    fits = Remarshal(hasher.container).fits
    assert [fits(USUAL) for _ in range(3)] == [False, False, True]


def test_a_strict_struct_refuses_what_it_does_not_know(catalog: Catalog) -> None:
    (hasher,) = hashers(catalog.kubelet("1.30.14"))
    known = {key: value for key, value in USUAL.items() if key != "unknown"}
    assert [Remarshal(hasher.container, strict=True).fits(container) for container in (USUAL, known)] == [
        False,
        True,
    ]
    deep = {**known, "env": [{"name": "A", "unknown": 1}]}
    assert not Remarshal(hasher.container, strict=True).fits(deep)


def struct(*fields: Field) -> Struct:
    return Struct("v1.Container", fields)


@pytest.mark.parametrize(
    "odd",
    [
        struct(Field("A", Interface("interface {}"), "a")),
        struct(Field("A", Basic("float64", "float64"), "a")),
        struct(Field("A", Slice("[]uint8", Basic("uint8", "uint8")), "a")),
        struct(Field("A", _STRING, "a"), Field("B", _STRING, "a")),
    ],
    ids=["interface", "float", "bytes", "twice"],
)
def test_what_no_container_has_is_left_to_the_steps(odd: Struct) -> None:
    remarshal = Remarshal(odd)
    assert not remarshal.fits({"a": "x"})
    assert remarshal.text({"a": "x"}) is None


def test_what_is_always_written() -> None:
    """A pointer, a list and a number without omitempty."""
    pointer, numbers = Pointer("*string", _STRING), Slice("[]string", _STRING)
    remarshal = Remarshal(
        struct(Field("P", pointer, "p"), Field("L", numbers, "l"), Field("N", Basic("int32", "int32"), "n"))
    )
    assert remarshal.text({"p": "x", "l": ["y"], "n": 0}) == '{"p":"x","l":["y"],"n":0}'
    odds: tuple[dict[str, Any], ...] = ({"p": None}, {"l": []}, {"n": None})
    for odd in odds:
        assert remarshal.text({"p": "x", "l": ["y"], "n": 0, **odd}) is None


def test_parts_need_fields_that_are_printed_by_themselves() -> None:
    assert compile_parts(struct(Field("A", struct(), "", embedded=True)), keep_empty=False) is None
    forgetful = Slice("[]*string", Pointer("*string", _STRING))
    assert compile_parts(struct(Field("A", forgetful, "a")), keep_empty=False) is None
    parts = compile_parts(struct(Field("A", _STRING, "a")), keep_empty=False)
    assert parts is not None
    assert parts([]) is None


@pytest.mark.parametrize("release", ["1.16.15", "1.31.14"])
def test_where_fnv_is_computed_in_python_json_is_hashed_by_the_steps(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    """Its pieces repeat from container to container, and what each does to the state is remembered."""
    kubelet, container = catalog.kubelet(release), {"name": "c", "image": "i"}
    (quick,) = hashers(kubelet)
    monkeypatch.setattr(hashing, "IS_COMPILED", False)
    hasher = compile_hasher.__wrapped__(kubelet.schema, kubelet.era, *kubelet.escapes, False)
    assert (hasher.quick, quick.quick is None) == (None, False)
    assert hasher.hash(container) == quick.hash(container)
