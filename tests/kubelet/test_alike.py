"""Which set fields an old release did not know."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.catalog.lookup import Catalog
from hashcompat.kubelet.alike import unknown_to

CASES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("1.9.11", "1.7.16", {"name": "c", "image": "i"}, []),
    ("1.9.11", "1.7.16", {"volumeDevices": []}, []),
    ("1.9.11", "1.7.16", {"volumeDevices": None}, []),
    ("1.9.11", "1.7.16", {"volumeDevices": [{"name": "d", "devicePath": "/d"}]}, ["volumeDevices"]),
    (
        "1.9.11",
        "1.7.16",
        {"securityContext": {"allowPrivilegeEscalation": False}},
        ["securityContext.allowPrivilegeEscalation"],
    ),
    (
        "1.9.11",
        "1.7.16",
        {"volumeMounts": [{}, {"mountPropagation": "None"}]},
        ["volumeMounts.mountPropagation"],
    ),
    ("1.9.11", "1.7.16", {"startupProbe": {}, "bogus": 1}, []),
    ("1.15.12", "1.11.10", {"securityContext": {"procMount": "Default"}}, []),
    ("1.15.12", "1.11.10", {"securityContext": {"procMount": "Unmasked"}}, ["securityContext.procMount"]),
    ("1.15.12", "1.13.12", {"volumeMounts": [{"subPathExpr": ""}]}, []),
    ("1.15.12", "1.13.12", {"volumeMounts": [{"subPathExpr": "$(A)"}]}, ["volumeMounts.subPathExpr"]),
    (
        "1.36.3",
        "1.15.12",
        {"livenessProbe": {"grpc": {"port": 1}, "exec": {"command": ["x"]}}},
        ["livenessProbe.grpc"],
    ),
    ("1.36.3", "1.15.12", {"lifecycle": {"preStop": {"sleep": {"seconds": 0}}}}, ["lifecycle.preStop.sleep"]),
    ("1.36.3", "1.15.12", {"resizePolicy": [{"resourceName": "memory", "restartPolicy": "NotRequired"}]}, []),
    (
        "1.36.3",
        "1.15.12",
        {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]},
        ["resizePolicy"],
    ),
]


@pytest.mark.parametrize(("new", "old", "spec", "paths"), CASES)
def test_set_fields_that_are_new_are_named_but_not_defaults(
    catalog: Catalog, new: str, old: str, spec: dict[str, Any], paths: list[str]
) -> None:
    assert unknown_to(spec, catalog.kubelet(new), catalog.kubelet(old), catalog.server_defaults()) == paths
