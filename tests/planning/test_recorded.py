"""Plans with recorded hashes: the records decide, and the share that was reproduced comes first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.helpers.pods import ARTICLE, Json, as_json, mirror_pod, node, pod
from tests.helpers.program import Run
from tests.helpers.upgrades import decided, hash_changed, hash_of, planned, record, recorded

C: Json = {"name": "c", "image": "i"}
D: Json = {"name": "d", "image": "i"}
OLD, NEW = "1.9.11", "1.16.0"
STATIC = {"pod": "p-n1"}
STATIC_UID = "0123456789abcdef0123456789abcdef"
API_UID = "8cdcb7ba-17d0-11e9-9243-52540064c479"


def static(uid: str = STATIC_UID) -> Json:
    """Return a mirror pod that shows the uid of its static pod."""
    given = mirror_pod(C)
    given["metadata"]["annotations"] = {f"kubernetes.io/config.{key}": uid for key in ("hash", "mirror")}
    return given


@pytest.mark.parametrize(
    ("created_by", "verdict", "calibrated", "reasons"),
    [
        pytest.param("1.9.11", "RESTART", True, ["HC001"], id="equal to the old kubelet's"),
        pytest.param("1.13.0", "RESTART", True, ["HC001"], id="another release's, with the same hash"),
        pytest.param("1.16.0", "KEEP", True, ["HC012"], id="equal to the new kubelet's"),
        pytest.param("1.7.16", "RESTART", True, ["HC031"], id="another release's, with another hash"),
    ],
)
def test_the_recorded_hash_decides(
    run: Run, tmp_path: Path, created_by: str, verdict: str, *, calibrated: bool, reasons: list[str]
) -> None:
    value = hash_of(run, created_by, C)
    item = planned(run, OLD, NEW, pod(C), more=recorded(tmp_path, record(value)))["c"]
    assert (item["verdict"], item["calibrated"], [row["id"] for row in item["reasons"]]) == (
        verdict,
        calibrated,
        reasons,
    )
    assert item["hash"] == {"recorded": value, "from": hash_of(run, OLD, C), "to": hash_of(run, NEW, C)}


def test_the_incident_with_the_hash_that_the_runtime_told(run: Run, tmp_path: Path) -> None:
    told = recorded(tmp_path, record(1559107639, container=ARTICLE["name"]))
    item = planned(run, "1.7.16", "1.9.11", pod(ARTICLE), more=told)[ARTICLE["name"]]
    assert (item["verdict"], item["calibrated"], item["hash"]["recorded"]) == ("RESTART", True, 1559107639)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param((pod(C, D), node("v1.9.11")), ("UNKNOWN", ["HC014"]), id="on the node"),
        pytest.param(
            (pod(C, node="n2"), pod(D, name="q"), node("v1.9.11")), ("KEEP", []), id="on another node"
        ),
        pytest.param(
            (pod(C, D, status={"phase": "Failed"}),),
            ("KEEP", ["HC002"]),
            id="finished: no kubelet compares it",
        ),
    ],
)
def test_without_a_record_a_node_below_100_percent_is_unknown(
    run: Run, tmp_path: Path, given: tuple[Json, ...], expected: Any
) -> None:
    records = [record(1, name, "d") for name in ("p", "q")]
    assert decided(run, "1.9.11", "1.10.0", *given, more=recorded(tmp_path, *records)) == expected


@pytest.mark.parametrize(("right", "expected"), [(True, ("KEEP", [])), (False, ("UNKNOWN", ["HC014"]))])
def test_at_100_percent_what_has_no_record_is_computed(
    run: Run, tmp_path: Path, *, right: bool, expected: Any
) -> None:
    value = hash_of(run, "1.9.11", D) if right else 1
    assert (
        decided(run, "1.9.11", "1.10.0", pod(C, D), more=recorded(tmp_path, record(value, container="d")))
        == expected
    )


@pytest.mark.parametrize(
    ("old", "new", "verdict", "reason"),
    [
        ("1.5.7", "1.5.8", "KEEP", "HC002"),
        ("1.3.0", "1.5.8", "KEEP", "HC002"),
        ("1.5.8", "1.6.0", "RESTART", "HC017"),
        ("1.6.0", "1.6.13", "RESTART", "HC015"),
        ("1.35.0", "1.36.0", "RESTART", "HC015"),
    ],
)
def test_a_missing_hash_is_left_alone_up_to_1_5(
    run: Run, tmp_path: Path, old: str, new: str, verdict: str, reason: str
) -> None:
    item = planned(run, old, new, pod(C), more=recorded(tmp_path, record(None)))["c"]
    assert (item["verdict"], item["reasons"][0]["id"], item["calibrated"]) == (verdict, reason, None)


def test_the_share_comes_first_on_stderr_and_in_the_summary(run: Run, tmp_path: Path) -> None:
    records = recorded(tmp_path, record(hash_of(run, OLD, C)), record(1, container="d"))
    result = run(
        "plan", "--from", OLD, "--to", NEW, "-f", "-", "-o", "json", *records, stdin=as_json(pod(C, D))
    )
    assert result.err.splitlines()[0] == "Calibration: 1 of 2 recorded hashes reproduced (50 %)"
    assert {key: result.document["summary"][key] for key in ("recorded", "reproduced")} == {
        "recorded": 2,
        "reproduced": 1,
    }


def test_without_records_there_is_no_share(run: Run) -> None:
    result = run("plan", "--from", OLD, "--to", NEW, "-f", "-", stdin=as_json(pod(C)))
    assert "Calibration" not in result.err


@pytest.mark.parametrize(
    ("given", "told", "joined"),
    [
        pytest.param(pod(C), {}, True, id="uid and container"),
        pytest.param(pod(C), {"uid": "another"}, False, id="another pod of that name"),
        pytest.param(pod(C), {"pod": "q"}, False, id="another pod"),
        pytest.param(pod(C), {"container": "d"}, False, id="another container"),
        pytest.param(pod(C), {"uid": ""}, True, id="no uid told"),
        pytest.param(static(), {**STATIC, "uid": STATIC_UID}, True, id="a mirror pod shows its uid"),
        pytest.param(static(), {**STATIC, "uid": "0" * 32}, False, id="another static pod of that name"),
        pytest.param(static(), {**STATIC, "uid": ""}, True, id="a static pod, no uid told"),
        pytest.param(mirror_pod(C), {**STATIC, "uid": "0" * 32}, True, id="a mirror pod without its uid"),
        pytest.param(
            mirror_pod(C), {**STATIC, "uid": API_UID}, False, id="an API pod of the name of a static pod"
        ),
    ],
)
def test_records_are_joined_by_uid_or_by_names(
    run: Run, tmp_path: Path, given: Json, told: dict[str, str], *, joined: bool
) -> None:
    item = planned(run, "1.9.11", "1.9.11", given, more=recorded(tmp_path, record(7, **told)))["c"]
    assert item["hash"]["recorded"] == (7 if joined else None)


def test_a_pod_whose_uid_has_a_record_is_not_the_mirror_of_another(run: Run, tmp_path: Path) -> None:
    """Mirror pods have no containers of their own."""
    given = static()
    records = recorded(tmp_path, record(7, **STATIC), record(8, **STATIC, uid=STATIC_UID))
    assert planned(run, "1.9.11", "1.9.11", given, more=records)["c"]["hash"]["recorded"] == 7


def test_the_running_container_counts_not_the_one_before(run: Run, tmp_path: Path) -> None:
    records = recorded(tmp_path, record(7), record(8, state="CONTAINER_EXITED"))
    assert planned(run, "1.9.11", "1.9.11", pod(C), more=records)["c"]["hash"]["recorded"] == 7


FORM_FEED: Json = {**C, "args": ["\f"]}


@pytest.mark.parametrize(
    ("old", "created_by", "new", "expected"),
    [
        pytest.param(
            "1.27.3", "1.27.3", "1.27.16-eks-1", ("UNKNOWN", ["HC010"]), id="one of the vendor's two"
        ),
        pytest.param(
            "1.15.12",
            "1.27.3",
            "1.27.16-eks-1",
            ("UNKNOWN", ["HC010"]),
            id="not the old kubelet's, but one of the two",
        ),
        pytest.param("1.27.3", "1.15.12", "1.27.16-eks-1", ("RESTART", ["HC031"]), id="neither"),
        pytest.param("1.27.3-eks-1", "1.27.3", "1.27.3-eks-1", ("KEEP", ["HC012"]), id="the same build"),
        pytest.param("1.27.3-eks-1", "1.27.3", "1.27.16", ("RESTART", ["HC003"]), id="known by the record"),
        pytest.param("1.27.3-eks-1", "1.27.16", "1.27.16", ("KEEP", ["HC012"]), id="kept by the record"),
    ],
)
def test_a_record_beside_a_vendors_go(
    run: Run, tmp_path: Path, old: str, created_by: str, new: str, expected: Any
) -> None:
    assert (
        decided(
            run,
            old,
            new,
            pod(FORM_FEED),
            more=recorded(tmp_path, record(hash_of(run, created_by, FORM_FEED))),
        )
        == expected
    )


def test_a_record_of_a_sidecar_that_1_30_made(run: Run, tmp_path: Path) -> None:
    """1.31 never compared it; 1.32 does."""
    sidecar = {**C, "restartPolicy": "Always"}
    given = pod(D, spec={"initContainers": [sidecar]})
    made_by = {release: recorded(tmp_path, record(hash_of(run, release, sidecar))) for release in ("1.31.0",)}
    assert decided(run, "1.31.0", "1.32.0", given, more=made_by["1.31.0"]) == ("KEEP", ["HC012"])
    old = recorded(tmp_path, record(hash_of(run, "1.30.0", sidecar)))
    assert decided(run, "1.31.0", "1.32.0", given, more=old) == ("RESTART", ["HC031"])
    probed = pod(D, spec={"initContainers": [{**sidecar, "startupProbe": {"exec": {}}}]})
    assert decided(run, "1.31.0", "1.32.0", probed, more=recorded(tmp_path, record(None))) == (
        "RESTART",
        ["HC015", "HC025"],
    )


CPU_RESTARTS: Json = {
    **C,
    "resources": {"requests": {"cpu": "1"}},
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
}
SIDECAR: Json = {**C, "restartPolicy": "Always"}


def docker_node(kubelet: str) -> Json:
    host = node(kubelet)
    host["status"]["nodeInfo"]["containerRuntimeVersion"] = "docker://20.10.7"
    return host


def pinned_pod() -> Json:
    return static("set-by-hand")


@pytest.mark.parametrize(
    ("to", "created_by", "given", "expected"),
    [
        pytest.param("1.16.0", "1.16.0", pod(C), ("KEEP", ["HC012"]), id="equal to the new hash"),
        pytest.param("1.16.0", "1.15.0", pod(C), ("RESTART", ["HC031"]), id="another hash"),
        pytest.param("1.16.0", "", pod(C), ("RESTART", ["HC015"]), id="none was recorded"),
        pytest.param(
            "1.16.0", "1.15.0", pod(C, status={"phase": "Failed"}), ("KILL", ["HC045"]), id="finished"
        ),
        pytest.param(
            "1.31.0",
            "1.30.0",
            pod(D, spec={"initContainers": [SIDECAR]}),
            ("KEEP", ["HC002"]),
            id="an ignored sidecar",
        ),
        pytest.param(
            "1.32.0",
            "1.30.0",
            pod(D, spec={"initContainers": [SIDECAR]}),
            ("RESTART", ["HC031"]),
            id="a compared sidecar",
        ),
        pytest.param(
            "1.16.0", "1.15.0", mirror_pod(C), ("RESTART", ["HC031"]), id="a static pod restarts either way"
        ),
        pytest.param(
            "1.16.0", "1.16.0", mirror_pod(C), ("UNKNOWN", ["HC008"]), id="a static pod may get another UID"
        ),
        pytest.param(
            "1.16.0", "1.16.0", pinned_pod(), ("KEEP", ["HC012"]), id="a static pod with a UID of its own"
        ),
        pytest.param(
            "1.33.0",
            "1.33.0",
            pod(CPU_RESTARTS),
            ("UNKNOWN", ["HC008"]),
            id="resources that may be applied by a restart",
        ),
        pytest.param(
            "1.32.0", "1.32.0", pod(CPU_RESTARTS), ("KEEP", ["HC012"]), id="no resizing before 1.33"
        ),
        pytest.param(
            "1.27.16-gke.1", "1.27.16", pod({**C, "args": ["\f"]}), ("UNKNOWN", ["HC010"]), id="a vendor's Go"
        ),
    ],
)
@pytest.mark.parametrize("kubelet", ["dev", "v1.99.0"])
def test_a_record_decides_where_the_nodes_release_is_not_known(
    run: Run, tmp_path: Path, kubelet: str, to: str, created_by: str, given: Json, expected: Any
) -> None:
    spec = next(
        c
        for c in (*given["spec"]["containers"], *given["spec"].get("initContainers", ()))
        if c["name"] == "c"
    )
    name, uid = (given["metadata"][key] for key in ("name", "uid"))
    uid = given["metadata"].get("annotations", {}).get("kubernetes.io/config.mirror", uid)
    value = hash_of(run, created_by, spec) if created_by else None
    told = recorded(tmp_path, record(value, name, uid=uid))
    item = planned(run, "auto", to, node(kubelet), given, more=told)["c"]
    assert (item["verdict"], [reason["id"] for reason in item["reasons"]]) == expected
    assert (item["hash"]["from"], item["calibrated"]) == (None, None)


@pytest.mark.parametrize(
    ("more", "expected"), [((), ("UNKNOWN", ["HC008"])), (("--cri-dockerd",), ("KEEP", ["HC012"]))]
)
def test_docker_on_a_node_of_no_known_release_may_be_gone(
    run: Run, tmp_path: Path, more: tuple[str, ...], expected: Any
) -> None:
    told = recorded(tmp_path, record(hash_of(run, "1.24.0", C)))
    assert decided(run, "auto", "1.24.0", docker_node("dev"), pod(C), more=(*told, *more)) == expected


def test_without_a_record_such_a_node_stays_unknown(run: Run, tmp_path: Path) -> None:
    told = recorded(tmp_path, record(hash_of(run, "1.16.0", D), container="d"))
    assert decided(run, "auto", "1.16.0", node("dev"), pod(C, D), more=told) == ("UNKNOWN", ["HC008"])


def test_a_record_does_not_help_a_spec_that_does_not_decode(run: Run, tmp_path: Path) -> None:
    """A release that is not known excuses no spec that the new kubelet cannot read."""
    told = recorded(tmp_path, record(7))
    broken = pod({**C, "args": "text"})
    assert decided(run, "auto", "1.16.0", node("dev"), broken, more=(*told, "--keep-going")) == (
        "UNKNOWN",
        ["HC009"],
    )


def with_state(**state: Json) -> Json:
    return pod(C, status={"phase": "Running", "containerStatuses": [{"name": "c", "state": state}]})


@pytest.mark.parametrize(
    ("state", "runtime", "expected"),
    [
        pytest.param({"waiting": {}}, "CONTAINER_RUNNING", ("RESTART", ["HC001"]), id="it runs"),
        pytest.param({"running": {}}, "CONTAINER_EXITED", ("KEEP", ["HC002"]), id="it exited"),
        pytest.param({"running": {}}, "CONTAINER_RUNNING", ("RESTART", ["HC001"]), id="both agree"),
    ],
)
def test_the_runtimes_state_counts_not_the_api_servers(
    run: Run, tmp_path: Path, state: Json, runtime: str, expected: tuple[str, list[str]]
) -> None:
    """A kubelet that starts asks its runtime; the status is from before it stopped."""
    told = recorded(tmp_path, record(hash_of(run, OLD, C), state=runtime))
    assert decided(run, OLD, NEW, with_state(**state), more=told) == expected


def test_an_older_attempt_that_exited_is_not_compared(run: Run, tmp_path: Path) -> None:
    """The newest one was removed while no kubelet ran."""
    told = recorded(tmp_path, record(hash_of(run, OLD, C), state="CONTAINER_EXITED"))
    assert decided(run, OLD, NEW, with_state(running={}), more=told) == ("KEEP", ["HC002"])


def test_a_log_does_not_show_what_runs(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "kubelet.log"
    log.write_text(f"{hash_changed(7)}\n")
    assert decided(run, OLD, NEW, with_state(waiting={}), more=("--recorded", log)) == ("KEEP", ["HC002"])


def test_a_mirror_pod_that_is_being_deleted_says_nothing_of_its_static_pod(run: Run) -> None:
    deleting = {"deletionTimestamp": "2026-01-31T12:00:00Z"}
    given = mirror_pod(C)
    given["metadata"].update(deleting)
    assert decided(run, "1.16.0", "1.17.0", given) == decided(run, "1.16.0", "1.17.0", mirror_pod(C))
    assert decided(run, "1.15.12", "1.16.0", given)[0] == "RESTART"
    assert decided(run, "1.15.12", "1.16.0", pod(C, metadata=deleting)) == ("KEEP", ["HC002"])


def test_hc013_where_the_current_release_is_not_known_and_no_release_computes_the_record(
    run: Run, tmp_path: Path
) -> None:
    told = recorded(tmp_path, record(7))
    assert decided(run, "auto", "1.16.0", node("dev"), pod(C), more=told) == ("RESTART", ["HC013"])
