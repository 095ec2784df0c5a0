"""Resources that are applied by a restart, and those that a kubelet noted as applied before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.dumps import GONE, as_text, dump
from tests.helpers.pods import Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.rulecases import CPU_RESTARTS, GATE, KEEP, NEW_UID, SIZED, C, Expected, sidecar
from tests.helpers.upgrades import decided, hash_of, planned, record, recorded

RESTARTED: Expected = ("RESTART", ["HC019"])


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        pytest.param("1.32.0", "1.33.0", pod({**SIZED, **CPU_RESTARTS}), (), RESTARTED, id="cpu is set"),
        pytest.param(
            "1.31.0", "1.36.0", pod({**SIZED, **CPU_RESTARTS}), (), RESTARTED, id="over several minors"
        ),
        pytest.param("1.33.0", "1.34.0", pod({**SIZED, **CPU_RESTARTS}), (), KEEP, id="1.33 has a record"),
        pytest.param("1.33.0", "1.32.0", pod({**SIZED, **CPU_RESTARTS}), (), KEEP, id="the way back"),
        pytest.param("1.32.0", "1.33.0", pod({**C, **CPU_RESTARTS}), (), KEEP, id="nothing is set"),
        pytest.param(
            "1.32.0",
            "1.33.0",
            pod({**CPU_RESTARTS, **C, "resources": {"requests": {"cpu": "0"}}}),
            (),
            KEEP,
            id="set to zero",
        ),
        pytest.param(
            "1.32.0",
            "1.33.0",
            pod({**CPU_RESTARTS, **C, "resources": {"requests": {"memory": "1Gi"}}}),
            (),
            KEEP,
            id="other",
        ),
        pytest.param("1.32.0", "1.33.0", pod(SIZED), (), KEEP, id="no policy"),
        pytest.param(
            "1.32.0", "1.37.0", pod({**SIZED, **CPU_RESTARTS}), (), KEEP, id="1.37 fills the record"
        ),
        pytest.param("1.36.0", "1.37.0", pod({**SIZED, **CPU_RESTARTS}), (), KEEP, id="1.36 has recorded"),
        pytest.param(
            "1.32.0",
            "1.33.0",
            pod({**SIZED, **CPU_RESTARTS}),
            ("--feature-gates", f"{GATE[1][:-4]}false"),
            KEEP,
            id="gate off",
        ),
        pytest.param(
            "1.32.0",
            "1.33.0",
            pod({**SIZED, "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]}),
            (),
            KEEP,
            id="not required",
        ),
        pytest.param(
            "1.32.0",
            "1.33.0",
            pod({**SIZED, "resizePolicy": [None, *CPU_RESTARTS["resizePolicy"]]}),
            (),
            RESTARTED,
            id="null is an empty policy",
        ),
        pytest.param(
            "1.32.0",
            "1.33.0",
            mirror_pod({**SIZED, **CPU_RESTARTS}),
            (),
            NEW_UID,
            id="static pods are left out",
        ),
        pytest.param(
            "1.30.0",
            "1.33.0",
            pod({**SIZED, **CPU_RESTARTS}),
            (),
            ("RESTART", ["HC001"]),
            id="the hash comes first",
        ),
        pytest.param("1.32.0", "1.33.0", sidecar(**{**SIZED, **CPU_RESTARTS}), (), RESTARTED, id="a sidecar"),
    ],
)
def test_hc019_resources_that_are_applied_by_a_restart(
    run: Run, old: str, new: str, given: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, given, more=more) == expected


def with_own_uid(container: Json) -> Json:
    """Return the mirror of a static pod whose manifest sets its uid."""
    given = mirror_pod(container)
    given["metadata"]["annotations"] = {
        f"kubernetes.io/config.{key}": "set-by-hand" for key in ("hash", "mirror")
    }
    return given


MEMORY_RESTARTS: Json = {"resizePolicy": [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]}
POD_LIMIT: Json = {"resources": {"limits": {"memory": "1Gi"}}}


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        pytest.param("1.32.13", "1.36.6", with_own_uid({**SIZED, **CPU_RESTARTS}), RESTARTED, id="static"),
        pytest.param(
            "1.32.13",
            "1.35.10",
            with_own_uid({**SIZED, **CPU_RESTARTS}),
            KEEP,
            id="static, before 1.36",
        ),
        pytest.param(
            "1.32.13", "1.37.2", with_own_uid({**SIZED, **CPU_RESTARTS}), KEEP, id="static, in 1.37"
        ),
        pytest.param(
            "1.32.13",
            "1.33.13",
            pod({**SIZED, **CPU_RESTARTS}, spec={"os": {"name": "windows"}}),
            KEEP,
            id="Windows",
        ),
        pytest.param(
            "1.34.13", "1.36.6", pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), RESTARTED, id="pod limit"
        ),
        pytest.param(
            "1.36.6", "1.34.13", pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), RESTARTED, id="and back"
        ),
        pytest.param(
            "1.36.6", "1.35.10", pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), RESTARTED, id="back to 1.35"
        ),
        pytest.param(
            "1.35.10", "1.36.6", pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), RESTARTED, id="1.35 noted it"
        ),
        pytest.param(
            "1.35.10", "1.37.2", pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), RESTARTED, id="into 1.37 too"
        ),
        pytest.param(
            "1.34.13", "1.35.10", pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), KEEP, id="both the pod's"
        ),
        pytest.param(
            "1.34.13", "1.36.6", pod({**C, **CPU_RESTARTS}, spec=POD_LIMIT), KEEP, id="another resource"
        ),
        pytest.param(
            "1.32.13",
            "1.36.6",
            pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT),
            RESTARTED,
            id="not known before",
        ),
        pytest.param(
            "1.34.13",
            "1.37.2",
            pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT),
            RESTARTED,
            id="1.34 noted none",
        ),
        pytest.param(
            "1.32.13",
            "1.37.2",
            pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT),
            KEEP,
            id="1.37 fills its record",
        ),
        pytest.param(
            "1.36.5", "1.37.2", pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), KEEP, id="1.36 noted both"
        ),
        pytest.param(
            "1.36.6", "1.32.13", pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), KEEP, id="back to 1.32"
        ),
        pytest.param("1.34.13", "1.36.6", pod(C, spec=POD_LIMIT), KEEP, id="no policy"),
        pytest.param(
            "1.34.13",
            "1.36.6",
            pod({**C, **MEMORY_RESTARTS, "resources": {"limits": {"memory": "1Gi"}}}, spec=POD_LIMIT),
            KEEP,
            id="a limit of its own",
        ),
    ],
)
def test_hc019_where_a_limit_is_applied_and_where_not(
    run: Run, old: str, new: str, given: Json, expected: Expected
) -> None:
    assert decided(run, old, new, given) == expected


def test_hc019_an_equal_record_does_not_keep_it(run: Run, tmp_path: Path) -> None:
    same = record(hash_of(run, "1.33.0", C))
    assert (
        decided(run, "1.32.0", "1.33.0", pod({**SIZED, **CPU_RESTARTS}), more=recorded(tmp_path, same))
        == RESTARTED
    )


@pytest.mark.parametrize(("old", "new"), [("1.34.13", "1.36.6"), ("1.36.6", "1.34.13")])
def test_hc019_without_pod_level_resizes_the_pods_limit_is_not_applied(run: Run, old: str, new: str) -> None:
    off = ("--feature-gates", "InPlacePodLevelResourcesVerticalScaling=false")
    given = pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT)
    assert decided(run, old, new, given, more=off) == KEEP


def test_hc019_a_1_35_with_the_gate_on_has_noted_what_1_36_asks_for(run: Run) -> None:
    on = "InPlacePodLevelResourcesVerticalScaling=true,NodeDeclaredFeatures=true"
    given = pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT)
    assert decided(run, "1.35.8", "1.36.5", given, more=("--feature-gates", on)) == KEEP
    assert decided(run, "1.34.13", "1.35.8", given, more=("--feature-gates", on)) == RESTARTED


def test_hc019_a_record_alone_does_not_show_whether_a_pods_limit_is_applied(run: Run, tmp_path: Path) -> None:
    given = pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT)
    more = recorded(tmp_path, record(hash_of(run, "1.33.13", C)))
    assert decided(run, "auto", "1.33.13", given, more=more)[0] == "UNKNOWN"
    assert decided(run, "auto", "1.33.13", pod(C, spec=POD_LIMIT), more=more)[0] == "KEEP"


def applied(directory: Path, containers: Json) -> tuple[object, ...]:
    """Write what a kubelet of 1.33 or later keeps below its root directory, and return the option for it."""
    entry = {"ContainerResources": containers, "PodLevelResources": {"limits": {"cpu": "1"}}}
    path = directory / "actuated_pods_state"
    path.write_text(json.dumps({"data": json.dumps({"entries": {"uid-p": entry}}), "checksum": 1}))
    return ("--recorded", path)


@pytest.mark.parametrize(
    ("containers", "expected"),
    [
        pytest.param({"c": SIZED["resources"]}, KEEP, id="the same"),
        pytest.param({"c": {"requests": {"cpu": "2"}}}, RESTARTED, id="another request"),
        pytest.param({"c": {}}, RESTARTED, id="nothing"),
        pytest.param({"other": SIZED["resources"]}, RESTARTED, id="another container"),
    ],
)
def test_hc019_what_a_kubelet_noted_before_decides(
    run: Run, tmp_path: Path, containers: Json, expected: Expected
) -> None:
    given, more = pod({**SIZED, **CPU_RESTARTS}), applied(tmp_path, containers)
    assert decided(run, "1.32.0", "1.33.0", given, more=more) == expected
    assert decided(run, "1.32.0", "1.37.0", given, more=more) == (
        KEEP if containers.keys() == {"other"} else expected
    )


def test_hc019_a_difference_under_a_kubelet_that_notes_is_a_resize_of_its_own(
    run: Run, tmp_path: Path
) -> None:
    given, more = pod({**SIZED, **CPU_RESTARTS}), applied(tmp_path, {"c": {}})
    assert decided(run, "1.33.0", "1.34.0", given, more=more) == KEEP


def test_hc019_what_a_kubelet_noted_does_not_decide_over_the_pods_limits(run: Run, tmp_path: Path) -> None:
    given, more = pod({**C, **MEMORY_RESTARTS}, spec=POD_LIMIT), applied(tmp_path, {"c": {}})
    assert decided(run, "1.35.10", "1.36.6", given, more=more) == RESTARTED
    assert decided(run, "1.32.13", "1.36.6", given, more=more) == RESTARTED


def test_a_damaged_note_is_an_error(run: Run, tmp_path: Path) -> None:
    (_, path) = applied(tmp_path, {"c": {"limits": {"cpu": "much"}}})
    assert isinstance(path, Path)
    result = run("plan", "--from", "1.32.0", "--to", "1.33.0", "--sample", "--recorded", path)
    assert result.code == 1
    assert f"{path}: actuated_pods_state: $.data: not what a kubelet writes" in result.err
    path.write_text('{"data": "[]", "checksum": 1}')
    assert run("plan", "--from", "1.32.0", "--to", "1.33.0", "--sample", "--recorded", path).code == 1


def test_a_snapshot_keeps_what_a_kubelet_noted(run: Run, tmp_path: Path) -> None:
    given = as_json(pod({**SIZED, **CPU_RESTARTS}))
    more = applied(tmp_path, {"c": SIZED["resources"]})
    taken = run("snapshot", "-f", "-", *more, stdin=given)
    assert taken.document["applied"] == [{"uid": "uid-p", "container": "c", "resources": SIZED["resources"]}]
    assert decided(run, "1.32.0", "1.33.0", taken.document) == KEEP


def collected(directory: Path, hash_: int, entries: Json | None) -> tuple[object, ...]:
    """Write the dump of a node whose container ``c`` runs, with the kubelet's file or without one."""
    labels = {f"io.kubernetes.{key}": value for key, value in ROW.items()}
    annotation = {"io.kubernetes.container.hash": f"{hash_:x}"}
    row = {"id": "0", "labels": labels, "annotations": annotation, "state": "CONTAINER_RUNNING"}
    file = GONE if entries is None else json.dumps({"data": json.dumps({"entries": entries}), "checksum": 1})
    changes: dict[Any, Any] = {
        ("docker", "list"): GONE,
        ("cri", "containers"): json.dumps({"containers": [row]}),
        ("file", "/var/lib/kubelet/actuated_pods_state"): file,
    }
    path = directory / "n1.dump"
    path.write_text(as_text(dump(changes)))
    return ("--recorded", path)


