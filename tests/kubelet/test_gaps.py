"""Containers that differ in gaps alone have the hashes that each has by itself."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.analysis.answers.hiding import Hider
from hashcompat.analysis.answers.keeping import FieldKeeper, Hidden
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.go.digest import BY_NAME
from hashcompat.core.go.jsontext import Number
from hashcompat.core.kubelet.gaps import (
    _FIELDS,
    _MOST,
    Cuts,
    Gap,
    Gapped,
    _replaced,
    _stand,
    gapped,
    open_for,
)
from hashcompat.core.kubelet.hashing import hashers
from hashcompat.core.kubelet.sections import SectionPrinter, printing_of, whole
from hashcompat.core.kubelet.template import Kind, Values, writing_of
from hashcompat.core.model.pods import Blank, Container, ContainerType

GAP = "hashcompat-gap-{:05}z"
FIRST = {key: place * _MOST for place, key in enumerate(_FIELDS)}
"""The number of each field's first gap."""

VALUES = {
    "plain": "plain",
    "token mount": "kube-api-access-x7f2q",
    "escaped in JSON": '<a href="x\\y">&\n\t\u2028',
    "not ASCII": "żółw 🐢",
    "lone surrogate": "half of a pair \ud800",
    "nearly a mask": "**** *",
    "like a text that is hashed": "x] Env:([]v1.EnvVar)<nil>",
    "a mask": "***",
    "empty": "",
    "escaped since Go 1.22": "a\bc",
    "like a gap": GAP.format(0),
    "long": "long" * 100,
}


