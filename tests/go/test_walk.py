from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.go import metav1, quantity
from hashcompat.core.go.types import (
    ANY,
    STRING,
    Field,
    GoType,
    Map,
    MemberPair,
    Pointer,
    Slice,
    Struct,
    at,
    compile_walk,
    json_fields,
    side_by_side,
    structs,
)

HANDLER = Struct("v1.Handler", (Field("Exec", STRING, "exec"), Field("Get", STRING, "get")))
PROBE = Struct(
    "v1.Probe",
    (
        Field("First", STRING, "first"),
        Field("Handler", HANDLER, "", embedded=True),
        Field("Last", STRING, "last"),
    ),
)


def test_embedded_fields_stand_in_the_place_of_their_struct() -> None:
    assert [(path, owner.name, field.name) for path, owner, field in json_fields(PROBE)] == [
        ((0,), "v1.Probe", "First"),
        ((1, 0), "v1.Handler", "Exec"),
        ((1, 1), "v1.Handler", "Get"),
        ((2,), "v1.Probe", "Last"),
    ]
    assert at(("f", ("e", "g"), "l"), (1, 1)) == "g"


def listed(name: str, *fields: tuple[str, GoType]) -> Struct:
    return Struct(f"v1.{name}", tuple(Field(key.title(), go_type, key) for key, go_type in fields))


def test_every_struct_below_a_type_once() -> None:
    inner = listed("Inner", ("size", quantity.TYPE), ("port", metav1.INT_OR_STRING))
    root = listed(
        "Root",
        ("a", Slice("[]x", Pointer("*x", inner))),
        ("b", inner),
        ("c", Map("m", STRING, listed("Value"))),
    )
    assert [struct.name for struct in structs(root)] == ["v1.Root", "v1.Value", "v1.Inner"]
    assert {struct.name for struct in structs(root, coded=True)} >= {
        quantity.TYPE.name,
        metav1.INT_OR_STRING.name,
    }
    assert structs(STRING) == []


OLD = listed("C", ("name", STRING), ("gone", STRING), ("ports", Slice("[]P", listed("P", ("p", STRING)))))
NEW = listed(
    "C",
    ("name", STRING),
    ("ports", Slice("[]P", listed("P", ("p", STRING), ("q", STRING)))),
    ("probe", Pointer("*v1.Probe", PROBE)),
)


def walked(old: Any, new: Any) -> list[tuple[str, str]]:
    """Return the paths, with the sides that have them."""
    pairs = side_by_side((OLD, old), (NEW, new))
    return [(pair.path, "-" * bool(pair.old) + "+" * bool(pair.new)) for pair in pairs]


def test_types_alone_are_walked_wherever_both_have_them() -> None:
    assert walked(ANY, ANY) == [
        ("name", "-+"),
        ("ports", "-+"),
        ("ports[*].p", "-+"),
        ("ports[*].q", "+"),
        ("probe", "+"),
        ("gone", "-"),
    ]


def test_values_lead_as_far_as_they_reach() -> None:
    assert ("ports[*].q", "+") not in walked(("n", "g", None), ("n", None, None))
    ports = (("p",), ("p",)), (("p", "q"), ("p", ""))
    assert walked(("n", "g", ports[0]), ("n", ports[1], None)).count(("ports[*].q", "+")) == 2
    assert walked(ANY, ("n", ports[1], None)).count(("ports[*].q", "+")) == 2
    assert walked(("n", "g", ports[0]), ANY).count(("ports[*].q", "+")) == 2


def test_a_pair_holds_the_values_of_both_sides() -> None:
    (name, *_) = side_by_side((OLD, ("o", "g", None)), (NEW, ("n", None, None)))
    assert name.old is not None
    assert name.new is not None
    assert (name.old.value, name.new.value, name.new.type_name) == ("o", "n", "C")


def test_a_nil_pointer_ends_the_walk_and_so_does_a_type_with_json_of_its_own() -> None:
    struct = listed("C", ("probe", Pointer("*v1.Probe", PROBE)), ("size", quantity.TYPE))
    assert [pair.path for pair in side_by_side((struct, (None, None)), (struct, ANY))] == ["probe", "size"]
    paths = [pair.path for pair in side_by_side((struct, ((("f", ("e", "g"), "l"),), None)), (struct, ANY))]
    assert paths == ["probe", "probe.first", "probe.exec", "probe.get", "probe.last", "size"]


@pytest.mark.parametrize(
    "wanted", [lambda pair: pair.old is None, lambda pair: pair.new is None, lambda _: False]
)
def test_a_walk_of_some_pairs_yields_these_as_a_walk_of_all_does(
    wanted: Callable[[MemberPair], bool],
) -> None:
    ports = (("p",), ("p",)), (("p", "q"), ("p", ""))
    values = [
        (ANY, ANY),
        (ANY, ("n", ports[1], None)),
        (("n", "g", ports[0]), ("n", ports[1], None)),
        (("n", "g", None), ("n", None, (("f", ("e", "g"), "l"),))),
    ]
    for old, new in values:
        every = side_by_side((OLD, old), (NEW, new))
        assert list(compile_walk(OLD, NEW, wanted)(old, new)) == list(filter(wanted, every))


def test_a_walk_goes_through_pointers_only_where_both_point(catalog: Catalog) -> None:
    struct = listed("C", ("probe", Pointer("*v1.Probe", listed("P", ("a", STRING)))))
    other = listed("C", ("probe", Pointer("*v1.Probe", listed("P", ("a", STRING), ("b", STRING)))))
    walk = compile_walk(struct, other, lambda pair: pair.old is None)
    assert [pair.path for pair in walk(((("x",),),), ((("x", "y"),),))] == ["probe.b"]
    assert list(walk((None,), ((("x", "y"),),))) == []
    newest, oldest = catalog.kubelet("1.9.11").schema.container, catalog.kubelet("1.7.16").schema.container
    pairs = compile_walk(oldest, newest, lambda pair: pair.old is None)(ANY, ANY)
    every = side_by_side((oldest, ANY), (newest, ANY))
    assert list(pairs) == [pair for pair in every if pair.old is None]
