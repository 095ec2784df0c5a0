"""The tables of flags and config fields agree with real Go, and with Kubernetes' source, made again."""

from __future__ import annotations

import pytest

from hashcompat.core.catalog.lookup import default_catalog
from hashcompat.core.release import parse_release
from scripts.schemas import kubeletflags
from scripts.suites import kubeletoptions
from tests.helpers import slices

pytestmark = pytest.mark.oracle

FLAG_KINDS = {
    "bool": {"bool"},
    "string": {"string", "ip", "pattern=N,...", "moduleSpec", "severity", "severityValue", "traceLocation"},
    "duration": {"duration"},
    "int": {"int", "int32", "int64", "uint", "uint64", "Level"},
    "float": {"float32", "float64"},
    "map": {"mapStringBool", "mapStringString", "colonSeparatedMultimapStringString"},
    "list": {"stringSlice", "[]v1.Taint", "[]api.Taint", "reserved-memory"},
    "quantity": {"quantity"},
    "version": {"version"},
}
"""Which types, as pflag names them, the kinds of flags are."""

FIELD_KINDS = {
    "v1.Duration": "duration",
    "v1.TimeOrMetaDuration": "duration",
    "time.Duration": "int",  # of nanoseconds: it has no text of its own in JSON
    "v1.Time": "time",
    "resource.QuantityValue": "quantity",
    "resource.Quantity": "quantity",
    "v1.ResourceList": "map",
    "v1.VModuleConfiguration": "list",
    "config.VModuleConfiguration": "list",
    "v1alpha1.VModuleConfiguration": "list",
    "bool": "bool",
    "string": "string",
    "int32": "int",
    "int64": "int",
    "uint32": "int",
    "float64": "float",
}
"""The kinds of fields by Go type, where the type has one; other names are of objects or of scalars."""


@pytest.mark.parametrize("release", slices.sliced(kubeletoptions.RELEASES, ["1.36.3"]))
def test_flags_and_fields_are_those_that_the_kubelets_own_code_has(release: str) -> None:
    real, version = kubeletoptions.accepted(release), parse_release(release)
    flags = default_catalog().flag_table.flags(version)
    assert flags.keys() == real["flags"].keys()
    for name, flag in flags.items():
        answer = real["flags"][name]
        assert (flag.shorthand, flag.deprecated, not flag.takes_value) == (
            answer["shorthand"],
            answer["deprecated"],
            answer["optional"],
        ), name
        assert flag.deprecated or flag.hidden == answer["hidden"], name
        assert answer["type"] in FLAG_KINDS[flag.kind], name
    fields = default_catalog().config_table.fields(version)
    assert fields.keys() == real["fields"].keys()
    assert [path for path, row in fields.items() if row.kind not in kinds(real["fields"][path])] == []


def kinds(of: str) -> set[str]:
    """Return which kinds a field of a Go type may have."""
    name = of.removeprefix("*")
    if name in FIELD_KINDS:
        return {FIELD_KINDS[name]}
    if name.startswith("[]"):
        return {"list"}
    return {"map"} if name.startswith("map[") else {"object", "string", "int"}


@pytest.mark.full
def test_kubelet_flags_equal_the_source() -> None:
    assert kubeletflags.GENERATED.check() == []
