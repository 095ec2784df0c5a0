"""An API server's upgrade sets defaults in old pods when it reads them (kubernetes/kubernetes#63814)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.pods import Json, as_json, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import decided, planned

C: Json = {"name": "c", "image": "i"}
SECURED: Json = {**C, "securityContext": {"runAsUser": 1}}
DEFAULTED: Json = {**C, "securityContext": {"runAsUser": 1, "procMount": "Default"}}
SIZED: Json = {**C, "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
GATE = ("--feature-gates", "InPlacePodVerticalScaling=true")
FILLED: tuple[str, list[str]] = ("RESTART", ["HC023"])
KEEP: tuple[str, list[str]] = ("KEEP", [])


@pytest.mark.parametrize(
    ("old", "new", "container", "more", "expected"),
    [
        pytest.param(
            "1.13.12",
            "1.13.12",
            SECURED,
            ("--apiserver-to", "1.14.0"),
            FILLED,
            id="1.14.0, and no kubelet changes",
        ),
        pytest.param("1.13.12", "1.13.12", SECURED, ("--apiserver-to", "1.14.2"), FILLED, id="1.14.2"),
        pytest.param(
            "1.12.10", "1.12.10", SECURED, ("--apiserver-to", "1.14.3"), FILLED, id="1.14.3 over 1.12"
        ),
        pytest.param("1.13.12", "1.13.12", SECURED, ("--apiserver-to", "1.14.4"), KEEP, id="fixed in 1.14.4"),
        pytest.param(
            "1.13.12", "1.13.12", SECURED, ("--apiserver-to", "1.13.12"), KEEP, id="1.13 writes it once only"
        ),
        pytest.param("1.13.12", "1.13.12", SECURED, (), KEEP, id="no API server named"),
        pytest.param("1.13.12", "1.13.12", C, ("--apiserver-to", "1.14.2"), KEEP, id="no securityContext"),
        pytest.param("1.13.12", "1.13.12", DEFAULTED, ("--apiserver-to", "1.14.2"), KEEP, id="set already"),
        pytest.param(
            "1.11.10", "1.11.10", SECURED, ("--apiserver-to", "1.14.2"), KEEP, id="1.11 drops the field"
        ),
        pytest.param(
            "1.13.12",
            "1.13.12",
            SECURED,
            ("--apiserver", "1.14.0", "--apiserver-to", "1.14.2"),
            KEEP,
            id="read as before",
        ),
        pytest.param(
            "1.13.12",
            "1.13.12",
            DEFAULTED,
            ("--apiserver", "1.14.0", "--apiserver-to", "1.14.2"),
            KEEP,
            id="shown already",
        ),
        pytest.param(
            "1.13.12", "1.14.2", SECURED, (), FILLED, id="the newer kubelet's release is the API server's"
        ),
        pytest.param(
            "1.13.12",
            "1.14.2",
            SECURED,
            ("--apiserver-to", "1.14.10"),
            KEEP,
            id="a fixed API server over a 1.14.2 kubelet",
        ),
        pytest.param(
            "1.14.2",
            "1.15.12",
            SECURED,
            (),
            ("RESTART", ["HC004"]),
            id="the next kubelet brings a field of its own",
        ),
    ],
)
def test_proc_mount_is_written_on_reading_by_1_14_0_to_1_14_3(
    run: Run, old: str, new: str, container: Json, more: tuple[str, ...], expected: Any
) -> None:
    assert decided(run, old, new, pod(container), more=more) == expected


def test_the_reason_names_the_path_and_no_field_of_the_kubelet(run: Run) -> None:
    item = planned(run, "1.13.12", "1.14.2", pod(SECURED), more=("--apiserver-to", "1.14.2"))["c"]
    assert [row["text"] for row in item["reasons"]] == [
        "the new API server fills in securityContext.procMount"
    ]


@pytest.mark.parametrize(
    ("old", "new", "container", "more", "expected"),
    [
        pytest.param(
            "1.14.2", "1.14.10", DEFAULTED, (), ("UNKNOWN", ["HC023"]), id="stored or not: nobody can tell"
        ),
        pytest.param("1.14.2", "1.14.10", SECURED, (), KEEP, id="not there"),
        pytest.param("1.14.2", "1.14.10", C, (), KEEP, id="no securityContext"),
        pytest.param(
            "1.13.12",
            "1.13.12",
            DEFAULTED,
            ("--apiserver", "1.14.2", "--apiserver-to", "1.14.4"),
            ("UNKNOWN", ["HC023"]),
            id="API",
        ),
        pytest.param("1.14.2", "1.15.12", DEFAULTED, (), ("RESTART", ["HC004"]), id="restarts either way"),
        pytest.param("1.14.2", "1.31.0", DEFAULTED, (), ("RESTART", ["HC001"]), id="hashes nothing of it"),
        pytest.param(
            "1.14.2",
            "1.11.10",
            DEFAULTED,
            ("--apiserver-to", "1.14.10"),
            ("RESTART", ["HC005"]),
            id="drops it either way",
        ),
        pytest.param(
            "1.14.10", "1.14.10", DEFAULTED, (), KEEP, id="a fixed API server wrote it into the pod"
        ),
        pytest.param(
            "1.14.2",
            "1.14.10",
            {**C, "securityContext": {"procMount": "Unmasked"}},
            (),
            KEEP,
            id="another value was asked for",
        ),
    ],
)
def test_a_default_that_is_no_longer_written_may_vanish(
    run: Run, old: str, new: str, container: Json, more: tuple[str, ...], expected: Any
) -> None:
    """kubernetes/kubernetes#78883 took procMount away again from every pod that did not have it stored."""
    assert decided(run, old, new, pod(container), more=more) == expected


