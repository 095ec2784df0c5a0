"""The config file of kubelets: which fields releases know, and what becomes of others."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.kubeletsettings import ConfigTable
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.release import parse_release


@pytest.fixture
def table(catalog: Catalog) -> ConfigTable:
    return catalog.config_table


@pytest.mark.parametrize(
    ("release", "version", "flag", "on_unknown"),
    [
        ("1.8.0", "kubeletconfig/v1alpha1", "init-config-dir", "dropped"),
        ("1.10.0", "kubelet.config.k8s.io/v1beta1", "config", "dropped"),
        ("1.16.15", "kubelet.config.k8s.io/v1beta1", "config", "dropped"),
        ("1.17.0", "kubelet.config.k8s.io/v1beta1", "config", "warned"),
        ("1.37.1", "kubelet.config.k8s.io/v1beta1", "config", "warned"),
    ],
)
def test_how_a_config_file_is_read(
    table: ConfigTable, release: str, version: str, flag: str, on_unknown: str
) -> None:
    row = table.version(parse_release(release))
    assert row is not None
    assert (row.api_version, row.flag) == (version, flag)
    assert table.on_unknown(parse_release(release)) == on_unknown


def test_before_1_8_there_is_no_config_file(table: ConfigTable) -> None:
    release = parse_release("1.7.5")
    assert table.version(release) is None
    assert (table.on_unknown(release), table.fields(release)) == ("", {})


@pytest.mark.parametrize(
    ("release", "path", "kind", "removed"),
    [
        ("1.8.0", "evictionHard", "string", ""),
        ("1.10.0", "evictionHard", "map", ""),
        ("1.10.0", "allowPrivileged", None, "1.10"),
        ("1.31.14", "authentication.anonymous.enabled", "bool", ""),
        ("1.31.14", "registerWithTaints[].effect", "string", ""),
        ("1.31.14", "syncFrequency", "duration", ""),
        ("1.31.14", "noSuchField", None, ""),
        ("1.9.11", "failCgroupV1", None, ""),
    ],
)
def test_what_a_field_is(table: ConfigTable, release: str, path: str, kind: str | None, removed: str) -> None:
    field = table.fields(parse_release(release)).get(path)
    assert (field and field.kind) == kind
    assert table.removed_in(parse_release(release), path) == removed


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1"}, []),
        ({"allowPrivileged": True, "syncFrequency": "1m"}, ["allowPrivileged"]),
        ({"authentication": {"anonymous": {"enable": False}}}, ["authentication.anonymous.enable"]),
        ({"authentication": {"basic": {"a": 1}}}, ["authentication.basic"]),
        ({"authentication": "none"}, []),  # another kind, which is an error of its own
        ({"registerWithTaints": [{"key": "a", "Effect": "b"}, "c"]}, ["registerWithTaints[].Effect"]),
        ({"registerWithTaints": {"key": "a"}}, []),
        ({"evictionHard": {"memory.available": "1Gi"}, "clusterDNS": ["10.0.0.10"]}, []),
    ],
)
def test_unknown_fields(table: ConfigTable, document: dict[str, Any], expected: list[str]) -> None:
    assert list(table.unknown_in(parse_release("1.31.14"), document)) == expected


def test_fields_are_looked_up_once(table: ConfigTable) -> None:
    assert table.fields(parse_release("1.31.14")) is table.fields(parse_release("1.31.14"))
