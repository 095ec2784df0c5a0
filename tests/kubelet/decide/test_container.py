"""Every rule about single containers by its id: a case that it decides, and the nearest it must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import (
    CPU_RESTARTS,
    GATE,
    KEEP,
    MAIN,
    SIZED,
    C,
    Expected,
    never,
    sidecar,
    with_status,
)
from tests.helpers.upgrades import decided, hash_of, record, recorded

FORM_FEED: Json = {**C, "args": ["a\fb"]}


SECURED: Json = {**C, "securityContext": {}}


PROBE: Json = {"startupProbe": {"exec": {"command": ["true"]}}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1.5.8", "1.6.0", ("RESTART", ["HC017"])),  # the sandbox comes first
        ("1.15.12", "1.16.0", ("RESTART", ["HC001"])),
        ("1.16.0", "1.15.12", ("RESTART", ["HC001"])),
        ("1.30.14", "1.31.0", ("RESTART", ["HC001"])),
        ("1.16.0", "1.30.14", KEEP),
        ("1.31.0", "1.36.0", KEEP),
        ("1.10.0", "1.11.0", KEEP),
    ],
)
def test_hc001_another_algorithm_restarts_everything(
    run: Run, old: str, new: str, expected: Expected
) -> None:
    assert decided(run, old, new, pod(C)) == expected


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        pytest.param(
            pod(C, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}), "KEEP", id="being deleted"
        ),
        pytest.param(pod(C, status={"phase": "Succeeded"}), "KEEP", id="succeeded"),
        pytest.param(pod(C, status={"phase": "Failed"}), "KEEP", id="failed"),
        pytest.param(pod(C, status={"phase": "Running"}), "RESTART", id="running"),
        pytest.param(pod(C, status=with_status("containerStatuses", state="waiting")), "KEEP", id="waiting"),
        pytest.param(
            pod(C, status=with_status("containerStatuses", state="terminated")), "KEEP", id="exited"
        ),
        pytest.param(
            never(status=with_status("containerStatuses")),
            "RESTART",
            id="a Never pod is compared as any other",
        ),
        pytest.param(pod(MAIN, spec={"initContainers": [C]}), "KEEP", id="init"),
        pytest.param(
            pod(MAIN, spec={"initContainers": [C]}, status=with_status("initContainerStatuses")),
            "KEEP",
            id="running init",
        ),
        pytest.param(pod(MAIN, spec={"ephemeralContainers": [C]}), "KEEP", id="ephemeral"),
        pytest.param(
            pod(MAIN, spec={"ephemeralContainers": [C]}, status=with_status("ephemeralContainerStatuses")),
            "KEEP",
            id="running ephemeral",
        ),
        pytest.param(sidecar(), "KEEP", id="sidecar before 1.32"),
    ],
)
def test_hc002_what_is_not_compared_is_kept(run: Run, given: Json, verdict: str) -> None:
    assert decided(run, "1.30.14", "1.31.0", given) == (
        verdict,
        ["HC002"] if verdict == "KEEP" else ["HC001"],
    )


@pytest.mark.parametrize(
    ("old", "new", "container", "expected"),
    [
        ("1.27.15", "1.27.16", FORM_FEED, ("RESTART", ["HC003"])),
        ("1.28.12", "1.28.11", FORM_FEED, ("RESTART", ["HC003"])),
        ("1.29.6", "1.29.7", {**C, "args": ["\b"]}, ("RESTART", ["HC003"])),
        ("1.29.6", "1.30.0", FORM_FEED, ("RESTART", ["HC003"])),
        ("1.27.15", "1.27.16", C, KEEP),
        ("1.27.15", "1.27.16", {**C, "args": ["\t\u2028<&>\x7f"]}, KEEP),
        ("1.27.14", "1.27.15", FORM_FEED, KEEP),
        ("1.30.0", "1.30.14", FORM_FEED, KEEP),
        ("1.13.0", "1.13.12", FORM_FEED, KEEP),
    ],
)
def test_hc003_go_1_22_writes_two_characters_differently(
    run: Run, old: str, new: str, container: Json, expected: Expected
) -> None:
    assert decided(run, old, new, pod(container)) == expected


@pytest.mark.parametrize(
    ("old", "new", "container", "expected"),
    [
        ("1.8.15", "1.9.0", C, ("RESTART", ["HC004"])),
        ("1.9.11", "1.10.0", SECURED, ("RESTART", ["HC004"])),
        ("1.9.11", "1.10.0", C, KEEP),
        (
            "1.13.12",
            "1.14.0",
            {**C, "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
            ("RESTART", ["HC004"]),
        ),
        ("1.13.12", "1.14.0", SECURED, ("RESTART", ["HC023"])),  # the API server of 1.14.0, not the kubelet
        ("1.13.12", "1.14.10", SECURED, KEEP),
    ],
)
def test_hc004_a_new_field_restarts_what_it_belongs_to(
    run: Run, old: str, new: str, container: Json, expected: Expected
) -> None:
    assert decided(run, old, new, pod(container)) == expected


@pytest.mark.parametrize(
    ("old", "new", "container", "expected"),
    [
        ("1.9.0", "1.8.15", C, ("RESTART", ["HC005"])),
        ("1.12.10", "1.11.10", SECURED, ("RESTART", ["HC005"])),
        ("1.12.10", "1.11.10", C, KEEP),
    ],
)
def test_hc005_on_the_way_back_the_field_is_gone(
    run: Run, old: str, new: str, container: Json, expected: Expected
) -> None:
    assert decided(run, old, new, pod(container)) == expected


SECCOMP: Json = {**C, "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}}


@pytest.mark.parametrize(
    ("old", "new", "container", "expected"),
    [
        ("1.18.20", "1.19.0", SECCOMP, ("RESTART", ["HC006"])),
        ("1.19.0", "1.18.20", SECCOMP, ("RESTART", ["HC006"])),
        ("1.18.20", "1.19.0", SECURED, KEEP),
        ("1.17.17", "1.18.20", SECCOMP, KEEP),
        ("1.19.0", "1.30.0", SECCOMP, KEEP),
    ],
)
def test_hc006_a_set_field_that_one_kubelet_drops(
    run: Run, old: str, new: str, container: Json, expected: Expected
) -> None:
    assert decided(run, old, new, pod(container)) == expected


@pytest.mark.parametrize(
    ("kubelet", "expected"),
    [
        ("v1.8.15", ("RESTART", ["HC004"])),
        ("v1.99.0", ("UNKNOWN", ["HC008"])),
        ("dev", ("UNKNOWN", ["HC008"])),
        ("v1.9.11", KEEP),
    ],
)
def test_hc008_a_node_that_reports_no_known_release(run: Run, kubelet: str, expected: Expected) -> None:
    assert decided(run, "auto", "1.9.11", node(kubelet), pod(C)) == expected


@pytest.mark.parametrize(("args", "expected"), [("text", ("UNKNOWN", ["HC009"])), (["text"], KEEP)])
def test_hc009_what_does_not_decode(run: Run, args: object, expected: Expected) -> None:
    assert decided(run, "1.9.11", "1.10.0", pod({**C, "args": args}), more=("--keep-going",)) == expected


@pytest.mark.parametrize(
    ("old", "new", "container", "expected"),
    [
        ("1.27.3-gke.100", "1.27.16", FORM_FEED, ("UNKNOWN", ["HC010"])),
        ("1.27.3", "1.28.2+k3s1", FORM_FEED, ("UNKNOWN", ["HC010"])),
        ("1.27.3-gke.100", "1.27.16", C, KEEP),
        ("1.27.3-gke.100", "v1.27.3-gke.100", FORM_FEED, KEEP),
        ("1.30.3-gke.100", "1.30.14", FORM_FEED, KEEP),
        ("1.15.3-gke.100", "1.16.15-gke.1", FORM_FEED, ("RESTART", ["HC001"])),
    ],
)
def test_hc010_a_vendors_go_is_not_known(
    run: Run, old: str, new: str, container: Json, expected: Expected
) -> None:
    assert decided(run, old, new, pod(container)) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1.31.0", "1.32.0", ("UNKNOWN", ["HC011"])),
        ("1.30.0", "1.32.0", ("RESTART", ["HC001"])),
        ("1.32.0", "1.33.0", KEEP),
        ("1.31.0", "1.31.14", ("KEEP", ["HC002"])),
    ],
)
def test_hc011_a_sidecar_that_is_compared_for_the_first_time(
    run: Run, old: str, new: str, expected: Expected
) -> None:
    assert decided(run, old, new, sidecar()) == expected


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        ("1.35.3", "1.35.4", sidecar(**PROBE), ("UNKNOWN", ["HC011"])),
        ("1.35.0", "1.36.0", sidecar(**PROBE), ("UNKNOWN", ["HC011"])),
        ("1.35.0", "1.36.0", sidecar(), KEEP),
        ("1.35.0", "1.35.3", sidecar(**PROBE), ("KEEP", ["HC002"])),
        ("1.34.0", "1.35.2", sidecar(**PROBE), ("KEEP", ["HC002"])),
        ("1.35.4", "1.36.0", sidecar(**PROBE), KEEP),
        ("1.35.2", "1.30.0", sidecar(**PROBE), ("KEEP", ["HC002"])),
    ],
)
def test_hc011_three_releases_never_compare_a_sidecar_with_a_startup_probe(
    run: Run, old: str, new: str, given: Json, expected: Expected
) -> None:
    """The record may be of any earlier release (kubernetes/kubernetes#137146 and #137885)."""
    assert decided(run, old, new, given) == expected


@pytest.mark.parametrize(
    ("created_by", "old", "new", "expected"),
    [
        pytest.param(
            "1.31.0", "1.30.0", "1.31.0", ("KEEP", ["HC012"]), id="the new hash is recorded already"
        ),
        pytest.param("1.30.0", "1.30.0", "1.31.0", ("RESTART", ["HC001"]), id="the old hash is recorded"),
    ],
)
def test_hc012_the_recorded_hash_decides(
    run: Run, tmp_path: Path, created_by: str, old: str, new: str, expected: Expected
) -> None:
    assert (
        decided(run, old, new, pod(C), more=recorded(tmp_path, record(hash_of(run, created_by, C))))
        == expected
    )


@pytest.mark.parametrize(
    ("created_by", "expected"),
    [
        (None, ("RESTART", ["HC013"])),
        ("1.7.16", ("RESTART", ["HC031"])),
        ("1.31.0", ("RESTART", ["HC031"])),
        ("1.9.11", ("KEEP", ["HC012"])),
    ],
)
def test_hc013_and_hc031_a_recorded_hash_of_neither_kubelet(
    run: Run, tmp_path: Path, created_by: str | None, expected: Expected
) -> None:
    """HC031 names the known release whose hash it is exactly; without one it is HC013."""
    value = hash_of(run, created_by, C) if created_by else 1
    assert decided(run, "1.9.11", "1.10.0", pod(C), more=recorded(tmp_path, record(value))) == expected


@pytest.mark.parametrize(("value", "expected"), [(1, ("UNKNOWN", ["HC014"])), (None, KEEP)])
def test_hc014_no_record_on_a_node_that_is_not_calibrated(
    run: Run, tmp_path: Path, value: int | None, expected: Expected
) -> None:
    """A missing record does not count as a record that was not reproduced."""
    other = {"name": "other", "image": "i"}
    assert (
        decided(
            run, "1.9.11", "1.10.0", pod(C, other), more=recorded(tmp_path, record(value, container="other"))
        )
        == expected
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1.6.0", "1.6.1", ("RESTART", ["HC015"])),
        ("1.4.0", "1.5.8", ("KEEP", ["HC002"])),
        ("1.35.0", "1.36.0", ("RESTART", ["HC015"])),
    ],
)
def test_hc015_a_missing_hash_reads_as_zero(
    run: Run, tmp_path: Path, old: str, new: str, expected: Expected
) -> None:
    assert decided(run, old, new, pod(C), more=recorded(tmp_path, record(None))) == expected
    assert decided(run, old, new, pod(C), more=recorded(tmp_path, record(0))) == expected