ROW = {"pod.uid": "uid-p", "pod.namespace": "ns", "pod.name": "p", "container.name": "c"}
OTHER_POD: Json = {"uid-q": {"ContainerResources": {"c": SIZED["resources"]}}}
THIS_POD: Json = {"uid-p": {"ContainerResources": {"c": SIZED["resources"]}}}


@pytest.mark.parametrize(
    ("old", "new", "entries", "verdict"),
    [
        pytest.param("1.35.8", "1.36.5", None, "RESTART", id="no file"),
        pytest.param("1.35.8", "1.36.5", OTHER_POD, "RESTART", id="a file without the pod"),
        pytest.param("1.35.8", "1.36.5", THIS_POD, "KEEP", id="a file with it"),
        pytest.param("1.36.5", "1.37.2", None, "KEEP", id="1.37 fills it in"),
    ],
)
def test_hc019_a_file_that_lacks_the_pod_restarts_it_whatever_the_old_release(
    run: Run, tmp_path: Path, old: str, new: str, entries: Json | None, verdict: str
) -> None:
    given = pod({**SIZED, **CPU_RESTARTS})
    more = collected(tmp_path, hash_of(run, new, {**SIZED, **CPU_RESTARTS}), entries)
    assert decided(run, old, new, given, more=more)[0] == verdict
    taken = run("snapshot", "-f", "-", *more, stdin=as_json(given)).document
    assert decided(run, old, new, taken)[0] == verdict


