"""What an API server makes of a manifest (pkg/apis/core/v1/defaults.go, zz_generated.defaults.go)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hashcompat.core.apiserver.created import as_served
from hashcompat.core.catalog.lookup import Catalog
from hashcompat.core.errors import DecodeError

ALWAYS = {
    "imagePullPolicy": "IfNotPresent",
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "name": "a",
    "image": "a:1",
    "resources": {},
}
PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
HEX = "0123456789abcdef"


def served(
    catalog: Catalog,
    fields: Mapping[str, Any] | None = None,
    *,
    release: str = "1.36.3",
    host_network: bool = False,
) -> Mapping[str, Any]:
    container = {"name": "a", "image": "a:1", **(fields or {})}
    return as_served(container, catalog.api_server(release), host_network=host_network)


def test_a_container_with_nothing_set(catalog: Catalog) -> None:
    assert served(catalog) == ALWAYS


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("a", "Always"),
        ("a:latest", "Always"),
        ("a:1", "IfNotPresent"),
        (f"a@sha256:{HEX * 4}", "IfNotPresent"),
        (f"a:latest@sha256:{HEX * 4}", "Always"),
        ("A:latest", "IfNotPresent"),
        ("r.example:5000/a", "Always"),
        ("r.example:5000/a:1", "IfNotPresent"),
        ("", "IfNotPresent"),
    ],
    ids=[
        "no tag",
        "latest",
        "tag",
        "digest",
        "latest and digest",
        "no reference",
        "registry with a port",
        "port and tag",
        "none",
    ],
)
def test_the_pull_policy_follows_the_tag(catalog: Catalog, image: str, policy: str) -> None:
    assert served(catalog, {"image": image})["imagePullPolicy"] == policy


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("imagePullPolicy", "Never"),
        ("terminationMessagePath", "/x"),
        ("terminationMessagePolicy", "FallbackToLogsOnError"),
    ],
)
def test_what_is_set_stays(catalog: Catalog, field: str, value: str) -> None:
    assert served(catalog, {field: value}) == {**ALWAYS, field: value}


@pytest.mark.parametrize("unset", ["", None], ids=["empty", "null"])
def test_empty_and_null_are_unset(catalog: Catalog, unset: str | None) -> None:
    assert (
        served(
            catalog,
            {"imagePullPolicy": unset, "terminationMessagePath": unset, "terminationMessagePolicy": unset},
        )
        == ALWAYS
    )


@pytest.mark.parametrize(
    ("port", "host_network", "expected"),
    [
        ({"containerPort": 80}, False, {"containerPort": 80, "protocol": "TCP"}),
        ({"containerPort": 80, "protocol": "UDP"}, False, {"containerPort": 80, "protocol": "UDP"}),
        ({"containerPort": 80}, True, {"containerPort": 80, "protocol": "TCP", "hostPort": 80}),
        (
            {"containerPort": 80, "hostPort": 8080},
            True,
            {"containerPort": 80, "protocol": "TCP", "hostPort": 8080},
        ),
        (
            {"containerPort": 80, "hostPort": 0},
            True,
            {"containerPort": 80, "protocol": "TCP", "hostPort": 80},
        ),
        ({}, True, {"containerPort": 0, "protocol": "TCP", "hostPort": 0}),
    ],
    ids=["protocol", "protocol set", "host network", "host port set", "host port zero", "no port"],
)
def test_ports(
    catalog: Catalog, port: dict[str, Any], expected: dict[str, Any], *, host_network: bool
) -> None:
    assert served(catalog, {"ports": [port]}, host_network=host_network)["ports"] == [expected]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            {"limits": {"cpu": "1"}},
            {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}},
            id="requests from limits",
        ),
        pytest.param(
            {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}},
            {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}},
            id="a request that is set stays",
        ),
        pytest.param({"requests": {"cpu": "1"}}, {"requests": {"cpu": "1"}}, id="no limits from requests"),
        pytest.param({"limits": {}, "requests": {}}, {}, id="empty lists are unset"),
        pytest.param(
            {"limits": {"x": "0.1"}}, {"limits": {"x": "100m"}, "requests": {"x": "100m"}}, id="canonical"
        ),
        pytest.param({"requests": {"x": "1024Mi"}}, {"requests": {"x": "1Gi"}}, id="canonical binary"),
        pytest.param({"requests": {"x": "100u"}}, {"requests": {"x": "1m"}}, id="rounded up to milli"),
        pytest.param(
            {"requests": {"x": "0.0015"}}, {"requests": {"x": "2m"}}, id="a fraction rounded up to milli"
        ),
        pytest.param(
            {"requests": {"x": "1n", "y": "-100u"}},
            {"requests": {"x": "1m", "y": "-1m"}},
            id="away from zero",
        ),
        pytest.param({"requests": {"x": "0.0000000001"}}, {"requests": {"x": "1m"}}, id="below nano"),
        pytest.param({"requests": {"x": "1.5Gi"}}, {"requests": {"x": "1536Mi"}}, id="binary fraction"),
        pytest.param({"requests": {"x": "1.500"}}, {"requests": {"x": "1.500"}}, id="cached text stays"),
        pytest.param(
            {"requests": {"x": "0", "y": 0, "z": None}},
            {"requests": {"x": "0", "y": "0", "z": "0"}},
            id="zero",
        ),
        pytest.param({"requests": {"x": 2}}, {"requests": {"x": "2"}}, id="bare number"),
    ],
)
def test_resources(catalog: Catalog, given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert served(catalog, {"resources": given})["resources"] == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"fieldRef": {"fieldPath": "x"}}, {"fieldRef": {"fieldPath": "x", "apiVersion": "v1"}}),
        (
            {"fieldRef": {"fieldPath": "x", "apiVersion": "v2"}},
            {"fieldRef": {"fieldPath": "x", "apiVersion": "v2"}},
        ),
        (
            {"resourceFieldRef": {"resource": "limits.cpu"}},
            {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}},
        ),
        (
            {"resourceFieldRef": {"resource": "r", "divisor": "1024Ki"}},
            {"resourceFieldRef": {"resource": "r", "divisor": "1Mi"}},
        ),
        ({"secretKeyRef": {"name": "s", "key": "k"}}, {"secretKeyRef": {"name": "s", "key": "k"}}),
    ],
    ids=["fieldRef", "fieldRef with a version", "divisor", "divisor set", "secret"],
)
def test_environment(catalog: Catalog, source: dict[str, Any], expected: dict[str, Any]) -> None:
    env = [{"name": "PLAIN", "value": "x"}, {"name": "A", "valueFrom": source}]
    assert served(catalog, {"env": env})["env"] == [
        {"name": "PLAIN", "value": "x"},
        {"name": "A", "valueFrom": expected},
    ]


@pytest.mark.parametrize("name", ["livenessProbe", "readinessProbe", "startupProbe"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, PROBE, id="nothing"),
        pytest.param(
            {"timeoutSeconds": 0, "periodSeconds": 0, "successThreshold": 0, "failureThreshold": 0},
            PROBE,
            id="zeros",
        ),
        pytest.param(
            {"timeoutSeconds": 2, "periodSeconds": 3, "successThreshold": 4, "failureThreshold": 5},
            {"timeoutSeconds": 2, "periodSeconds": 3, "successThreshold": 4, "failureThreshold": 5},
            id="all set",
        ),
        pytest.param(
            {"httpGet": {"port": 80}},
            {**PROBE, "httpGet": {"port": 80, "path": "/", "scheme": "HTTP"}},
            id="httpGet",
        ),
        pytest.param(
            {"httpGet": {"port": "x", "path": "/h", "scheme": "HTTPS"}},
            {**PROBE, "httpGet": {"port": "x", "path": "/h", "scheme": "HTTPS"}},
            id="httpGet set",
        ),
        pytest.param({"grpc": {"port": 1}}, {**PROBE, "grpc": {"port": 1, "service": ""}}, id="grpc service"),
        pytest.param(
            {"grpc": {"port": 1, "service": None}},
            {**PROBE, "grpc": {"port": 1, "service": ""}},
            id="grpc service null",
        ),
        pytest.param(
            {"grpc": {"port": 1, "service": "s"}},
            {**PROBE, "grpc": {"port": 1, "service": "s"}},
            id="grpc service set",
        ),
        pytest.param({"tcpSocket": {"port": 1}}, {**PROBE, "tcpSocket": {"port": 1}}, id="tcpSocket"),
        pytest.param(
            {"initialDelaySeconds": 5, "exec": {"command": ["x"]}},
            {**PROBE, "initialDelaySeconds": 5, "exec": {"command": ["x"]}},
            id="exec",
        ),
    ],
)
def test_probes(catalog: Catalog, name: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert served(catalog, {name: given}) == {**ALWAYS, name: expected}


@pytest.mark.parametrize("hook", ["postStart", "preStop"])
def test_hooks(catalog: Catalog, hook: str) -> None:
    lifecycle = served(catalog, {"lifecycle": {hook: {"httpGet": {"port": 80}}}})["lifecycle"]
    assert lifecycle == {hook: {"httpGet": {"port": 80, "path": "/", "scheme": "HTTP"}}}


@pytest.mark.parametrize("field", ["command", "args", "ports", "env", "envFrom", "volumeMounts"])
def test_empty_lists_and_unknown_fields_are_gone(catalog: Catalog, field: str) -> None:
    assert served(catalog, {field: [], "ofTheFuture": 1}) == ALWAYS


def test_fields_of_the_newest_release_are_kept_for_kubelets_that_know_them(catalog: Catalog) -> None:
    assert served(catalog, {"restartPolicy": "Always", "securityContext": {"procMount": "Default"}}) == {
        **ALWAYS,
        "restartPolicy": "Always",
        "securityContext": {"procMount": "Default"},
    }


@pytest.mark.parametrize(
    "mount", [{"name": "v", "mountPath": "/v"}, {"name": "v", "mountPath": "/v", "readOnly": True}]
)
def test_mount_propagation_has_no_default(catalog: Catalog, mount: dict[str, Any]) -> None:
    assert served(catalog, {"volumeMounts": [mount]})["volumeMounts"] == [mount]


def test_defaulting_twice_changes_nothing(catalog: Catalog) -> None:
    manifest = {
        "ports": [{"containerPort": 80}],
        "resources": {"limits": {"cpu": "0.1", "memory": "100u"}},
        "env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}],
        "livenessProbe": {"grpc": {"port": 1}},
        "lifecycle": {"preStop": {"httpGet": {"port": "http"}}},
    }
    once = served(catalog, manifest, host_network=True)
    assert as_served(once, catalog.api_server("1.36.3"), host_network=True) == once


def test_the_given_container_is_left_alone(catalog: Catalog) -> None:
    given = {"name": "a", "ports": [{"containerPort": 80}], "livenessProbe": {"httpGet": {"port": 1}}}
    as_served(given, catalog.api_server("1.36.3"), host_network=True)
    assert given == {"name": "a", "ports": [{"containerPort": 80}], "livenessProbe": {"httpGet": {"port": 1}}}


@pytest.mark.parametrize("text", ["control \b\f\x00", "<html> & \u2028", "\u20ac \U0001f600"])
def test_strings_pass_unchanged(catalog: Catalog, text: str) -> None:
    assert served(catalog, {"args": [text]})["args"] == [text]


def test_what_does_not_decode_is_an_error_with_its_path(catalog: Catalog) -> None:
    with pytest.raises(DecodeError) as caught:
        served(catalog, {"ports": [{"containerPort": "80"}]})
    assert caught.value.path == ".ports[0].containerPort"