POLICY: Json = {
    "resizePolicy": [
        {"resourceName": "cpu", "restartPolicy": "NotRequired"},
        {"resourceName": "memory", "restartPolicy": "NotRequired"},
    ]
}


RESIZED: Json = {**SIZED, **POLICY, "resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}}


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        ("1.28.0", "1.29.0", pod(RESIZED), GATE, ("KEEP", ["HC020"])),
        ("1.28.0", "1.29.0", pod(RESIZED), (), ("RESTART", ["HC013"])),
        ("1.28.0", "1.29.0", mirror_pod(RESIZED), GATE, ("RESTART", ["HC013"])),
        ("1.30.0", "1.31.0", pod(RESIZED), GATE, ("RESTART", ["HC013"])),
        (
            "1.28.0",
            "1.29.0",
            pod({**RESIZED, "image": "i", "lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}),
            GATE,
            ("RESTART", ["HC013"]),
        ),
    ],
)
def test_hc020_with_the_gate_resources_alone_do_not_restart(
    run: Run, tmp_path: Path, old: str, new: str, given: Json, more: tuple[str, ...], expected: Expected
) -> None:
    """It was resized after its hashes were recorded (labels.go newContainerAnnotations, 1.27.16)."""
    name, uid = (given["metadata"][key] for key in ("name", "uid"))
    static = "annotations" in given["metadata"]
    value = hash_of(run, "1.28.0", {**RESIZED, "resources": SIZED["resources"]})
    before = record(value, name, uid="0123" if static else uid)
    before["annotations"]["io.kubernetes.container.hashWithoutResources"] = (
        f"{hash_of(run, '1.28.0', {**RESIZED, 'resources': {}}):x}"
    )
    assert decided(run, old, new, given, more=(*more, *recorded(tmp_path, before))) == expected


@pytest.mark.parametrize("second", [None, "1"], ids=["missing: 0, which differs", "another"])
def test_hc020_without_the_same_second_hash_it_restarts(run: Run, tmp_path: Path, second: str | None) -> None:
    """Both hashes have to differ, and a kubelet without the gate records one.

    Source: 1.30.14 kuberuntime_manager.go computePodActions.
    """
    before = record(hash_of(run, "1.28.0", {**RESIZED, "resources": SIZED["resources"]}))
    before["annotations"] |= (
        {} if second is None else {"io.kubernetes.container.hashWithoutResources": second}
    )
    assert decided(run, "1.28.0", "1.29.0", pod(RESIZED), more=(*GATE, *recorded(tmp_path, before))) == (
        "RESTART",
        ["HC013"],
    )


@pytest.mark.parametrize(
    ("old", "new", "container", "more", "expected"),
    [
        ("1.13.12", "1.13.12", SECURED, ("--apiserver-to", "1.14.2"), ("RESTART", ["HC023"])),
        ("1.13.12", "1.13.12", SECURED, ("--apiserver-to", "1.14.4"), KEEP),
        ("1.13.12", "1.13.12", C, ("--apiserver-to", "1.14.2"), KEEP),
        (
            "1.13.12",
            "1.14.2",
            {**SECURED, "volumeMounts": [{"name": "v"}]},
            (),
            ("RESTART", ["HC023", "HC004"]),
        ),
        ("1.30.0", "1.31.0", SIZED, GATE, ("RESTART", ["HC001"])),  # a field that 1.31 does not hash
    ],
)
def test_hc023_a_default_of_the_api_server_reaches_old_pods(
    run: Run, old: str, new: str, container: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, pod(container), more=more) == expected


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        ("1.30.0", "1.32.0", sidecar(**PROBE), ("RESTART", ["HC001", "HC025"])),
        ("1.30.0", "1.32.0", sidecar(startupProbe=None), ("RESTART", ["HC001"])),
        ("1.30.0", "1.32.0", pod({**C, **PROBE}), ("RESTART", ["HC001"])),
        ("1.30.0", "1.35.3", sidecar(**PROBE), ("KEEP", ["HC002"])),
        ("1.30.0", "1.35.2", sidecar(), ("RESTART", ["HC001"])),
        ("1.30.0", "1.35.4", sidecar(**PROBE), ("RESTART", ["HC001", "HC025"])),
        ("1.32.0", "1.33.0", sidecar(**{**SIZED, **CPU_RESTARTS, **PROBE}), ("RESTART", ["HC019", "HC025"])),
    ],
)
def test_hc025_a_sidecar_waits_for_its_startup_probe(
    run: Run, old: str, new: str, given: Json, expected: Expected
) -> None:
    assert decided(run, old, new, given) == expected


