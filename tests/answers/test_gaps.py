"""Containers that differ in gaps alone have the hashes that each has by itself."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.answers.gaps import Gapped, Text, Values, gapped
from hashcompat.answers.hiding import Hider
from hashcompat.answers.keeping import Keeper
from hashcompat.catalog.lookup import Catalog
from hashcompat.go.digest import BY_NAME
from hashcompat.go.jsontext import Number
from hashcompat.kubelet.hashing import hashers
from hashcompat.model.pods import Container, ContainerType

GAP = "hashcompat-gap-{:05}z"

VALUES = [
    pytest.param("plain", id="plain"),
    pytest.param("kube-api-access-x7f2q", id="token mount"),
    pytest.param('<a href="x\\y">&\n\t\u2028', id="escaped in JSON"),
    pytest.param("żółw 🐢", id="not ASCII"),
    pytest.param("half of a pair \ud800", id="lone surrogate"),
    pytest.param("**** *", id="nearly a mask"),
    pytest.param("x] Env:([]v1.EnvVar)<nil>", id="like a text that is hashed"),
    pytest.param("***", id="a mask"),
    pytest.param("", id="empty"),
    pytest.param("a\bc", id="escaped since Go 1.22"),
    pytest.param(GAP.format(0), id="like a gap"),
    pytest.param("long" * 100, id="long"),
]


def container(value: str) -> dict[str, Any]:
    return {
        "name": "c",
        "image": "i:1",
        "command": ["run"],
        "args": ["--first", value],
        "env": [{"name": "A", "value": value}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }


@pytest.fixture(scope="module")
def hider(catalog: Catalog) -> Hider:
    """Return one that has hidden a container like those of the tests."""
    made = Hider(catalog, Keeper(catalog))
    hidden(made, container("first"))
    return made


def hidden(hider: Hider, spec: dict[str, Any]) -> Any:
    return hider.hidden(Container("c", ContainerType.CONTAINER, "$", spec), "here")


@pytest.mark.parametrize("value", VALUES)
def test_a_container_is_hidden_as_if_it_were_the_only_one(
    value: str, hider: Hider, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = hidden(hider, container(value))
    monkeypatch.setattr("hashcompat.answers.hiding.gapped", lambda _: None)
    alone = hidden(hider, container(value))
    assert found == alone
    assert list(found.true) == list(alone.true)
    (hasher,) = hashers(catalog.kubelet("1.9.11"))
    assert hasher.hash(container(value)) in found.true.values()


def test_containers_that_differ_in_gaps_are_printed_once(
    hider: Hider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hider, "_hidden", None)
    first, second = (hidden(hider, container(value)) for value in ("one", "two"))
    assert (first.spec, first.public) == (second.spec, second.public)
    assert set(first.true.values()) & set(second.true.values()) == {
        number for key, number in first.true.items() if key in first.public
    }


@pytest.mark.parametrize(
    ("spec", "around", "values"),
    [
        pytest.param(
            {"args": ["a", 1, None, Number("1.5")]},
            {"args": [GAP.format(0), 1, None, Number("1.5")]},
            ("a",),
            id="args",
        ),
        pytest.param(
            {"command": ["a", "b"]}, {"command": [GAP.format(0), GAP.format(1)]}, ("a", "b"), id="command"
        ),
        pytest.param(
            {"env": [{"name": "N", "value": "v"}, {"name": "M"}, "x", {"value": 7}]},
            {"env": [{"name": "N", "value": GAP.format(0)}, {"name": "M"}, "x", {"value": 7}]},
            ("v",),
            id="values of env",
        ),
        pytest.param(
            {"volumeMounts": [{"mountPath": "/m", "name": "v"}]},
            {"volumeMounts": [{"mountPath": "/m", "name": GAP.format(0)}]},
            ("v",),
            id="names of mounts",
        ),
    ],
)
def test_values_that_decide_nothing_else_are_gaps(
    spec: dict[str, Any], around: dict[str, Any], values: tuple[str, ...]
) -> None:
    assert gapped(spec) == Gapped(around, values)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"name": "c", "image": "i"}, id="no value"),
        pytest.param({"args": "text", "env": {"name": "N", "value": "v"}}, id="wrong types"),
        pytest.param({"args": ["a"], "image": "hashcompat-gap-00000z"}, id="a text like a gap"),
        pytest.param({"args": ["a"], "image": "i" * (1 << 16)}, id="large"),
    ],
)
def test_some_containers_have_no_gaps(spec: dict[str, Any]) -> None:
    assert gapped(spec) is None


@pytest.mark.parametrize("release", ["1.5.8", "1.9.11", "1.15.12", "1.16.15", "1.31.14"])
def test_a_text_is_a_function_of_its_gaps(release: str, catalog: Catalog) -> None:
    """Of every era: the whole container as Go's values and as JSON's bytes, name and image alone."""
    found = gapped(container("x"))
    assert found is not None
    (hasher,) = hashers(catalog.kubelet(release))
    text = Text.of(hasher, hasher.text(found.around))
    assert text.digest in BY_NAME.values()
    assert text.hash(Values(found.values)) == hasher.hash(container("x"))
    assert bool(text.after) == (release != "1.31.14")
    assert text.size == sum(len(part) for _, part in text.after)
