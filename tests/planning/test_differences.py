"""Why two releases hash one container differently; the facts are those of schemas/tables/changes.json."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import structs

from hashcompat.analysis.planning import reasons as of_kubelets
from hashcompat.analysis.planning.reasons import ChangedField, difference, field_changes
from hashcompat.core.catalog.behaviour import Changes
from hashcompat.core.catalog.eras import Schema
from hashcompat.core.catalog.lookup import Catalog, default_catalog
from hashcompat.core.go.types import side_by_side
from hashcompat.core.kubelet.hashing import compile_hasher, container_hash
from hashcompat.core.rules import all_rules

NAMES = {"name": "a", "image": "b"}
MOUNT = {**NAMES, "volumeMounts": [{"name": "v", "mountPath": "/v"}, {"name": "w", "mountPath": "/w"}]}


UNKNOWN_PRS = {"1.1.0", "1.2.0", "1.3.0"}
"""Releases with fields whose pull request is not known."""


def paths(
    catalog: Catalog, spec: Mapping[str, Any], old: str, new: str
) -> list[tuple[str, str, str, bool | None]]:
    changes = field_changes(spec, catalog.kubelet(old), catalog.kubelet(new))
    return [(change.path, change.type, change.field, change.added) for change in changes]


@pytest.mark.parametrize(
    ("old", "new", "spec", "expected"),
    [
        pytest.param(
            "1.8.0",
            "1.9.0",
            NAMES,
            [("volumeDevices", "Container", "VolumeDevices", True)],
            id="1.9 volumeDevices",
        ),
        pytest.param(
            "1.9.0",
            "1.8.0",
            NAMES,
            [("volumeDevices", "Container", "VolumeDevices", False)],
            id="the way back",
        ),
        pytest.param("1.10.0", "1.11.0", MOUNT, [], id="1.11 nothing"),
        pytest.param(
            "1.13.0",
            "1.14.0",
            MOUNT,
            [("volumeMounts[*].subPathExpr", "VolumeMount", "SubPathExpr", True)],
            id="1.14 subPathExpr, once for two mounts",
        ),
        pytest.param("1.13.0", "1.14.0", NAMES, [], id="1.14 nothing without a mount"),
        pytest.param(
            "1.9.0",
            "1.10.0",
            {**NAMES, "securityContext": {}},
            [("securityContext.runAsGroup", "SecurityContext", "RunAsGroup", True)],
            id="1.10 runAsGroup",
        ),
        pytest.param(
            "1.9.0",
            "1.10.0",
            {**NAMES, "securityContext": None},
            [],
            id="1.10 nothing without a securityContext",
        ),
        pytest.param(
            "1.6.0",
            "1.7.0",
            {
                **NAMES,
                "livenessProbe": {"tcpSocket": {"port": 1}},
                "lifecycle": {"preStop": {"tcpSocket": {"port": 2}}},
            },
            [
                ("livenessProbe.tcpSocket.host", "TCPSocketAction", "Host", True),
                ("lifecycle.preStop.tcpSocket.host", "TCPSocketAction", "Host", True),
            ],
            id="1.7 tcpSocket host, through an embedded struct",
        ),
        pytest.param(
            "1.8.0",
            "1.10.0",
            {**NAMES, "securityContext": {}},
            [
                ("volumeDevices", "Container", "VolumeDevices", True),
                ("securityContext.runAsGroup", "SecurityContext", "RunAsGroup", True),
            ],
            id="two minors at once",
        ),
    ],
)
def test_fields_that_only_one_spew_release_hashes(
    catalog: Catalog, old: str, new: str, spec: dict[str, Any], expected: list[tuple[str, str, str, bool]]
) -> None:
    assert sorted(paths(catalog, spec, old, new)) == sorted(expected)
    hashes = [container_hash(spec, catalog.kubelet(release)) for release in (old, new)]
    assert (hashes[0] != hashes[1]) is bool(expected)


@pytest.mark.parametrize(
    ("old", "new", "spec", "expected"),
    [
        pytest.param("1.18.0", "1.19.0", NAMES, [], id="unset fields leave no trace in JSON"),
        pytest.param(
            "1.18.0",
            "1.19.0",
            {**NAMES, "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}},
            [("securityContext.seccompProfile", "SecurityContext", "SeccompProfile", True)],
            id="1.19 seccompProfile",
        ),
        pytest.param(
            "1.22.0",
            "1.23.0",
            {**NAMES, "livenessProbe": {"grpc": {"port": 1}}},
            [("livenessProbe.grpc", "ProbeHandler", "GRPC", True)],
            id="1.23 grpc, in a renamed embedded struct",
        ),
        pytest.param(
            "1.30.0",
            "1.29.0",
            {**NAMES, "volumeMounts": [{"name": "v", "mountPath": "/v", "recursiveReadOnly": "Enabled"}]},
            [("volumeMounts[*].recursiveReadOnly", "VolumeMount", "RecursiveReadOnly", False)],
            id="back from 1.30",
        ),
    ],
)
def test_fields_that_only_one_json_release_knows(
    catalog: Catalog, old: str, new: str, spec: dict[str, Any], expected: list[tuple[str, str, str, bool]]
) -> None:
    assert paths(catalog, spec, old, new) == expected
    hashes = [container_hash(spec, catalog.kubelet(release)) for release in (old, new)]
    assert (hashes[0] != hashes[1]) is bool(expected)


def reasons(catalog: Catalog, spec: Mapping[str, Any], old: str, new: str) -> list[tuple[str, str, str]]:
    differences = difference(spec, catalog.kubelet(old), catalog.kubelet(new), catalog)
    return [(reason.id, reason.path, reason.text) for reason in differences]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("1.15.0", "1.16.0", "another hash algorithm (kubernetes/kubernetes#57741)"),
        ("1.16.0", "1.15.0", "another hash algorithm (kubernetes/kubernetes#57741)"),
        (
            "1.30.0",
            "1.31.0",
            "another hash algorithm (kubernetes/kubernetes#124220)",
        ),
        (
            "1.15.0",
            "1.36.0",
            "another hash algorithm (kubernetes/kubernetes#124220)",
        ),
    ],
)
def test_another_algorithm_is_the_only_reason(catalog: Catalog, old: str, new: str, text: str) -> None:
    assert reasons(catalog, MOUNT, old, new) == [("HC001", "", text)]


@pytest.mark.parametrize(
    ("old", "new", "spec", "expected"),
    [
        (
            "1.8.0",
            "1.9.0",
            NAMES,
            ("HC004", "volumeDevices", "new field VolumeDevices (1.9, kubernetes/kubernetes#50457)"),
        ),
        (
            "1.9.0",
            "1.8.0",
            NAMES,
            ("HC005", "volumeDevices", "field VolumeDevices is gone (1.9, kubernetes/kubernetes#50457)"),
        ),
        (
            "1.13.0",
            "1.14.0",
            MOUNT,
            (
                "HC004",
                "volumeMounts[*].subPathExpr",
                "new field SubPathExpr (1.14, kubernetes/kubernetes#71351)",
            ),
        ),
    ],
)
def test_a_field_is_named_with_the_release_and_pull_request_that_brought_it(
    catalog: Catalog, old: str, new: str, spec: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    assert reasons(catalog, spec, old, new) == [expected]


@pytest.mark.parametrize(("old", "new"), [("1.26.0", "1.27.0"), ("1.27.0", "1.26.0")])
def test_a_field_that_is_set_and_dropped(catalog: Catalog, old: str, new: str) -> None:
    spec = {**NAMES, "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]}
    ((identity, path, text),) = reasons(catalog, spec, old, new)
    assert (identity, path) == ("HC006", "resizePolicy")
    assert text.startswith(
        "ResizePolicy is set, and only one of the kubelets knows it (1.27, kubernetes/kubernetes#"
    )


def test_with_equal_fields_it_is_the_go_that_built_the_kubelet(catalog: Catalog) -> None:
    spec = {**NAMES, "args": ["\b"]}
    assert container_hash(spec, catalog.kubelet("1.27.15")) != container_hash(
        spec, catalog.kubelet("1.27.16")
    )
    ((identity, path, text),) = reasons(catalog, spec, "1.27.15", "1.27.16")
    assert (identity, path) == ("HC003", "")
    assert "Go 1.22" in text


def test_a_new_field_without_omitempty_is_in_every_json(catalog: Catalog) -> None:
    old = catalog.kubelet("1.29.0")
    tree = json.loads(json.dumps(old.schema.tree))
    tree["types"]["Container"] += [
        {"name": "Count", "type": "int32", "json": "count"},
        {"name": "Note", "type": "string", "json": "note", "omitempty": True},
    ]
    new = structs.replace(old, schema=Schema("future", tree, old.schema.foreign))
    assert field_changes(NAMES, old, new) == [ChangedField("count", "Container", "Count", added=True)]
    assert container_hash(NAMES, old) != container_hash(NAMES, new)


class Bare:
    """A catalog whose history is empty."""

    changes = Changes((), (), ())
    known = default_catalog().known


def test_without_a_history_the_reasons_stand_alone(catalog: Catalog) -> None:
    bare: Any = Bare()
    (field,) = difference(NAMES, catalog.kubelet("1.8.0"), catalog.kubelet("1.9.0"), bare)
    (era,) = difference(NAMES, catalog.kubelet("1.30.0"), catalog.kubelet("1.31.0"), bare)
    assert field.text == "new field VolumeDevices"
    source = catalog.kubelet("1.31.0").era.source
    assert era.text == f"another hash algorithm ({source})"


def test_the_history_of_a_field(catalog: Catalog) -> None:
    row = catalog.changes.find("Container", "VolumeDevices")
    assert row is not None
    assert (row.release, row.pr) == ("1.9", "kubernetes/kubernetes#50457")
    assert catalog.changes.find("Container", "Image") is None, "it was retagged, never added"


FILLED: dict[str, Any] = {
    **NAMES,
    "volumeMounts": [{"name": "v", "mountPath": "/v", "recursiveReadOnly": "Enabled"}],
    "volumeDevices": [{"name": "d", "devicePath": "/d"}],
    "livenessProbe": {"tcpSocket": {"port": 1}, "terminationGracePeriodSeconds": 1},
    "readinessProbe": {"grpc": {"port": 1}},
    "startupProbe": {"exec": {"command": ["x"]}},
    "lifecycle": {"preStop": {"sleep": {"seconds": 1}}, "stopSignal": "SIGUSR1"},
    "resources": {"claims": [{"name": "c", "request": "r"}]},
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
    "restartPolicy": "Always",
    "restartPolicyRules": [{"action": "Restart"}],
    "env": [{"name": "F", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k"}}}],
    "securityContext": {
        "allowPrivilegeEscalation": True,
        "runAsGroup": 1,
        "procMount": "Default",
        "windowsOptions": {"gmsaCredentialSpecName": "g", "runAsUserName": "u", "hostProcess": True},
        "seccompProfile": {"type": "RuntimeDefault"},
        "appArmorProfile": {"type": "RuntimeDefault"},
    },
}
"""Every field that changes.json says a release added."""


def test_whatever_changes_the_hash_between_two_minors_is_named(catalog: Catalog) -> None:
    for old, new in itertools.pairwise(f"{minor}.0" for minor in catalog.known.minors):
        kubelet, other = catalog.kubelet(old), catalog.kubelet(new)
        differ = container_hash(FILLED, kubelet) != container_hash(FILLED, other)
        picked = kubelet.era is other.era and not kubelet.era.whole
        assert differ == (
            not picked and (kubelet.era is not other.era or bool(field_changes(FILLED, kubelet, other)))
        ), (old, new)
        for reason in difference(FILLED, kubelet, other, catalog) if differ else ():
            assert reason.id in {rule.id for rule in all_rules()}
            assert "kubernetes/kubernetes#" in reason.text or new in UNKNOWN_PRS, (old, new, reason)


OLD: dict[str, Any] = {
    **NAMES,
    "ports": [{"containerPort": 1}],
    "livenessProbe": {"httpGet": {"port": 1}, "timeoutSeconds": 1},
    "resources": {"limits": {"cpu": "1"}},
    "securityContext": {"runAsNonRoot": False},
}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "1.1.0",
            "1.2.0",
            [
                ("livenessProbe.httpGet.port", "HTTPGetAction", "Port"),
                ("livenessProbe.initialDelaySeconds", "Probe", "InitialDelaySeconds"),
                ("livenessProbe.timeoutSeconds", "Probe", "TimeoutSeconds"),
                ("securityContext.runAsNonRoot", "SecurityContext", "RunAsNonRoot"),
            ],
        ),
        (
            "1.2.0",
            "1.3.0",
            [
                ("ports[*].hostPort", "ContainerPort", "HostPort"),
                ("ports[*].containerPort", "ContainerPort", "ContainerPort"),
                ("resources.limits", "ResourceRequirements", "Limits"),
                ("livenessProbe.initialDelaySeconds", "Probe", "InitialDelaySeconds"),
                ("livenessProbe.timeoutSeconds", "Probe", "TimeoutSeconds"),
                ("livenessProbe.periodSeconds", "Probe", "PeriodSeconds"),
                ("livenessProbe.successThreshold", "Probe", "SuccessThreshold"),
                ("livenessProbe.failureThreshold", "Probe", "FailureThreshold"),
            ],
        ),
        ("1.3.0", "1.5.8", []),
    ],
)
def test_a_field_with_another_go_type_is_named(
    catalog: Catalog, old: str, new: str, expected: list[tuple[str, str, str]]
) -> None:
    assert [change[:3] for change in paths(catalog, OLD, old, new) if change[3] is None] == expected


def test_the_reason_says_that_the_type_is_another(catalog: Catalog) -> None:
    spec = {**NAMES, "ports": [{"containerPort": 1}]}
    reason = difference(spec, catalog.kubelet("1.2.0"), catalog.kubelet("1.3.0"), catalog)[0]
    assert (reason.id, reason.text, reason.path) == (
        "HC026",
        "another Go type of field HostPort (1.3)",
        "ports[*].hostPort",
    )


def test_a_type_that_changed_twice_is_named_with_the_release_in_between(catalog: Catalog) -> None:
    spec = {**NAMES, "livenessProbe": {"timeoutSeconds": 1}}
    for old, new, release in (("1.1.0", "1.2.0", "1.2"), ("1.3.0", "1.2.0", "1.3")):
        texts = {
            reason.text for reason in difference(spec, catalog.kubelet(old), catalog.kubelet(new), catalog)
        }
        assert f"another Go type of field TimeoutSeconds ({release})" in texts


@pytest.mark.usefixtures("untraced")
def test_the_compiled_walk_finds_what_a_walk_of_every_field_finds(catalog: Catalog) -> None:
    releases = ("1.1.0", "1.2.0", "1.3.0", "1.7.16", "1.9.11", "1.15.12", "1.16.15", "1.20.15", "1.30.14")
    zero = {**FILLED, "resources": {"limits": {"cpu": "0"}}, "securityContext": {"privileged": False}}
    for kubelet, other in itertools.permutations(map(catalog.kubelet, releases), 2):
        every_field = kubelet.era.prints_unset_fields
        for spec in (NAMES, FILLED, zero):
            sides = (
                compile_hasher(each.schema, each.era, each.escapes[0], False) for each in (kubelet, other)
            )
            pairs = side_by_side(*((hasher.container, hasher.decode(spec)) for hasher in sides))
            changes = (of_kubelets._field_change(pair, every_field=every_field) for pair in pairs)
            assert field_changes(spec, kubelet, other) == list(dict.fromkeys(filter(None, changes)))


def test_equal_resource_lists_are_no_reason(catalog: Catalog) -> None:
    spec = {**NAMES, "resources": {"limits": {"cpu": "1"}}}
    assert [change for change in paths(catalog, spec, "1.1.0", "1.2.0") if "limits" in change[0]] == []
    zero = {**NAMES, "resources": {"limits": {"cpu": "0"}}}
    assert paths(catalog, zero, "1.1.0", "1.2.0") == [
        ("resources.limits", "ResourceRequirements", "Limits", None)
    ]