def resized(state: str, shown: Json, allocated: str = "1", wanted: str = "1") -> Json:
    """Return a pod whose container is resized, with what its status shows of that."""
    sized = {"limits": {"cpu": wanted}, "requests": {"cpu": wanted}}
    row = {"name": "c", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, "restartCount": 0}
    conditions = [{"type": state, "status": "True"}] if state else []
    return pod(
        {**C, "resources": sized, **CPU_RESTARTS},
        status={
            "phase": "Running",
            "conditions": conditions,
            "containerStatuses": [{**row, "resources": shown, "allocatedResources": {"cpu": allocated}}],
        },
    )


HALF = {"requests": {"cpu": "500m"}, "limits": {"cpu": "500m"}}
LIMITED = {"requests": {"cpu": "1"}, "limits": {"cpu": "500m"}}
ROUNDED = {"requests": {"cpu": "1"}, "limits": {"cpu": "1010m"}}
WHOLE = {"requests": {"cpu": "1000m"}, "limits": {"cpu": "1"}}
WAITS: Expected = ("UNKNOWN", ["HC019"])


def verdict_of_snapshot(run: Run, tmp_path: Path, way: tuple[str, str], given: Json) -> str:
    """Return what is decided of a pod by its snapshot alone."""
    snapshot = tmp_path / "snapshot.json"
    assert run("snapshot", "-f", "-", "--out", snapshot, stdin=as_json(given)).code == 0
    again = run("plan", "--from", way[0], "--to", way[1], "-f", snapshot, "-o", "json")
    return str(again.items[0]["verdict"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(resized("PodResizeInProgress", HALF), RESTARTED, id="under way"),
        pytest.param(resized("PodResizeInProgress", LIMITED), RESTARTED, id="the limit alone"),
        pytest.param(resized("PodResizeInProgress", WHOLE), KEEP, id="another container's"),
        pytest.param(resized("", HALF), KEEP, id="a runtime that rounds"),
        pytest.param(resized("", LIMITED), WAITS, id="the limit alone, that its kubelet never saw"),
        pytest.param(resized("", ROUNDED), KEEP, id="a limit that systemd rounds"),
        pytest.param(resized("PodResizePending", WHOLE, allocated="1", wanted="3"), WAITS, id="deferred"),
        pytest.param(resized("", WHOLE, allocated="1", wanted="3"), WAITS, id="that its kubelet never saw"),
        pytest.param(resized("", WHOLE, allocated="1000m", wanted="1"), KEEP, id="the same in other words"),
        pytest.param(resized("", WHOLE, allocated="none", wanted="1"), KEEP, id="no quantity"),
    ],
)
@pytest.mark.parametrize("way", [("1.33.4", "1.34.1"), ("1.36.4", "1.37.1")], ids=str)
def test_a_resize_that_is_not_done_goes_on_when_a_kubelet_starts(
    run: Run, tmp_path: Path, way: tuple[str, str], given: Json, expected: Expected
) -> None:
    assert decided(run, *way, given) == expected
    assert verdict_of_snapshot(run, tmp_path, way, given) == expected[0]


