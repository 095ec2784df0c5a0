from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.eras import Schema, reachable_fields
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import InputError
from hashcompat.core.go import metav1, quantity
from hashcompat.core.go.types import STRING, Basic, Field, Map, Pointer, Slice, Struct, zero_value

ROW = {"name": "Name", "type": "string", "json": "name"}


def schema(types: dict[str, Any], root: str = "Container") -> Schema:
    tree = {"package": "v1", "root": root, "madeFrom": "k8s.io/api kubernetes-1.0.0", "types": types}
    return Schema(
        "test", tree, {"resource.Quantity": quantity.TYPE, "intstr.IntOrString": metav1.INT_OR_STRING}
    )


def test_a_tree_becomes_go_types() -> None:
    types = {
        "Container": [
            {"name": "Handler", "type": "Handler", "json": "", "embedded": True},
            {"name": "Limits", "type": "ResourceList", "json": "limits", "omitempty": True},
            {"name": "Ports", "type": "[]*Port", "json": "ports"},
        ],
        "Handler": [ROW],
        "Port": [{"name": "Port", "type": "intstr.IntOrString", "json": "port"}],
        "ResourceList": "map[ResourceName]resource.Quantity",
        "ResourceName": "string",
    }
    port = Struct("v1.Port", (Field("Port", metav1.INT_OR_STRING, "port"),))
    assert schema(types).container == Struct(
        "v1.Container",
        (
            Field("Handler", Struct("v1.Handler", (Field("Name", STRING, "name"),)), "", embedded=True),
            Field(
                "Limits",
                Map("v1.ResourceList", Basic("v1.ResourceName", "string"), quantity.TYPE),
                "limits",
                omitempty=True,
            ),
            Field("Ports", Slice("[]*v1.Port", Pointer("*v1.Port", port)), "ports"),
        ),
    )


def test_where_a_tree_was_made_from() -> None:
    assert schema({"Container": [ROW]}).made_from == "k8s.io/api kubernetes-1.0.0"


def test_a_type_that_is_defined_nowhere_is_named() -> None:
    with pytest.raises(InputError, match=r"names v2\.Thing"):
        _ = schema({"Container": [{"name": "T", "type": "*v2.Thing", "json": "t"}]}).container


def test_a_root_that_is_no_struct_is_refused() -> None:
    with pytest.raises(InputError, match="schema test: the root type is not a struct"):
        _ = schema({"Container": "string"}).container


def test_fields_are_compared_by_name_and_go_type() -> None:
    assert reachable_fields(schema({"Container": [ROW], "Mode": "string"})) == {
        "Container": {"Name": "string"},
        "Mode": {"": "string"},
    }


def test_every_tree_that_ships_builds(catalog: Catalog) -> None:
    names = {row.types for row in catalog.known.rows}
    containers = {name: catalog.schema(name).container for name in names}
    internal = {"1.0", "1.1", "1.2", "1.3"}
    assert all(
        container.name == ("api.Container" if name in internal else "v1.Container")
        for name, container in containers.items()
    )
    for container in containers.values():
        assert zero_value(container) != ()
        assert [field.name for field in container.fields[:2]] == ["Name", "Image"]


def test_every_tree_that_ships_says_what_it_was_made_from(catalog: Catalog) -> None:
    for row in catalog.known.rows:
        made_from = catalog.schema(row.types).made_from
        internal = "pkg/api/types.go" in made_from and row.era == "spew-adler32"
        assert internal or row.types in {"1.6", "1.7"} or f"kubernetes-{row.types}." in made_from


def test_another_codec_holds_inside_one_type_alone() -> None:
    tree = {
        "package": "api",
        "root": "Container",
        "types": {
            "Container": [
                {"name": "A", "type": "resource.Quantity", "json": "a"},
                {"name": "B", "type": "List", "json": "b"},
                {"name": "C", "type": "Other", "json": "c"},
            ],
            "List": "map[string]resource.Quantity",
            "Other": "[]resource.Quantity",
        },
    }
    foreign = {"resource.Quantity": quantity.TYPE, "List/resource.Quantity": quantity.MILLI_TYPE}
    one, two, three = (field.type for field in Schema("test", tree, foreign).container.fields)
    assert one is quantity.TYPE
    assert isinstance(two, Map)
    assert two.value is quantity.MILLI_TYPE
    assert isinstance(three, Slice)
    assert three.elem is quantity.TYPE