@pytest.mark.parametrize(
    ("old", "new", "container", "expected"),
    [
        ("1.2.7", "1.3.0", {**C, "ports": [{"containerPort": 1}]}, True),
        ("1.3.0", "1.4.0", {**C, "ports": [{"containerPort": 1}]}, False),
    ],
)
def test_hc026_another_go_type_is_named_by_explain(
    run: Run, old: str, new: str, container: Json, *, expected: bool
) -> None:
    """In a plan the infra container comes first, at the only boundaries where types changed."""
    document = run("explain", "--from", old, "--to", new, "-o", "json").document
    assert bool(document["types"]) is expected
    assert decided(run, old, new, pod(container))[0] == ("RESTART" if expected else "KEEP")


def test_an_unreadable_gate_is_a_usage_error(run: Run) -> None:
    result = run(
        "plan",
        "--from",
        "1.9.11",
        "--to",
        "1.10.0",
        "-f",
        "-",
        "--feature-gates",
        "A=maybe",
        stdin=as_json(pod()),
    )
    assert (result.code, result.err.splitlines()[0]) == (
        64,
        "Error: --feature-gates: want GATE=true or GATE=false, got 'A=maybe'",
    )


@pytest.mark.parametrize(
    ("old", "new", "started", "expected"),
    [
        ("1.30.14", "1.35.3", False, ("UNKNOWN", ["HC025"])),
        ("1.30.14", "1.35.3", True, ("KEEP", ["HC002"])),
        ("1.34.13", "1.35.3", False, ("KEEP", ["HC002"])),
        ("1.30.14", "1.31.14", False, ("KEEP", ["HC002"])),
        ("1.30.14", "1.32.13", False, ("UNKNOWN", ["HC001", "HC025"])),
        ("1.30.14", "1.32.13", True, ("RESTART", ["HC001", "HC025"])),
        ("1.36.5", "1.37.2", False, ("UNKNOWN", ["HC011"])),
        ("1.36.5", "1.37.2", True, ("KEEP", [])),
    ],
)
def test_hc025_a_startup_probe_that_has_not_passed(
    run: Run, old: str, new: str, *, started: bool, expected: Expected
) -> None:
    """Into 1.35.0 - 1.35.3, which run a passed one never again."""
    row = {"name": "c", "started": started, "state": {"running": {}}}
    given = {**sidecar(**PROBE), "status": {"phase": "Running", "initContainerStatuses": [row]}}
    assert decided(run, old, new, given) == expected