@pytest.mark.parametrize(("noted", "expected"), [("500m", RESTARTED), ("1", KEEP)])
def test_a_resize_that_a_kubelet_noted_as_allocated_and_not_as_applied_goes_on(
    run: Run, tmp_path: Path, noted: str, expected: Expected
) -> None:
    """1.35.8 ``computePodResizeAction`` compares the two files."""
    amounts = {"cpu": noted}
    more = applied(tmp_path, {"c": {"limits": amounts, "requests": amounts}})
    assert decided(run, "1.34.1", "1.35.8", resized("", HALF), more=more) == expected


def test_a_resize_that_needs_no_restart_changes_nothing(run: Run) -> None:
    given = resized("PodResizeInProgress", HALF)
    given["spec"]["containers"][0].pop("resizePolicy")
    assert decided(run, "1.34.1", "1.35.1", given) == KEEP


def test_an_init_container_is_not_resized(run: Run) -> None:
    given = resized("PodResizeInProgress", HALF)
    row = {**given["status"]["containerStatuses"][0], "name": "i"}
    given["spec"]["initContainers"] = [{**given["spec"]["containers"][0], "name": "i"}]
    given["status"]["initContainerStatuses"] = [row]
    assert decided(run, "1.34.1", "1.35.1", given) == RESTARTED
    assert planned(run, "1.34.1", "1.35.1", given)["i"]["verdict"] == "KEEP"