@pytest.mark.parametrize(
    ("old", "new", "container", "more", "expected"),
    [
        pytest.param("1.27.0", "1.27.0", SIZED, GATE, FILLED, id="with the gate"),
        pytest.param(
            "1.27.0",
            "1.27.0",
            SIZED,
            ("--feature-gates", "InPlacePodVerticalScaling=false"),
            KEEP,
            id="gate off",
        ),
        pytest.param("1.27.0", "1.27.0", SIZED, (), KEEP, id="without it"),
        pytest.param("1.27.0", "1.27.0", C, GATE, KEEP, id="nothing requested"),
        pytest.param(
            "1.27.0",
            "1.27.0",
            {**C, "resources": {"requests": {"nvidia.com/gpu": "1"}}},
            GATE,
            KEEP,
            id="neither cpu nor memory",
        ),
        pytest.param(
            "1.26.0", "1.26.0", SIZED, (*GATE, "--apiserver-to", "1.27.0"), KEEP, id="1.26 drops the field"
        ),
        pytest.param("1.31.0", "1.32.0", SIZED, GATE, KEEP, id="hashed no longer"),
        pytest.param(
            "1.30.0",
            "1.30.0",
            SIZED,
            (*GATE, "--apiserver-to", "1.33.0"),
            KEEP,
            id="1.33 has no such default",
        ),
        pytest.param(
            "1.27.0",
            "1.27.0",
            {
                **SIZED,
                "resizePolicy": [
                    {"resourceName": name, "restartPolicy": "NotRequired"} for name in ("cpu", "memory")
                ],
            },
            GATE,
            KEEP,
            id="there already",
        ),
        pytest.param(
            "1.27.0",
            "1.27.0",
            {**SIZED, "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]},
            GATE,
            FILLED,
            id="half",
        ),
    ],
)
def test_resize_policy_is_written_with_the_gate(
    run: Run, old: str, new: str, container: Json, more: tuple[str, ...], expected: Any
) -> None:
    assert decided(run, old, new, pod(container), more=more) == expected


@pytest.mark.parametrize(
    ("old", "new", "more", "expected"),
    [
        pytest.param("1.5.8", "1.5.8", ("--apiserver-to", "1.6.13"), KEEP, id="1.5 drops the field"),
        pytest.param(
            "1.6.0", "1.6.13", ("--apiserver", "1.5.8"), FILLED, id="a 1.6 kubelet whose API server follows"
        ),
        pytest.param("1.6.0", "1.6.13", (), KEEP, id="the API server was there first"),
        pytest.param(
            "1.6.0",
            "1.10.13",
            ("--apiserver", "1.5.8"),
            ("RESTART", ["HC023", "HC004"]),
            id="and a new field",
        ),
    ],
)
def test_termination_message_policy_reaches_pods_of_1_5(
    run: Run, old: str, new: str, more: tuple[str, ...], expected: Any
) -> None:
    assert decided(run, old, new, pod(C), more=more) == expected


def a_manifest(container: Json) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "m"}, "spec": {"containers": [container]}}