@pytest.mark.parametrize(("restarts", "verdict"), [(0, "UNKNOWN"), (1, "RESTART")])
def test_hc025_what_comes_after_sidecars_never_ran(run: Run, restarts: int, verdict: str) -> None:
    """1.35.2 reports a sidecar as started whose startupProbe has never passed."""
    side = {"name": "c", "started": True, "state": {"running": {}}}
    main = {"name": "main", "restartCount": restarts, "state": {"waiting": {"reason": "PodInitializing"}}}
    status = {"phase": "Pending", "initContainerStatuses": [side], "containerStatuses": [main]}
    given = {**sidecar(**PROBE), "status": status}
    assert decided(run, "1.30.14", "1.35.8", given)[0] == verdict
    never_compared = ("UNKNOWN", ["HC011"])
    assert decided(run, "1.36.5", "1.35.8", given) == (never_compared if restarts == 0 else ("KEEP", []))


def test_hc025_the_recorded_hash_shows_whether_anything_would_restart(run: Run, tmp_path: Path) -> None:
    row = {"name": "c", "started": False, "state": {"running": {}}}
    given = {**sidecar(**PROBE), "status": {"phase": "Running", "initContainerStatuses": [row]}}
    spec = given["spec"]["initContainers"][0]
    for made_by, verdict in (("1.30.14", "UNKNOWN"), ("1.34.13", "KEEP")):
        told = recorded(tmp_path, record(hash_of(run, made_by, spec)))
        assert decided(run, "1.34.13", "1.35.3", given, more=told)[0] == verdict