@pytest.mark.parametrize(
    ("new", "gates", "is_past", "expected"),
    [
        ("1.35.8", (), False, "KEEP"),
        ("1.36.3", (), False, "RESTART"),
        ("1.36.3", (), True, "KEEP"),
        ("1.36.3", ("--feature-gates", "InPlacePodVerticalScalingInitContainers=false"), False, "KEEP"),
        ("1.37.1", (), False, "KEEP"),
    ],
)
def test_from_1_36_on_an_init_container_has_its_resources_applied(
    run: Run, new: str, gates: tuple[str, ...], is_past: bool, expected: str
) -> None:
    given = pod(C)
    given["spec"]["initContainers"] = [{**SIZED, **CPU_RESTARTS, "name": "i"}]
    given["status"] = {
        "phase": "Pending",
        "initContainerStatuses": [{"name": "i", "state": {"running": {}}}],
        "containerStatuses": [{"name": "c", "state": {"running": {}} if is_past else {"waiting": {}}}],
    }
    item = planned(run, "1.32.10", new, given, more=gates)["i"]
    rules = [reason["id"] for reason in item["reasons"]]
    assert (item["verdict"], "HC019" in rules) == (expected, expected == "RESTART")


def of_pod(state: str, shown: str, container: Json = MEMORY_RESTARTS) -> Json:
    """Return a pod whose own limit of memory is resized to 1Gi, as its status shows it."""
    row = {"name": "c", "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, "restartCount": 0}
    return pod(
        {**C, **container},
        spec={"resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}},
        status={
            "phase": "Running",
            "conditions": [{"type": state, "status": "True"}] if state else [],
            "resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": shown}},
            "allocatedResources": {"memory": "1Gi"},
            # of a container without limits of its own none are shown
            "containerStatuses": [{**row, "resources": {}}],
        },
    )


