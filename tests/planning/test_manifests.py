"""Rules about manifests, which do not show what an API server and its admission make of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import CPU_RESTARTS, KEEP, SIZED, C, Expected
from tests.helpers.upgrades import decided, planned


def manifest(container: Json, **spec: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "m"},
        "spec": {"containers": [container], **spec},
    }


TOKEN: Json = {"name": "t", "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        ("1.13.12", "1.14.0", manifest(C), (), ("UNKNOWN", ["HC024"])),
        ("1.13.12", "1.14.0", manifest(C, automountServiceAccountToken=False), (), KEEP),
        ("1.13.12", "1.14.0", manifest({**C, "volumeMounts": [TOKEN]}), (), ("RESTART", ["HC004"])),
        ("1.13.12", "1.14.0", manifest(C), ("--no-defaults",), KEEP),
        ("1.13.12", "1.14.0", pod(C), (), KEEP),
        ("1.14.0", "1.15.0", manifest(C), (), KEEP),
        ("1.8.0", "1.9.0", manifest(C), (), ("RESTART", ["HC004"])),
        (
            "1.32.0",
            "1.33.0",
            manifest({**C, **CPU_RESTARTS}),
            ("--apiserver", "1.33.0"),
            ("UNKNOWN", ["HC024"]),
        ),
        (
            "1.32.0",
            "1.33.0",
            manifest({**C, **CPU_RESTARTS, **SIZED}),
            ("--apiserver", "1.33.0"),
            ("RESTART", ["HC019"]),
        ),
        ("1.33.0", "1.34.0", manifest({**C, **CPU_RESTARTS}), (), KEEP),
    ],
)
def test_hc024_what_admission_adds_to_a_manifest(
    run: Run, old: str, new: str, given: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, given, more=more) == expected


def test_hc024_names_what_admission_adds(run: Run) -> None:
    for old, new, container, what in (
        ("1.13.12", "1.14.0", C, "the service account's volume mount"),
        ("1.32.0", "1.33.0", {**C, **CPU_RESTARTS}, "a LimitRange's requests and limits"),
    ):
        (reason,) = planned(run, old, new, manifest(container), more=("--apiserver", new))["c"]["reasons"]
        assert reason["text"] == f"a manifest: {what}, which admission adds, decides"


GATED: Expected = ("UNKNOWN", ["HC030"])
MOUNTED: Json = {**C, "volumeMounts": [{"name": "v", "mountPath": "/v", "subPathExpr": "$(A)"}]}
READ_ONLY: Json = {
    **C,
    "volumeMounts": [{"name": "v", "mountPath": "/v", "readOnly": True, "recursiveReadOnly": "Enabled"}],
}


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        pytest.param(
            "1.32.0",
            "1.33.0",
            manifest({**C, **CPU_RESTARTS, **SIZED}),
            (),
            GATED,
            id="resized, if the policy is kept",
        ),
        pytest.param(
            "1.32.0",
            "1.33.0",
            manifest({**C, **CPU_RESTARTS}),
            (),
            GATED,
            id="and a LimitRange adds requests",
        ),
        pytest.param(
            "1.26.0",
            "1.27.0",
            manifest({**C, **CPU_RESTARTS}),
            (),
            GATED,
            id="an API server that knows it before kubelets",
        ),
        pytest.param("1.33.0", "1.34.0", manifest({**C, **CPU_RESTARTS}), (), KEEP, id="on by default"),
        pytest.param(
            "1.32.0", "1.32.0", manifest({**C, **CPU_RESTARTS}), (), KEEP, id="hashed by neither kubelet"
        ),
        pytest.param(
            "1.33.0", "1.33.0", pod({**C, **CPU_RESTARTS}), (), KEEP, id="a pod shows what was kept"
        ),
        pytest.param(
            "1.13.12", "1.14.0", manifest(MOUNTED), (), ("RESTART", ["HC004"]), id="restarts either way"
        ),
        pytest.param("1.29.0", "1.30.0", manifest(READ_ONLY), (), GATED, id="in a list"),
    ],
)
def test_hc030_whether_the_api_server_kept_a_field_decides(
    run: Run, old: str, new: str, given: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, given, more=more) == expected


def test_hc030_names_the_gate(run: Run) -> None:
    (reason,) = planned(run, "1.32.0", "1.33.0", manifest({**C, **CPU_RESTARTS}))["c"]["reasons"]
    assert (
        reason["text"]
        == "a manifest: a field that API servers drop unless InPlacePodVerticalScaling is on decides"
    )


def test_workloads_of_one_name_are_pods_of_their_own(run: Run) -> None:
    """A pod's uid tells it from others of its name; templates have none."""
    template = {"metadata": {}, "spec": {"containers": [C]}}
    objects = [
        {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "w"}, "spec": {"template": template}}
        for kind in ("Deployment", "StatefulSet")
    ]
    result = run(
        "plan", "--from", "1.15.12", "--to", "1.16.15", "-f", "-", "-o", "json", stdin=as_json(*objects)
    )
    summary = result.document["summary"]
    assert [summary[key] for key in ("containers", "pods", "podsAffected")] == [2, 2, 2]
    assert "restart in 2 of 2 pods" in result.err
