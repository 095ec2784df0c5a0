"""Annotations that an API server turns into fields when it creates a pod."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.pods import Json, as_json
from tests.helpers.program import Run

APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/c"
SECCOMP = "container.seccomp.security.alpha.kubernetes.io/c"


def manifest(annotations: Json, context: Json | None = None, **spec: Any) -> Json:
    container = {"name": "c", "image": "i", **({"securityContext": context} if context else {})}
    metadata = {"name": "p", "annotations": annotations}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container], **spec},
    }


def hashed(run: Run, release: str, given: Json) -> int:
    (row,) = run("hash", "--kubelet", release, "-f", "-", "-o", "json", stdin=as_json(given)).items
    value: int = row["hashes"][release]["hash"]
    return value


UNCONFINED: Json = {"appArmorProfile": {"type": "Unconfined"}}
DEFAULT: Json = {"appArmorProfile": {"type": "RuntimeDefault"}}
LOCAL: Json = {"appArmorProfile": {"type": "Localhost", "localhostProfile": "x"}}
SECURE: Json = {"seccompProfile": {"type": "RuntimeDefault"}}


@pytest.mark.parametrize(
    ("release", "annotations", "context", "spec", "expected"),
    [
        ("1.30.14", {APP_ARMOR: "unconfined"}, None, {}, UNCONFINED),
        ("1.30.14", {APP_ARMOR: "runtime/default"}, None, {}, DEFAULT),
        ("1.30.14", {APP_ARMOR: "localhost/x"}, {"privileged": True}, {}, {"privileged": True, **LOCAL}),
        ("1.30.14", {APP_ARMOR: "localhost/"}, None, {}, None),
        ("1.30.14", {APP_ARMOR: "localhost/ x"}, None, {}, None),
        ("1.30.14", {APP_ARMOR: "anything"}, None, {}, None),
        ("1.30.14", {APP_ARMOR + "d": "unconfined"}, None, {}, None),
        ("1.30.14", {APP_ARMOR: "unconfined"}, DEFAULT, {}, DEFAULT),
        ("1.30.14", {APP_ARMOR: "unconfined"}, None, {"securityContext": UNCONFINED}, None),
        ("1.30.14", {APP_ARMOR: "unconfined"}, None, {"securityContext": DEFAULT}, UNCONFINED),
        ("1.30.14", {APP_ARMOR: "unconfined"}, None, {"os": {"name": "windows"}}, None),
        ("1.29.15", {APP_ARMOR: "unconfined"}, None, {}, None),
        ("1.26.15", {SECCOMP: "docker/default"}, None, {}, SECURE),
        ("1.19.16", {SECCOMP: "runtime/default"}, None, {"os": {"name": "windows"}}, SECURE),
        ("1.19.16", {SECCOMP: "runtime/default"}, None, {"securityContext": SECURE}, SECURE),
        ("1.27.16", {SECCOMP: "runtime/default"}, None, {}, None),
        ("1.18.20", {SECCOMP: "runtime/default"}, None, {}, None),
    ],
)
def test_an_annotation_becomes_the_field(
    run: Run, release: str, annotations: Json, context: Json | None, spec: Json, expected: Json | None
) -> None:
    without = {key: value for key, value in spec.items() if key != "os"}
    assert hashed(run, release, manifest(annotations, context, **spec)) == hashed(
        run, release, manifest({}, expected, **without)
    )


def test_a_template_has_annotations_of_its_own(run: Run) -> None:
    pod = manifest({APP_ARMOR: "unconfined"})
    template = {"metadata": {"annotations": pod["metadata"]["annotations"]}, "spec": pod["spec"]}
    given = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"template": template},
    }
    assert hashed(run, "1.30.14", given) == hashed(run, "1.30.14", manifest({}, UNCONFINED))


def test_only_one_that_is_created_now_is_changed(run: Run) -> None:
    """What an API server stored before has no field: it is written on creation alone."""
    given = manifest({APP_ARMOR: "unconfined"})
    stored = {**given, "metadata": {**given["metadata"], "uid": "u"}}
    assert hashed(run, "1.30.14", stored) != hashed(run, "1.30.14", manifest({}, UNCONFINED))


@pytest.mark.parametrize(
    ("uid", "server", "expected"),
    [
        ({}, (), ("UNKNOWN", ["HC024"])),
        ({}, ("--apiserver", "1.36.3"), ("RESTART", ["HC006"])),
        ({}, ("--apiserver", "1.29.15"), ("KEEP", [])),
        ({"uid": "u"}, (), ("KEEP", [])),
        ({"uid": "u"}, ("--apiserver", "1.36.3"), ("KEEP", [])),
    ],
)
def test_either_api_server_may_have_created_the_pod(
    run: Run, uid: Json, server: tuple[str, ...], expected: tuple[str, list[str]]
) -> None:
    given = manifest({APP_ARMOR: "unconfined"})
    given["metadata"].update(uid)
    command = ("plan", "--from", "1.29.15", "--to", "1.30.14", "-f", "-", "-o", "json", *server)
    item = run(*command, stdin=as_json(given)).item
    assert (item["verdict"], [row["id"] for row in item["reasons"]]) == expected
