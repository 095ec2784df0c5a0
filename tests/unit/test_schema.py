from __future__ import annotations

from typing import Any

import pytest

from hashcompat.catalog.lookup import Catalog
from hashcompat.catalog.schema import Schema, reachable_fields
from hashcompat.errors import InputError
from hashcompat.go import intstr, quantity
from hashcompat.go.types import STRING, Basic, Field, Map, Pointer, Slice, Struct, zero_value

ROW = {"name": "Name", "type": "string", "json": "name"}


def schema(types: dict[str, Any], root: str = "Container") -> Schema:
    tree = {"package": "v1", "root": root, "madeFrom": "k8s.io/api kubernetes-1.0.0", "types": types}
    return Schema("test", tree, {"resource.Quantity": quantity.TYPE, "intstr.IntOrString": intstr.TYPE})


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
    port = Struct("v1.Port", (Field("Port", intstr.TYPE, "port"),))
    assert schema(types).container == Struct(
        "v1.Container",
        (
            Field("Handler", Struct("v1.Handler", (Field("Name", STRING, "name"),)), "", embedded=True),
            Field("Limits", Map("v1.ResourceList", Basic("v1.ResourceName", "string"), quantity.TYPE), "limits", omitempty=True),
            Field("Ports", Slice("[]*v1.Port", Pointer("*v1.Port", port)), "ports"),
        ),
    )


def test_where_a_tree_was_made_from() -> None:
    assert schema({"Container": [ROW]}).made_from == "k8s.io/api kubernetes-1.0.0"


def test_a_type_that_is_defined_nowhere_is_named() -> None:
    with pytest.raises(InputError, match=r"names v2\.Thing"):
        _ = schema({"Container": [{"name": "T", "type": "*v2.Thing", "json": "t"}]}).container


def test_a_root_that_is_no_struct_is_refused() -> None:
    with pytest.raises(InputError, match="schema test: the root type is no struct"):
        _ = schema({"Container": "string"}).container


def test_fields_are_compared_by_name_and_go_type() -> None:
    assert reachable_fields(schema({"Container": [ROW], "Mode": "string"})) == {"Container": {"Name": "string"}, "Mode": {"": "string"}}


def test_every_tree_that_ships_builds(catalog: Catalog) -> None:
    names = {row["types"] for row in catalog.rows.values()}
    containers = {name: catalog.schema(name).container for name in names}
    assert {container.name for container in containers.values()} == {"v1.Container"}
    for container in containers.values():
        assert zero_value(container) != ()
        assert [field.name for field in container.fields[:2]] == ["Name", "Image"]


def test_every_tree_that_ships_says_what_it_was_made_from(catalog: Catalog) -> None:
    for row in catalog.rows.values():
        assert row["types"] in {"1.6", "1.7"} or f"kubernetes-{row['types']}." in catalog.schema(row["types"]).made_from
