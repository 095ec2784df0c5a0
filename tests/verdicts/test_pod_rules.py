"""Every rule about whole pods by its id: a case that it decides, and the nearest one that it must leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pods import Json, mirror_pod, node, pod
from program import Run
from rulecases import KEEP, MAIN, NEW_UID, C, Expected, never, with_status
from upgrades import decided, hash_of, planned, record, recorded


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        pytest.param("1.35.0", "1.36.0", mirror_pod(C), NEW_UID, id="across minors"),
        pytest.param("1.36.0", "1.35.0", mirror_pod(C), NEW_UID, id="and back"),
        pytest.param("1.16.15", "1.17.17", mirror_pod(C), KEEP, id="1.16 and 1.17 have one tree"),
        pytest.param("1.20.15", "1.21.14", mirror_pod(C), NEW_UID, id="host and file enter at 1.21"),
        pytest.param("1.35.0", "1.35.3", mirror_pod(C), KEEP, id="a patch changes no UID"),
        pytest.param("1.4.0", "1.5.8", mirror_pod(C), ("UNKNOWN", ["HC007"]), id="no data on static pods before 1.6"),
        pytest.param(
            "1.16.15", "1.17.17", mirror_pod(C, spec={"nodeSelector": 1}), ("UNKNOWN", ["HC007"]), id="a spec that does not decode"
        ),
        pytest.param("1.35.0", "1.36.0", pod(C), KEEP, id="an API pod"),
        pytest.param(
            "1.30.0",
            "1.31.0",
            mirror_pod({"name": "main"}, spec={"initContainers": [{**C, "restartPolicy": "Always"}]}),
            NEW_UID,
            id="a sidecar that is not compared dies with its pod",
        ),
        pytest.param("1.35.0", "1.36.0", mirror_pod(C, status={"phase": "Failed"}), ("KEEP", ["HC002"]), id="finished"),
        pytest.param(
            "1.35.0",
            "1.36.0",
            mirror_pod(MAIN, spec={"initContainers": [C]}, status=with_status("initContainerStatuses")),
            NEW_UID,
            id="a running init container",
        ),
    ],
)
def test_hc007_and_hc022_a_static_pod_is_decided_by_its_uid(run: Run, old: str, new: str, given: Json, expected: Expected) -> None:
    assert decided(run, old, new, given) == expected


def test_hc022_a_recorded_hash_does_not_keep_a_static_pod(run: Run, tmp_path: Path) -> None:
    new = record(hash_of(run, "1.31.0", C), uid="of the manifest")
    assert decided(run, "1.30.0", "1.31.0", mirror_pod(C), more=recorded(tmp_path, new)) == NEW_UID


@pytest.mark.parametrize(
    ("old", "new", "runtime", "given", "expected"),
    [
        ("1.23.17", "1.24.0", "docker://20.10.7", pod(C), ("RESTART", ["HC016"])),
        ("1.23.17", "1.24.0", "docker://20.10.7", never(), ("RESTART", ["HC016"])),
        ("1.19.16", "1.30.0", "docker://20.10.7", mirror_pod(C), ("RESTART", ["HC016"])),
        ("1.23.17", "1.24.0", "docker://20.10.7", pod(C, status={"phase": "Succeeded"}), ("KEEP", ["HC002"])),
        ("1.23.17", "1.24.0", "containerd://1.6.4", pod(C), KEEP),
        ("1.22.17", "1.23.17", "docker://20.10.7", pod(C), KEEP),
        ("1.24.0", "1.25.0", "docker://20.10.7", pod(C), KEEP),  # cri-dockerd
    ],
)
def test_hc016_without_dockershim_everything_is_created_anew(
    run: Run, old: str, new: str, runtime: str, given: Json, expected: Expected
) -> None:
    host = node(f"v{old}")
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = runtime
    item = planned(run, old, new, host, given)["c"]
    assert (item["verdict"], [reason["id"] for reason in item["reasons"]]) == expected
    assert item["podRecreated"] is (expected[1] == ["HC016"])


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        ("1.5.8", "1.6.0", pod(C), ("RESTART", True)),
        ("1.6.0", "1.5.8", pod(C), ("RESTART", True)),
        ("1.5.8", "1.6.0", never(), ("KILL", False)),
        ("1.5.8", "1.6.0", pod(C, spec={"restartPolicy": "OnFailure"}), ("RESTART", True)),
        ("1.5.8", "1.6.0", pod(MAIN, spec={"initContainers": [C]}, status=with_status("initContainerStatuses")), ("RESTART", True)),
        ("1.5.8", "1.6.0", pod(MAIN, spec={"initContainers": [C]}), ("KEEP", False)),
        ("1.5.8", "1.6.0", pod(MAIN, spec={"ephemeralContainers": [C]}, status=with_status("ephemeralContainerStatuses")), ("KILL", True)),
        ("1.6.0", "1.7.0", never(), ("KEEP", False)),
    ],
)
def test_hc017_a_new_sandbox_kills_the_whole_pod(run: Run, old: str, new: str, given: Json, expected: tuple[str, bool]) -> None:
    item = planned(run, old, new, given)["c"]
    assert (item["verdict"], item["podRecreated"]) == expected
    assert ([reason["id"] for reason in item["reasons"]] == ["HC017"]) is (item["verdict"] != "KEEP")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1.0.6", "1.1.8", ("RESTART", ["HC018"])),  # the same image, in another hash
        ("1.1.8", "1.2.7", ("RESTART", ["HC018"])),
        ("1.2.7", "1.3.10", ("RESTART", ["HC018"])),
        ("1.3.10", "1.2.7", ("RESTART", ["HC018"])),
        ("1.3.10", "1.4.12", KEEP),
        ("1.4.12", "1.5.8", KEEP),
    ],
)
def test_hc018_the_infra_container_has_a_hash_of_its_own(run: Run, old: str, new: str, expected: Expected) -> None:
    assert decided(run, old, new, pod(C)) == expected


def test_hc018_a_never_pod_is_killed_for_good(run: Run) -> None:
    assert decided(run, "1.2.7", "1.3.10", never()) == ("KILL", ["HC018"])


REFERRING: Json = {"volumes": [{"name": "s", "secret": {"secretName": "s"}}]}


@pytest.mark.parametrize(
    ("old", "new", "given", "more", "expected"),
    [
        ("1.33.0", "1.34.0", mirror_pod(C, spec=REFERRING), (), ("KILL", ["HC021"])),
        ("1.29.0", "1.36.0", mirror_pod(C, spec={"serviceAccountName": "x"}), (), ("KILL", ["HC021"])),
        ("1.33.0", "1.34.0", pod(C, spec=REFERRING), (), KEEP),
        ("1.33.0", "1.34.0", mirror_pod(C), (), NEW_UID),
        ("1.32.0", "1.33.0", mirror_pod(C, spec=REFERRING), (), NEW_UID),
        ("1.34.0", "1.35.0", mirror_pod(C, spec=REFERRING), (), NEW_UID),  # 1.34 runs it, so the gate is off
        (
            "1.33.0",
            "1.34.0",
            mirror_pod(C, spec=REFERRING),
            ("--feature-gates", "PreventStaticPodAPIReferences=false"),
            NEW_UID,
        ),
    ],
)
def test_hc021_a_static_pod_that_names_api_objects_is_refused(
    run: Run, old: str, new: str, given: Json, more: tuple[str, ...], expected: Expected
) -> None:
    assert decided(run, old, new, given, more=more) == expected