def container(value: str, cpu: Any = "100m", port: Any = 8080) -> dict[str, Any]:
    return {
        "name": "c",
        "image": "registry.example.com/i:1",
        "command": ["run"],
        "args": ["--first", value],
        "ports": [{"name": "web", "containerPort": 8080}],
        "env": [{"name": "A", "value": value}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
        "resources": {"limits": {"cpu": cpu, "memory": "64Mi"}, "requests": {"cpu": "10m"}},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        "livenessProbe": {"httpGet": {"path": "/live", "port": port}, "periodSeconds": 10},
        "readinessProbe": {"exec": {"command": ["test", value]}, "initialDelaySeconds": 5},
    }


@pytest.fixture(scope="module")
def hider(catalog: Catalog) -> Hider:
    """Return one that has hidden a container like those of the tests."""
    made = Hider(catalog, FieldKeeper(catalog))
    hidden(made, container("first"))
    return made


def as_container(spec: dict[str, Any]) -> Container:
    return Container("c", ContainerType.CONTAINER, "$", spec)


def hidden(hider: Hider, spec: dict[str, Any]) -> Hidden:
    return hider.hidden(as_container(spec), "here")


def alone(hider: Hider, spec: dict[str, Any]) -> Hidden:
    """Return a container hidden by itself."""
    return hider._hidden(as_container(spec), "here")  # what others have in common with it is not used


CONTAINERS = [
    *(pytest.param(container(value), id=name) for name, value in VALUES.items()),
    *(
        pytest.param(container("x", cpu), id=f"cpu {cpu!r}")
        for cpu in ("1", "2500m", "1.5", "0", "3e2", "9000000001", "0900000001m", "1Ei", 2, Number("0.5"))
    ),
    *(
        pytest.param(container("x", port=port), id=f"port {port!r}")
        for port in (1, 0, 65535, -1, 2000000001, 2000000011, "web", "8080", None)
    ),
    pytest.param({**container("x"), "image": "user:secret@registry/x"}, id="an image that is not shown"),
    pytest.param({**container("x"), "env": [{"name": "A=B", "value": "v"}]}, id="a name that is not shown"),
    pytest.param({**container("x"), "env": [{"name": "***", "value": "v"}]}, id="a name like a mask"),
    pytest.param({**container("x"), "name": "***", "image": "a"}, id="a name like a mask alone"),
    pytest.param({"name": "c", "image": "a", "resources": {"limits": {}}}, id="little"),
]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("spec", CONTAINERS)
def test_a_container_is_hidden_as_if_it_were_the_only_one(
    spec: dict[str, Any], hider: Hider, catalog: Catalog
) -> None:
    found, by_itself = hidden(hider, spec), alone(hider, spec)
    assert found == by_itself
    assert list(found.true) == list(by_itself.true)
    (hasher,) = hashers(catalog.kubelet("1.9.11"))
    assert hasher.hash(spec) in found.true.values()


def test_containers_that_differ_in_gaps_are_printed_once(
    hider: Hider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hider, "_table", None)
    first, second = hidden(hider, container("one")), hidden(hider, container("two", "350m", 81))
    assert first.spec["livenessProbe"]["httpGet"]["port"] == 8080
    assert second.spec["livenessProbe"]["httpGet"]["port"] == 81
    assert second.spec["resources"]["limits"]["cpu"] == "350m"
    assert first.spec["env"] == second.spec["env"]
    of_name_and_image = {number for key, number in first.true.items() if key in first.public}
    assert set(first.true.values()) & set(second.true.values()) == of_name_and_image


def test_what_is_printed_is_kept_within_bounds(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hashcompat.analysis.answers.hiding._PRINTED", 0)
    made = Hider(catalog, FieldKeeper(catalog))
    first, second = container("x"), {**container("x"), "stdin": True}
    assert [hidden(made, one) for one in (first, second)] == [alone(made, one) for one in (first, second)]


WORD = "hashcompat-blank-00000"


def replica(around: dict[str, Any], own: str) -> Container:
    return Container(
        "c",
        ContainerType.CONTAINER,
        "$",
        {},
        blank=Blank(around, (WORD,), len(repr(around))),
        own=(own,),
    )


@pytest.mark.parametrize("value", ["one", "kube-api-access-x7f2q", "a/b:c@d+e"])
def test_replicas_are_hidden_as_if_each_were_the_only_one(value: str, hider: Hider) -> None:
    around = {**container("x"), "volumeMounts": [{"name": WORD, "mountPath": "/data"}]}
    one = replica(around, value)
    replicas = hider.replicas(one, "here")
    assert replicas is not None
    found = replicas.hidden(one.own)
    by_itself = alone(hider, {**around, "volumeMounts": [{"name": value, "mountPath": "/data"}]})
    assert found == by_itself
    assert list(found.true) == list(by_itself.true)
    assert found.is_distinct


@pytest.mark.parametrize(
    "around",
    [
        pytest.param({**container("x"), "image": WORD}, id="what is shown differs"),
        pytest.param({**container("x"), "imagePullPolicy": WORD}, id="not a gap"),
    ],
)
def test_some_replicas_are_hidden_by_themselves(around: dict[str, Any], hider: Hider) -> None:
    assert hider.replicas(replica(around, "y"), "here") is None
    assert hider.replicas(as_container(container("x")), "here") is None


@pytest.mark.parametrize(
    ("spec", "around", "values"),
    [
        pytest.param(
            {"args": ["a", 1, None, Number("1.5")]},
            {"args": [GAP.format(FIRST["args"]), 1, None, Number("1.5")]},
            ("a",),
            id="args",
        ),
        pytest.param(
            {"command": ["a", "b"]},
            {"command": [GAP.format(FIRST["command"]), GAP.format(FIRST["command"] + 1)]},
            ("a", "b"),
            id="command",
        ),
        pytest.param(
            {"env": [{"name": "N", "value": "v"}, {"name": "M"}, "x", {"value": 7}]},
            {
                "env": [
                    {"name": GAP.format(FIRST["env"]), "value": GAP.format(FIRST["env"] + 1)},
                    {"name": GAP.format(FIRST["env"] + 2)},
                    "x",
                    {"value": 7},
                ]
            },
            ("N", "v", "M"),
            id="env",
        ),
        pytest.param(
            {"volumeMounts": [{"mountPath": "/m", "name": "v", "readOnly": True}]},
            {
                "volumeMounts": [
                    {
                        "mountPath": GAP.format(FIRST["volumeMounts"]),
                        "name": GAP.format(FIRST["volumeMounts"] + 1),
                        "readOnly": True,
                    }
                ]
            },
            ("/m", "v"),
            id="mounts",
        ),
        pytest.param(
            {"livenessProbe": {"httpGet": {"port": 80, "scheme": "HTTP"}, "periodSeconds": True}},
            {
                "livenessProbe": {
                    "httpGet": {"port": int(f"20{FIRST['livenessProbe']:07}1"), "scheme": "HTTP"},
                    "periodSeconds": True,
                }
            },
            (80,),
            id="numbers",
        ),
        pytest.param(
            {"resources": {"limits": {"cpu": "1", "memory": "1.5Gi"}, "claims": []}},
            {
                "resources": {
                    "limits": {"cpu": f"90{FIRST['resources']:07}1", "memory": "1.5Gi"},
                    "claims": [],
                }
            },
            ("1",),
            id="quantities",
        ),
    ],
)
def test_values_that_decide_nothing_else_are_gaps(
    spec: dict[str, Any], around: dict[str, Any], values: tuple[str | int, ...]
) -> None:
    found = gapped(spec)
    assert found is not None
    assert (found.around, found.values) == (around, values)
    assert len(found.gaps) == len(values)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"name": "", "image": None}, id="no value"),
        pytest.param({"args": "text", "env": {"name": "N", "value": "v"}}, id="wrong types"),
        pytest.param({"args": ["a"], "image": "hashcompat-gap-00000z"}, id="a text like a gap"),
        pytest.param({"args": ["2000000001"]}, id="a number like one that stands for a gap"),
        pytest.param({"args": ["a"], "image": "i" * (1 << 16)}, id="large"),
        pytest.param({"args": ["a"] * (_MOST + 1)}, id="too many values"),
    ],
)
def test_some_containers_have_no_gaps(spec: dict[str, Any]) -> None:
    assert gapped(spec) is None