@pytest.mark.parametrize(
    ("old", "new", "container", "more", "expected"),
    [
        pytest.param("1.6.0", "1.6.13", C, (), KEEP, id="a manifest has every default from the start"),
        pytest.param(
            "1.6.0", "1.6.13", C, ("--apiserver", "1.5.8"), FILLED, id="1.5 created it without a policy"
        ),
        pytest.param(
            "1.28.15",
            "1.29.15",
            {**C, "image": "Registry/i"},
            (),
            KEEP,
            id="how 1.28 read the image is stored",
        ),
        pytest.param("1.14.2", "1.14.10", SECURED, (), KEEP, id="what 1.14.2 wrote is stored"),
        pytest.param(
            "1.13.7", "1.13.12", SECURED, ("--apiserver-to", "1.14.2"), KEEP, id="1.13.7 wrote procMount too"
        ),
        pytest.param("1.13.8", "1.13.12", SECURED, ("--apiserver-to", "1.14.2"), FILLED, id="1.13.8 did not"),
        pytest.param("1.12.8", "1.12.10", SECURED, ("--apiserver-to", "1.14.2"), KEEP, id="1.12.8 wrote it"),
        pytest.param(
            "1.12.10", "1.12.10", SECURED, ("--apiserver-to", "1.14.2"), FILLED, id="1.12.10 did not"
        ),
        pytest.param(
            "1.30.14",
            "1.30.14",
            {**C, "livenessProbe": {"grpc": {"port": 1}}},
            ("--apiserver", "1.22.17"),
            FILLED,
            id="grpc",
        ),
    ],
)
def test_a_manifest_is_served_by_the_release_that_creates_it(
    run: Run, old: str, new: str, container: Json, more: tuple[str, ...], expected: Any
) -> None:
    assert decided(run, old, new, a_manifest(container), more=more) == expected


def test_the_reason_names_what_reading_a_manifest_fills_in(run: Run) -> None:
    container = {**C, "livenessProbe": {"grpc": {"port": 1}}}
    item = planned(run, "1.30.14", "1.30.14", a_manifest(container), more=("--apiserver", "1.22.17"))["c"]
    assert [row["text"] for row in item["reasons"]] == [
        "the new API server fills in livenessProbe.grpc.service"
    ]


def test_explain_shows_the_field_that_the_api_server_fills_in(run: Run) -> None:
    item = run(
        "explain",
        "ns/p",
        "--from",
        "1.13.12",
        "--to",
        "1.14.2",
        "-f",
        "-",
        "-o",
        "json",
        stdin=as_json(pod(SECURED)),
    ).items[0]
    assert [row["path"] for row in item["fields"]] == ["SecurityContext.ProcMount"]
    assert "ProcMount:(*v1.ProcMountType)Default" in item["to"]["text"]
    assert "ProcMount:(*v1.ProcMountType)<nil>" in item["from"]["text"]


@pytest.mark.parametrize("option", ["--apiserver", "--apiserver-to"])
def test_an_unknown_api_server_is_a_usage_error(run: Run, option: str) -> None:
    result = run(
        "plan", "--from", "1.9.11", "--to", "1.10.0", "-f", "-", option, "1.99.0", stdin=as_json(pod())
    )
    assert (result.code, result.out) == (64, "")
    assert "'1.99.0' is not a known kubelet release" in result.err