OWN_LIMIT: Json = {**MEMORY_RESTARTS, "resources": {"limits": {"memory": "64Mi"}}}


@pytest.mark.parametrize(
    ("way", "given", "expected"),
    [
        (("1.36.4", "1.37.1"), of_pod("PodResizeInProgress", "512Mi"), WAITS),
        (("1.36.4", "1.36.5"), of_pod("PodResizePending", "512Mi"), WAITS),
        (("1.36.4", "1.37.1"), of_pod("PodResizeInProgress", "1073737728"), KEEP),  # in pages
        (("1.36.4", "1.37.1"), of_pod("", "512Mi"), KEEP),
        (("1.36.4", "1.37.1"), of_pod("PodResizeInProgress", "512Mi", {}), KEEP),
        (("1.36.4", "1.37.1"), of_pod("PodResizeInProgress", "512Mi", OWN_LIMIT), KEEP),
        (("1.34.4", "1.35.2"), of_pod("PodResizeInProgress", "512Mi"), KEEP),
    ],
    ids=["under way", "waits", "rounded", "done", "no policy", "a limit of its own", "1.35 gives none"],
)
def test_hc019_a_resize_of_the_pods_own_limit_goes_on(
    run: Run, tmp_path: Path, way: tuple[str, str], given: Json, expected: Expected
) -> None:
    """1.36.5 ``containerResourcesFromRequirements``: a container without a limit has its pod's."""
    assert decided(run, *way, given) == expected
    assert verdict_of_snapshot(run, tmp_path, way, given) == expected[0]


@pytest.mark.parametrize(
    ("noted", "expected"),
    [
        ({"limits": {"memory": "512Mi"}}, RESTARTED),
        ({"limits": {"memory": "1Gi"}}, KEEP),
        ({}, WAITS),
    ],
    ids=["the old limit", "the new limit", "none"],
)
def test_hc019_what_is_noted_of_the_container_decides_whether_it_has_the_pods_limit(
    run: Run, tmp_path: Path, noted: Json, expected: Expected
) -> None:
    """1.36.5 ``setActuatedContainerResources`` notes the pod's limit as the container's."""
    told = applied(tmp_path, {"c": noted})
    given = of_pod("PodResizeInProgress", "512Mi")
    assert decided(run, "1.36.4", "1.37.1", given, more=told) == expected


def test_hc019_what_decides_whether_a_container_has_its_pods_limit_is_said(run: Run) -> None:
    given = as_json(of_pod("PodResizeInProgress", "512Mi"))
    told = run("explain", "ns/p/c", "--from", "1.36.4", "--to", "1.37.1", "-f", "-", stdin=given)
    assert "What its kubelet noted as applied decides: give a dump of the node with --recorded" in told.out


def test_hc019_a_resize_of_the_pods_own_limit_that_does_not_fit_waits_on(run: Run) -> None:
    given, host = of_pod("PodResizePending", "512Mi"), node("v1.36.4")
    given["status"]["allocatedResources"] = {"memory": "512Mi"}
    host["status"]["allocatable"] = {"cpu": "4", "memory": "768Mi", "pods": "110"}
    way = ("plan", "--from", "1.36.4", "--to", "1.36.5", "-f", "-", "-o", "json")
    item = run(*way, stdin=as_json(given, host)).item
    assert item["verdict"] == "KEEP"
    assert "waits on, for its pod is to ask for" in item["reasons"][0]["text"]