def given(found: Gapped) -> Values:
    rows = zip(found.gaps, found.values, strict=True)
    return Values({gap.number: (gap.kind, value) for gap, value in rows})


@pytest.mark.parametrize("release", ["1.0.7", "1.2.7", "1.5.8", "1.9.11", "1.15.12", "1.16.15", "1.31.14"])
def test_a_text_is_a_function_of_its_gaps(release: str, catalog: Catalog) -> None:
    """Of every era: the whole container as Go's values and as JSON's bytes, name and image alone."""
    found = gapped(container("x"))
    assert found is not None
    (hasher,) = hashers(catalog.kubelet(release))
    text = Cuts(found.gaps, {}).text(hasher, whole(hasher.text(found.around)))
    assert text is not None
    kubelet = catalog.kubelet(release)
    sections = SectionPrinter().sections(
        printing_of(kubelet.schema, kubelet.era, kubelet.escapes[0]), found.around
    )
    in_sections = Cuts(found.gaps, {}).text(hasher, sections)
    assert in_sections is not None
    assert text.digest in BY_NAME.values()
    other = gapped(container("y", "2", 99))
    assert other is not None
    for one in (text, in_sections):
        assert one.hash(given(found)) == hasher.hash(container("x"))
        assert one.hash(given(other)) == hasher.hash(container("y", "2", 99))
        closed = one.closed(given(found), {FIRST["args"]: 0}, {})
        assert not closed.has_any({gap.number for gap in found.gaps} - {0})
        other_argument = {**container("x"), "args": ["--other", "x"]}
        assert closed.hash(Values({0: (Kind.TEXT, "--other")})) == hasher.hash(other_argument)
    there = {gap.number for gap in found.gaps if text.has_any({gap.number})}
    unknown = 1 if release == "1.0.7" else 0  # periodSeconds
    assert len(there) == (2 if release == "1.31.14" else len(found.gaps) - unknown)
    assert there == {gap.number for gap in found.gaps if in_sections.has_any({gap.number})}
    assert len(hasher.text(found.around)) > sum(part.size for part in text.parts) > 0


def test_a_text_without_gaps_is_the_same_whatever_is_in_them(catalog: Catalog) -> None:
    (hasher,) = hashers(catalog.kubelet("1.9.11"))
    found = gapped(container("x"))
    assert found is not None
    text = Cuts(found.gaps, {}).text(hasher, whole("no gap"))
    assert text is not None
    assert not text.has_any({gap.number for gap in found.gaps})
    assert text.hash(given(found)) == hasher.digest(["no gap"])


def test_a_quantity_that_is_printed_in_another_way_is_in_no_gap(catalog: Catalog) -> None:
    found = gapped({"resources": {"limits": {"cpu": "1"}}})
    assert found is not None
    (gap,) = found.gaps
    (hasher,) = hashers(catalog.kubelet("1.9.11"))
    text = hasher.text(found.around)
    assert Cuts(found.gaps, {}).text(hasher, whole(text)) is not None
    assert Cuts(found.gaps, {}).text(hasher, whole(f"{text} {gap.stand}")) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(("x", "b", 1, "a"), {1: 1, 3: 0}, id="each in one gap"),
        pytest.param(("a", "x"), None, id="one in no gap"),
        pytest.param(("a", "b", "a"), None, id="one in two gaps"),
        pytest.param(("a", "a"), None, id="one in two gaps, another in none"),
    ],
)
def test_a_word_is_open_in_one_gap(values: tuple[str | int, ...], expected: dict[int, int] | None) -> None:
    gaps = [Gap("args", Kind.TEXT, number, "") for number in range(len(values))]
    assert open_for(("a", "b"), gaps, values) == expected


def test_what_only_looks_like_a_stand_stays(catalog: Catalog) -> None:
    writing = writing_of(hashers(catalog.kubelet("1.9.11"))[0])
    one, other = (writing.written(Kind.INTEGER, _stand(Kind.INTEGER, number)) for number in (0, 1))
    text = f"{one} {other}"
    assert "".join(_replaced(text, {other: "b"}, writing, Kind.INTEGER)) == f"{one} b"
    assert "".join(_replaced(text, {}, writing, Kind.INTEGER)) == text
