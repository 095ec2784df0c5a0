"""Which releases hash alike, and which set fields an old release did not know."""

from __future__ import annotations

from typing import Any

import pytest

from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.kubelet.alike import hash_alike, unknown_to
from tests.helpers.pods import as_json, pod
from tests.helpers.program import Run

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


@pytest.mark.parametrize(("old", "new", "alike"), [("1.27.4", "1.27.15", True), ("1.27.4", "1.27.16", False)])
def test_another_encoding_json_is_another_hash(catalog: Catalog, old: str, new: str, alike: bool) -> None:
    assert hash_alike(catalog.kubelet(old), catalog.kubelet(new)) is alike


def test_a_patch_for_another_encoding_json_keeps_a_backspace(run: Run) -> None:
    given = as_json(pod({"name": "c", "image": "i", "args": ["\b"]}))
    arguments = ("plan", "--from", "1.27.4", "--to", "1.27.16", "-f", "-", "-o", "json")
    bare = run(*arguments, stdin=given)
    assert bare.item["verdict"] == "RESTART"
    assert bare.document["spec"]["suggestion"]["like"] == ["1.27.4"]
    patched = run(*arguments, "--assume-patch", "accept", stdin=given)
    assert (patched.item["verdict"], "No patch needed" in patched.err) == ("KEEP", False)
